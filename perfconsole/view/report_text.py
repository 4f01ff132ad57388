"""The report of `check` for people: headline and evidence first, then the layers, then what could not be seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from perfconsole.model.finding import CheckResult, Verdict
from perfconsole.model.snapshot import SourceState
from perfconsole.view.comparison import comparison_words
from perfconsole.view.discovery import DISCOVERY, FLAGS, SOUGHT, answers, search_of
from perfconsole.view.layers import GPU_SOURCES, MARKS, layer_lines, unjudged, watches_engines
from perfconsole.view.trends import trend_words
from perfconsole.view.units import duration, said_in, shown, told
from perfconsole.view.upstreamwords import which_words
from perfconsole.view.wording import (
    CONFIRMED,
    SEVERITY_MARK,
    SEVERITY_WORD,
    answer_words,
    doubts,
    excluded_words,
    hold_words,
    missing_words,
    open_words,
    operand_words,
    state_words,
    truth_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.episode import Episode
    from perfconsole.model.finding import Finding, FindingCheck, Reading
    from perfconsole.model.snapshot import Snapshot

_LABEL_WIDTH = 18


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output and how it may be coloured; the words carry the meaning without colour."""

    text: str
    style: str = ""
    """critical, warn, info, head, dim or empty."""
    indent: int = 4
    """Column at which the text goes on when it is too long for one line."""


def report_lines(snapshot: Snapshot, *, host: str, took_s: float, replayed: str | None = None) -> Iterator[Line]:
    """All lines, from what is wrong down to the health of the sources."""
    yield _title(snapshot, host, took_s, replayed)
    yield from _headline(snapshot)
    for finding in snapshot.findings:
        yield Line("")
        yield from finding_lines(finding, snapshot)
    yield Line("")
    yield from _layers(snapshot)
    yield from _trends(snapshot)
    yield from _undecided(snapshot)
    yield from _unseen(snapshot)


def situation_lines(snapshot: Snapshot, name: str, title: str) -> Iterator[Line]:
    """What is to be said of figures that were written down: there are no layers and no sources to speak of."""
    yield Line(f"perfconsole diagnose  {name}{f': {title}' if title else ''}", "head")
    if not snapshot.findings:
        yield Line(
            "Nothing can be said by these figures." if snapshot.undecided else "Nothing obviously wrong.", "info"
        )
    for finding in snapshot.findings:
        yield Line("")
        yield from finding_lines(finding, snapshot)
    yield from _undecided(snapshot)
    yield Line("")


def _title(snapshot: Snapshot, host: str, took_s: float, replayed: str | None) -> Line:
    when = datetime.fromtimestamp(snapshot.wall, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    answering = sum(map(answers, snapshot.sources))
    what = f"replay of {replayed}" if replayed else host
    parts = ["perfconsole check", what, when, duration(took_s), f"sources {answering}/{len(snapshot.sources)}"]
    return Line("  ".join(parts), "head")


def _headline(snapshot: Snapshot) -> Iterator[Line]:
    """What to say when no finding speaks: never an all-clear over something that was not seen."""
    if snapshot.findings:
        return
    if not watches_engines(snapshot):
        yield Line(f"No engine was watched, so nothing can be said about serving: {_unfound(snapshot)}.", "warn")
    silent = unjudged(snapshot)
    for name, reason in silent:
        yield Line(f"No verdict on {name}: {reason}", "warn")
    count = len(snapshot.undecided)
    open_ = f"; {count} rule{'s' * (count != 1)} undecided for lack of data" if count else ""
    rest = " in the rest" if silent or not watches_engines(snapshot) else ""
    yield Line(f"Nothing obviously wrong{rest}{open_}. What cannot be seen is listed below.", "info")


def _unfound(snapshot: Snapshot) -> str:
    """That none was found, where this host was searched, and how to name one."""
    search = search_of(snapshot)
    found = "none was found on this host; " if search and search.answered else ""
    return f"{found}name one with {FLAGS['engine']}"


def finding_lines(finding: Finding, snapshot: Snapshot) -> Iterator[Line]:
    """One finding with its evidence; an explained one is a single line under its cause."""
    style, t = str(finding.severity), snapshot.t
    if finding.explained_by:
        under = f"explains {finding.rule}: {finding.title} ({state_words(finding, t)})  {finding.entity}"
        same = f"the same on {finding.entity} ({state_words(finding, t)})"
        yield Line(f"      {same if finding.repeats else under}", "dim")
        return
    mark, word = SEVERITY_MARK[finding.severity], SEVERITY_WORD[finding.severity]
    yield Line(f"{mark} {word} {finding.title}  [{finding.rule}]", style)
    yield Line(f"    {finding.verdict}, {state_words(finding, t)}  {finding.entity}{_how_sure(finding)}")
    if which := which_words(snapshot, finding):
        yield _labelled("which", which)
    for reading in finding.readings:
        yield _labelled(truth_words(reading), f"{reading.condition}{_hold(reading)}")
        yield _labelled("", operand_words(reading.operands), "dim")
    for i, words in enumerate(comparison_words(finding, snapshot)):
        yield _labelled("" if i else "compared with", words, "dim")
    if finding.evidence:
        yield _labelled("beside it", operand_words(finding.evidence), "dim")
    yield from _excluded(finding)
    yield _labelled("cause", finding.cause)
    yield from _checks(finding.checks)
    if finding.remedies:
        yield _labelled("remedies", "; ".join(finding.remedies))


def _how_sure(finding: Finding) -> str:
    confirmed = [CONFIRMED] if finding.result is CheckResult.CONFIRMED else []
    notes = [*confirmed, *doubts(finding)]
    return f"  ({'; '.join(notes)})" if notes else ""


def _labelled(label: str, text: str, style: str = "") -> Line:
    return Line(f"    {label:{_LABEL_WIDTH - 4}}{text}", style, indent=_LABEL_WIDTH)


def _hold(reading: Reading) -> str:
    words = hold_words(reading)
    return f"   {words}" if words else ""


def _excluded(finding: Finding) -> Iterator[Line]:
    for i, ruled_out in enumerate(finding.ruled_out):
        yield _labelled("" if i else "ruled out", excluded_words(finding, ruled_out))
    if finding.not_ruled_out and finding.verdict is Verdict.POSSIBLE:
        yield _labelled("not ruled out", open_words(finding), "warn")


def _checks(checks: tuple[FindingCheck, ...]) -> Iterator[Line]:
    for i, check in enumerate(checks):
        yield _labelled("then" if i else "first check", f"{check.kind}: {check.text}", "" if i else "head")
        if check.result:
            yield _labelled("", answer_words(check), "dim")
        elif i == 0:
            yield _labelled("", f"confirms: {check.confirms};  refutes: {check.refutes}", "dim")


def _layers(snapshot: Snapshot) -> Iterator[Line]:
    lines = layer_lines(snapshot)
    for line in lines:
        yield Line(f"{line.layer.upper():14} {line.head}", indent=17)
        for cell in line.cells:
            yield Line(f"{'':14}   {cell}", indent=17)
    if any(cell.endswith("!") or " !" in cell for line in lines for cell in line.cells):
        meaning = "! and !! pass a mark of your dictionary, which is no finding (-v names the owner)"
        yield Line(f"{'':14} {meaning}", "dim", indent=17)


def _trends(snapshot: Snapshot) -> Iterator[Line]:
    """What grows towards a limit; nothing where nothing does."""
    if snapshot.trends:
        yield Line("")
        yield Line("TRENDS         along a straight line from here; nothing of it has happened yet")
    for trend in snapshot.trends:
        yield Line(f"{'':14} {trend_words(trend)}", indent=17)


def _undecided(snapshot: Snapshot) -> Iterator[Line]:
    if snapshot.undecided:
        yield Line("")
        yield Line("UNDECIDED      these rules have something true and lack data")
    for item in snapshot.undecided:
        needs = "; ".join(missing_words(m) for m in item.missing)
        yield Line(f"{'':14} {item.rule}  {item.entity}  needs {needs}", indent=17)


def _unseen(snapshot: Snapshot) -> Iterator[Line]:
    """Sources that do not answer or have a remark, and layers without a source."""
    yield Line("")
    yield Line("CANNOT SEE     beside the layers that are not watched")
    watched = any(e.kind == "gpu" for e in snapshot.entities) or any(s.kind in GPU_SOURCES for s in snapshot.sources)
    if not watched:
        yield Line(f"{'':14} GPUs: no GPU source in this run")
    said: set[str | None] = set()
    for source in snapshot.sources:
        if source.state is not SourceState.OK and source.reason in said:
            continue  # the health route fails for the reason for which the page does
        if source.state is not SourceState.OK:
            said.add(source.reason)
            yield Line(f"{'':14} {source.name} ({source.kind}) is {source.state}: {source.reason}", "warn", indent=17)
        elif not source.answered:
            yield Line(f"{'':14} {source.name} ({source.kind}) has not answered yet", "warn", indent=17)
        for note in (n for n in source.notes if n not in said and source.kind != DISCOVERY):
            yield Line(f"{'':14} {source.name}: {note}", indent=17)


def search_lines(snapshot: Snapshot) -> Iterator[Line]:
    """What the search of this host looked at, and what of it was not taken: for those who ask for all."""
    search = search_of(snapshot)
    if search is None or not search.answered:
        return
    yield Line("")
    yield Line(f"DISCOVERY      {search.looked or SOUGHT}", indent=15)
    for note in search.untaken:
        yield Line(f"{'':14} {note}", indent=17)


def indicator_lines(snapshot: Snapshot) -> Iterator[Line]:
    """Every indicator with its value or why it is missing, its mark, its healthy value and its owner."""
    yield Line("")
    yield Line(
        "INDICATORS     ! warn, !! critical: marks of the dictionary; (healthy value, where it comes from); owner"
    )
    for entity in snapshot.entities:
        own = [i for i in snapshot.indicators if i.entity == entity]
        if own:
            yield Line(f"  {entity}")
        for i in own:
            unit = said_in(i.name, i.unit)
            healthy = f"  (healthy {shown(i.baseline.value, unit)}, {i.baseline.kind})" if i.baseline else ""
            yield Line(f"    {i.name:34} {told(i)}{MARKS[i.mark]}{healthy}  {i.owner}", indent=39)
            if i.parts:
                yield Line(f"    {'':34} {', '.join(f'{part} {shown(v, unit)}' for part, v in i.parts)}", indent=39)


def timeline_lines(episodes: Iterable[Episode], start: float, end: float) -> Iterator[Line]:
    """What happened over the run, where it differs from how it ended: one line a stretch of a finding."""
    past = [e for e in episodes if e.end < end - 1e-6]
    if past:
        yield Line("")
        yield Line("EARLIER        findings of this run that are over")
    for episode in past:
        how = str(episode.verdict) if episode.fired else "pending only"
        under = f", explained by {episode.explained_by}" if episode.explained_by else ""
        span = f"{episode.start - start:.0f}-{episode.end - start:.0f} s"
        what = f"{SEVERITY_WORD[episode.severity]} {episode.title} [{episode.rule}]"
        text = f"{span:>12}   {what} {episode.entity} ({how}{under})"
        yield Line(text, str(episode.severity), indent=17)
