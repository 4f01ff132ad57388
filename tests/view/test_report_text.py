"""Tests of the report for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.episode import Episode
from perfconsole.model.finding import (
    CheckResult,
    FindingCheck,
    MissingOperand,
    RuledOut,
    State,
    Truth,
    Undecided,
    Verdict,
)
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.report_text import finding_lines, report_lines, search_lines, timeline_lines
from tests.view.pictures import ENGINE, HOST, finding, indicator, reading, snapshot, source
from tests.view.searching import BEGUN, FAILED, LOOKED, NO_DRIVER, NO_GPUS, SEARCH, UNTAKEN, searched

if TYPE_CHECKING:
    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import Snapshot


def texts(of: Snapshot) -> list[str]:
    """Lines of a whole report."""
    return [line.text for line in report_lines(of, host="gpu-07", took_s=30.0)]


def shown(of: Finding) -> list[str]:
    """Lines of one finding."""
    return [line.text for line in finding_lines(of, snapshot())]


def undecided(name: str) -> Undecided:
    """A rule that lacks one value."""
    lack = MissingOperand("engine.kv_cache_usage", Missing.NOT_EXPORTED, "metrics page")
    return Undecided(name, name, Severity.WARN, ENGINE, (lack,))


def test_the_title_counts_the_sources_that_answer() -> None:
    """Host, moment, length of the run and how many sources are well."""
    down = source("nginx", state=SourceState.DOWN, reason="refused")
    title = texts(snapshot(sources=(source(), down)))[0]
    assert title == "perfconsole check  gpu-07  2023-11-14 22:13:20Z  30 s  sources 1/2"


def test_a_finding_starts_with_its_headline() -> None:
    """Mark, severity in words, title, rule; below it verdict, age and entity."""
    assert shown(finding())[:2] == [
        "! WARNING Title of admission-cap  [admission-cap]",
        "    likely, since 40 s  engine/vllm:8000",
    ]


def test_evidence_shows_the_condition_and_the_values_read() -> None:
    """Each condition says whether it holds, how long, and on which values."""
    low = reading("engine.kv_cache_usage < 80% for 60s", ("engine.kv_cache_usage", 0.52), held=(45.0, 60.0))
    lines = [line.split() for line in shown(finding(readings=(low,)))]
    assert ["yes", "engine.kv_cache_usage", "<", "80%", "for", "60s", "held", "45", "of", "60", "s"] in lines
    assert ["kv_cache_usage", "52%"] in lines


@pytest.mark.parametrize(
    ("truth", "so_far", "word"),
    [
        (Truth.TRUE, Truth.TRUE, "yes"),
        (Truth.UNKNOWN, Truth.TRUE, "yes so far"),
        (Truth.FALSE, Truth.TRUE, "yes so far"),
        (Truth.FALSE, Truth.FALSE, "no"),
        (Truth.UNKNOWN, Truth.UNKNOWN, "unknown"),
    ],
)
def test_a_condition_says_how_true_it_is(truth: Truth, so_far: Truth, word: str) -> None:
    """An open hold is no plain yes, and unknown is never no."""
    line = shown(finding(readings=(reading("c > 1", truth=truth, so_far=so_far),)))[2]
    assert line.split("c > 1")[0].strip() == word


def test_a_pending_finding_shows_its_longest_open_hold() -> None:
    """`12 of 60 s`, not the hold that is complete and not the shorter one."""
    holds = (
        reading("a", truth=Truth.TRUE, held=(90.0, 90.0)),
        reading("b", truth=Truth.UNKNOWN, held=(12.0, 60.0)),
        reading("c", truth=Truth.UNKNOWN, held=(12.0, 30.0)),
    )
    assert "pending 12 of 60 s" in shown(finding(state=State.PENDING, readings=holds))[1]


def test_an_open_hold_is_never_rounded_up_to_complete() -> None:
    """59.7 s of 60 s are 59."""
    almost = reading("a", truth=Truth.UNKNOWN, held=(59.7, 60.0))
    lines = shown(finding(state=State.PENDING, readings=(almost,)))
    assert "pending 59 of 60 s" in lines[1]
    assert "held 59 of 60 s" in lines[2]


def test_what_was_ruled_out_stands_with_its_values() -> None:
    """A rival by its rule and need, an exclusion of its own by its condition alone."""
    out = (
        RuledOut("preemption-storm", "engine.preemption_ratio > 5%", (("engine.preemption_ratio", 0.01),)),
        RuledOut("admission-cap", "engine.kv_cache_usage > 90%", (("engine.kv_cache_usage", 0.5),)),
    )
    lines = [line.strip() for line in shown(finding(ruled_out=out))]
    assert [
        "ruled",
        "out",
        "preemption-storm,",
        "which",
        "needs",
        "engine.preemption_ratio",
        ">",
        "5%:",
        "preemption_ratio",
        "1%",
    ] in [line.split() for line in lines]
    assert "engine.kv_cache_usage > 90%: kv_cache_usage 50%" in lines


def test_what_was_not_ruled_out_says_for_lack_of_what() -> None:
    """A possible finding names each missing value with its reason, apart from the label."""
    lacks = (("engine.preemption_ratio", Missing.WARMING_UP),)
    lines = shown(finding(verdict=Verdict.POSSIBLE, not_ruled_out=lacks))
    assert "    not ruled out for lack of engine.preemption_ratio (warming up)" in lines


def test_a_cut_hold_and_a_missing_history_weaken_the_headline() -> None:
    """Both are said beside the entity."""
    line = shown(finding(cut=True, no_history=True))[1]
    assert "holds shortened to fit the run" in line
    assert "no history" in line


def test_an_explained_finding_is_one_line_under_its_cause() -> None:
    """It is not told in full again."""
    lines = shown(finding("ttft-high", explained_by="admission-cap"))
    assert lines == ["      explains ttft-high: Title of ttft-high (since 40 s)  engine/vllm:8000"]


def test_the_first_check_says_what_confirms_it() -> None:
    """The first check with its signs; a further one without; a result in place of the signs."""
    first = FindingCheck("look", "the cap", None, "low", "high", None)
    then = FindingCheck("run", "ps", None, "x", "y", CheckResult.REFUTED)
    lines = [" ".join(line.split()) for line in shown(finding(checks=(first, then), remedies=("a", "b")))]
    assert lines[-5:] == [
        "first check look: the cap",
        "confirms: low; refutes: high",
        "then run: ps",
        "refuted already, by the values now",
        "remedies a; b",
    ]


@pytest.mark.parametrize(
    ("state", "word"), [(State.CLEARING, "no longer true"), (State.UNDECIDED, "lost its data"), (State.FIRING, "since")]
)
def test_the_state_is_said_in_words(state: State, word: str) -> None:
    """Clearing and lost findings are not shown as standing."""
    assert word in shown(finding(state=state))[1]


@pytest.mark.parametrize(("count", "words"), [(0, "."), (1, "; 1 rule undecided"), (3, "; 3 rules undecided")])
def test_nothing_wrong_is_said_with_the_count_of_undecided_rules(count: int, words: str) -> None:
    """The all-clear carries what it could not judge."""
    lines = texts(snapshot(sources=(source(),), undecided=tuple(undecided(f"r{i}") for i in range(count))))
    assert lines[1].startswith(f"Nothing obviously wrong{words}")


def test_without_an_engine_nothing_is_said_about_serving() -> None:
    """An all-clear over nothing would be a lie."""
    lines = texts(snapshot(sources=(source("host", kind="host"),), entities=(HOST,)))
    assert lines[1].startswith("No engine was watched")
    assert lines[2].startswith("Nothing obviously wrong in the rest")


def test_an_engine_that_does_not_answer_at_the_end_has_no_all_clear() -> None:
    """It answered before, and that says nothing about now."""
    lines = texts(
        snapshot(sources=(source(state=SourceState.DOWN, reason="no complete answer within 5 s", silent_s=20.0),))
    )
    assert lines[1] == "No verdict on vllm:8000: no complete answer within 5 s"


def test_an_engine_whose_page_says_nothing_has_no_all_clear() -> None:
    """Up, and not one of the values that a verdict needs."""
    lines = texts(snapshot(sources=(source(),), indicators=(indicator("engine.up", 1.0),)))
    assert lines[1] == "No verdict on vllm:8000: its page has no running, waiting or token counts"


def test_an_orchestrator_that_is_down_has_no_all_clear() -> None:
    """Whatever the engines behind it do."""
    down = source("sim-agents", kind="orchestrator page", state=SourceState.DOWN, reason="refused", silent_s=20.0)
    lines = texts(snapshot(sources=(source(), down)))
    assert lines[1] == "No verdict on sim-agents: refused"
    assert lines[2].startswith("Nothing obviously wrong in the rest")


@pytest.mark.parametrize("state", list(State))
def test_a_standing_finding_takes_the_all_clear_away(state: State) -> None:
    """Whatever its state, it is not nothing."""
    assert not any(line.startswith("Nothing") for line in texts(snapshot(findings=(finding(state=state),))))


def test_undecided_rules_are_listed_with_what_they_need() -> None:
    """Rule, entity, name, reason and kind of source."""
    lines = texts(snapshot(undecided=(undecided("kv-fills-soon"),)))
    assert "kv-fills-soon  engine/vllm:8000  needs engine.kv_cache_usage (not exported, from metrics page)" in [
        line.strip() for line in lines
    ]


def test_what_cannot_be_seen_is_listed() -> None:
    """Sources that do not answer with their reason, and remarks; a layer that nobody watches says so itself."""
    sources = (
        source("nginx", kind="gateway", state=SourceState.DOWN, reason="connection refused"),
        source("vllm", state=SourceState.LATE, reason="no answer for 9 s"),
        source("ok", notes=("names missing: x",)),
    )
    lines = texts(snapshot(sources=sources))
    below = [line.strip() for line in lines[next(i for i, line in enumerate(lines) if line.startswith("CANNOT SEE")) :]]
    assert "nginx (gateway) is down: connection refused" in below
    assert "vllm (metrics page) is late: no answer for 9 s" in below
    assert "ok: names missing: x" in below
    assert any("GATEWAY" in line and "no answer yet from nginx" in line for line in lines)
    assert any("ORCHESTRATION" in line and "not watched" in line for line in lines)
    assert "GPUs: no GPU source in this run" in below


def test_a_gpu_that_is_there_is_not_reported_as_unseen() -> None:
    """The remark on GPUs needs their absence."""
    assert not any("GPUs" in line for line in texts(snapshot(entities=(ENGINE, Entity(Kind.GPU, "0")))))


def episode(start: float, end: float, *, fired: bool = True, explained_by: str | None = None) -> Episode:
    """One stretch of a finding."""
    return Episode(
        "admission-cap", "Full", ENGINE, start, end, fired, Verdict.LIKELY, Severity.WARN, first=True,
        explained_by=explained_by,
    )  # fmt: skip


def test_findings_that_are_over_stand_in_the_timeline() -> None:
    """With seconds of the run, how sure they were, and their cause; one that still stands is left out."""
    runs = [
        episode(1010.0, 1025.0),
        episode(1010.0, 1012.0, fired=False),
        episode(1011.0, 1012.0, explained_by="x"),
        episode(1020.0, 1030.0),
    ]
    lines = [line.text for line in timeline_lines(runs, 1000.0, 1030.0)]
    assert lines[:2] == ["", "EARLIER        findings of this run that are over"]
    assert [" ".join(line.split()) for line in lines[2:]] == [
        "10-25 s WARNING Full [admission-cap] engine/vllm:8000 (likely)",
        "10-12 s WARNING Full [admission-cap] engine/vllm:8000 (pending only)",
        "11-12 s WARNING Full [admission-cap] engine/vllm:8000 (likely, explained by x)",
    ]


def test_a_run_without_past_findings_has_no_timeline() -> None:
    """No heading without a line below it."""
    assert list(timeline_lines([episode(1020.0, 1030.0)], 1000.0, 1030.0)) == []


def test_a_poll_that_is_away_for_a_moment_takes_no_verdict_away() -> None:
    """On a busy host the last answer may be some seconds old."""
    late = source(state=SourceState.LATE, reason="no answer for 4 s", silent_s=4.0)
    lines = texts(snapshot(sources=(late,), indicators=(indicator("engine.up", 1.0),)))
    assert lines[1].startswith("Nothing obviously wrong.")


def test_where_nothing_was_found_it_is_said_what_was_looked_at() -> None:
    """Once, at the engine; the headline says what that means."""
    lines = texts(searched(SEARCH).snapshot)
    assert lines[1].endswith(
        "nothing can be said about serving: none was found on this host; name one with --engine URL."
    )
    assert f"ENGINE         no engine found: {LOOKED}; name one with --engine URL" in lines
    assert "GATEWAY        no gateway found; name one with --gateway URL" in lines
    assert "\n".join(lines).count(LOOKED) == 1
    assert not any(note in line for note in UNTAKEN for line in lines)


def test_what_was_not_taken_is_for_those_who_ask_for_all() -> None:
    """Below its own heading, and nothing where nobody looked."""
    shown = [line.text.strip() for line in search_lines(searched(SEARCH).snapshot)]
    assert shown == ["", f"DISCOVERY      {LOOKED}", *UNTAKEN]
    assert list(search_lines(snapshot())) == []
    assert list(search_lines(searched(BEGUN).snapshot)) == []


def test_a_search_that_fails_is_listed_with_its_reason() -> None:
    """And what it saw before is not told as if it were now."""
    lines = [line.strip() for line in texts(searched(FAILED).snapshot)]
    assert "discovery (discovery) is down: this host has no /proc" in lines
    assert not any(LOOKED in line for line in lines)


def test_a_gpu_source_that_found_none_is_no_missing_source() -> None:
    """Its own line says why."""
    lines = [line.strip() for line in texts(searched(NO_GPUS).snapshot)]
    assert f"gpus (gpu) is absent: {NO_DRIVER}" in lines
    assert not any(line.startswith("GPUs: no GPU source") for line in lines)
