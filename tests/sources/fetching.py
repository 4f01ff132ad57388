"""Fetching from the loopback servers in one line, for the tests of it."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.http import Fetcher, FetchError, Limits, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sources.servers import Server


METRICS = b"vllm:num_requests_running 32.0\nvllm:num_requests_waiting 80.0\n"
SHORT = Limits(connect_s=0.3, total_s=0.3, max_bytes=256 * 1024)
ROOMY = Limits(connect_s=5.0, total_s=5.0, max_bytes=256 * 1024)
"""For the tests in which no deadline passes: a slow machine must not make one pass."""


@contextmanager
def fetcher(server: Server, limits: Limits = ROOMY, headers: dict[str, str] | None = None) -> Iterator[Fetcher]:
    """Open a fetcher for the server and close it afterwards."""
    client = Fetcher(server.url, limits=limits, headers=headers or {})
    try:
        yield client
    finally:
        client.close()


def get(server: Server, path: str = "/metrics", limits: Limits = ROOMY) -> Reply:
    """Get one page with a fetcher of its own."""
    with fetcher(server, limits) as client:
        return client.get(path)


def failure(server: Server, path: str = "/metrics", limits: Limits = ROOMY) -> FetchError:
    """Get one page, which must fail."""
    with pytest.raises(FetchError) as caught:
        get(server, path, limits)
    return caught.value


def closed_port() -> int:
    """Find a port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
    return port


@contextmanager
def full_port() -> Iterator[int]:
    """Open a port whose accept queue is full: packets to it vanish, as behind a firewall."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            filler = stack.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def stopped(client: Fetcher, stop: Callable[[], None], moment: Callable[[], bool]) -> FetchError:
    """Get a page on this thread while another one stops it as soon as the moment has come."""

    def wait_and_stop() -> None:
        waiting = threading.Event()
        for _ in range(1000):
            if moment() or waiting.wait(0.005):
                break
        stop()

    thread = threading.Thread(target=wait_and_stop, name="stop")
    thread.start()
    with pytest.raises(FetchError) as caught:
        client.get("/metrics")
    thread.join()
    return caught.value
