"""The whole result of a probe."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeload import LoadEnd
from perfconsole.model.probeplan import REPEAT_PROMPT
from perfconsole.model.proberesult import Thresholds
from perfconsole.probing.conclusion import concluded
from perfconsole.probing.resultcodec import read, written
from tests.probing.building import PLAN, T0, rung
from tests.probing.queueing import Engine, ladder

END = LoadEnd(T0 + 60.0, None, 500, 16_000, 50_000, ("the server refuses ignore_eos",))
STEPS = ladder(Engine(slots=16), 1, 2, 4, 8, 16, 32)


def test_everything_is_read_out_of_the_steps() -> None:
    """Knee, thresholds, goodput, headroom and indicators."""
    found = concluded(PLAN, {"host.cpus": "2"}, STEPS, T0, 60.0, END, 20.0)
    assert (found.knee.concurrency, found.thresholds.ttft_grown, found.goodput.concurrency) == (16, 32, 16)
    assert found.headroom.takes == ((1.3, True), (1.5, True))
    assert found.indicators["probe.throughput_gain"] < 0.05
    assert (found.requests, found.output_tokens, found.notes) == (500, 16_000, END.notes)
    assert (found.stopped, found.runs) == (None, ())


def test_it_survives_its_file() -> None:
    """With all that is in it."""
    found = concluded(PLAN, {}, STEPS, T0, 60.0, END, None)
    assert read(written(found)) == found


def test_of_several_runs_all_are_kept() -> None:
    """And the steps are their medians."""
    runs = [rung(8, speed, run=i + 1) for i, speed in enumerate((1000, 1010, 1500))]
    found = concluded(PLAN, {}, runs, T0, 60.0, END, None)
    assert [s.output_tokens_per_s for s in found.steps] == [1010]
    assert [s.outlier for s in found.runs] == [False, False, True]


def test_other_recipes_look_for_no_knee() -> None:
    """Their steps are no ladder."""
    found = concluded(replace(PLAN, recipe=REPEAT_PROMPT), {}, STEPS, T0, 60.0, END, 20.0)
    assert (found.knee.concurrency, found.goodput.requests_per_s, found.thresholds) == (None, None, Thresholds())
    assert found.knee.why == "repeat-prompt looks for none"


def test_a_load_process_that_was_killed() -> None:
    """Its totals are what the steps counted."""
    found = concluded(PLAN, {}, [rung(8, 1000, errors=10)], T0, 60.0, None, None)
    assert (found.requests, found.output_tokens, found.prompt_tokens) == (100, 90 * 128, 9000)
    assert found.stopped == "the load process ended before its time"


def test_a_probe_that_was_stopped_before_its_first_step() -> None:
    """Has a result all the same."""
    found = concluded(PLAN, {}, [], T0, 1.0, replace(END, stopped="a key"), None)
    assert (found.steps, found.stopped, found.indicators) == ((), "a key", {})
