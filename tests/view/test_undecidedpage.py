"""Tests of the page of what cannot be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import MissingOperand, Undecided
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.glyphs import ASCII
from perfconsole.view.picture import Picture
from perfconsole.view.undecidedpage import MOST_WORDS, undecided_page, unseen_words
from tests.view.pictures import ENGINE, HOST, snapshot, source
from tests.view.searching import BEGUN, FAILED, LOOKED, SEARCH, UNTAKEN, searched

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

EVERYTHING = (ENGINE, HOST, *(Entity(kind, "a") for kind in (Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.GPU)))
BASELINE = MissingOperand("base(engine.ttft.p95)", Missing.NO_BASELINE, "a baseline: 10 healthy minutes")
PROBED = MissingOperand("probe.knee", Missing.NEVER, "a probe")


def undecided(rule: str, *lacks: MissingOperand) -> Undecided:
    """A rule that lacks these values."""
    return Undecided(rule, f"Title of {rule}", Severity.WARN, ENGINE, lacks)


def picture(**changes: object) -> Picture:
    """A moment in which everything is watched, but for the changes."""
    return Picture(snapshot(**{"entities": EVERYTHING, "sources": (source(),), **changes}), DEFAULT)


def lines(of: Picture) -> list[str]:
    """The page on a screen that holds it."""
    return [line.strip() for line in plain_text(undecided_page(of, Cursor(), 120, 70).rows).split("\n")]


def test_rules_stand_under_the_source_that_would_decide_them() -> None:
    """The source that decides most comes first, and says how."""
    shown = lines(picture(undecided=(undecided("a", PROBED), undecided("b", BASELINE), undecided("c", BASELINE))))
    start = shown.index("a baseline: 2 rules")
    assert shown[start + 1 : start + 4] == [
        "10 healthy minutes",
        "! Title of b [b]  engine/vllm:8000",
        "base(engine.ttft.p95): no baseline",
    ]
    assert start < shown.index("a probe: 1 rule")


def test_a_rule_that_lacks_several_sources_stands_under_each() -> None:
    """With only what that source has."""
    shown = lines(picture(undecided=(undecided("a", PROBED, BASELINE),)))
    assert shown.count("! Title of a [a]  engine/vllm:8000") == 2


def test_a_rule_without_a_named_value_is_not_lost() -> None:
    """It is listed under no known source."""
    assert "no source known: 1 rule" in lines(picture(undecided=(undecided("a"),)))


def test_a_source_that_is_down_says_why_and_since_when() -> None:
    """Its last answer and the reason; one that never answered says so."""
    down = source("nginx", kind="gateway page", state=SourceState.DOWN, reason="connection refused", silent_s=41.0)
    never = source("gpu", state=SourceState.ABSENT, reason="no driver", silent_s=None, answered=False)
    shown = lines(picture(sources=(down, never)))
    start = shown.index("nginx (gateway page): down, last answer 41 s ago")
    assert shown[start + 1] == "connection refused"
    assert "gpu (metrics page): absent, never answered" in shown
    assert "SOURCES  0 of 2 answer" in shown


def test_a_source_that_answers_is_listed_for_its_notes_alone() -> None:
    """One that is well and has no remark is no gap."""
    shown = lines(picture(sources=(source("a", notes=("names missing: x",)), source("b"))))
    assert shown[shown.index("a (metrics page): answers") + 1] == "names missing: x"
    assert not any(line.startswith("b (") for line in shown)


def test_layers_without_a_source_are_named() -> None:
    """Each says what stays unseen by it."""
    shown = lines(picture(entities=(ENGINE,)))
    assert [line.partition(";")[0] for line in shown if line.startswith(("GATEWAY", "ORCH", "ENGINE", "HARDWARE"))] == [
        "GATEWAY: no gateway named",
        "ORCHESTRATION: no orchestrator named",
        "HARDWARE: host not watched",
        "HARDWARE: no GPU source",
    ]


def test_nothing_is_missing_when_everything_is_watched() -> None:
    """No phrase for the main screen."""
    assert unseen_words(picture()) == []


def test_the_main_screen_gets_short_phrases() -> None:
    """Rules are counted once, however many entities they are undecided about."""
    twice = replace(undecided("b", BASELINE), entity=HOST)
    of = picture(entities=(ENGINE, HOST), undecided=(undecided("a", BASELINE), undecided("b", BASELINE), twice))
    assert unseen_words(of) == [
        "2 rules undecided: no baseline",
        "no gateway named",
        "no orchestrator named",
        "no GPU source",
    ]


def test_a_source_that_fails_comes_first() -> None:
    """It was seen once, and its absence is news."""
    sources = (source("nginx", state=SourceState.DOWN), source("new", answered=False))
    assert unseen_words(picture(sources=sources)) == ["nginx down", "new has not answered yet"]


def test_phrases_are_few_and_the_rest_is_counted() -> None:
    """The page behind has them all."""
    down = tuple(source(f"s{i}", state=SourceState.DOWN) for i in range(9))
    found = unseen_words(picture(sources=down))
    assert len(found) == MOST_WORDS
    assert found[-1] == "5 more"


def test_an_engine_that_has_not_answered_yet_is_watched() -> None:
    """Its source is waited for; nobody forgot to name it."""
    assert "no engine named" not in unseen_words(picture(entities=(), sources=(source(answered=False),)))


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Anything that may be missing, with any words."""
    words = st.text(max_size=30)
    lack = st.builds(MissingOperand, words, st.sampled_from(Missing), words)
    rule = st.builds(
        Undecided, words, words, st.sampled_from(Severity), st.sampled_from(EVERYTHING), st.lists(lack).map(tuple)
    )
    health = st.builds(
        source,
        words,
        kind=words,
        state=st.sampled_from(SourceState),
        reason=st.none() | words,
        answered=st.booleans(),
        notes=st.lists(words, max_size=2).map(tuple),
        silent_s=st.none() | st.floats(0, 1e6),
    )
    return snapshot(
        undecided=tuple(draw(st.lists(rule, max_size=4))),
        sources=tuple(draw(st.lists(health, max_size=4))),
        entities=tuple(draw(st.lists(st.sampled_from(EVERYTHING), unique=True))),
    )


@given(snapshots(), st.integers(60, 250), st.integers(16, 70), st.integers(0, 60))
def test_any_size_is_filled_exactly(of: Snapshot, columns: int, height: int, index: int) -> None:
    """Whatever is missing, in ASCII alone where asked."""
    page = undecided_page(Picture(of, DEFAULT, glyphs=ASCII), Cursor(index=index), columns, height)
    assert [width(r) for r in page.rows] == [columns] * height
    assert plain_text(page.rows).isascii()


def test_a_gpu_source_that_found_nothing_is_no_missing_source() -> None:
    """Its own state says why it is silent."""
    absent = source("gpus", kind="gpu", state=SourceState.ABSENT, reason="no driver")
    assert unseen_words(picture(entities=(ENGINE, HOST), sources=(absent,)))[0] == "gpus absent"
    assert "no GPU source" not in unseen_words(picture(entities=(ENGINE, HOST), sources=(absent,)))


def test_what_the_search_did_not_take_has_a_part_of_its_own() -> None:
    """What it looked at, then a line each; it stands there and not among the sources."""
    shown = lines(searched(SEARCH))
    start = shown.index(f"DISCOVERY  {LOOKED}; looking again every 2 s")
    assert tuple(shown[start + 1 : start + 3]) == UNTAKEN
    assert shown[start + 4] == "SOURCES  2 of 2 answer"
    assert not any("discovery (discovery)" in line for line in shown)


def test_without_a_search_there_is_no_part_about_it() -> None:
    """Targets were named."""
    assert not any(line.startswith("DISCOVERY") for line in lines(picture()))


def test_a_search_that_has_not_answered_says_so() -> None:
    """In its part; the main screen has it in the layers."""
    assert "DISCOVERY  the search has not answered yet" in lines(searched(BEGUN))
    assert not any("discovery" in phrase for phrase in unseen_words(searched(BEGUN)))


def test_a_search_that_fails_is_a_source_that_fails() -> None:
    """With its reason."""
    assert unseen_words(searched(FAILED))[0] == "discovery down"
    assert "DISCOVERY  this host has no /proc" in lines(searched(FAILED))


def test_layers_that_were_searched_are_not_called_unnamed() -> None:
    """None was found, or none yet."""
    assert "no engine found" in unseen_words(searched(SEARCH))
    assert "no engine found yet" in unseen_words(searched(BEGUN))
