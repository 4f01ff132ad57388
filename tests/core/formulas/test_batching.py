"""The cap on the running batch, its origin, how full it is, and the level on which running stands."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from perfconsole.core.formulas.batching import cap_with_origin, plateau_span_s
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, World, page, sample

CAP = "engine.max_num_seqs"
RUNNING = "engine.requests_running"
WAITING = "engine.requests_waiting"
FINISHED = "engine.requests_finished"
PLATEAU = "engine.running_plateau"
FILL = "engine.batch_fill"


def queueing(seconds: int, running: float = 64.0, run_s: float | None = None) -> tuple[World, float]:
    """An engine that runs at one level with a queue and finishes a request a second."""
    world = World(run_s)
    rising = [float(i) for i in range(seconds + 1)]
    end = world.play({RUNNING: [running] * (seconds + 1), WAITING: [5.0] * (seconds + 1), FINISHED: rising})
    return world, end


def origin(*origins: tuple[str, float], seconds: int = 0) -> tuple[float | Missing, str]:
    """Cap and origin where these origins state one, after a plateau of 64 of so many seconds."""
    world, end = queueing(seconds) if seconds else (World(), 0.0)
    stated = [sample(CAP, value, origin=name) for name, value in origins]
    counts = sample(RUNNING, 64.0), sample(WAITING, 5.0), sample(FINISHED, end + 1)
    world.apply(page(end + 1, *stated, *(counts if seconds else ())))
    return cap_with_origin(world.frame(end + 1), ENGINE)


def test_the_command_line_goes_before_all() -> None:
    """argv is what the process runs with."""
    assert origin(("default", 256.0), ("server-info", 128.0), ("argv", 32.0), seconds=40) == (32.0, "argv")


def test_the_info_page_goes_before_plateau_and_default() -> None:
    """server-info comes second."""
    assert origin(("default", 256.0), ("server-info", 128.0), seconds=40) == (128.0, "server-info")


def test_a_plateau_goes_before_the_default() -> None:
    """What the engine shows beats what its release would have."""
    assert origin(("default", 256.0), seconds=40) == (64.0, "plateau")


def test_the_default_is_the_last_resort() -> None:
    """Without anything else the release's default is shown, with that origin."""
    assert origin(("default", 256.0)) == (256.0, "default")


def test_a_server_that_took_less_than_it_was_asked_for_has_the_smaller_cap() -> None:
    """SGLang shares the number of its command line among its ranks, and states what each one took."""
    assert origin(("server-info", 4.0), ("argv", 8.0), seconds=40) == (4.0, "server-info")


def test_no_origin_is_missing() -> None:
    """A cap that nobody states is not 0, and has no origin."""
    assert origin() == (Missing.NEVER, "")


def test_batch_fill_is_running_by_cap() -> None:
    """Half of a stated cap is one half."""
    world = World()
    world.apply(page(1.0, sample(CAP, 64.0, origin="argv"), sample(RUNNING, 32.0)))
    assert world.value(FILL, 1.0) == 0.5


def test_batch_fill_takes_the_highest_poll_of_ten_seconds() -> None:
    """A slot that is empty between two steps does not make a full batch less full."""
    world = World()
    world.play({RUNNING: [4.0, 4.0, 3.0], CAP: [4.0] * 3}, origin="argv")
    assert world.value(FILL, 2.0) == 1.0


def test_batch_fill_forgets_what_is_older() -> None:
    """A batch that was full eleven seconds ago is not full now."""
    world = World()
    world.play({RUNNING: [4.0, *[1.0] * 12], CAP: [4.0] * 13}, origin="argv")
    assert world.value(FILL, 12.0) == 0.25


@pytest.mark.parametrize("stated", ["default", "plateau"])
def test_batch_fill_never_rests_on_a_guessed_cap(stated: str) -> None:
    """A default or a plateau would prove itself: batch_fill is missing then."""
    world, end = queueing(40)
    world.apply(page(end + 1, sample(CAP, 64.0, origin=stated), sample(RUNNING, 64.0), sample(WAITING, 5.0)))
    assert world.value(FILL, end + 1) is Missing.NOT_EXPORTED


def test_batch_fill_counts_the_cap_of_every_rank() -> None:
    """Running is summed over ranks, so the cap is as well."""
    world = World()
    stated = sample(CAP, 64.0, origin="argv")
    world.apply(page(1.0, stated, sample("engine.data_parallel", 4.0), sample(RUNNING, 128.0)))
    assert world.value(FILL, 1.0) == 0.5


def test_batch_fill_counts_the_ranks_on_the_page_where_nothing_states_them() -> None:
    """Two ranks that the page shows are two caps."""
    world = World()
    world.apply(page(1.0, sample(CAP, 64.0, origin="argv"), sample(RUNNING, 64.0)))
    ranks = [Entity(Kind.RANK, f"vllm:8000/{i}") for i in range(2)]
    world.topology.replace("page", [Link(Relation.ENGINE_HAS_RANK, ENGINE, r) for r in ranks])
    assert world.value(FILL, 1.0) == 0.5


def test_a_cap_from_outside_fills_the_batch() -> None:
    """A situation file that states the cap plainly is believed."""
    world = World()
    world.apply(page(1.0, sample(CAP, 8.0), sample(RUNNING, 8.0)))
    assert world.value(FILL, 1.0) == 1.0


def test_a_cap_from_outside_that_ceased_does_not_let_a_plateau_in() -> None:
    """Once the plain cap is gone the level may not prove itself."""
    world, end = queueing(40)
    counts = sample(RUNNING, 64.0), sample(WAITING, 5.0)
    world.apply(page(end + 1, *counts, sample(CAP, 8.0)), page(end + 2, *counts, sample(CAP, 9.0, origin="default")))
    assert world.value(FILL, end + 2) is Missing.NOT_EXPORTED


def test_batch_fill_needs_running() -> None:
    """A stated cap alone is no empty batch."""
    world = World()
    world.apply(page(1.0, sample(CAP, 64.0, origin="argv")))
    assert isinstance(world.value(FILL, 1.0), Missing)


def test_a_level_held_for_thirty_seconds_is_a_plateau() -> None:
    """Running the same integer while requests wait and finish: that integer."""
    world, end = queueing(31)
    assert world.value(PLATEAU, end) == 64.0


def test_a_plateau_warms_up_while_it_may_still_be_one() -> None:
    """After 15 of 30 seconds it is neither there nor excluded."""
    world, end = queueing(15)
    assert world.value(PLATEAU, end) is Missing.WARMING_UP


def test_a_short_run_cuts_the_span() -> None:
    """A headless run of 20 s judges by 10."""
    world, end = queueing(11, run_s=20.0)
    assert world.value(PLATEAU, end) == 64.0


@pytest.mark.parametrize(("run_s", "span"), [(None, 30.0), (10.0, 8.0), (30.0, 15.0), (60.0, 30.0), (inf, 30.0)])
def test_the_span_is_half_a_short_run(run_s: float | None, span: float) -> None:
    """Never below 8 s, never above 30."""
    assert plateau_span_s(run_s) == span


def test_running_that_varies_is_no_plateau_from_the_start() -> None:
    """It need not wait 30 s to say 0."""
    world = World()
    world.play({RUNNING: [10.0, 20.0, 30.0, 40.0], WAITING: [5.0] * 4, FINISHED: [0.0, 1.0, 2.0, 3.0]})
    assert world.value(PLATEAU, 3.0) == 0.0


def test_a_level_that_is_no_integer_is_no_plateau() -> None:
    """A cap counts requests."""
    world, end = queueing(31, running=64.5)
    assert world.value(PLATEAU, end) == 0.0


def test_nothing_running_is_no_plateau() -> None:
    """A level of 0 with a queue is a stall, not a cap."""
    world, end = queueing(31, running=0.0)
    assert world.value(PLATEAU, end) == 0.0


def test_nothing_finished_is_no_plateau() -> None:
    """A frozen engine stands at a level without any cap."""
    world = World()
    end = world.play({RUNNING: [64.0] * 32, WAITING: [5.0] * 32, FINISHED: [7.0] * 32})
    assert world.value(PLATEAU, end) == 0.0


def test_a_moment_without_a_queue_is_no_plateau() -> None:
    """Requests must wait in every poll."""
    world = World()
    rising = [float(i) for i in range(32)]
    end = world.play({RUNNING: [64.0] * 32, WAITING: [5.0] * 20 + [0.0] + [5.0] * 11, FINISHED: rising})
    assert world.value(PLATEAU, end) == 0.0


@pytest.mark.parametrize(
    ("dip", "every", "plateau"), [(63.0, 3, 64.0), (61.0, 3, 64.0), (60.0, 3, 0.0), (63.0, 1, 0.0)]
)
def test_a_plateau_may_show_slots_just_freed(dip: float, every: int, plateau: float) -> None:
    """Up to 5 % less in a third of the polls is the same cap; deeper, or in all polls but one, is none."""
    world = World()
    running = [dip if i % every == 0 and i != 15 else 64.0 for i in range(32)]
    end = world.play({RUNNING: running, WAITING: [5.0] * 32, FINISHED: [float(i) for i in range(32)]})
    assert world.value(PLATEAU, end) == plateau


def test_a_level_passed_once_is_no_plateau() -> None:
    """More than the level shows that it was no cap."""
    world = World()
    rising = [float(i) for i in range(32)]
    end = world.play({RUNNING: [64.0] * 20 + [65.0] + [64.0] * 11, WAITING: [5.0] * 32, FINISHED: rising})
    assert world.value(PLATEAU, end) == 0.0


def test_a_stated_cap_leaves_no_plateau() -> None:
    """Where the cap is known nothing needs to be guessed."""
    world, end = queueing(31)
    counts = sample(RUNNING, 64.0), sample(WAITING, 5.0), sample(FINISHED, end + 1)
    world.apply(page(end + 1, *counts, sample(CAP, 64.0, origin="argv")))
    assert world.value(PLATEAU, end + 1) == 0.0


def test_an_outage_is_no_part_of_a_plateau() -> None:
    """Three polls with a long gap among them do not make thirty seconds."""
    world = World()
    for t, finished in ((14.0, 1.0), (29.0, 2.0), (30.0, 3.0)):
        world.apply(page(t, sample(RUNNING, 64.0), sample(WAITING, 5.0), sample(FINISHED, finished)))
    assert world.value(PLATEAU, 30.0) is Missing.WARMING_UP


@pytest.mark.parametrize("waiting", [0.0, 5.0])
def test_without_running_there_is_no_plateau_of_zero(waiting: float) -> None:
    """A page that lacks running says nothing about a cap."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 1.0)), page(2.0, sample(WAITING, waiting)))
    assert world.value(PLATEAU, 2.0) is Missing.NOT_EXPORTED


def test_without_waiting_a_plateau_is_missing() -> None:
    """Whether requests wait decides which branch it is."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 64.0)))
    assert world.value(PLATEAU, 1.0) is Missing.NEVER


def test_a_plateau_without_finished_requests_says_why() -> None:
    """An engine that does not count finished requests cannot be judged."""
    world = World()
    end = world.play({RUNNING: [64.0] * 32, WAITING: [5.0] * 32})
    assert isinstance(world.value(PLATEAU, end), Missing)


def pool(before: list[float], level: float, seconds: int = 62) -> tuple[World, float]:
    """An engine without a queue that ran some levels and then stands at one."""
    world = World()
    running = [*before, *[level] * seconds]
    return world, world.play({RUNNING: running, WAITING: [0.0] * len(running)})


def test_a_caller_with_a_pool_is_a_plateau() -> None:
    """Nothing waits, running varied and now stands at a usual pool size."""
    world, end = pool([10.0, 50.0, 80.0], 100.0)
    assert world.value(PLATEAU, end) == 100.0


def test_a_pool_level_may_be_off_by_two_percent() -> None:
    """A request between two steps does not hide it."""
    world, end = pool([10.0, 50.0, 80.0], 99.0)
    assert world.value(PLATEAU, end) == 99.0


def test_an_unusual_level_without_a_queue_is_no_plateau() -> None:
    """Seventy callers are no pool."""
    world, end = pool([10.0, 50.0], 70.0)
    assert world.value(PLATEAU, end) == 0.0


def test_a_level_that_never_varied_is_no_pool() -> None:
    """A constant load is not a limit that was reached."""
    world, end = pool([100.0, 100.0, 100.0], 100.0)
    assert world.value(PLATEAU, end) == 0.0


def test_a_pool_warms_up_without_a_before() -> None:
    """In the first minute nobody knows whether it varied."""
    world, end = pool([], 100.0, seconds=30)
    assert world.value(PLATEAU, end) is Missing.WARMING_UP


def test_a_pool_needs_its_whole_minute() -> None:
    """Ten seconds after an outage are no steady minute."""
    world = World()
    world.play({RUNNING: [10.0, 50.0, 80.0], WAITING: [0.0] * 3})
    end = world.play({RUNNING: [100.0] * 10, WAITING: [0.0] * 10}, start=100.0)
    assert world.value(PLATEAU, end) is Missing.WARMING_UP


def test_an_idle_engine_has_no_plateau() -> None:
    """Nothing runs and nothing waits: 0."""
    world, end = pool([], 0.0)
    assert world.value(PLATEAU, end) == 0.0


def test_a_plateau_from_outside_overrides_the_formula() -> None:
    """A situation that states it is believed."""
    world, end = queueing(31)
    world.apply(replace(page(end + 1, sample(PLATEAU, 7.0)), source="situation"))
    assert world.value(PLATEAU, end + 1) == 7.0


def ranked(on_page: int, stated: float | None) -> World:
    """An engine with a cap of 64 a rank that runs 64, with ranks on its page and on its command line."""
    world = World()
    told = [] if stated is None else [sample("engine.data_parallel", stated)]
    world.apply(page(1.0, sample(CAP, 64.0, origin="argv"), sample(RUNNING, 64.0), *told))
    ranks = [Entity(Kind.RANK, f"vllm:8000/{i}") for i in range(on_page)]
    world.topology.replace("page", [Link(Relation.ENGINE_HAS_RANK, ENGINE, r) for r in ranks])
    return world


@pytest.mark.parametrize(
    ("on_page", "stated", "fill"),
    [(1, 4.0, 1.0), (2, 8.0, 0.5), (4, 2.0, 0.25), (0, 4.0, 0.25), (0, 0.0, 1.0), (0, None, 1.0)],
)
def test_the_ranks_on_the_page_outrank_the_command_line(on_page: int, stated: float | None, fill: float) -> None:
    """Running is the sum of what the page shows: ranks that serve elsewhere have their slots elsewhere."""
    assert ranked(on_page, stated).value(FILL, 1.0) == fill


def test_batch_fill_begins_at_the_restart() -> None:
    """The full batch of the old process is not that of the new one."""
    world = World()
    world.play({RUNNING: [4.0] * 3, CAP: [4.0] * 3}, origin="argv")
    parts = sample(RUNNING, 1.0, origin="argv"), sample(CAP, 4.0, origin="argv")
    world.apply(replace(page(3.0, *parts), restarted=(ENGINE,)))
    assert world.value(FILL, 3.0) == 0.25
