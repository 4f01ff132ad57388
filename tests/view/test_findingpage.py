"""Tests of the page of one finding, its parts included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Link, Relation
from perfconsole.model.finding import (
    CheckResult,
    Finding,
    FindingCheck,
    MissingOperand,
    Reading,
    RuledOut,
    State,
    Truth,
    Undecided,
    Verdict,
)
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Cursor, Page, plain_text, width
from perfconsole.view.findingpage import finding_page
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.picture import Picture
from tests.view.pictures import ENGINE, HOST, finding, indicator, reading, snapshot

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity

KEY = ("admission-cap", "engine/vllm:8000")
WAITING, KV = "engine.requests_waiting", "engine.kv_cache_usage"
LOOK = FindingCheck("look", "the cap", None, "low", "high", None)
PROBE = FindingCheck("probe", "perfconsole probe", None, "low", "high", None)


def trails(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:  # noqa: ARG001 - the form
    """Requests that began to wait lately."""
    return tuple(float(i) if name == WAITING else None for i in range(columns))


def page(of: Finding, *, size: tuple[int, int] = (120, 70), cursor: Cursor | None = None, **changes: object) -> Page:
    """Its page among other things of the moment."""
    picture = Picture(snapshot(**{"findings": (of,), **changes}), DEFAULT, trails, ASCII)
    return finding_page(picture, (of.rule, str(of.entity)), cursor or Cursor(), *size)


def lines(of: Finding, **changes: object) -> list[str]:
    """Rows with their blanks made one."""
    return [" ".join(line.split()) for line in plain_text(page(of, **changes).rows).split("\n")]  # type: ignore[arg-type]  # as page takes them


def has(of: Finding, words: str, **changes: object) -> bool:
    """Some row has these words."""
    return any(words in line for line in lines(of, **changes))


def test_the_top_row_says_how_bad_it_is_and_what() -> None:
    """Mark, word and title: never colour alone."""
    assert lines(finding(severity=Severity.CRITICAL))[0] == "x CRITICAL Title of admission-cap"


def test_the_page_answers_four_questions_in_their_order() -> None:
    """For a reader who knows nothing of the rule."""
    asked = ("WHAT IS WRONG", "HOW WE KNOW", "WHAT ELSE IT COULD BE", "WHAT TO DO NOW")
    shown = [line.removeprefix("> ") for line in lines(finding())]
    assert [q for line in shown for q in asked if line.startswith(q)] == list(asked)
    assert any(line.startswith("WHAT IS WRONG engine/vllm:8000, firing for 40 s") for line in shown)


def test_a_title_that_the_top_row_cuts_is_given_whole_below() -> None:
    """No word of it is lost on a small screen."""
    of = finding(title="word " * 20 + "end")
    assert "end" in "".join(lines(of, size=(80, 24)))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.FIRING, "firing for 40 s"),
        (State.PENDING, "pending: true so far, for 40 s"),
        (State.UNDECIDED, "undecided: lost its data; it began 40 s ago"),
        (State.CLEARING, "clearing: no longer true"),
    ],
)
def test_the_state_is_said_with_its_time(state: State, words: str) -> None:
    """In words of its own for each."""
    assert has(finding(state=state), words)


def test_a_pending_finding_shows_how_far_it_is() -> None:
    """In seconds, and as a bar that fills."""
    open_hold = reading("a", truth=Truth.UNKNOWN, held=(12.0, 60.0))
    assert has(finding(state=State.PENDING, readings=(open_hold,)), "pending 12 of 60 s [##--------]")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_verdict_says_what_it_means(verdict: Verdict) -> None:
    """Likely and possible differ by the look-alikes."""
    assert has(finding(verdict=verdict), f"{verdict}: ")


def test_doubts_are_said() -> None:
    """A cut hold and a missing history."""
    of = finding(cut=True, no_history=True)
    assert has(of, "holds shortened to fit")
    assert has(of, "no history")


def test_a_finding_that_lost_its_data_says_what_it_needs() -> None:
    """From the rules that are undecided now."""
    lack = MissingOperand(KV, Missing.STALE, "metrics page")
    undecided = Undecided(KEY[0], "t", Severity.WARN, ENGINE, (lack,))
    assert has(finding(state=State.UNDECIDED), f"needs {KV} (stale, from metrics page)", undecided=(undecided,))


def test_what_it_explains_and_is_explained_by_can_be_opened() -> None:
    """Where the two entities touch; the same rule elsewhere is another story."""
    cause = finding()
    near, far = (finding("slow", entity=HOST, explained_by=KEY[0]) for _ in range(2))
    link = Link(Relation.HOST_HAS, HOST, ENGINE)
    shown = page(cause, findings=(cause, near), links=(link,))
    assert ("finding", "slow", "host/gpu-07") in [hit.target for hit in shown.hits]
    assert has(cause, "explains slow", findings=(cause, near), links=(link,))
    assert not has(cause, "explains slow", findings=(cause, far))
    assert has(near, "explained by admission-cap", findings=(cause, near), links=(link,))


def test_a_condition_stands_with_its_truth_its_hold_and_its_margin() -> None:
    """And with the values that no comparison shows."""
    of = finding(
        readings=(
            reading(f"{WAITING} > 0 for 60s", (WAITING, 24.0), truth=Truth.UNKNOWN, held=(12.0, 60.0)),
            reading(f"({WAITING} + {KV}) * 2 > 3", (WAITING, 24.0), (KV, 0.5), truth=Truth.TRUE),
        )
    )
    assert has(of, f"yes so far {WAITING} > 0 for 60s held 12 of 60 s [##--------]")
    assert has(of, "requests_waiting 24 > 0, margin 24")
    assert has(of, "kv_cache_usage 50%")


def test_a_value_has_its_history_beside_it_once() -> None:
    """The second condition on the same indicator repeats no chart."""
    twice = tuple(reading(f"{WAITING} > {n}", (WAITING, 24.0)) for n in (0, 5))
    charts = [span for r in page(finding(readings=twice)).rows for span in r if span.style == "spark"]
    assert len(charts) == 1


def test_a_row_of_values_opens_its_indicator() -> None:
    """By the mouse, on the row that is drawn."""
    shown = page(finding(readings=(reading(f"{WAITING} > 0", (WAITING, 24.0)),)))
    (hit,) = [h for h in shown.hits if h.target[0] == "indicator"]
    assert hit.target == ("indicator", WAITING, "engine/vllm:8000")
    assert "requests_waiting 24" in plain_text([shown.rows[hit.y]])


def test_rivals_and_open_exclusions_stand_with_their_values() -> None:
    """Why they are silent, and what could not be excluded for lack of what."""
    of = finding(
        verdict=Verdict.POSSIBLE,
        ruled_out=(RuledOut("storm", "engine.preemption_ratio > 5%", (("engine.preemption_ratio", 0.01),)),),
        not_ruled_out=((KV, Missing.WARMING_UP),),
    )
    assert has(of, "ruled out storm, which needs engine.preemption_ratio > 5%: preemption_ratio 1%")
    assert has(of, f"not ruled out for lack of {KV} (warming up, from metrics page)")


def test_cause_remedies_and_values_beside_it_are_given() -> None:
    """The end of the page."""
    of = finding(remedies=("raise it",), evidence=((KV, 0.5),))
    assert has(of, "cause The cap is low.")
    assert [line for line in lines(of) if line][-3:] == [
        "remedies raise it",
        "beside it kv_cache_usage 50%",
        "rule admission-cap (row S22)",
    ]


def test_checks_can_be_selected() -> None:
    """They are the items of the kind `check`."""
    shown = page(finding(checks=(LOOK, PROBE, LOOK)))
    assert [item for item in shown.items if item[0] == "check"] == [("check", "0"), ("check", "1"), ("check", "2")]


def test_a_small_screen_shows_the_first_check_near_the_top() -> None:
    """One row, where the checks themselves come only further down."""
    of = finding(checks=(LOOK,), remedies=("r",) * 30)
    assert "first check: the cap" in lines(of, size=(80, 24))[1:12]
    assert not has(of, "first check: the cap")


def test_a_finding_that_is_gone_says_so_in_its_place() -> None:
    """How long ago, where that is known, and what became of it."""
    picture = Picture(snapshot(ruled_out=((KEY[0], ENGINE),)), DEFAULT)
    text = plain_text(finding_page(picture, KEY, Cursor(), 100, 24, gone_since=90.0).rows)
    assert "admission-cap about engine/vllm:8000 is no longer true since 10 s; esc goes back." in text
    assert "another cause fits better" in text


def test_an_entity_that_is_gone_is_the_reason_for_silence() -> None:
    """Nothing got better then."""
    picture = Picture(snapshot(entities=()), DEFAULT)
    text = plain_text(finding_page(picture, KEY, Cursor(), 100, 24).rows)
    assert "engine/vllm:8000 is not there any more" in text


def test_a_gone_finding_that_is_undecided_says_what_it_needs() -> None:
    """And where else the rule speaks."""
    lost = Undecided(KEY[0], "t", Severity.WARN, ENGINE, (MissingOperand(KV, Missing.STALE, ""),))
    picture = Picture(snapshot(undecided=(lost,), findings=(finding(entity=HOST),)), DEFAULT)
    text = plain_text(finding_page(picture, KEY, Cursor(), 100, 24).rows)
    assert f"It cannot be decided now: needs {KV} (stale)." in text
    assert "The same rule speaks about host/gpu-07." in text


WORDS = st.text(max_size=60)
NUMBERS = st.floats(0, 1e9) | st.sampled_from(Missing) | st.just(float("inf"))
OPERANDS = st.lists(st.tuples(st.sampled_from([WAITING, KV, f"base({KV})", "x"]), NUMBERS), max_size=3).map(tuple)
CONDITIONS = st.sampled_from([f"{WAITING} > 0 for 60s", f"{KV} < 80% or {WAITING} > 2 * {KV}"]) | WORDS
HOLDS = st.none() | st.floats(0, 1e5)
READINGS = st.builds(Reading, CONDITIONS, st.sampled_from(Truth), st.sampled_from(Truth), OPERANDS, HOLDS, HOLDS)
CHECKS = st.builds(
    FindingCheck,
    st.sampled_from(["look", "run", "probe", "flame"]),
    WORDS,
    st.none() | st.lists(WORDS, max_size=3).map(tuple),
    WORDS,
    WORDS,
    st.none() | st.sampled_from(CheckResult),
)
FINDINGS = st.builds(
    finding,
    WORDS,
    row=WORDS,
    state=st.sampled_from(State),
    verdict=st.sampled_from(Verdict),
    severity=st.sampled_from(Severity),
    title=WORDS,
    since=st.floats(-1e6, 200.0),
    cause=WORDS,
    readings=st.lists(READINGS, max_size=4).map(tuple),
    ruled_out=st.lists(st.builds(RuledOut, WORDS, CONDITIONS, OPERANDS), max_size=3).map(tuple),
    not_ruled_out=st.lists(st.tuples(WORDS, st.sampled_from(Missing)), max_size=2).map(tuple),
    checks=st.lists(CHECKS, max_size=3).map(tuple),
    remedies=st.lists(WORDS, max_size=3).map(tuple),
    evidence=OPERANDS,
    cut=st.booleans(),
    no_history=st.booleans(),
)


@given(FINDINGS, st.integers(60, 250), st.integers(16, 70), st.integers(0, 60), st.sampled_from([ASCII, UNICODE]))
def test_any_finding_fills_any_size_exactly(of: Finding, columns: int, height: int, index: int, glyphs: object) -> None:
    """Whatever it says, at any place, in ASCII alone where asked."""
    ascii_only = glyphs is ASCII
    picture = Picture(snapshot(findings=(of,)), DEFAULT, trails, ASCII if ascii_only else UNICODE)
    shown = finding_page(picture, (of.rule, str(of.entity)), Cursor(index=index), columns, height)
    assert [width(r) for r in shown.rows] == [columns] * height
    assert not ascii_only or plain_text(shown.rows).isascii()
    assert all(0 < hit.y < height and 0 <= hit.x0 < hit.x1 <= columns for hit in shown.hits)


def test_an_indicator_of_the_host_is_opened_at_the_host() -> None:
    """A condition about an engine may read what its host has."""
    host = indicator("host.psi_cpu", 0.5, HOST)
    of = finding(readings=(reading("host.psi_cpu > 10%", ("host.psi_cpu", 0.5)),))
    shown = page(of, indicators=(host,), links=(Link(Relation.HOST_HAS, HOST, ENGINE),))
    assert ("indicator", "host.psi_cpu", "host/gpu-07") in [hit.target for hit in shown.hits]
