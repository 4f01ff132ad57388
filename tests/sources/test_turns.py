"""Tests of telling several engines that answer at one address in turn from one that restarts, dips or is idle."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sources.enginepages import MULTIPROCESS, A, B, counting, little, page, poll

if TYPE_CHECKING:
    from perfconsole.model.sample import Batch

IN_TURN = "several engines answer at this address in turn"


def _fates(batches: list[Batch]) -> str:
    """Make a letter a batch: u for used, R for a restart, x for refused as several engines."""
    for batch in batches:
        assert batch.error is None or IN_TURN in batch.error, batch.error
        assert batch.error is None or not batch.samples, "a refused page gives no number"
    return "".join("x" if b.error else "R" if b.restarted else "u" for b in batches)


def test_starts_that_alternate_are_several_engines() -> None:
    """A start that was left and comes back is refused in words, from the third page on."""
    engine = page()
    batches = [engine.batch(poll(little(s), t)) for t, s in enumerate((A, B, A, B, A))]
    assert _fates(batches) == "uRxxx"
    assert batches[2].error == (
        f"{IN_TURN} (their start times alternate), and their counters cannot be told apart; "
        "name each engine by its own address"
    )


def test_several_engines_are_refused_for_a_minute_after_the_last_sign() -> None:
    """Pages of one of them in a row do not end it at once; 60 s without a change do."""
    engine = page()
    seen = [(0, A), (1, B), (2, A), (10, B), (40, B), (69.9, B), (70, B)]
    assert _fates([engine.batch(poll(little(s), t)) for t, s in seen]) == "uRxxxxu"


def test_the_engine_that_is_left_of_several_is_a_restart() -> None:
    """The counters known are those of the last page used: another engine's must not be set off against them."""
    engine = page()
    seen = [(0, A), (1, B), (2, A), (30, A), (62, A), (63, A)]
    assert _fates([engine.batch(poll(little(s), t)) for t, s in seen]) == "uRxxRu"


def test_three_engines_in_turn_are_told_as_two_are() -> None:
    """The first start that comes back is the sign, however many were between."""
    engine = page()
    starts = (A, B, "1.7000009e9")
    assert _fates([engine.batch(poll(little(starts[t % 3]), t)) for t in range(6)]) == "uRRxxx"


def test_starts_of_the_past_do_not_fill_the_memory() -> None:
    """A crash loop of days is remembered by its last few starts."""
    engine = page()
    for t in range(40):
        engine.batch(poll(little(f"17000{t:02}000"), t))
    assert len(engine._turns._past) <= 8


def test_a_restart_is_seen_across_a_page_without_a_start() -> None:
    """The start of the last page that had one is remembered."""
    engine = page()
    bodies = (little(A), MULTIPROCESS, little(B))
    assert _fates([engine.batch(poll(body, t)) for t, body in enumerate(bodies)]) == "uuR"


def test_a_start_that_is_known_again_ends_the_count_of_falls() -> None:
    """Falls before it are of another matter."""
    engine = page()
    started = counting(9) + b"process_start_time_seconds 1.7e9\n"
    bodies = [*(counting(n) for n in (9, 1, 9, 1)), started, counting(8), counting(1)]
    assert _fates([engine.batch(poll(body, t)) for t, body in enumerate(bodies)]) == "u" * 7


def test_restarts_in_a_row_are_not_several_engines() -> None:
    """A crash loop has a new start each time."""
    engine = page()
    batches = [engine.batch(poll(little(f"17000{i:02}000"), t)) for t, i in enumerate(range(12))]
    assert _fates(batches) == "u" + "R" * 11


def test_pages_that_lose_their_start_are_not_refused_for_ever() -> None:
    """The minute passes whether or not the page says when its process started."""
    engine = page()
    for t, start in enumerate((A, B, A)):
        engine.batch(poll(little(start), t))
    assert _fates([engine.batch(poll(MULTIPROCESS, t)) for t in (30, 61.9, 62)]) == "xxu"


def test_counters_that_jump_back_and_forth_are_several_engines() -> None:
    """Without a start time the third fall within a minute tells; the reason and what to do are said."""
    engine = page()
    batches = [engine.batch(poll(counting(n + t), t)) for t, n in enumerate((900, 100) * 4)]
    assert _fates(batches) == "uuuuuxxx"
    assert batches[5].error == f"the counters jump back and forth: {IN_TURN}; name each engine by its own address"


def test_jumping_counters_are_refused_for_a_minute_after_the_last_fall() -> None:
    """Then one engine is left, and which one is not known: its counters begin anew."""
    engine = page()
    seen = [(t, n) for t, n in enumerate((9, 1) * 3)] + [(30, 9), (40, 1), (99.9, 2), (100, 3), (101, 4)]
    assert _fates([engine.batch(poll(counting(n), t)) for t, n in seen]) == "uuuuuxxxxRu"


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param([(0, 900), (1, 910), (2, 3), (3, 9), (4, 20)], id="restart"),
        pytest.param([(0, 900), (1, 3), (2, 910), (3, 920)], id="dip"),
        pytest.param([(0, 9), (1, 3), (2, 9), (3, 3), (4, 9), (5, 10)], id="two dips"),
        pytest.param([(0, 9), (1, 1), (2, 9), (30, 1), (31, 9), (61, 1), (62, 9), (91, 1)], id="two a minute"),
        pytest.param([(t, 7) for t in range(90)], id="idle"),
    ],
)
def test_few_falls_of_a_counter_are_not_several_engines(seen: list[tuple[float, int]]) -> None:
    """A restart, a bad page or an idle engine explains them."""
    engine = page()
    assert _fates([engine.batch(poll(counting(n), t)) for t, n in seen]) == "u" * len(seen)


def test_counters_are_summed_before_they_are_compared() -> None:
    """Ranks that change places on the page are no fall."""
    engine = page()
    batches = [engine.batch(poll(counting(*((1 + t, 9) if t % 2 else (9, 1 + t))), t)) for t in range(9)]
    assert _fates(batches) == "u" * 9


def test_a_page_without_the_counter_is_no_fall() -> None:
    """What is missing is not 0."""
    engine = page()
    batches = [engine.batch(poll(MULTIPROCESS if t % 2 else counting(9), t)) for t in range(12)]
    assert _fates(batches) == "u" * 12


def test_falls_do_not_count_while_the_start_is_known() -> None:
    """Where the page says when its process started, only that decides."""
    engine = page()
    batches = [
        engine.batch(poll(counting(n) + b"process_start_time_seconds 1.7e9\n", t)) for t, n in enumerate((9, 1) * 5)
    ]
    assert _fates(batches) == "u" * 10


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_a_counter_that_only_rises_is_never_refused(steps: list[int]) -> None:
    """Whatever an engine counts, it stays one engine."""
    engine = page()
    assert "x" not in _fates([engine.batch(poll(counting(n), t)) for t, n in enumerate(accumulate(steps))])
