"""What fills the placeholders of checks."""

from __future__ import annotations

import pytest

from perfconsole.core.placeholders import Placeholders
from perfconsole.core.store import SeriesStore
from perfconsole.core.topology import Topology
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact
from tests.core.sessions import CORE, ENGINE, GATEWAY, GPUS, HOST, LINKS, OTHER, batch

OWN = Entity(Kind.PROCESS, "7")


def lookup(name: str, entity: Entity, *, links: tuple[Link, ...] = LINKS, facts: tuple[Fact, ...] = ()) -> str | None:
    """Text for a placeholder in the small world."""
    store, topology = SeriesStore(DEFAULT), Topology()
    store.apply(batch(0.0, {}, facts=facts))
    topology.replace("page", links)
    return Placeholders(store, topology).lookup(name, entity)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("engine.frontend_pid", "11"),
        ("engine.core_pid", "12"),
        ("engine.rank_pids", "13"),
        ("engine.pids", "11,12,13"),
        ("host.name", "h"),
    ],
)
def test_process_numbers_and_names_come_from_the_links(name: str, expected: str) -> None:
    """Roles tell the processes of an engine apart."""
    assert lookup(name, ENGINE) == expected


def test_a_process_names_itself_and_its_engine() -> None:
    """Seen from one process, the engine's others are known as well."""
    assert (lookup("process.pid", CORE), lookup("engine.pids", CORE)) == ("12", "11,12,13")


def test_a_gpu_names_its_index() -> None:
    """The number that the vendor's tool takes."""
    assert lookup("gpu.index", GPUS[1]) == "1"


def test_a_gpu_elsewhere_has_no_index_here() -> None:
    """A command would ask the card of that number on this host."""
    assert lookup("gpu.index", Entity(Kind.GPU, "gpu-07/1")) is None


def test_text_facts_fill_the_rest() -> None:
    """What a source said about this engine, not about another."""
    facts = (Fact("engine.url", ENGINE, "http://h:1"), Fact("engine.url", OTHER, "http://h:2"))
    assert [lookup("engine.url", e, facts=facts) for e in (ENGINE, OTHER, CORE)] == [
        "http://h:1",
        "http://h:2",
        "http://h:1",
    ]


@pytest.mark.parametrize("name", ["engine.log", "nothing.here", "engine.rank_pids", "gateway.pid"])
def test_what_nobody_knows_stays_open(name: str) -> None:
    """None, never an empty text that would make a command of something else."""
    assert lookup(name, OTHER) is None


def test_a_gateway_is_not_its_engine() -> None:
    """The processes behind a gateway whose own process is unknown are not the gateway's."""
    assert lookup("gateway.pid", GATEWAY) is None


def test_a_gateways_own_process_is_found_from_its_engine() -> None:
    """One link down from the gateway."""
    links = (*LINKS, Link(Relation.GATEWAY_HAS_PROCESS, GATEWAY, OWN))
    assert [lookup("gateway.pid", e, links=links) for e in (GATEWAY, ENGINE)] == ["7", "7"]


def test_an_entity_without_links_fills_nothing_of_others() -> None:
    """No engine is guessed."""
    assert lookup("engine.pids", ENGINE, links=()) is None
    assert lookup("host.name", HOST, links=()) == "h"
