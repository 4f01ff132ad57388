"""Tests of the ranked findings of the main page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import (
    CheckResult,
    Finding,
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
from perfconsole.view.canvas import Target, plain_text, width
from perfconsole.view.findingspanel import UNSEEN, Line, finding_target, findings_items, findings_lines
from perfconsole.view.glyphs import ASCII
from perfconsole.view.picture import Picture
from perfconsole.view.plain import plain
from tests.view.pictures import ENGINE, HOST, finding, indicator, reading, snapshot, source
from tests.view.searching import BEGUN, FAILED, SEARCH

KV = ("engine.kv_cache_usage", 0.52)
FULL = finding(
    readings=(reading("engine.kv_cache_usage < 80%", KV, held=(12.0, 60.0), truth=Truth.UNKNOWN),),
    ruled_out=(RuledOut("admission-cap", "engine.preemption_ratio > 5%", (("engine.preemption_ratio", 0.0),)),),
    checks=(FindingCheck("look", "the cap", None, "low", "high", CheckResult.CONFIRMED),),
)
WORKING = (
    indicator("engine.up", 1.0),
    indicator("engine.requests_running", 1.0),
    indicator("engine.requests_waiting", 0.0),
    indicator("engine.generation_rate", 5.0),
)


def _picture(*findings: Finding, **changes: object) -> Picture:
    return Picture(
        snapshot(**{"findings": findings, "sources": (source(),), "indicators": WORKING, **changes}), DEFAULT
    )


def _lines(
    picture: Picture, chosen: Target = ("",), columns: int = 100, most: int = 30, wanted: str = ""
) -> list[Line]:
    return findings_lines(picture, chosen, columns, most, wanted).lines


def _text(picture: Picture, *, chosen: Target = ("",), columns: int = 100, most: int = 30, wanted: str = "") -> str:
    return plain_text([piece for piece, _ in _lines(picture, chosen, columns, most, wanted)])


def test_a_head_has_severity_title_verdict_and_age() -> None:
    """The severity as mark and word."""
    assert _text(_picture(finding())).splitlines()[0] == "1 ! WARNING Title of admission-cap  likely, since 40 s"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.PENDING, "pending"),
        (State.FIRING, "since 40 s"),
        (State.UNDECIDED, "lost its data"),
        (State.CLEARING, "no longer true"),
    ],
)
def test_every_state_has_its_words(state: State, words: str) -> None:
    """Nothing that is over looks as if it went on."""
    assert _text(_picture(finding(state=state))).splitlines()[0].endswith(f"likely, {words}")


def test_the_first_finding_shows_its_evidence_where_none_is_chosen() -> None:
    """Values before the hold, the hold before the condition, the first check that can be done."""
    assert [" ".join(line.split()) for line in _text(_picture(FULL)).splitlines()[1:7]] == [
        "yes so far kv_cache_usage 52% held 12 of 60 s [engine.kv_cache_usage < 80%]",
        "first check look: the cap",
        "confirmed already, by the values now",
        "on engine/vllm:8000",
        "ruled out engine.preemption_ratio > 5%: preemption_ratio 0%",
        "cause The cap is low.",
    ]


def test_the_chosen_finding_is_the_one_that_is_open() -> None:
    """Its rows open it, and its head is lit."""
    other = replace(FULL, rule="other", title="Other")
    lines = _lines(_picture(finding(), other), finding_target(other), most=6)
    assert [target for _, target in lines[1:5]] == [finding_target(other)] * 4
    assert [span.style for span in lines[1][0]] == ["select", "warn+select", "head+select", "value+select"]


def test_short_of_room_every_piece_has_one_row_before_any_has_two() -> None:
    """The first check is seen at 80x24, however long the conditions are."""
    long = reading("engine.kv_cache_usage < 80% or " * 9, KV)
    lines = _text(_picture(replace(FULL, readings=(long, long))), columns=80, most=5).splitlines()
    assert [line[4:18].strip() for line in lines[1:4]] == ["yes", "yes", "first check"]
    assert lines[1].endswith("…")


def test_what_is_cut_has_a_mark() -> None:
    """Within three rows of a piece."""
    lines = _text(_picture(replace(FULL, cause="word " * 200)), columns=60).splitlines()
    cause = next(n for n, line in enumerate(lines) if line.lstrip().startswith("cause"))
    assert lines[cause + 2].endswith("…")
    assert len(lines[cause + 3 :]) <= 2


def test_a_title_too_long_for_its_state_sends_it_below() -> None:
    """The title of the open finding is what is read first."""
    title = "Requests wait for a slot while memory is free"
    lines = _text(_picture(finding(title=title)), columns=62).splitlines()
    assert lines[0] == f"1 ! WARNING {title}"
    assert lines[1].split(None, 1) == ["likely", "since 40 s, on engine/vllm:8000"]


def test_a_title_that_nobody_opened_gives_way_to_its_state() -> None:
    """With a mark."""
    crowd = (FULL, finding("b", title="x" * 90))
    line = next(ln for ln in _text(_picture(*crowd), columns=70, most=5).splitlines() if ln.startswith("2"))
    assert line.endswith("x…  likely, since 40 s")
    assert len(line) == 70


def test_one_that_is_explained_stands_under_its_cause() -> None:
    """Set in, and dim."""
    line = _text(_picture(finding(), finding("ttft", explained_by="admission-cap"))).splitlines()
    assert any(ln.startswith("    2 explained: Title of ttft  likely, since 40 s") for ln in line)


def test_room_that_is_left_shows_evidence_of_the_others() -> None:
    """In ranked order."""
    text = _text(_picture(finding(), replace(FULL, rule="b")), most=30)
    assert "first check   look: the cap" in text


def test_a_possible_finding_says_what_is_not_ruled_out() -> None:
    """For lack of what."""
    possible = finding(verdict=Verdict.POSSIBLE, not_ruled_out=(("gpu.dram_active", Missing.UNSUPPORTED),))
    text = _text(_picture(possible))
    assert "possible, since" in text
    assert "not ruled out for lack of gpu.dram_active (unsupported)" in " ".join(text.split())


@pytest.mark.parametrize("wanted", ["kv", "KV-FULL", "engine/vllm"])
def test_a_filter_looks_in_title_rule_and_entity(wanted: str) -> None:
    """Without regard to case."""
    picture = _picture(finding("kv-full"), finding("host", entity=HOST))
    assert finding_target(picture.snapshot.findings[0]) in findings_items(picture, wanted)
    assert finding_target(picture.snapshot.findings[1]) not in findings_items(picture, wanted)


def test_a_filter_without_a_match_says_so() -> None:
    """It is no all-clear."""
    text = _text(_picture(finding()), wanted="zzz")
    assert "No finding has the text of the filter." in text
    assert "wrong" not in text


def test_all_clear_needs_an_engine_that_is_watched_and_judged() -> None:
    """Only then."""
    assert _text(_picture()).startswith("Nothing obviously wrong.")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sources": ()}, "No engine is watched: nothing can be said about serving."),
        ({"sources": (SEARCH,)}, "No engine was found on this host: nothing can be said about serving."),
        ({"sources": (BEGUN,)}, "Looking for engines, gateways and orchestrators of this host."),
        ({"sources": (FAILED,)}, "No engine is watched: nothing can be said about serving."),
        ({"sources": (source(answered=False, silent_s=None),)}, "No verdict on vllm:8000: nothing was heard"),
        ({"sources": (source(silent_s=60.0, reason="refused"),)}, "No verdict on vllm:8000: refused"),
        ({"indicators": (indicator("engine.up", 1.0),)}, "No verdict on vllm:8000: its page has no running"),
        ({"indicators": (indicator("engine.up", 0.0),)}, "No verdict on vllm:8000: it is down"),
    ],
)
def test_without_one_there_is_no_all_clear(changes: dict[str, object], words: str) -> None:
    """Not watched, not answering, saying nothing, or down."""
    text = _text(_picture(**changes))
    assert text.startswith(words)
    assert "Nothing obviously wrong" not in text


def test_what_is_watched_without_an_engine_is_named() -> None:
    """Rules still judge it."""
    gpu, gateway = Entity(Kind.GPU, "0"), Entity(Kind.GATEWAY, "litellm:4000")
    text = _text(_picture(sources=(SEARCH,), entities=(HOST, gpu, gateway)), columns=200)
    assert "Watched and judged all the same: gateway, this host, its GPUs." in text


def test_what_is_not_seen_stays_in_the_last_row() -> None:
    """However many findings there are."""
    lacks = (MissingOperand("gpu.x", Missing.NEVER, "NVML"),)
    undecided = (Undecided("r", "R", Severity.WARN, ENGINE, lacks),)
    crowd = [finding(f"r{n}") for n in range(40)]
    lines = _lines(_picture(*crowd, undecided=undecided), most=9)
    assert len(lines) == 9
    assert lines[-1][1] == UNSEEN
    assert plain_text([lines[-1][0]]).startswith("not seen: 1 rule undecided: nothing observed")


def test_a_source_that_fails_is_not_seen() -> None:
    """Beside the findings, since it may hide one."""
    assert "not seen: nginx down" in _text(
        _picture(finding(), sources=(source(), source("nginx", state=SourceState.DOWN)))
    )


texts = st.sampled_from(["x", "[red]x[/red]", "\x1b[31mx", "中文" * 20, "😀 " * 9, "w" * 300, "", "a b " * 50])
findings = st.lists(
    st.builds(
        finding,
        st.sampled_from(["a", "b"]),
        title=texts,
        cause=texts,
        state=st.sampled_from(State),
        severity=st.sampled_from(Severity),
        verdict=st.sampled_from(Verdict),
        explained_by=st.sampled_from([None, "a"]),
        readings=st.lists(st.builds(reading, texts, st.just(KV)), max_size=4).map(tuple),
    ),
    max_size=6,
)


@given(findings, st.integers(30, 200), st.integers(1, 40), st.booleans(), st.integers(0, 7))
def test_lines_keep_to_the_room(found: list[Finding], columns: int, most: int, ascii_only: bool, place: int) -> None:  # noqa: FBT001 - drawn by hypothesis
    """No more rows than asked for, none wider than the columns from 60 on, nothing that acts on a terminal."""
    picture = _picture(*found)
    picture = replace(picture, glyphs=ASCII) if ascii_only else picture
    items = findings_items(picture)
    lines = findings_lines(picture, items[min(place, len(items) - 1)], columns, most).lines
    text = plain_text([piece for piece, _ in lines])
    assert 1 <= len(lines) <= most
    assert columns < 60 or all(width(piece) <= columns for piece, _ in lines)
    assert plain(text.replace("\n", "")) == text.replace("\n", "")
    assert text.isascii() or not ascii_only
