"""The report of `check` for people: headline and evidence first, then the layers, then what could not be seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from perfconsole.model.finding import State, Truth, Verdict
from perfconsole.model.rule import Severity
from perfconsole.model.snapshot import SourceState
from perfconsole.view.layers import MARKS, layer_lines, unjudged, watches_engines
from perfconsole.view.units import MISSING_WORDS, duration, operand_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.episode import Episode
    from perfconsole.model.finding import Finding, FindingCheck, Operand, Reading
    from perfconsole.model.snapshot import Snapshot

_WORD = {Severity.CRITICAL: "CRITICAL", Severity.WARN: "WARNING", Severity.INFO: "INFO"}
_MARK = {Severity.CRITICAL: "x", Severity.WARN: "!", Severity.INFO: "i"}
_TRUTH = {Truth.TRUE: "yes", Truth.FALSE: "no", Truth.UNKNOWN: "unknown"}
_LABEL_WIDTH = 18
_NOT_YET = "probe"
"""Kind of check whose command this version does not have: naming it would send people into an error."""


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
        yield from finding_lines(finding, snapshot.t)
    yield Line("")
    yield from _layers(snapshot)
    yield from _undecided(snapshot)
    yield from _unseen(snapshot)


def _title(snapshot: Snapshot, host: str, took_s: float, replayed: str | None) -> Line:
    when = datetime.fromtimestamp(snapshot.wall, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    answering = sum(s.state is SourceState.OK and s.answered for s in snapshot.sources)
    what = f"replay of {replayed}" if replayed else host
    parts = ["perfconsole check", what, when, duration(took_s), f"sources {answering}/{len(snapshot.sources)}"]
    return Line("  ".join(parts), "head")


def _headline(snapshot: Snapshot) -> Iterator[Line]:
    """What to say when no finding speaks: never an all-clear over something that was not seen."""
    if snapshot.findings:
        return
    if not watches_engines(snapshot):
        yield Line("No engine was watched, so nothing can be said about serving: name one with --engine URL.", "warn")
    silent = unjudged(snapshot)
    for name, reason in silent:
        yield Line(f"No verdict on {name}: {reason}", "warn")
    count = len(snapshot.undecided)
    open_ = f"; {count} rule{'s' * (count != 1)} undecided for lack of data" if count else ""
    rest = " in the rest" if silent or not watches_engines(snapshot) else ""
    yield Line(f"Nothing obviously wrong{rest}{open_}. What cannot be seen is listed below.", "info")


def finding_lines(finding: Finding, t: float) -> Iterator[Line]:
    """One finding with its evidence; an explained one is a single line under its cause."""
    style = str(finding.severity)
    if finding.explained_by:
        yield Line(f"      explains {finding.rule}: {finding.title} ({_state(finding, t)})  {finding.entity}", "dim")
        return
    yield Line(f"{_MARK[finding.severity]} {_WORD[finding.severity]} {finding.title}  [{finding.rule}]", style)
    yield Line(f"    {finding.verdict}, {_state(finding, t)}  {finding.entity}{_how_sure(finding)}")
    for reading in finding.readings:
        yield _labelled(_truth(reading), f"{reading.condition}{_hold(reading)}")
        yield _labelled("", _operands(reading.operands), "dim")
    if finding.evidence:
        yield _labelled("beside it", _operands(finding.evidence), "dim")
    yield from _excluded(finding)
    yield _labelled("cause", finding.cause)
    yield from _checks(finding.checks)
    if finding.remedies:
        yield _labelled("remedies", "; ".join(finding.remedies))


def _state(finding: Finding, t: float) -> str:
    held = duration(t - finding.since)
    if finding.state is State.PENDING:
        held_open = [r for r in finding.readings if r.hold_s and r.truth is not Truth.TRUE]
        longest = max(held_open, key=lambda r: r.hold_s or 0.0, default=None)
        return f"pending {_full_seconds(longest.held_s or 0)} of {longest.hold_s:.0f} s" if longest else "pending"
    words = {State.FIRING: f"since {held}", State.CLEARING: "no longer true", State.UNDECIDED: "lost its data"}
    return words[finding.state]


def _how_sure(finding: Finding) -> str:
    notes = [
        *(["holds shortened to fit the run"] if finding.cut else []),
        *(["no history: an absolute limit stands in for the baseline"] if finding.no_history else []),
    ]
    return f"  ({'; '.join(notes)})" if notes else ""


def _labelled(label: str, text: str, style: str = "") -> Line:
    return Line(f"    {label:{_LABEL_WIDTH - 4}}{text}", style, indent=_LABEL_WIDTH)


def _truth(reading: Reading) -> str:
    """Yes while an open hold runs as well, with `so far`: the hold says how far."""
    so_far = reading.so_far is Truth.TRUE and reading.truth is not Truth.TRUE
    return "yes so far" if so_far else _TRUTH[reading.truth]


def _hold(reading: Reading) -> str:
    if reading.hold_s is None or reading.held_s is None:
        return ""
    if reading.held_s >= reading.hold_s:
        return f"   held {_full_seconds(reading.held_s)} s"
    return f"   held {_full_seconds(reading.held_s)} of {reading.hold_s:.0f} s"


def _full_seconds(seconds: float) -> int:
    """Seconds that are over: an open hold never reads `60 of 60 s`."""
    return int(seconds + 1e-6)


def _operands(operands: Iterable[Operand]) -> str:
    return ", ".join(dict.fromkeys(operand_text(o) for o in operands))


def _excluded(finding: Finding) -> Iterator[Line]:
    for i, ruled_out in enumerate(finding.ruled_out):
        own = ruled_out.rule == finding.rule
        what = ruled_out.condition if own else f"{ruled_out.rule}, which needs {ruled_out.condition}"
        yield _labelled("" if i else "ruled out", f"{what}: {_operands(ruled_out.operands)}")
    if finding.not_ruled_out and finding.verdict is Verdict.POSSIBLE:
        names = ", ".join(f"{name} ({MISSING_WORDS[reason]})" for name, reason in finding.not_ruled_out)
        yield _labelled("not ruled out", f"for lack of {names}", "warn")


def _checks(checks: tuple[FindingCheck, ...]) -> Iterator[Line]:
    for i, check in enumerate(c for c in checks if c.kind != _NOT_YET):
        yield _labelled("then" if i else "first check", f"{check.kind}: {check.text}", "" if i else "head")
        if check.result:
            yield _labelled("", f"{check.result} already, by the values now", "dim")
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


def _undecided(snapshot: Snapshot) -> Iterator[Line]:
    if snapshot.undecided:
        yield Line("")
        yield Line("UNDECIDED      these rules have something true and lack data")
    for item in snapshot.undecided:
        needs = "; ".join(
            f"{m.name} ({MISSING_WORDS[m.reason]}{', from ' + m.source if m.source else ''})" for m in item.missing
        )
        yield Line(f"{'':14} {item.rule}  {item.entity}  needs {needs}", indent=17)


def _unseen(snapshot: Snapshot) -> Iterator[Line]:
    """Sources that do not answer or have a remark, and layers without a source."""
    yield Line("")
    yield Line("CANNOT SEE     beside the layers that are not watched")
    if not any(e.kind == "gpu" for e in snapshot.entities):
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
        for note in (n for n in source.notes if n not in said):
            yield Line(f"{'':14} {source.name}: {note}", indent=17)


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
            healthy = f"  (healthy {shown(i.baseline.value, i.unit)}, {i.baseline.kind})" if i.baseline else ""
            yield Line(f"    {i.name:34} {shown(i.value, i.unit)}{MARKS[i.mark]}{healthy}  {i.owner}", indent=39)
            if i.parts:
                yield Line(f"    {'':34} {', '.join(f'{part} {shown(v, i.unit)}' for part, v in i.parts)}", indent=39)


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
        text = (
            f"{span:>12}   {_WORD[episode.severity]} {episode.title} [{episode.rule}] {episode.entity} ({how}{under})"
        )
        yield Line(text, str(episode.severity), indent=17)
