"""How often a port is asked that gives no page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sources.discovery.hosts import APP, SHORT, VLLM, Host, Look
from tests.sources.servers import Server, hung, pages, raw

if TYPE_CHECKING:
    from pathlib import Path

NOT_FOUND = b"not here"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host on which nothing but init runs."""
    return Host(tmp_path)


def counted(server: Server, at_least: int) -> int:
    """Connections so far; the thread of the server may take them a moment after they were made."""
    for _ in range(200):
        if server.connections >= at_least:
            break
        server.over.wait(0.01)
    return server.connections


def test_a_hung_server_is_asked_a_few_times_and_reported(host: Host) -> None:
    """At once, after 10 s, after a minute, after 10 minutes, and never again."""
    with Server(hung()) as server:
        host.run(20, *APP, ports=[server.port])
        look = Look(host, limits=SHORT)
        seen = []
        for step_s, times, count in ((2.0, 5, 1), (2.0, 30, 2), (2.0, 30, 3), (60.0, 10, 4), (600.0, 150, 4)):
            look.again(times, step_s)
            seen.append(counted(server, count))
        assert seen == [1, 2, 3, 4, 4]
    assert look.reason(server.port).startswith("takes connections and does not answer within 1 s")


def test_a_python_program_that_calls_an_engine_is_asked_once_a_minute(host: Host) -> None:
    """What it says may make sense later."""
    with Server(raw(b"\x00\x01garbage\r\n\r\n")) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[server.port])
        host.connect(20, 8000)
        look = Look(host)
        look.again(60, step_s=10.0)
        assert server.connections >= 10


def test_answers_in_http_are_asked_three_times_in_all(host: Host) -> None:
    """Some pages are empty before the first request."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as server:
        host.run(20, *APP, ports=[server.port])
        look = Look(host)
        look.again(300)
        assert server.connections == 3
