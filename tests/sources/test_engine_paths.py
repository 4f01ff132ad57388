"""Tests of where the page of an engine is looked for, of its further pages, and of what is never asked."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.adapter import Adapter, Metric, SidePage
from perfconsole.sources.engine import EngineSource
from perfconsole.sources.http import Fetcher, Limits
from perfconsole.sources.identity import NOBODY, Identity
from perfconsole.sources.targetpage import TargetPage
from tests.sources.engineserver import PATIENT, Bench, Routes
from tests.sources.servers import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfconsole.model.sample import Batch
    from tests.sources.servers import Peer

STUB = b"Active connections: 7 \nserver accepts handled requests\n 1 2 3 \nReading: 0 Writing: 5 Waiting: 2 \n"
ROWS = (
    Metric("engine.requests_running", "a:running"),
    Metric("engine.requests_waiting", "nginx_connections_waiting"),
)
PLAIN = Adapter("a", "A", ("a:", "nginx_"), "", "/metrics", "", "", "", (), (), ROWS)
SAFE = Adapter(
    "b",
    "B",
    ("b:",),
    "",
    "/safe/metrics",
    "",
    "",
    "",
    (),
    (),
    (Metric("engine.requests_running", "b:running"),),
    never_read=("/metrics",),
)
TWO = Adapter(
    "c",
    "C",
    ("a:", "nginx_"),
    "",
    "/metrics",
    "",
    "/info",
    "",
    (),
    (),
    ROWS,
    beside=(SidePage("/side", "stub-status"),),
    page_hint="switch the page on",
    known_by="build",
)
PAGE = ("200 OK", b"a:running 3\n")
SAFE_PAGE = ("200 OK", b"b:running 4\n")


@contextmanager
def bench(
    *adapters: Adapter, identify: Callable[[], Identity] = lambda: NOBODY, **answers: tuple[str, bytes]
) -> Iterator[Bench]:
    """A server with these pages (`safe_metrics` is /safe/metrics), and a source that knows these programs."""
    routes = Routes({f"/{name.replace('_', '/')}": answer for name, answer in answers.items()})
    with Server(routes.script) as server:
        clock = ManualClock(100.0)
        fetcher = Fetcher(server.url, limits=PATIENT)
        page = TargetPage(f"127.0.0.1:{server.port}", adapters, DEFAULT)
        source = EngineSource(page, fetcher, clock, identify=identify)
        yield Bench(source, server, clock, routes)
        source.close()


def value(batch: Batch, indicator: str) -> float | None:
    """The one value of an indicator."""
    found = [s.value for s in batch.samples if s.key.indicator == indicator]
    return found[0] if found and isinstance(found[0], float) else None


def test_a_path_that_is_unsafe_for_some_engine_is_tried_last() -> None:
    """Of an engine that nobody knows yet the safe path is asked first, and is enough."""
    with bench(PLAIN, SAFE, metrics=PAGE, safe_metrics=SAFE_PAGE) as it:
        page, _ = it.poll()
        it.poll(1.0)
        assert value(page, "engine.requests_running") == 4.0
        assert it.paths == ["/safe/metrics", "/safe/metrics"]


def test_an_engine_without_the_safe_path_is_found_in_the_same_poll() -> None:
    """A 404 costs no second of waiting, and the path that was right is asked alone from then on."""
    with bench(PLAIN, SAFE, metrics=PAGE) as it:
        page, _ = it.poll()
        it.poll(1.0)
        assert value(page, "engine.requests_running") == 3.0
        assert it.paths == ["/safe/metrics", "/metrics", "/metrics"]


def test_an_engine_known_by_its_process_is_never_asked_for_what_is_unsafe() -> None:
    """Not even once, and not when its own page is missing."""
    with bench(PLAIN, SAFE, identify=lambda: Identity(SAFE), metrics=PAGE) as it:
        page, _ = it.poll()
        assert page.error is not None
        assert "/metrics" not in it.paths


def test_an_unknown_engine_that_gives_itself_away_is_spared() -> None:
    """Its version route is asked before the path that would empty its queue."""
    wary = replace(SAFE, version_route="/models", known_by="owned_by", known_as="b", page_hint="it has no page")
    models = ("200 OK", b'{"owned_by": "b"}')
    with bench(PLAIN, wary, metrics=PAGE, models=models) as it:
        page, _ = it.poll()
        it.poll(1.0)
        assert page.error == "it has no page"
        assert "/metrics" not in it.paths


def test_another_engine_is_not_spared() -> None:
    """The same route says another name; it is asked for that once in a minute at most."""
    wary = replace(SAFE, version_route="/models", known_by="owned_by", known_as="b")
    with bench(PLAIN, wary, metrics=PAGE, models=("200 OK", b'{"owned_by": "vllm"}')) as it:
        page, _ = it.poll()
        it.poll(1.0)
        assert value(page, "engine.requests_running") == 3.0
        assert it.paths == ["/safe/metrics", "/models", "/metrics", "/metrics"]


def test_a_page_beside_fills_its_rows() -> None:
    """Both pages are one; the second is asked once the program is known."""
    with bench(TWO, metrics=PAGE, side=("200 OK", STUB)) as it:
        it.poll()
        page, _ = it.poll(1.0)
        assert value(page, "engine.requests_running") == 3.0
        assert value(page, "engine.requests_waiting") == 2.0


def test_a_page_beside_that_is_no_such_page_leaves_the_first_one() -> None:
    """What it would say is missing, and nothing else."""
    with bench(TWO, metrics=PAGE, side=("200 OK", b"<html>")) as it:
        it.poll()
        page, _ = it.poll(1.0)
        assert page.error is None
        assert value(page, "engine.requests_running") == 3.0
        assert value(page, "engine.requests_waiting") is None


def test_a_program_whose_page_is_switched_off_says_what_to_do() -> None:
    """It is known by another route, and its second page still counts."""
    with bench(TWO, info=("200 OK", b'{"build": "b1"}'), side=("200 OK", STUB)) as it:
        page, _ = it.poll()
        assert page.error is None
        assert "switch the page on" in page.notes
        assert value(page, "engine.requests_waiting") == 2.0


def test_a_program_without_any_page_says_what_to_do() -> None:
    """The error is the advice."""
    with bench(TWO, info=("200 OK", b'{"build": "b1"}')) as it:
        page, _ = it.poll()
        assert page.error == "switch the page on"


def late(peer: Peer) -> None:
    """Take a quarter of a second for each page."""
    while True:
        peer.request()
        peer.pause(0.25)
        peer.page(PAGE[1])


def test_a_page_that_did_not_come_in_time_is_waited_for_longer() -> None:
    """An engine that is short of CPU: its first silence is told of, and its next page counts."""
    with Server(late) as server:
        clock = ManualClock(100.0)
        page = TargetPage(f"127.0.0.1:{server.port}", (PLAIN,), DEFAULT)
        source = EngineSource(page, Fetcher(server.url, limits=Limits(connect_s=2.0, total_s=0.1)), clock)
        first, second = (source.poll(100.0 + n, 100.0 + n)[0] for n in range(2))
        source.close()
    assert first.error is not None
    assert value(second, "engine.requests_running") == 3.0
