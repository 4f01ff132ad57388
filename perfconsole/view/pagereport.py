"""What one metrics page says, for people and for scripts: who took it, what it fills, what is missing, what is left."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from perfconsole.model.dictionary import SUFFIXES
from perfconsole.model.sample import Missing
from perfconsole.view.report_text import Line
from perfconsole.view.units import MISSING_WORDS, number, said_in, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.snapshot import Indicator

SCHEMA = 1
_NAME_WIDTH = 36
_MOST_FAMILIES = 60
_MOST_LABELS = 4
_WHY = {
    Missing.NOT_EXPORTED: "not on the page",
    Missing.UNSUPPORTED: "the page has sum and count only: no quantiles",
    Missing.NEVER: "or what it is made of is not on this page",
}
_WORDLESS = ("0/1", "enum")
_ONE_PAGE = "takes two pages, see --previous"
_TWO_PAGES = "too little happened between the two pages"


@dataclass(frozen=True, slots=True)
class Family:
    """Series of one name that no row maps."""

    name: str
    """As on its TYPE line."""
    sample: str
    """Name of its series; of a histogram or summary without the endings."""
    kind: str
    """counter, gauge, histogram, summary, or unknown."""
    series: int
    value: float
    """Of the first of its series."""
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Names of labels with some of the values that they have."""


@dataclass(frozen=True, slots=True)
class PageReport:
    """All that was found on it."""

    where: str
    size: int
    """Bytes of the page."""
    series: int
    adapter: str | None
    title: str
    layer: str | None
    version: str | None
    indicators: tuple[Indicator, ...]
    unmapped: tuple[Family, ...]
    """What looks useful first."""
    notes: tuple[str, ...]
    window_s: float | None
    """Seconds between two pages, None for one page."""


def page_json(report: PageReport) -> dict[str, Any]:
    """The document for scripts: base units, finite values only; what has none is listed with its reason."""
    found = [i for i in report.indicators if _has(i)]
    return {
        "schema": SCHEMA,
        "adapter": report.adapter,
        "layer": report.layer,
        "version": report.version,
        "indicators": [{"name": i.name, "entity": str(i.entity), "value": i.value, "unit": i.unit} for i in found],
        "missing": [{"name": i.name, "reason": str(_reason(i))} for i in report.indicators if not _has(i)],
        "unmapped": [family.name for family in report.unmapped],
    }


def _has(indicator: Indicator) -> bool:
    return not isinstance(indicator.value, Missing) and isfinite(indicator.value)


def _reason(indicator: Indicator) -> Missing:
    return indicator.value if isinstance(indicator.value, Missing) else Missing.NEVER


def page_lines(report: PageReport) -> Iterator[Line]:
    """The report for people, without the stub."""
    yield Line(f"page       {report.where}  ({report.series} series, {report.size} bytes)", "head", indent=11)
    if not report.series:
        yield Line("adapter    none: there is no series on this page", "warn")
    elif report.adapter is None:
        yield Line("adapter    none knows this page: its series are below, map them with the stub at the end", "warn")
    else:
        version = f", version {report.version}" if report.version else ""
        yield Line(f"adapter    {report.adapter} ({report.title}), layer {report.layer}{version}", indent=11)
    for note in report.notes:
        yield Line(f"note       {note}", "warn", indent=11)
    yield from _filled(report)
    yield from _missing(report)
    yield from _unmapped(report.unmapped)


def _filled(report: PageReport) -> Iterator[Line]:
    found = [i for i in report.indicators if _has(i)]
    past = [i for i in report.indicators if not _has(i) and i.lifetime is not None]
    if report.adapter is None:
        return
    yield Line("")
    over = f", rates and quantiles are over {report.window_s:g} s" if report.window_s else ""
    yield Line(f"FILLS      {len(found)} indicators (counters are totals{over})", indent=11)
    several = len({i.entity for i in found}) > 1
    for i in found:
        yield _row(i.name, f"{_said(i)}{f'  {i.entity}' if several else ''}")
        if i.parts and all(_named(part) for part, _ in i.parts):
            yield _row("", ", ".join(f"{part} {shown(v, i.unit)}" for part, v in i.parts[:6]), "dim")
    yield from _lifetimes(past)


def _named(part: str) -> bool:
    """A reader knows what the part is; series that nobody named are told apart by numbers only."""
    return part != "" and "series=" not in part


def _lifetimes(past: Iterable[Indicator]) -> Iterator[Line]:
    """One row a histogram: what its quantiles are over the life of the process."""
    rows: dict[str, list[str]] = {}
    for i in past:
        base, _, suffix = i.name.rpartition(".")
        if i.lifetime is not None:
            rows.setdefault(base, []).append(f"{suffix} {shown(i.lifetime, said_in(i.name, i.unit))}")
    for base, texts in rows.items():
        yield _row(base, f"{', '.join(texts)} since its process began", "dim")


def _said(indicator: Indicator) -> str:
    """Value with its unit, also where the screen lets the name say it."""
    unit, value = said_in(indicator.name, indicator.unit), indicator.value
    text = shown(value, unit)
    bare = not isinstance(value, Missing) and text == number(value) and unit not in _WORDLESS
    return f"{text} {unit}" if bare else text


def _row(name: str, text: str, style: str = "") -> Line:
    return Line(f"  {name:{_NAME_WIDTH}} {text}", style, indent=_NAME_WIDTH + 3)


def _missing(report: PageReport) -> Iterator[Line]:
    lost = [i for i in report.indicators if not _has(i)]
    if not lost:
        return
    yield Line("")
    yield Line(f"MISSING    {len(lost)} indicators")
    for name, reason in _folded(lost):
        waiting = _TWO_PAGES if report.window_s else _ONE_PAGE
        why = waiting if reason is Missing.WARMING_UP else _WHY.get(reason, "")
        yield _row(name, f"{MISSING_WORDS[reason]}{f': {why}' if why else ''}", "dim")


def _folded(lost: Iterable[Indicator]) -> list[tuple[str, Missing]]:
    """One row for the quantiles of a histogram that lack for the same reason."""
    suffixes: dict[tuple[str, Missing], list[str]] = {}
    for i in lost:
        base, _, tail = i.name.rpartition(".")
        quantile = tail in SUFFIXES
        suffixes.setdefault((base if quantile else i.name, _reason(i)), []).append(f".{tail}" if quantile else "")
    return [(name + ("" if len(s) > 1 else s[0]), reason) for (name, reason), s in suffixes.items()]


def _unmapped(families: tuple[Family, ...]) -> Iterator[Line]:
    if not families:
        return
    yield Line("")
    yield Line(f"UNMAPPED   {len(families)} names of this page that nothing reads, what looks useful first")
    for family in families[:_MOST_FAMILIES]:
        count = f"{family.series} series" if family.series != 1 else f"1 series, {number(family.value)}"
        names = [name for name, _ in family.labels]
        more = f" and {len(names) - _MOST_LABELS} more" if len(names) > _MOST_LABELS else ""
        labels = f", by {', '.join(names[:_MOST_LABELS])}{more}" if names else ""
        yield _row(family.name, f"{family.kind}, {count}{labels}")
    if len(families) > _MOST_FAMILIES:
        yield Line(f"  and {len(families) - _MOST_FAMILIES} more (all of them with --json)", "dim")
