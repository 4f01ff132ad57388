"""Tests of the first full resource: what counts, from where it is full, and what could not be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import plain_text
from perfconsole.view.picture import Picture
from perfconsole.view.resources import first_full, first_full_row, full_resources, not_seen, not_seen_row, resources
from tests.view.pictures import ENGINE, HOST, indicator, snapshot
from tests.view.serving import serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Indicator

GPU = Entity(Kind.GPU, "0")
CORE = Entity(Kind.PROCESS, "11")


def _picture(*values: Indicator, links: tuple[Link, ...] = ()) -> Picture:
    entities = tuple(dict.fromkeys(i.entity for i in values))
    return Picture(snapshot(indicators=values, entities=entities, links=links), DEFAULT)


def _kv(value: float | Missing) -> Picture:
    return _picture(indicator("engine.kv_cache_usage", value))


@pytest.mark.parametrize(("value", "level"), [(0.79, None), (0.8, "warn"), (0.94, "warn"), (0.95, "critical")])
def test_a_resource_is_nearly_full_before_it_is_the_bottleneck(value: float, level: str | None) -> None:
    """80 % and 95 %."""
    assert resources(_kv(value))[0].level == level


def test_the_first_full_resource_is_said_in_a_row() -> None:
    """Name, value and state in words, with the sign of its level."""
    assert plain_text([first_full_row(_kv(0.97))]) == "first full: KV cache 97% (bottleneck) !!"


def test_the_fullest_comes_first() -> None:
    """Of two that are full, the fuller one limits."""
    picture = _picture(indicator("engine.kv_cache_usage", 0.96), indicator("gpu.dram_active", 0.99, GPU))
    assert [r.word for r in full_resources(picture)] == ["GPU bandwidth", "KV cache"]


def test_what_else_is_full_stands_beside() -> None:
    """A second bottleneck is not hidden by the first."""
    picture = _picture(indicator("engine.kv_cache_usage", 0.96), indicator("gpu.dram_active", 0.99, GPU))
    assert "also KV cache 96% (bottleneck)" in plain_text([first_full_row(picture)])


def test_gpu_utilisation_memory_and_power_are_no_resources() -> None:
    """A kernel that runs, memory taken at the start and power drawn prove no shortage."""
    full = (indicator(f"gpu.{name}", 1.0, GPU) for name in ("utilization", "mem_ratio", "power_ratio"))
    assert first_full(_picture(*full)) is None


def test_memory_in_use_is_what_is_not_available() -> None:
    """3 % available is 97 % used."""
    first = first_full(_picture(indicator("host.mem_available_ratio", 0.03, HOST)))
    assert first is not None
    assert (first.word, round(first.value, 6)) == ("host memory", 0.97)


def _cores(*links: Link, process: float = 1.0) -> Picture:
    cores = indicator("host.cpu_busiest_core", 1.0, HOST)._replace(parts=(("core=0", 1.0), ("core=1", 0.3)))
    return _picture(
        cores, indicator("engine.core_cpu", 0.99), indicator("host.process_cpu", process, CORE), links=links
    )


def test_the_core_of_a_polling_scheduler_is_not_the_limit() -> None:
    """The next core is looked at instead."""
    assert [r.value for r in resources(_cores()) if r.word == "busiest core"] == [0.3]


def test_every_polling_worker_takes_a_core_out() -> None:
    """With two polling threads on two cores nothing is left to judge by."""
    links = (
        Link(Relation.ENGINE_HAS_PROCESS, ENGINE, CORE, "worker"),
        Link(Relation.ENGINE_HAS_PROCESS, ENGINE, Entity(Kind.PROCESS, "12"), "core"),
    )
    picture = _cores(*links)
    two = (*picture.snapshot.indicators, indicator("host.process_cpu", 1.0, Entity(Kind.PROCESS, "12")))
    reasons = dict(not_seen(Picture(replace(picture.snapshot, indicators=two), DEFAULT)))
    assert reasons["busiest core"] == "a polling engine thread may spin on it"


def test_an_engine_on_another_host_spins_there() -> None:
    """Its busy thread says nothing about a core here."""
    links = (Link(Relation.HOST_HAS, Entity(Kind.HOST, "other"), ENGINE),)
    first = first_full(_cores(*links))
    assert first is not None
    assert (first.word, first.value) == ("busiest core", 1.0)


def test_without_a_spinning_thread_the_busiest_core_counts() -> None:
    """A front-end that fills its core is a limit."""
    first = first_full(_picture(indicator("host.cpu_busiest_core", 0.99, HOST)))
    assert first is not None
    assert first.word == "busiest core"


def test_what_has_no_value_is_listed_with_its_reason() -> None:
    """Nobody reads "nothing is full" over what was not seen."""
    assert dict(not_seen(_kv(Missing.STALE)))["KV cache"] == "stale"


def test_a_kind_that_nobody_watches_is_a_reason() -> None:
    """No GPU source is not an empty GPU."""
    assert "GPU bandwidth (no GPU source)" in plain_text([not_seen_row(_kv(0.5))])


def test_some_entities_without_a_value_are_counted() -> None:
    """One of two GPUs is not all of them."""
    picture = _picture(
        indicator("gpu.dram_active", 0.5, GPU), indicator("gpu.dram_active", Missing.STALE, Entity(Kind.GPU, "1"))
    )
    assert ("GPU bandwidth on 1 of 2", "stale") in not_seen(picture)


def test_the_entity_is_named_where_there_are_several() -> None:
    """Which GPU is full matters when there are two."""
    values = (indicator("gpu.dram_active", 0.99, GPU), indicator("gpu.dram_active", 0.5, Entity(Kind.GPU, "1")))
    assert "at gpu/0" in plain_text([first_full_row(_picture(*values))])


def test_room_everywhere_names_the_fullest() -> None:
    """Nothing full is said with how near the nearest is."""
    assert plain_text([first_full_row(_kv(0.5))]) == "first full: none, fullest is KV cache 50%"


def test_nothing_seen_is_not_nothing_full() -> None:
    """Without a single value the row says so."""
    assert "not known" in plain_text([first_full_row(_picture())])


def test_a_machine_that_serves_has_its_slots_full() -> None:
    """The batch at its cap is a resource like the others."""
    first = first_full(serving())
    assert first is not None
    assert (first.word, first.level) == ("slots", "critical")


def test_what_a_dead_engine_held_last_limits_nobody() -> None:
    """Its slots are known for some seconds more; a bottleneck beside `down` would mislead."""
    picture = _picture(indicator("engine.batch_fill", 1.0), indicator("engine.up", 0.0))
    assert first_full(picture) is None
    assert ("slots", "the engine is down") in [(u.word, u.reason) for u in not_seen(picture)]
