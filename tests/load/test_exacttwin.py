"""Tests of the exact server in C: it says and logs what the one in Python does."""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.bench.exacttwin import compiled
from tests.load.asking import Asking, wait_for
from tests.load.exactserver.program import program
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.load.exactserver.program import Program

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
_MS = 1_000_000


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program."""
    return str(compiled(tmp_path_factory.mktemp("twin")))


@pytest.fixture(scope="module")
def twin(binary: str) -> Iterator[Program]:
    """One that runs, with two slots."""
    with program("slots=2", "itl_ms=1", "prefill_ms=2", argv=[binary]) as running:
        yield running


def settled(port: int) -> dict[str, Any]:
    """What `GET /admin` says when only the one who asks is connected."""
    with Asking(port) as asking:
        wait_for(lambda: asking.get("/admin")["connections"] == 1)
        said: dict[str, Any] = asking.get("/admin")
    return said


@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize("tokens", [1, 2, 5])
def test_the_bytes_are_those_of_the_one_in_python(twin: Program, api: str, tokens: int) -> None:
    """But for the number of the answer and the second it was made in."""
    with ExactServer(Settings(itl_ms=1.0, prefill_ms=2.0)) as server:
        replies = []
        for port in (server.port, twin.port):
            with Asking(port) as asking:
                replies.append(asking.ask(tokens=tokens, prompt="one two\nthree", api=api))
    mine, other = ([re.sub(rb'-\d{12}"|"created":\d+', b"", chunk) for chunk in r.chunks] for r in replies)
    assert mine == other
    assert replies[0].headers == replies[1].headers


def test_the_usage_is_sent_only_when_asked_for(twin: Program) -> None:
    """As the protocol has it."""
    with Asking(twin.port) as asking:
        assert asking.ask(stream_options=None).usage is None
        assert asking.ask(tokens=3).usage == {"prompt_tokens": 11, "total_tokens": 14, "completion_tokens": 3}


def test_the_log_has_the_schedule(twin: Program) -> None:
    """In the same words."""
    with Asking(twin.port) as asking:
        asking.ask(tokens=4)
        said = asking.get("/log")
    last = said["requests"][-1]
    assert last["due_mono"][0] - last["arrival_mono"] == 2 * _MS
    assert [b - a for a, b in pairwise(last["due_mono"])] == [_MS] * 3
    late = [w - d - said["offset_ns"] for d, w in zip(last["due_mono"], last["wrote_ns"], strict=True)]
    assert min(late) > -_MS
    assert last["ended"] == "done"


def test_requests_beyond_the_slots_wait_in_order(twin: Program) -> None:
    """And those whose client goes away leave their place."""
    with Asking(twin.port) as asking:
        asking.request("POST /admin", b'{"clear": true}')
        asking.reply()
    with ExitStack() as stack:
        askings = [stack.enter_context(Asking(twin.port)) for _ in range(6)]
        for asking in askings[:4]:
            asking.send(tokens=100_000)
            asking.until(b"\r\n\r\n")
        with Asking(twin.port) as other:
            now = other.get("/admin")
            assert (now["running"], now["waiting"], now["most_running"]) == (2, 2, 2)
    after = settled(twin.port)
    assert (after["running"], after["waiting"], after["most_running"]) == (0, 0, 2)
    with Asking(twin.port) as asking:
        requests = asking.get("/log")["requests"]
    assert {request["ended"] for request in requests} == {"aborted"}
    admitted = [request["admitted_mono"] for request in requests if request["admitted_mono"]]
    assert admitted == sorted(admitted)


def test_a_reader_that_is_slow_gets_everything(twin: Program) -> None:
    """What the kernel does not take is kept."""
    with Asking(twin.port) as asking:
        asking.request("POST /admin", b'{"itl_ms": 0.001}')
        asking.reply()
        asking.send(tokens=40_000)
        asking.until(b"\r\n\r\n")
        with Asking(twin.port) as other:
            wait_for(lambda: other.get("/admin")["running"] == 0)
        assert len(asking.chunked().texts) == 40_000


def test_it_has_no_other_pages(twin: Program) -> None:
    """But the list of its one model, and its health."""
    with Asking(twin.port) as asking:
        assert asking.get("/v1/models")["data"][0]["id"] == "exact"
        statuses = []
        for path in ("/health", "/metrics", "/nothing"):
            asking.request(f"GET {path}")
            statuses.append(asking.reply().status)
    assert statuses == [200, 404, 404]


def test_it_ends_with_its_input(binary: str) -> None:
    """Nothing is left of it when who started it has gone."""
    with program(argv=[binary]) as other:
        assert settled(other.port)["requests"] == 0
    with pytest.raises(ConnectionRefusedError):
        Asking(other.port)
