"""The answer of `rules why` for people and for scripts: one rule on every entity of its scope."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from perfconsole.view.explaining import (
    STANDING_STYLE,
    conditions,
    exclusions,
    facts,
    nobody_words,
    standing_words,
)
from perfconsole.view.report_json import SCHEMA, operands_json
from perfconsole.view.report_text import Line
from perfconsole.view.wording import missing_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.finding import Explanation, Reading
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.view.explaining import Explained

_LABEL = 14
_FACT = 18
_STYLE = {"yes": "", "yes so far": "", "no": "info", "unknown": "warn"}


def why_lines(rule: Rule, snapshot: Snapshot) -> Iterator[Line]:
    """The rule, then entity by entity what was read and what keeps it silent."""
    yield Line(f"{rule.title}  [{rule.id}{f', row {rule.row}' if rule.row else ''}]", "head")
    if not snapshot.explanations:
        yield Line(f"    {nobody_words(rule)}", "warn")
    for found in snapshot.explanations:
        yield Line("")
        yield Line(f"{found.entity}  {standing_words(found)}", STANDING_STYLE[found.standing].replace("ok", "head"))
        yield from _listed("all of", conditions(found))
        yield from _listed("none of", exclusions(found))
        for lack in found.missing:
            yield Line(f"    {'needs':{_LABEL - 4}}{missing_words(lack)}", "warn", indent=_LABEL)


def _listed(heading: str, items: Sequence[Explained]) -> Iterator[Line]:
    if items:
        yield Line(f"  {heading}", "dim")
    for item in items:
        yield Line(f"    {item.truth:{_LABEL - 4}}{item.condition}", _STYLE[item.truth], indent=_LABEL)
        for remark in item.remarks:
            yield Line(f"{'':{_FACT}}{remark}", "head", indent=_FACT)
        for fact in item.facts:
            yield Line(f"{'':{_FACT}}{fact}", "dim", indent=_FACT)


def why_json(rule: Rule, snapshot: Snapshot, *, version: str, host: str) -> dict[str, Any]:
    """The same for scripts, ready for json.dumps: values in base units, null for missing."""
    return {
        "schema": SCHEMA,
        "tool": version,
        "t": datetime.fromtimestamp(snapshot.wall, UTC).isoformat(timespec="milliseconds"),
        "host": host,
        "rule": rule.id,
        "row": rule.row,
        "title": rule.title,
        "scope": str(rule.scope),
        "explanations": [_explanation(found) for found in snapshot.explanations],
    }


def _explanation(found: Explanation) -> dict[str, Any]:
    stand_ins = dict(found.stand_ins)
    return {
        "entity": str(found.entity),
        "status": str(found.standing),
        "when": [{**_reading(r), "stands_in_for": stand_ins.get(i)} for i, r in enumerate(found.when)],
        "unless": [_reading(r) for r in found.unless],
        "silenced_by": [r.condition for r in found.silencing],
        "missing": [{"name": m.name, "reason": str(m.reason), "source": m.source} for m in found.missing],
    }


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        "condition": reading.condition,
        "truth": str(reading.truth),
        "operands": operands_json(reading.operands),
        "margins": list(facts(reading)),
        "held_s": reading.held_s,
        "hold_s": reading.hold_s,
    }
