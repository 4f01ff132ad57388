"""Listening ports."""

from __future__ import annotations

import pytest

from perfconsole.sources.discovery.place import find_places, reachable
from perfconsole.sources.linux.sockdiag import Bound


@pytest.mark.parametrize(
    ("addresses", "host"),
    [
        (["0.0.0.0"], "127.0.0.1"),
        (["::"], "127.0.0.1"),
        (["::1", "127.0.0.1"], "127.0.0.1"),
        (["10.0.0.5"], "10.0.0.5"),
        (["127.0.0.53", "10.0.0.5"], "127.0.0.53"),
        (["::1"], "[::1]"),
        (["fd00::5"], "[fd00::5]"),
    ],
)
def test_the_loopback_address_is_used_wherever_it_will_do(addresses: list[str], host: str) -> None:
    """Else the address that the port is bound to."""
    assert reachable(addresses) == host


def test_sockets_of_one_port_are_put_together() -> None:
    """With all processes that hold one of them."""
    bounds = [Bound("0.0.0.0", 8000, 0, 1), Bound("::", 8000, 0, 2), Bound("::", 9000, 0, 3)]
    places = find_places(bounds, {1: frozenset({10}), 2: frozenset({11})})
    assert [(p.port, p.owners, p.inodes, p.ipv6_only) for p in places.values()] == [
        (8000, frozenset({10, 11}), frozenset({1, 2}), False),
        (9000, frozenset(), frozenset({3}), True),
    ]
    assert places[9000].url == "http://127.0.0.1:9000"
