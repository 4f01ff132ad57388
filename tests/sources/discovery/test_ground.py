"""Tests of what can be told of a known program at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.sources.discovery.afar import Afar
from perfconsole.sources.discovery.ground import Ground, held_by_another, listens, normal, own_ports, page_at, way_in
from perfconsole.sources.discovery.known import Kind, Known
from perfconsole.sources.gateways import vllm_router
from tests.sources.discovery.building import place, program, programs

KNOWN = Known(
    Kind("gateway", replace(vllm_router.ADAPTER, metrics_path="/page")),
    20,
    1,
    ("vllm-router",),
    frozenset({20, 21}),
    frozenset({20}),
)
PLACES = {7000: place(7000, 20), 7001: place(7001, 21, host="10.0.0.5"), 40000: place(40000, 20), 9: place(9, 30)}
HERE = Ground(programs(program(20, "vllm-router"), program(30, "other")), PLACES, {})
AWAY = replace(HERE, afar={20: Afar("172.17.0.2", frozenset({7000, 50000}))})


@pytest.mark.parametrize(
    ("ground", "every", "ports"),
    [(HERE, False, {7000}), (HERE, True, {7000, 7001}), (AWAY, False, {7000})],
)
def test_its_ports_are_those_that_it_chose(ground: Ground, every: bool, ports: set[int]) -> None:  # noqa: FBT001
    """Of its front-end or of all its processes; of a container those of its own network, and none of the kernel's."""
    assert own_ports(KNOWN, ground, all_members=every) == ports


def test_this_host_has_one_name() -> None:
    """Its own addresses are the loopback one; another host keeps its name."""
    ground = replace(HERE, own_addresses=("10.0.0.5",))
    assert (normal(("10.0.0.5", 1), ground), normal(("h", 1), ground)) == (("127.0.0.1", 1), ("h", 1))


def test_a_port_is_looked_for_in_the_network_of_the_program() -> None:
    """A container has ports of its own."""
    assert [listens(port, KNOWN, HERE) for port in (7000, 50000)] == [True, False]
    assert [listens(port, KNOWN, AWAY) for port in (50000, 7001)] == [True, False]


def test_a_container_is_reached_at_its_own_address() -> None:
    """Nothing publishes its port here."""
    assert way_in(7000, KNOWN, AWAY) == ("172.17.0.2", 7000)


@pytest.mark.parametrize(("owners", "held"), [((20,), False), ((30,), True), ((20, 30), False), ((), False)])
def test_a_port_of_a_stranger_is_not_its_own(owners: tuple[int, ...], held: bool) -> None:  # noqa: FBT001
    """Unless it shares it; of a port whose owner cannot be seen nobody knows that."""
    assert held_by_another(place(7000, *owners), KNOWN, HERE.programs) is held


@pytest.mark.parametrize(
    ("port", "ground", "url"),
    [
        (7000, HERE, "http://127.0.0.1:7000/page"),
        (7001, HERE, "http://10.0.0.5:7001/page"),
        (7002, HERE, "http://127.0.0.1:7002/page"),
        (7000, AWAY, "http://172.17.0.2:7000/page"),
        (0, HERE, ""),
    ],
)
def test_a_page_is_where_its_port_is_bound(port: int, ground: Ground, url: str) -> None:
    """At the path of its table; without a port of its own there is no such URL."""
    assert page_at(port, KNOWN, ground) == url
