"""The store of series: what is current, why a value is missing, and what counters grew by."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Batch, Fact, Missing
from tests.core.building import BOUNDS, ENGINE, GPU, OTHER, World, failed, growth, histogram, known, page, sample

RUNNING = "engine.requests_running"
TOKENS = "engine.generation_tokens"
FAILED = "engine.requests_failed"
HITS = "engine.prefix_cache_hit_ratio"


def test_nothing_known_is_never() -> None:
    """An entity that nobody speaks for has no value and no made-up reason."""
    assert World().store.current(RUNNING, ENGINE, 0.0) is Missing.NEVER


def test_a_source_that_never_answered_is_down() -> None:
    """What it would fill is missing because of it."""
    world = World()
    world.apply(failed(1.0))
    assert world.value(RUNNING, 1.0) is Missing.SOURCE_DOWN


def test_an_announced_source_explains_nothing() -> None:
    """Before the first poll came back nothing is down."""
    world = World()
    world.apply(Batch("page", "metrics page", 0.0, 0.0, 1.0, entities=(ENGINE,)))
    assert world.value(RUNNING, 0.5) is Missing.NEVER


def test_a_value_holds_until_three_cadences() -> None:
    """A failed poll keeps the last value for its three cadences."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), failed(2.0), failed(3.0))
    assert world.value(RUNNING, 4.0) == 4.0


def test_a_failed_source_is_down_after_three_cadences() -> None:
    """Then the reason is the source, and no value is left."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), failed(2.0), failed(3.0))
    assert world.value(RUNNING, 4.1) is Missing.SOURCE_DOWN


def test_a_silent_source_is_stale_after_three_cadences() -> None:
    """A source that hangs without an error leaves stale values."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)))
    assert world.value(RUNNING, 4.1) is Missing.STALE


def test_a_vanished_metric_is_not_exported() -> None:
    """A name that the newest page lacks has no value at once."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(2.0, sample(TOKENS, 1.0)))
    assert world.value(RUNNING, 2.0) is Missing.NOT_EXPORTED


def test_a_vanished_part_is_left_out() -> None:
    """Parts that the newest page lacks do not count in the sum."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0, rank="0"), sample(RUNNING, 3.0, rank="1")))
    world.apply(page(2.0, sample(RUNNING, 5.0, rank="0")))
    assert world.value(RUNNING, 2.0) == 5.0


def test_an_explained_absence_says_its_reason() -> None:
    """A source that may not read a value says so in its stead."""
    world = World()
    world.apply(replace(page(1.0), absences=(Absence(RUNNING, ENGINE, Missing.NO_PERMISSION),)))
    assert world.value(RUNNING, 1.0) is Missing.NO_PERMISSION


def test_an_explained_absence_of_a_source_gone_down_is_down() -> None:
    """The reason given earlier does not outlive the source."""
    world = World()
    world.apply(replace(page(1.0), absences=(Absence(RUNNING, ENGINE, Missing.NO_PERMISSION),)), failed(9.0))
    assert world.value(RUNNING, 9.0) is Missing.SOURCE_DOWN


def test_an_exporters_nan_is_no_value() -> None:
    """NaN on a page is an absence; it neither compares nor adds up."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, nan), sample(TOKENS, 1.0)))
    assert world.value(RUNNING, 1.0) in (Missing.NEVER, Missing.NOT_EXPORTED)


def test_a_value_that_turns_nan_is_not_exported() -> None:
    """The value before does not stand in for it."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(2.0, sample(RUNNING, nan)))
    assert world.value(RUNNING, 2.0) is Missing.NOT_EXPORTED


def test_the_first_source_keeps_a_series_while_it_answers() -> None:
    """A second source that sees the same thing is ignored meanwhile."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(1.5, sample(RUNNING, 9.0), source="second"))
    assert world.value(RUNNING, 1.5) == 4.0


def test_the_second_source_takes_over_from_a_silent_one() -> None:
    """Once the first is stale the series goes on with the second."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(9.0, sample(RUNNING, 9.0), source="second"))
    assert world.value(RUNNING, 9.0) == 9.0


def test_the_second_source_takes_over_what_the_first_no_longer_has() -> None:
    """A first source that answers without the metric does not hold it back."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(2.0, sample(TOKENS, 1.0)))
    world.apply(page(2.5, sample(RUNNING, 9.0), source="second"))
    assert world.value(RUNNING, 2.5) == 9.0


def test_the_first_source_does_not_take_a_series_back() -> None:
    """The one that keeps it is whoever has it now: no ping-pong."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), page(9.0, sample(RUNNING, 9.0), source="second"))
    world.apply(page(9.5, sample(RUNNING, 5.0)))
    assert world.value(RUNNING, 9.5) == 9.0


def test_other_buckets_of_a_second_source_do_not_break_the_first() -> None:
    """Two sources with different buckets for one histogram: the first goes on growing."""
    world = World()
    for t in (1.0, 2.0):
        world.apply(page(t, sample("engine.itl", histogram(0, t, t, t))))
        world.apply(page(t + 0.5, sample("engine.itl", histogram(0, 9, bounds=BOUNDS[2:])), source="second"))
    assert known(world.value("engine.itl.p50", 2.5)) == pytest.approx(0.3)


@pytest.mark.parametrize(("name", "labels"), [(FAILED, {"seen": "core"}), (HITS, {"part": "hit"}), (TOKENS, {})])
def test_a_counter_that_appears_later_needs_two_polls(name: str, labels: dict[str, str]) -> None:
    """Its first total may be the life of a late rank: it is no growth."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 5.0)), page(2.0, sample(name, 3e6, **labels)))
    assert growth(world, 2.0, name) is Missing.WARMING_UP


def test_a_late_rank_does_not_bring_its_lifetime_in_one_step() -> None:
    """The rank beside it goes on; the newcomer adds what it counts from its second poll on."""
    world = World()
    for t, late in ((1.0, None), (2.0, 5e6), (3.0, 5e6 + 7)):
        late_rank = [] if late is None else [sample(TOKENS, late, rank="1")]
        world.apply(page(t, sample(TOKENS, 10 * t, rank="0"), *late_rank))
    assert [growth(world, t) for t in (2.0, 3.0)] == [(10.0, 1.0), (27.0, 2.0)]


def test_a_zero_handed_in_before_makes_the_first_event_growth() -> None:
    """A source that knows that nothing had failed yet says so, and the first failure counts."""
    world = World()
    world.apply(page(1.0, sample(FAILED, 0.0, seen="core")), page(2.0, sample(FAILED, 3.0, seen="core")))
    assert growth(world, 2.0, FAILED) == (3.0, 1.0)


def test_a_counter_on_the_first_page_does_not_count_from_zero() -> None:
    """Its total is the life of the engine, not growth."""
    world = World()
    world.apply(page(1.0, sample(TOKENS, 5e6)))
    assert growth(world, 1.0) is Missing.WARMING_UP


def test_a_counter_after_a_first_poll_that_failed_does_not_count_from_zero() -> None:
    """An engine that could not be asked was not at 0."""
    world = World()
    world.apply(failed(1.0), page(2.0, sample(TOKENS, 5e6)))
    assert growth(world, 2.0) is Missing.WARMING_UP


def test_a_counter_of_a_new_entity_does_not_count_from_zero() -> None:
    """A known source that now also sees a second engine saw nothing of its past."""
    world = World()
    world.apply(page(1.0, sample(TOKENS, 5.0, OTHER)), page(2.0, sample(TOKENS, 5e6)))
    assert growth(world, 2.0) is Missing.WARMING_UP


def test_a_counter_of_an_entity_that_comes_back_does_not_count_from_zero() -> None:
    """One that was reported gone is new when it returns."""
    world = World()
    world.apply(page(1.0, sample(TOKENS, 5e6)), replace(page(2.0), gone=(ENGINE,)), page(3.0, sample(TOKENS, 5e6)))
    assert growth(world, 3.0) is Missing.WARMING_UP


def test_a_gauge_that_appears_later_was_not_zero() -> None:
    """Only counters were 0 before they were seen."""
    world = World()
    world.apply(page(1.0, sample(TOKENS, 5.0)), page(2.0, sample(RUNNING, 3.0)))
    assert world.store.points(RUNNING, ENGINE, 0.0, 2.0) == [(2.0, 3.0)]


def test_a_gap_is_no_point() -> None:
    """Polls that failed leave nothing, least of all a 0."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0)), failed(2.0), page(3.0, sample(RUNNING, 5.0)))
    assert world.store.points(RUNNING, ENGINE, 0.0, 3.0) == [(1.0, 4.0), (3.0, 5.0)]


def test_points_add_up_the_parts_of_a_poll() -> None:
    """Ranks of one poll are one point."""
    world = World()
    world.apply(page(1.0, sample(RUNNING, 4.0, rank="0"), sample(RUNNING, 3.0, rank="1")))
    assert world.store.points(RUNNING, ENGINE, 0.0, 1.0) == [(1.0, 7.0)]


def test_an_increase_adds_the_parts_that_match() -> None:
    """Only parts that carry the labels asked for count."""
    world = World()
    for t in (1.0, 2.0):
        world.apply(page(t, sample(FAILED, 2 * t, seen="core"), sample(FAILED, 5 * t, seen="http")))
    found = world.store.increase(FAILED, ENGINE, (0.0, 2.0), (("seen", "http"),))
    assert not isinstance(found, Missing)
    assert found.cells == (5.0,)


def test_an_increase_of_parts_that_do_not_exist_is_not_exported() -> None:
    """Labels that no part carries are not 0."""
    world = World()
    world.play({FAILED: [1.0, 2.0]}, seen="core")
    assert world.store.increase(FAILED, ENGINE, (0.0, 1.0), (("seen", "http"),)) is Missing.NOT_EXPORTED


def test_an_increase_ends_with_its_data() -> None:
    """A source that went down has no growth of 0."""
    world = World()
    world.play({TOKENS: [1.0, 2.0]})
    world.apply(failed(9.0))
    assert growth(world, 9.0) is Missing.SOURCE_DOWN


def test_histograms_with_other_buckets_add_up_at_the_bounds_that_they_share() -> None:
    """None of them is left out, and no count is put where it does not belong."""
    world = World()
    other = (1.0, 2.0, 3.0, BOUNDS[-1])
    for t in (1.0, 2.0):
        first = sample("engine.itl", histogram(t, t, t, t), rank="0")
        world.apply(page(t, first, sample("engine.itl", histogram(0, 0, 0, 9 * t, bounds=other), rank="1")))
    found = world.store.increase("engine.itl", ENGINE, (0.0, 2.0))
    assert not isinstance(found, Missing)
    assert (found.cells, found.bounds) == ((1.0, 10.0, 0.0), (1.0, inf))


def test_an_entity_that_is_gone_leaves_nothing() -> None:
    """Values, reasons, facts and the entity itself go with it."""
    world = World()
    absence, fact = Absence(TOKENS, ENGINE, Missing.NO_PERMISSION), Fact("engine.version", ENGINE, "0.9")
    world.apply(replace(page(1.0, sample(RUNNING, 1.0)), absences=(absence,), facts=(fact,)))
    world.apply(replace(page(2.0), gone=(ENGINE,)))
    store = world.store
    left = (store.entities, store.names(ENGINE), store.facts.all(), store.facts.text("engine.version", ENGINE))
    assert left == ([], [], [], None)


def test_a_gone_entity_is_not_brought_back_by_its_own_batch() -> None:
    """A link that still names it does not enter it again."""
    world = World()
    link = Link(Relation.ENGINE_USES_GPU, ENGINE, GPU)
    world.apply(replace(page(1.0), gone=(ENGINE,), links=(link,)))
    assert world.store.entities == [GPU]


def test_names_are_those_of_the_entity() -> None:
    """Series and explained absences of this entity, each once, none of another."""
    world = World()
    absences = (Absence(TOKENS, ENGINE, Missing.UNSUPPORTED), Absence(FAILED, OTHER, Missing.UNSUPPORTED))
    world.apply(replace(page(1.0, sample(RUNNING, 1.0), sample(TOKENS, 1.0)), absences=absences))
    assert world.store.names(ENGINE) == [RUNNING, TOKENS]


def test_the_newest_fact_holds() -> None:
    """A fact in words is replaced by what is said later."""
    world = World()
    for t, text in ((1.0, "0.9"), (2.0, "0.10")):
        world.apply(replace(page(t), facts=(Fact("engine.version", ENGINE, text),)))
    assert world.store.facts.text("engine.version", ENGINE) == "0.10"


@settings(max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), min_size=2, max_size=30))
def test_no_rate_is_ever_negative(values: list[int | None]) -> None:
    """Whatever restarts and gaps do to a counter, its growth is 0 or more, or missing."""
    world = World()
    last = world.play({TOKENS: [None if v is None else float(v) for v in values]})
    found = growth(world, last)
    assert isinstance(found, Missing) or (found[0] >= 0 and found[1] > 0)


@pytest.mark.parametrize("kind", [Kind.GATEWAY, Kind.ORCHESTRATOR])
def test_a_counter_in_front_of_the_engines_begins_at_its_first_event(kind: Kind) -> None:
    """Its exporter makes the series only then, so that all of it is growth."""
    front, world = Entity(kind, "front"), World()
    name = "gateway.requests" if kind is Kind.GATEWAY else "orchestration.requests"
    world.apply(
        page(1.0, sample(name, 7.0, front)), page(2.0, sample(name, 7.0, front), sample(name, 5.0, front, code="5"))
    )
    grown = world.store.increase(name, front, (0.0, 2.0))
    assert not isinstance(grown, Missing)
    assert (grown.cells, grown.seconds) == ((5.0,), 1.0)


def test_a_first_page_tells_no_growth() -> None:
    """What it counts may be years old."""
    front, world = Entity(Kind.GATEWAY, "front"), World()
    world.apply(page(1.0, sample("engine.up", 1.0)), page(2.0, sample("gateway.requests", 5.0, front)))
    assert world.store.increase("gateway.requests", front, (0.0, 2.0)) is Missing.WARMING_UP


def test_a_counter_that_is_new_after_a_restart_tells_no_growth() -> None:
    """It may have begun at any moment since."""
    front, world = Entity(Kind.GATEWAY, "front"), World()
    world.apply(page(1.0, sample("gateway.inflight", 1.0, front)))
    world.apply(replace(page(2.0, sample("gateway.requests", 5.0, front)), restarted=(front,)))
    assert world.store.increase("gateway.requests", front, (0.0, 2.0)) is Missing.WARMING_UP
