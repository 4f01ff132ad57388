"""Where the healthy value of an indicator comes from, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.core.baseline import MOST_HEALTHY_MINUTES, Baselines
from perfconsole.model.sample import Fact, GivenBaseline, Missing
from perfconsole.model.snapshot import Baseline
from tests.core.building import ENGINE, GATEWAY, World, histogram, page, sample
from tests.core.profiles import profile
from tests.view.pictures import snapshot

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.profile import Profile

TTFT = "engine.ttft.p50"
RATE = "engine.generation_rate"
RUNNING = "engine.requests_running"
HITS = "engine.prefix_cache_hit_ratio"
LIFETIME = "lifetime at first scrape"


class Past:
    """A session as its baselines see it: a page, ticks, and who was troubled at each."""

    def __init__(self, *names: str) -> None:
        self.world = World()
        self.baselines = Baselines(names)

    def tick(self, t: float, *troubled: Entity, entity: Entity = ENGINE, **values: float | None) -> None:
        """One tick in the order of a session: first scrape, judgement, history."""
        frame = self.world.frame(t)
        self.baselines.observe(frame, self.world.store.entities, ())
        self.baselines.observe(frame, (), troubled)
        self.world.history.record(t, ((n.replace("_", ".", 1), entity, v) for n, v in values.items()))

    def scrape(self, t: float, uptime: float, count: float) -> None:
        """A page with an age and so many first tokens, all between 0 and 100 ms."""
        ttft = sample("engine.ttft", histogram(count, count, count, count))
        self.world.apply(page(t, sample("engine.uptime", uptime), ttft))

    def look(self, name: str, t: float, entity: Entity = ENGINE) -> Baseline | None:
        """The baseline at t."""
        return self.baselines.look(name, entity, self.world.frame(t))


def scraped(uptime: float, count: float, *names: str) -> Past:
    """One scrape and its tick."""
    past = Past(*names)
    past.scrape(0.0, uptime, count)
    past.tick(0.0)
    return past


def minutes(count: int, value: float = 8.0, troubled: tuple[int, ...] = ()) -> Past:
    """Healthy minutes of a young engine, ticked every 10 s; in some of them it was troubled for one tick."""
    past = Past(RUNNING)
    for i in range(count * 6 + 1):
        past.world.apply(page(i * 10.0, sample(RUNNING, value), cadence_s=10.0))
        in_trouble = (ENGINE,) if i // 6 in troubled and i % 6 == 3 else ()
        past.tick(i * 10.0, *in_trouble, engine_requests_running=value)
    return past


def test_without_any_source_there_is_none() -> None:
    """None, and not 0."""
    assert Past(TTFT).look(TTFT, 0.0) is None


def test_what_is_given_goes_first() -> None:
    """A saved profile beats the lifetime distribution."""
    past = scraped(7200.0, 1000.0)
    past.baselines.give([GivenBaseline(TTFT, ENGINE, 0.3, "saved profile")])
    assert past.look(TTFT, 0.0) == Baseline(0.3, "saved profile")


def test_a_given_baseline_is_of_its_own_entity() -> None:
    """The neighbour's profile is not borrowed."""
    past = Past(TTFT)
    past.baselines.give([GivenBaseline(TTFT, GATEWAY, 0.3, "saved profile")])
    assert past.look(TTFT, 0.0) is None


def test_the_lifetime_at_first_scrape_comes_next() -> None:
    """The quantile of the cumulative buckets that the console found."""
    assert scraped(7200.0, 1000.0).look(TTFT, 0.0) == Baseline(0.05, LIFETIME)


def test_the_lifetime_does_not_move_with_the_incident() -> None:
    """What is observed after the first scrape does not count."""
    past = scraped(7200.0, 1000.0)
    slow = sample("engine.ttft", histogram(1000, 1000, 1000, 99_000))
    past.world.apply(page(1.0, sample("engine.uptime", 7201.0), slow))
    past.tick(1.0)
    assert past.look(TTFT, 1.0) == Baseline(0.05, LIFETIME)


@pytest.mark.parametrize(("uptime", "count"), [(1800.0, 1000.0), (60.0, 1000.0), (7200.0, 200.0), (7200.0, 0.0)])
def test_a_short_life_says_nothing(uptime: float, count: float) -> None:
    """It takes more than 30 min and more than 200 observations."""
    assert scraped(uptime, count).look(TTFT, 0.0) is None


@pytest.mark.parametrize(("uptime", "count"), [(1801.0, 1000.0), (7200.0, 201.0)])
def test_just_enough_of_a_life_speaks(uptime: float, count: float) -> None:
    """A second or an observation more is enough."""
    assert scraped(uptime, count).look(TTFT, 0.0) is not None


def test_the_age_is_that_at_the_first_scrape() -> None:
    """An engine found young does not get old enough by being watched."""
    past = scraped(60.0, 1000.0)
    past.scrape(3600.0, 3660.0, 5000.0)
    past.tick(3600.0)
    assert past.look(TTFT, 3600.0) is None


def test_an_engine_without_an_age_has_no_lifetime() -> None:
    """An unknown uptime may be a minute."""
    past = Past()
    past.world.apply(page(0.0, sample("engine.ttft", histogram(999, 999, 999, 999))))
    past.tick(0.0)
    assert past.look(TTFT, 0.0) is None


def test_a_rate_has_no_lifetime() -> None:
    """Idle hours would lower it."""
    past = Past(RATE)
    past.world.apply(page(0.0, sample("engine.generation_tokens", 1e9)))
    past.scrape(0.0, 7200.0, 1000.0)
    past.tick(0.0)
    assert past.look(RATE, 0.0) is None


def test_a_ratio_of_counters_has_its_lifetime_ratio() -> None:
    """Hits by look-ups since the start."""
    past = Past(HITS)
    counters = sample(HITS, 3e6, part="hit"), sample(HITS, 4e6, part="looked-up")
    ttft = sample("engine.ttft", histogram(999, 999, 999, 999))
    past.world.apply(page(0.0, sample("engine.uptime", 7200.0), ttft, *counters))
    past.tick(0.0)
    assert past.look(HITS, 0.0) == Baseline(0.75, LIFETIME)


def test_ten_healthy_minutes_make_a_baseline() -> None:
    """Their median, and how many there were."""
    assert minutes(10).look(RUNNING, 600.0) == Baseline(8.0, "10 healthy minutes of this session")


def test_nine_healthy_minutes_do_not() -> None:
    """It takes ten."""
    assert minutes(9).look(RUNNING, 540.0) is None


def test_a_minute_with_a_finding_is_not_healthy() -> None:
    """One troubled tick takes its whole minute out, and no other."""
    assert minutes(11, troubled=(4,)).look(RUNNING, 660.0) == Baseline(8.0, "10 healthy minutes of this session")


def test_two_troubled_minutes_of_eleven_are_too_many() -> None:
    """Nine are left."""
    assert minutes(11, troubled=(2, 4)).look(RUNNING, 660.0) is None


def test_trouble_of_another_entity_does_not_count() -> None:
    """Each entity has its own healthy minutes."""
    past = Past(RUNNING)
    for i in range(61):
        past.world.apply(page(i * 10.0, sample(RUNNING, 8.0), cadence_s=10.0))
        past.tick(i * 10.0, GATEWAY, engine_requests_running=8.0)
    assert past.look(RUNNING, 600.0) is not None


def test_minutes_without_a_value_are_not_healthy_zeros() -> None:
    """A gap adds no minute."""
    past = Past(RUNNING)
    for i in range(121):
        value = 8.0 if i < 54 else None
        past.world.apply(page(i * 10.0, sample("engine.up", 1.0), cadence_s=10.0))
        past.tick(i * 10.0, engine_requests_running=value)
    assert past.look(RUNNING, 1200.0) is None


def test_an_entity_without_a_histogram_has_healthy_minutes() -> None:
    """A gateway that exports only counters gets a baseline as well."""
    past = Past("gateway.requests")
    for i in range(61):
        past.world.apply(page(i * 10.0, sample("gateway.requests", 3.0, GATEWAY), cadence_s=10.0))
        past.tick(i * 10.0, entity=GATEWAY, gateway_requests=3.0)
    assert past.look("gateway.requests", 600.0, GATEWAY) is not None


def test_only_the_indicators_of_rules_are_kept() -> None:
    """What no rule compares with its baseline costs nothing."""
    past = minutes(10)
    assert past.look("engine.requests_waiting", 600.0) is None


def test_a_restart_ends_the_healthy_minutes() -> None:
    """Another build has another baseline."""
    past = minutes(10)
    past.baselines.forget(ENGINE)
    assert past.look(RUNNING, 600.0) is None


def test_a_restart_ends_the_lifetime() -> None:
    """The distribution of the process before does not speak for the new one."""
    past = scraped(7200.0, 1000.0)
    past.baselines.forget(ENGINE)
    past.scrape(1.0, 1.0, 0.0)
    past.tick(1.0)
    assert past.look(TTFT, 1.0) is None


def test_a_saved_profile_outlives_a_restart() -> None:
    """It came from outside and is replaced from there."""
    past = Past()
    past.baselines.give([GivenBaseline(TTFT, ENGINE, 0.3, "saved profile")])
    past.baselines.forget(ENGINE)
    assert past.look(TTFT, 0.0) is not None


def test_a_lifetime_that_trouble_is_part_of_says_so() -> None:
    """Trouble found right after the first scrape was there before it, for as long as nobody knows."""
    past = scraped(7200.0, 1000.0)
    past.scrape(60.0, 7260.0, 1000.0)
    past.tick(60.0, ENGINE)
    found = past.look(TTFT, 60.0)
    assert found is not None
    assert found.kind == "lifetime at first scrape, while trouble stood: part of it may be trouble"


def test_trouble_that_comes_later_leaves_the_lifetime_clean() -> None:
    """The figures were taken before it."""
    past = scraped(7200.0, 1000.0)
    past.scrape(120.0, 7320.0, 1000.0)
    past.tick(120.0, ENGINE)
    assert past.look(TTFT, 120.0) == Baseline(0.05, LIFETIME)


def recalled(build: str, *profiles: Profile) -> Baselines:
    """Baselines that have seen the facts of one engine."""
    baselines = Baselines((TTFT,), profiles)
    facts = (("engine.version", build), ("engine.model", "qwen"))
    baselines.recall(snapshot(facts=tuple(Fact(name, ENGINE, text) for name, text in facts)))
    return baselines


def test_a_saved_profile_goes_before_the_lifetime() -> None:
    """It is of healthy minutes alone."""
    past = scraped(7200.0, 1000.0)
    past.baselines = recalled("0.32.0", profile((TTFT, 0.3)))
    assert past.look(TTFT, 0.0) == Baseline(0.3, "saved profile of 2026-11-30 (45 min)")


def test_what_a_situation_gives_goes_before_a_saved_profile() -> None:
    """Values from outside override all that the session finds by itself."""
    baselines = recalled("0.32.0", profile((TTFT, 0.3)))
    baselines.give([GivenBaseline(TTFT, ENGINE, 0.9, "situation")])
    assert baselines.look(TTFT, ENGINE, World().frame(0.0)) == Baseline(0.9, "situation")


def test_a_build_is_changed_against_its_profile() -> None:
    """1 with another build, 0 with the same, and missing without a profile."""
    builds = ("0.33.0", "0.32.0")
    assert [recalled(b, profile()).build_changed(ENGINE) for b in builds] == [1.0, 0.0]
    assert recalled("0.32.0").build_changed(ENGINE) is Missing.NO_BASELINE


def test_profiles_are_looked_for_again_only_when_facts_change() -> None:
    """True once: then the screen need not be made anew."""
    baselines = Baselines((TTFT,), (profile(),))
    seen = snapshot(facts=(Fact("engine.model", ENGINE, "qwen"),))
    assert [baselines.recall(seen) for _ in range(2)] == [True, False]


def test_an_engine_that_is_gone_takes_its_profile_along() -> None:
    """The next one at its address is another one until it says what it serves."""
    baselines = recalled("0.32.0", profile((TTFT, 0.3)))
    baselines.recall(snapshot(entities=()))
    assert baselines.look(TTFT, ENGINE, World().frame(0.0)) is None


def test_no_more_than_a_day_of_minutes_is_kept() -> None:
    """A console left open for weeks neither grows nor slows down."""
    past = Past(RUNNING)
    for i in range(MOST_HEALTHY_MINUTES + 60):
        past.world.apply(page(i * 60.0, sample(RUNNING, 8.0), cadence_s=60.0))
        past.tick(i * 60.0, engine_requests_running=8.0)
    found = past.look(RUNNING, (MOST_HEALTHY_MINUTES + 59) * 60.0)
    assert found == Baseline(8.0, f"{MOST_HEALTHY_MINUTES} healthy minutes of this session")
