"""One tick's values: folds, values from outside, each computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from perfconsole.core.frame import Frame
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Missing
from tests.core.building import ENGINE, GPU, ITL, OTHER, World, histogram, itl, page, sample

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity

CELLS = st.lists(st.integers(0, 100), min_size=4, max_size=4)


@pytest.mark.parametrize(
    ("name", "entity", "folded"),
    [
        ("engine.requests_running", ENGINE, 4.0),
        ("engine.kv_cache_usage", ENGINE, 2.0),
        ("engine.scrape_time", ENGINE, 3.0),
        ("engine.uptime", ENGINE, 1.0),
    ],
)
def test_parts_fold_as_the_dictionary_says(name: str, entity: Entity, folded: float) -> None:
    """Requests add up, ratios average, of times the longest holds, of uptimes the shortest."""
    world = World()
    world.apply(page(1.0, sample(name, 1.0, entity, rank="0"), sample(name, 3.0, entity, rank="1")))
    assert world.value(name, 1.0, entity) == folded


def test_a_quantile_from_outside_overrides_the_buckets() -> None:
    """A situation that states p99 is believed."""
    world = itl(histogram(0, 0, 0, 0), histogram(4, 4, 4, 4))
    world.apply(page(1.0, sample(f"{ITL}.p99", 7.0), source="situation"))
    assert world.value(f"{ITL}.p99", 1.0) == 7.0


def test_a_gap_in_a_quantile_from_outside_is_a_gap() -> None:
    """A stated value that ceased leaves its reason and not 0."""
    world = World()
    world.apply(page(1.0, sample(f"{ITL}.p99", 7.0)), page(2.0))
    assert world.value(f"{ITL}.p99", 2.0) is Missing.NOT_EXPORTED


def test_an_unknown_name_is_missing() -> None:
    """A name without series, formula or entry raises nothing."""
    assert World().value("engine.nonsense", 0.0) is Missing.NEVER


def test_each_value_is_computed_once() -> None:
    """A formula that several others read costs one evaluation a tick."""
    calls = []

    def costly(_frame: Frame, entity: Entity) -> float:
        calls.append(entity)
        return 1.0

    world = World()
    frame = Frame(0.0, world.store, world.history, world.topology, DEFAULT, {"engine.unadmitted": costly})
    frame.value("engine.unadmitted", ENGINE)
    frame.value("engine.unadmitted", ENGINE)
    assert calls == [ENGINE]


def test_a_formula_that_asks_for_itself_ends() -> None:
    """It finds nothing."""
    name = "engine.unadmitted"
    world = World()
    formulas = {name: lambda frame, entity: frame.value(name, entity)}
    frame = Frame(0.0, world.store, world.history, world.topology, DEFAULT, formulas)
    assert frame.value(name, ENGINE) is Missing.NEVER


def test_parts_that_match_nothing_are_not_exported() -> None:
    """An origin that no part has is not 0."""
    world = World()
    world.apply(page(1.0, sample("engine.max_num_seqs", 8.0, origin="argv")))
    missing = world.frame(1.0).folded("engine.max_num_seqs", ENGINE, (("origin", "default"),))
    assert missing is Missing.NOT_EXPORTED


def test_values_of_two_entities_do_not_mix() -> None:
    """The cache goes by entity as well."""
    world = World()
    world.apply(page(1.0, sample("gpu.utilization", 0.5, GPU)))
    frame = world.frame(1.0)
    assert (frame.value("gpu.utilization", ENGINE), frame.value("gpu.utilization", GPU)) == (Missing.NEVER, 0.5)


def test_a_step_that_several_formulas_need_is_made_once() -> None:
    """One for each entity."""
    frame, made = World().frame(0.0), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [frame.once(("step", e), make) for e in (ENGINE, ENGINE, OTHER)] == [1, 1, 2]


def test_a_frame_without_baselines_has_none() -> None:
    """Missing with that reason, and nothing raised."""
    assert World().frame(0.0).base("engine.requests_running", ENGINE) is Missing.NO_BASELINE
