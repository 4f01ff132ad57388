"""Tests of the page before a probe: everything that matters is on it, and on the screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.probeask import Change, ProbeAsk, Traffic, Worst
from perfconsole.model.probeplan import ProbePlan, Shape, Step
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.probechoice import ask_page, traffic_words
from tests.view.flames import HOSTILE, NAMES, SIZES, harmless
from tests.view.probes import plan

SMALL, LARGE = (80, 22), (120, 38)
CHANGES = (
    Change("s", "scenario", "short-chat"),
    Change("t", "target", "http://127.0.0.1:8000"),
    Change("l", "ladder", "1, 2, 4 ... 64"),
)
ASK = ProbeAsk(
    plan(1, 2, 4, 8, 16, 32, 64),
    Worst(482, 61_696, 61_696, 135.0),
    Traffic(12.3, 9.0, 0.0, 0.41),
    changes=CHANGES,
)


def text(ask: ProbeAsk, size: tuple[int, int] = SMALL, cursor: Cursor | None = None) -> str:
    """The page as text."""
    return plain_text(ask_page(ask, cursor or Cursor(), size, ASCII).rows)


def test_what_is_sent_where_is_said_first() -> None:
    """Row by row, in words that need no manual."""
    rows = text(ASK, LARGE).split("\n")
    assert rows[:4] == [
        "SEND THIS LOAD?  enter starts it, esc goes back; nothing was sent yet",
        "> sends to      http://127.0.0.1:8000  model Qwen/Qwen2.5-7B-Instruct, chat",
        "  asked by      Requests wait although memory is free",
        "  recipe        step-load: rising load, step by step",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "1, 2, 4, 8, 16, 32, 64 at a time",
        "at worst      482 requests, 61,696 prompt and 61,696 output tokens, 135 s",
        "traffic now   12.3 requests/s, 9 running, 0 waiting, TTFT p95 410 ms",
        "any key       stops it at once",
        "stops itself  above 25% errors",
        "enter starts it, s changes the scenario, t changes the target, l",
    ],
)
@pytest.mark.parametrize("warnings", [(), ("the target is not on this host", "requests wait there now")])
def test_everything_that_matters_is_on_a_small_screen(words: str, warnings: tuple[str, ...]) -> None:
    """Without scrolling, and beside two warnings."""
    assert words in text(replace(ASK, warnings=warnings))


def test_what_forbids_it_comes_first_and_takes_the_key_away() -> None:
    """Nothing starts it then."""
    page = text(replace(ASK, refusals=("requests wait there: 12",)))
    assert page.startswith("PROBE: not possible here  esc goes back")
    assert page.split("\n")[1] == "> not possible  requests wait there: 12"
    assert "starts it" not in page
    assert "s changes the scenario" in page


def test_what_cannot_be_at_all_is_one_line() -> None:
    """There is no plan whose parts could be shown."""
    nothing = ProbeAsk(ProbePlan("step-load", (), ()), Worst(0, 0, 0, 0.0), refusals=("nothing is watched",))
    assert [line.strip() for line in text(nothing).split("\n") if line.strip()] == [
        "PROBE: not possible here  esc goes back",
        "> not possible  nothing is watched",
    ]


def test_as_long_as_no_model_is_known_no_key_starts_it() -> None:
    """The target is being asked."""
    page = text(replace(ASK, plan=replace(ASK.plan, model="")))
    assert page.startswith("PROBE: one moment, the target is asked for its models  esc goes back")
    assert "starts it" not in page


def test_warnings_and_the_last_trouble_stand_above_the_plan() -> None:
    """Whoever presses the key has read them."""
    rows = text(replace(ASK, warnings=("it is not on this host",), trouble="nobody answered")).split("\n")
    assert rows[1:3] == ["> failed        nobody answered", "  careful       it is not on this host"]


def test_a_model_that_was_not_asked_for_yet_is_not_made_up() -> None:
    """It is asked for when it starts."""
    assert "the model that it names when it is asked" in text(replace(ASK, plan=replace(ASK.plan, model="")))


def test_both_targets_of_a_recipe_are_named() -> None:
    """The second is loaded too."""
    both = replace(ASK.plan, urls=("http://127.0.0.1:4000", "http://127.0.0.1:8000"))
    assert "http://127.0.0.1:4000, then http://127.0.0.1:8000" in text(replace(ASK, plan=both))


def test_what_goes_beyond_the_ladder_is_told() -> None:
    """Warm-up, runs, the step that is repeated."""
    more = replace(ASK.plan, runs=3, shed_s=30.0, adaptive=False, vary="schema", warmup=0)
    page = text(replace(ASK, plan=more), LARGE)
    assert (
        "all of it 3 times, medians count; then a pause of 30 s and the first step again; what differs: schema" in page
    )
    assert "warm-up" not in page
    assert "stops behind the knee" not in page


@pytest.mark.parametrize(
    ("traffic", "words"),
    [
        (Traffic(unknown="no engine is watched there"), "not known: no engine is watched there"),
        (Traffic(), "not known: the engine says no number of it"),
        (Traffic(running=3.0), "3 running"),
        (Traffic(0.0, 0.0, 0.0), "0 requests/s, 0 running, 0 waiting"),
    ],
)
def test_traffic_that_nobody_sees_is_not_called_none(traffic: Traffic, words: str) -> None:
    """What is missing is left out, or says why."""
    assert traffic_words(traffic) == words


def test_waiting_requests_are_a_warning() -> None:
    """Somebody is short of room there already."""
    busy = replace(ASK, traffic=Traffic(12.3, 16.0, 4.0))
    styles = {
        span.style for line in ask_page(busy, Cursor(), SMALL, ASCII).rows for span in line if "4 wait" in span.text
    }
    assert styles == {"warn"}


def test_on_a_wide_screen_each_key_shows_what_it_changes() -> None:
    """There is room for it."""
    assert "l  ladder     1, 2, 4 ... 64" in text(ASK, LARGE)
    assert "l  ladder" not in text(ASK)


def test_on_a_screen_too_small_for_it_the_rest_is_reached() -> None:
    """By moving down."""
    items = ask_page(ASK, Cursor(), (40, 8), ASCII).items
    assert "promise" in text(ASK, (40, 8), Cursor(target=items[-1]))


@settings(max_examples=40)
@given(NAMES, SIZES, st.sampled_from((UNICODE, ASCII)))
def test_the_page_is_exactly_as_large_as_the_screen(words: str, size: tuple[int, int], glyphs: Glyphs) -> None:
    """Whatever a model, a finding or a target is called."""
    made = replace(ASK.plan, urls=(words,), model=words, why=words, scenario=words, vary=words)
    made = replace(made, steps=(Step(Shape.CONCURRENCY, 1, label=words),))
    ask = replace(
        ASK,
        plan=made,
        traffic=Traffic(unknown=words),
        refusals=(words,),
        warnings=(words,),
        trouble=words,
        changes=(Change("s", "scenario", words),),
    )
    page = ask_page(ask, Cursor(), size, glyphs)
    assert [width(line) for line in page.rows] == [size[0]] * size[1]
    assert harmless(page.rows)
    assert glyphs is UNICODE or plain_text(page.rows).isascii()


def test_names_from_outside_are_shown_and_not_obeyed() -> None:
    """A model may be called anything."""
    assert "\\x1b[31mred" in text(replace(ASK, plan=replace(ASK.plan, model=HOSTILE)))
