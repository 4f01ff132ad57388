"""What one page fills: which adapter takes it, and the indicators that a session of one or two polls has of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import SUFFIXES, Sort
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.exposition import Page, PageError, PageParser
from perfconsole.sources.http import Fetcher, FetchError
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.otherpages.converters import convert
from perfconsole.sources.targetpage import Poll, TargetFacts, TargetPage
from perfconsole.sources.web.address import validate_url
from perfconsole.view.pagereport import Family, PageReport
from perfconsole.view.pagereport_guess import is_noise, useful_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfconsole.config import Config, Target
    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.layer import Layer
    from perfconsole.sources.onepage import OnePage

_ENDINGS = ("_bucket", "_sum", "_count", "_total", "_created", "_info", "_gcount", "_gsum")
_GROUPED = ("histogram", "summary", "gaugehistogram")
_MOST_VALUES = 20
_OWN_WORK = ("scrape_time", "metrics_age")
"""Indicators that polling fills and no page."""
_RUNTIMES = ("python_info", "go_info")


@dataclass(frozen=True, slots=True)
class Taken:
    """Who takes a page."""

    layer: str
    adapter: Adapter
    name: str = ""
    """Name of the target in the configuration."""


def parsed(page: OnePage, converter: str = "") -> Page:
    """The whole page; PageError when it is no page of metrics."""
    if converter:
        try:
            return convert(converter, page.body)
        except PageError:
            pass  # an exporter in front of the program may write the same as text
    return PageParser().parse(page.body, openmetrics=page.openmetrics)


def taker(
    page: OnePage, config: Config, targets: Iterable[Target], layers: Iterable[str], *, certain: bool = False
) -> Taken | None:
    """Who takes the page: a mapping of these targets, the one with most names on it, else a known adapter.

    `certain` says that it is the page of one of the targets, whatever stands on it.
    """
    own = [t for t in targets if t.adapter is not None and t.layer in layers]
    scored = [(_hits(page, t.adapter, config.dictionary), t) for t in own if t.adapter is not None]
    best = max(scored, key=lambda each: each[0], default=None)
    if best is not None and best[1].adapter is not None and (certain or best[0] > 0):
        return Taken(best[1].layer, best[1].adapter, best[1].name)
    for layer in layers:
        target = TargetPage("page", adapters_of(layer), config.dictionary, layer=LAYERS[layer])
        target.batch(_poll(page, 0.0, 1.0, nan))
        if target.adapter is not None:
            return Taken(layer, target.adapter)
    return None


def _hits(page: OnePage, adapter: Adapter, dictionary: Dictionary) -> int:
    """How many series of the page the adapter reads."""
    try:
        series = parsed(page, adapter.converter).series
    except PageError:
        return 0
    mapper = PageMapper(adapter, dictionary)
    return sum(mapper.wanted(s.name) and not is_noise(s.name) for s in series)


def _poll(page: OnePage, t: float, cadence_s: float, wall: float) -> Poll:
    return Poll(page.body, page.openmetrics, t, wall, 0.0, cadence_s)


def asked_version(url: str, adapter: Adapter, headers: Mapping[str, str]) -> str:
    """Release by the route of a live target that states it; empty when it has none or does not say."""
    stated = (fact.route for fact in adapter.info_facts if fact.indicator.endswith(".version"))
    route = next(stated, adapter.version_route)
    if not route:
        return ""
    fetcher = Fetcher(validate_url(url), headers=headers)
    try:
        reply = fetcher.get(route)
        document = json.loads(reply.body) if reply.status == 200 else None
    except (FetchError, ValueError, RecursionError):
        return ""
    finally:
        fetcher.close()
    return read_info(adapter, {route: document}).version


def report(
    page: OnePage,
    taken: Taken | None,
    config: Config,
    *,
    layer: str,
    previous: OnePage | None = None,
    seconds: float = 0.0,
    version: str = "",
) -> PageReport:
    """All that is to be said of the page; UsageError when an earlier page cannot stand before it.

    PageError when it is no page of metrics. `layer` is what a page is for that nobody takes, `version` what its
    target says elsewhere.
    """
    adapter = taken.adapter if taken else None
    series = parsed(page, adapter.converter if adapter else "")
    result = PageReport(
        where=page.where,
        size=len(page.body),
        series=len(series.series),
        adapter=adapter.name if adapter else None,
        title=adapter.title if adapter else "",
        layer=taken.layer if taken else None,
        version=None,
        indicators=(),
        unmapped=useful_first(unmapped(series, _wanted(adapter, config.dictionary)), taken.layer if taken else layer),
        notes=(),
        window_s=seconds if previous else None,
    )
    if taken is None:
        return result
    version = version or page_version(series, taken.adapter)
    polls = [(0.0, page)] if previous is None else [(0.0, previous), (seconds, page)]
    indicators, notes = _measured(taken, config.dictionary, polls, version)
    notes = (*notes, *_ungrouped(series, taken.adapter, config.dictionary))
    return replace(result, version=version or None, indicators=indicators, notes=notes)


def _ungrouped(page: Page, adapter: Adapter, dictionary: Dictionary) -> list[str]:
    """Remarks about rows whose series is one number where a histogram is wanted: they stay empty."""
    names = {series.name for series in page.series}
    rows = [m for m in adapter.metrics if _is_histogram(m.indicator, dictionary) and m.metric in names]
    return [
        f"{m.indicator} takes a histogram or summary, and {m.metric} is one number: "
        f"name what it is, {m.indicator}.p95 or .mean"
        for m in rows
        if f"{m.metric}_count" not in names
    ]


def _measured(
    taken: Taken, dictionary: Dictionary, polls: list[tuple[float, OnePage]], version: str
) -> tuple[tuple[Indicator, ...], tuple[str, ...]]:
    """Indicators after these polls, by the way that live polls go, and remarks about the last of them."""
    layer = LAYERS[taken.layer]
    target = TargetPage("page", (taken.adapter,), dictionary, taken.name, layer=layer)
    target.take(taken.adapter)
    target.facts = TargetFacts(version)
    session = Session([], dictionary)
    end = polls[-1][0]
    notes: tuple[str, ...] = ()
    for t, page in polls:
        batch = target.batch(_poll(page, t, max(1.0, end), nan))
        if batch.error is not None:
            raise UsageError(f"{page.where}: {batch.error}")
        session.apply(batch)
        notes = tuple(note for note in batch.notes if note)
        if batch.restarted:
            notes = ("the process began anew between the two pages: nothing can be counted over them", *notes)
        elif t > 0.0 and _backwards(polls[0][1], page, taken.adapter):
            notes = ("its counters fell since the earlier page: is it the later one?", *notes)
    snapshot = session.tick(end, nan)
    skipped = {layer.name(noun) for noun in _OWN_WORK} | _of_the_clock(polls[-1][1], taken.adapter, layer)
    found = tuple(i for i in snapshot.indicators if i.name not in skipped)
    return (*found, *_unsaid(taken.adapter, dictionary, target.entity, {i.name for i in found} | skipped)), notes


def _of_the_clock(page: OnePage, adapter: Adapter, layer: Layer) -> set[str]:
    """The uptime, unless the page itself says how long it is: when a saved page was read is not known."""
    uptime = layer.name("uptime")
    names = {series.name for series in parsed(page, adapter.converter).series}
    told = any(m.indicator == uptime and m.metric in names for m in adapter.metrics)
    return set() if told and not names.intersection(adapter.started) else {uptime}


def _backwards(earlier: OnePage, later: OnePage, adapter: Adapter) -> bool:
    """Counters fell and none grew, as when the two pages are given in the wrong order."""
    before, now = parsed(earlier, adapter.converter), parsed(later, adapter.converter)
    old = dict(zip(before.series, before.values, strict=True))
    steps = [
        value - old[series]
        for series, value in zip(now.series, now.values, strict=True)
        if series in old and now.types.get(_family_of(series.name, now.types)) == "counter"
    ]
    return any(step < 0 for step in steps) and not any(step > 0 for step in steps)


def _unsaid(adapter: Adapter, dictionary: Dictionary, entity: Entity, said: set[str]) -> list[Indicator]:
    """What the adapter would read from a page that has none of its series: there nothing is said to be absent."""
    names = dict.fromkeys(m.indicator for m in adapter.metrics)
    spelled = [f"{n}.{s}" if _is_histogram(n, dictionary) else n for n in names for s in _suffixes(n, dictionary)]
    unit = dictionary.unit
    return [Indicator(n, entity, Missing.NOT_EXPORTED, unit(n)) for n in spelled if n not in said]


def _is_histogram(name: str, dictionary: Dictionary) -> bool:
    entry = dictionary.find(name)
    return entry is not None and entry.sort is Sort.HISTOGRAM and entry.name == name


def _suffixes(name: str, dictionary: Dictionary) -> tuple[str, ...]:
    """Those of a histogram, one empty one for the rest."""
    return SUFFIXES if _is_histogram(name, dictionary) else ("",)


def page_version(page: Page, adapter: Adapter) -> str:
    """Release in the labels of an info series of the program's own; empty when there is none."""
    for series in page.series:
        own = series.name.startswith(adapter.prefixes) and series.name not in _RUNTIMES
        version = dict(series.labels).get("version", "")
        if own and version and series.name.endswith("info"):
            return version
    return ""


def _wanted(adapter: Adapter | None, dictionary: Dictionary) -> Callable[[str], bool]:
    """Whether a name is read, by the adapter if there is one."""
    return PageMapper(adapter, dictionary).wanted if adapter else lambda _name: False


def unmapped(page: Page, wanted: Callable[[str], bool]) -> list[Family]:
    """Families of which no sample is read."""
    families: dict[str, list[int]] = {}
    for index, series in enumerate(page.series):
        families.setdefault(_family_of(series.name, page.types), []).append(index)
    return [
        _family(name, places, page)
        for name, places in families.items()
        if not is_noise(name) and not any(wanted(page.series[i].name) for i in places)
    ]


def _family_of(name: str, types: dict[str, str]) -> str:
    if name in types:
        return name
    bases = (name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending))
    return next((base for base in bases if base in types), name)


def _family(name: str, places: list[int], page: Page) -> Family:
    kind = page.types.get(name, "unknown")
    kind = "unknown" if kind == "untyped" else kind
    grouped = kind in _GROUPED
    first = places[0]
    labels: dict[str, dict[str, None]] = {}
    for series in (page.series[i] for i in places):
        for label, text in series.labels:
            texts = labels.setdefault(label, {})
            if len(texts) < _MOST_VALUES:
                texts[text] = None
    kept = tuple((label, tuple(texts)) for label, texts in labels.items() if label not in ("le", "quantile"))
    sample = name if grouped else page.series[first].name
    wholes = [i for i in places if page.series[i].name == f"{name}_count"] if grouped else places
    value = page.values[(wholes or places)[0]]
    return Family(name, sample, kind, len(wholes or places), value, kept)


def filled_names(found: PageReport) -> frozenset[str]:
    """Indicators that the adapter reads from the page already."""
    given = (i for i in found.indicators if not isinstance(i.value, Missing) or i.value is Missing.WARMING_UP)
    return frozenset(name for i in given for name in (i.name, i.name.rpartition(".")[0]))
