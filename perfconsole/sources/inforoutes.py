"""The JSON routes of a target that state facts: read now and then, each answer kept until a better one comes.

The routes are the adapter's: none of them runs a generation, drains a queue or resets a window.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfconsole.sources.http import Fetcher, FetchError, FetchKind
from perfconsole.sources.targetpage import TargetFacts, default_facts
from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.sources.adapter import Adapter, InfoFact


class InfoRoutes:
    """Documents by route; the only writer of them."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._documents: dict[str, object] = {}
        self.silent = False
        """The route that was asked last did not answer in time: others are likely to cost as long."""

    def forget(self) -> None:
        """The target began anew: what it said before may be wrong."""
        self._documents.clear()

    def facts(self, adapter: Adapter) -> TargetFacts:
        """Ask the routes once more, up to the first that does not answer in time.

        A route whose facts are all known from an earlier one is left alone.
        """
        known: set[tuple[str, object]] = set()
        for route in dict.fromkeys(fact.route for fact in adapter.info_facts):
            rows = [fact for fact in adapter.info_facts if fact.route == route]
            if all((row.indicator, row.tag) in known for row in rows):
                continue
            document = self.get(route)
            if document is not None:  # a route that fails for once says nothing new
                self._documents[route] = document
            if self.silent:
                break
            there = self._documents.get(route)
            known |= {(row.indicator, row.tag) for row in rows if _value(there, row) is not None}
        return read_info(adapter, self._documents)

    def get(self, route: str) -> object:
        """JSON of a route; None when it does not answer, needs a key, or is not JSON."""
        self.silent = False
        try:
            reply = self._fetcher.get(route)
        except FetchError as error:
            self.silent = error.kind is FetchKind.TIMEOUT
            return None
        if reply.status != 200:
            return None
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError):
            return None


def read_info(adapter: Adapter, documents: Mapping[str, object]) -> TargetFacts:
    """Facts in the documents of the info routes, by the adapter's table, and the defaults of that release."""
    found: dict[tuple[str, object], tuple[InfoFact, str | float]] = {}
    for fact in adapter.info_facts:
        value = _value(documents.get(fact.route), fact)
        if value is not None:
            found.setdefault((fact.indicator, fact.tag), (fact, value))
    texts = tuple((f.indicator, printable(v)) for f, v in found.values() if isinstance(v, str))
    numbers = tuple((f.indicator, v, f.tag) for f, v in found.values() if not isinstance(v, str))
    version = dict(texts).get("engine.version", "")
    stated = {indicator for indicator, _, _ in numbers}
    return TargetFacts(version, (*numbers, *default_facts(adapter, version, stated)), texts)


def named_in(document: object, path: str, text: str = "") -> bool:
    """The document has a text or more at the path, this very text if it is given; a number says too little."""
    found = _dig(document, path)
    return found == text if text else isinstance(found, str | list | dict)


def _value(document: object, fact: InfoFact) -> str | float | None:
    """What the document says, in the base unit; a text, unless the row asks whether it is one of some."""
    found = _dig(document, fact.path)
    if fact.equals:
        text = str(found).lower() if isinstance(found, bool) else found
        return float(str(text) in fact.equals) if isinstance(text, str | int | float) else None
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    if isinstance(found, str):
        return found
    factor = _dig(document, fact.times) if fact.times else 1.0
    if isinstance(factor, bool) or not isinstance(factor, int | float):
        return None
    value = min(float(found) * factor, fact.ceiling) * fact.scale
    return value if value >= 0 else None  # -1 stands for "none" and "choose it yourself"


def _dig(document: object, path: str) -> object:
    for step in path.split("."):
        if isinstance(document, list) and step.isdigit() and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, dict):
            document = document.get(step)
        else:
            return None
    return document
