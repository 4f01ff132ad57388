"""Tests of polling a gateway or an orchestrator, against real loopback servers that stop answering."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.gateways import litellm, nginx
from perfconsole.sources.http import Fetcher, Limits
from perfconsole.sources.identity import NOBODY, Identity
from perfconsole.sources.layer import GATEWAY, ORCHESTRATOR
from perfconsole.sources.pageroutes import PageRoutes
from perfconsole.sources.service import ServiceSource
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import value
from tests.sources.fetching import closed_port
from tests.sources.serviceserver import HANG, LINK, LITELLM, TASKS, Bench, bench

if TYPE_CHECKING:
    from collections.abc import Iterator

ALIVE = ("200 OK", b'"I am alive!"')
HUNG = (HANG, b"")
GATEWAY_ROUTES = {"/health/liveliness": ALIVE, "/metrics": ("200 OK", LITELLM), "/metrics/": ("200 OK", LITELLM)}
AGENT_ROUTES = {"/health": ALIVE, "/metrics": ("200 OK", TASKS)}


def come_back(it: Bench) -> None:
    """Wait until the health request in flight is back."""
    errand = it.source._health_get._errand
    assert errand is not None
    assert errand.wait(5.0)


def test_a_healthy_gateway_is_up() -> None:
    """Page and health answer: figures from both."""
    with bench(GATEWAY, dict(GATEWAY_ROUTES)) as it:
        page, health = it.poll()
        assert (page.error, health.error) == (None, None)
        assert (value(page, "gateway.inflight"), value(health, "gateway.up")) == (3.0, 1.0)


def test_a_gateway_is_named_by_its_port() -> None:
    """In both batches of the very first poll, and its provisional name is gone."""
    with bench(GATEWAY, dict(GATEWAY_ROUTES)) as it:
        page, health = it.poll()
        gateway = Entity(Kind.GATEWAY, f"litellm:{it.server.port}")
        assert (page.entities, health.entities) == ((gateway,), (gateway,))
        assert page.gone == (Entity(Kind.GATEWAY, f"127.0.0.1:{it.server.port}"),)


def test_what_it_calls_comes_with_its_health() -> None:
    """A page may be missing for good; a health route answers or does not."""
    with bench(GATEWAY, dict(GATEWAY_ROUTES)) as it:
        _, health = it.poll()
        assert health.links == (LINK,)


def test_a_page_behind_a_redirect_is_read() -> None:
    """/metrics leads to /metrics/, which is asked for directly once the program is known."""

    def redirecting(it: Bench) -> None:
        it.answers["/metrics"] = ("307 Temporary Redirect\r\nLocation: /metrics/", b"")

    with bench(GATEWAY, dict(GATEWAY_ROUTES)) as it:
        redirecting(it)
        first, _ = it.poll()
        second, _ = it.poll(1.0)
        assert (first.error, second.error) == (None, None)
        assert it.paths.count("/metrics") == 1


def test_the_route_that_calls_every_model_is_never_asked() -> None:
    """LiteLLM's /health costs tokens."""
    with bench(GATEWAY, dict(GATEWAY_ROUTES)) as it:
        for _ in range(3):
            it.poll(1.0)
        assert set(it.paths) == {"/health/liveliness", "/metrics", "/metrics/"}


def test_a_refused_connection_is_down_and_not_asked_for_its_page() -> None:
    """One refused request says it all."""
    port = closed_port()
    page = TargetPage(f"127.0.0.1:{port}", (litellm.ADAPTER,), DEFAULT, layer=GATEWAY)
    fetchers = (Fetcher(f"http://127.0.0.1:{port}"), Fetcher(f"http://127.0.0.1:{port}"))
    source = ServiceSource(page, *fetchers, clock=ManualClock())
    page_batch, health = source.poll(0.0, 0.0)
    assert value(health, "gateway.up") == 0.0
    assert "refused" in str(page_batch.error)
    source.close()


def test_health_time_grows_with_every_poll_while_nothing_is_answered() -> None:
    """A blocked loop shows within a second, and long before any time-out."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        times = [value(it.poll(after)[1], "orchestration.health_time") for after in (0.0, 1.0, 1.0, 1.0)]
        assert times == [None, 1.0, 2.0, 3.0]


def test_it_is_up_while_it_takes_connections() -> None:
    """For half a minute; then nobody would call it so."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        ups = [value(it.poll(after)[1], "orchestration.up") for after in (0.0, 29.0, 2.0)]
        assert ups == [1.0, 1.0, 0.0]


def test_one_request_stays_out_while_nothing_is_answered() -> None:
    """Ten polls do not queue ten requests, and the page is left alone."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        for _ in range(10):
            it.poll(1.0)
        assert it.paths == ["/health"]


def test_the_pace_is_kept_while_nothing_is_answered() -> None:
    """A silent target costs nothing, so there is no reason to look less often."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        cadences = {it.poll(1.0)[1].cadence_s for _ in range(8)}
        assert cadences == {1.0}


def test_an_answer_that_comes_late_tells_how_long_it_took() -> None:
    """And the next one is quick again."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        it.poll()
        it.answers["/health"] = ALIVE
        come_back(it)
        late = value(it.poll()[1], "orchestration.health_time")
        assert late is not None
        assert late >= 0.5
        after = value(it.poll()[1], "orchestration.health_time")
        assert after is not None
        assert after < 0.5


def test_a_request_that_runs_into_its_limit_keeps_the_time() -> None:
    """The next request goes on where the last one gave up."""
    limits = Limits(connect_s=2.0, total_s=0.1)
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}, limits) as it:
        it.poll()
        _, health = it.poll(5.0)
        assert value(health, "orchestration.health_time") == 5.0


def test_a_page_that_hangs_alone_fails_alone() -> None:
    """The health route goes on answering."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/metrics": HUNG}) as it:
        it.poll()
        page, health = it.poll(3.0)
        assert page.error == "the metrics page has not come for 3.0 s"
        assert (health.error, value(health, "orchestration.up")) == (None, 1.0)


def test_a_program_without_a_page_is_no_fault() -> None:
    """Its health and its process are watched all the same."""
    with bench(ORCHESTRATOR, {"/health": ALIVE}) as it:
        page, health = it.poll()
        assert (page.error, health.error) == (None, None)
        assert page.notes == ("it has no metrics page (HTTP 404); its health and its process are watched",)
        assert "orchestration.requests" in {a.indicator for a in page.absences}


def test_a_page_that_is_not_there_is_asked_for_once_a_minute() -> None:
    """It may be switched on, but not every second."""
    with bench(ORCHESTRATOR, {"/health": ALIVE}) as it:
        for _ in range(59):
            it.poll(1.0)
        assert it.paths.count("/metrics") == 1
        it.poll(2.0)
        assert it.paths.count("/metrics") == 2


def test_a_gateway_without_a_page_is_a_fault() -> None:
    """Its figures are what it is watched for."""
    with bench(GATEWAY, {"/health/liveliness": ALIVE}) as it:
        page, _ = it.poll()
        assert "is this the gateway's own port" in str(page.error)


def test_the_first_route_that_exists_is_the_health_route() -> None:
    """And stays it: the others are asked once."""
    with bench(ORCHESTRATOR, {"/healthz": ALIVE, "/metrics": ("200 OK", TASKS)}) as it:
        for _ in range(3):
            it.poll(1.0)
        assert (it.paths.count("/health"), it.paths.count("/healthz")) == (1, 3)


def test_no_route_at_all_is_still_an_answer() -> None:
    """A loop that says 404 runs."""
    with bench(ORCHESTRATOR, {}) as it:
        _, health = it.poll()
        assert value(health, "orchestration.up") == 1.0


def test_a_server_fault_is_up_and_its_page_is_read() -> None:
    """Ill and answering: what it counts is worth more than ever."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": ("503 Service Unavailable", b"")}) as it:
        page, health = it.poll()
        assert value(health, "orchestration.up") == 1.0
        assert (page.error, value(page, "orchestration.requests")) == (None, 8.0)


def test_a_stranger_is_no_gateway() -> None:
    """Its page is of no program that is known here."""
    with bench(GATEWAY, {**GATEWAY_ROUTES, "/metrics": ("200 OK", b"x 1\n")}) as it:
        page, _ = it.poll()
        assert "no gateway that is known here has such a page" in str(page.error)


def test_a_request_can_be_broken_off() -> None:
    """The poll after it tells why."""
    with bench(ORCHESTRATOR, {**AGENT_ROUTES, "/health": HUNG}) as it:
        it.poll()
        it.source.interrupt()
        come_back(it)
        assert "stopped by the console" in str(it.poll()[1].error)


STUB = b"Active connections: 3 \nserver accepts handled requests\n 10 10 70 \nReading: 0 Writing: 3 Waiting: 0 \n"


@contextmanager
def nginx_bench(answers: dict[str, tuple[str, bytes]]) -> Iterator[Bench]:
    """A gateway that is nginx, for a source that has still to find that out."""
    with bench(GATEWAY, answers) as it:
        it.source.page.adapters = (litellm.ADAPTER, nginx.ADAPTER)
        it.source._pages = PageRoutes(it.source.page)
        yield it


def test_a_page_is_looked_for_at_one_path_after_the_other() -> None:
    """Until an adapter takes one; behind a proxy the first may well be somebody else's."""
    with nginx_bench({"/metrics": ("200 OK", b"x 1\n"), "/nginx_status": ("200 OK", STUB)}) as it:
        found = [it.poll(1.0)[0] for _ in range(3)]
        assert [batch.error is None for batch in found] == [False, False, True]
        assert value(found[-1], "gateway.requests") == 70.0


def test_a_page_that_is_the_health_route_too_is_asked_once_a_poll() -> None:
    """It counts its own readers."""
    with nginx_bench({"/nginx_status": ("200 OK", STUB)}) as it:
        it.source.page.take(nginx.ADAPTER)
        batches = [it.poll(1.0) for _ in range(3)]
        assert it.paths == ["/nginx_status"] * 3
        assert (value(batches[-1][0], "gateway.inflight"), value(batches[-1][1], "gateway.up")) == (2.0, 1.0)


def test_a_program_that_its_process_tells_is_asked_by_its_own_routes_only() -> None:
    """A gateway passes on whatever it does not know, and its page may have a port of its own."""
    asked: list[str] = []
    with bench(GATEWAY, {"/metrics/": ("200 OK", LITELLM)}) as there:

        def identify() -> Identity:
            asked.append("x")
            return Identity(litellm.ADAPTER, Fetcher(there.server.url))

        with bench(GATEWAY, {"/health/liveliness": ALIVE}) as it:
            it.source._identify = identify
            (first, health), _ = it.poll(), it.poll(1.0)
            assert (value(first, "gateway.inflight"), value(health, "gateway.up")) == (3.0, 1.0)
            assert (set(it.paths), set(there.paths), len(asked)) == ({"/health/liveliness"}, {"/metrics/"}, 1)


def test_a_program_that_nobody_knows_is_looked_at_again_now_and_then() -> None:
    """It may not have been there yet."""
    asked: list[str] = []

    def identify() -> Identity:
        asked.append("x")
        return NOBODY

    with bench(GATEWAY, {}) as it:
        it.source._identify = identify
        for _ in range(12):
            it.poll(1.0)
    assert len(asked) == 2


def test_a_status_page_on_a_port_of_its_own_is_the_health_route() -> None:
    """At the door the same path would be passed on to an engine."""
    with bench(GATEWAY, {"/nginx_status": ("200 OK", STUB)}) as there, bench(GATEWAY, {}) as it:
        it.source.page.adapters = (nginx.ADAPTER,)
        it.source._identify = lambda: Identity(nginx.ADAPTER, Fetcher(there.server.url))
        page, health = it.poll()
        assert (value(page, "gateway.requests"), value(health, "gateway.up")) == (70.0, 1.0)
        assert (it.paths, there.paths) == ([], ["/nginx_status"])


def test_a_page_whose_path_is_known_is_asked_there_only() -> None:
    """On the same port, where every other path goes on to an engine."""
    with bench(GATEWAY, {"/s": ("200 OK", STUB)}) as it:
        it.source.page.adapters = (nginx.ADAPTER,)
        it.source._identify = lambda: Identity(nginx.ADAPTER, Fetcher(it.server.url), "/s", apart=False)
        page, health = it.poll()
        assert (value(page, "gateway.requests"), value(health, "gateway.up")) == (70.0, 1.0)
        assert it.paths == ["/s"]


def test_a_proxy_without_a_page_is_not_asked_for_one() -> None:
    """An engine behind it would get the request; any answer of its health route is a sign of life."""
    with bench(GATEWAY, {}) as it:
        it.source.page.take(nginx.ADAPTER)
        polled = ServiceSource(
            it.source.page, Fetcher(it.server.url), Fetcher(it.server.url), clock=ManualClock(), no_page="none"
        )
        page, health = polled.poll(0.0, 0.0)
        polled.close()
        assert (page.error, page.notes, value(health, "gateway.up")) == (None, ("none",), 1.0)
        assert it.paths == ["/health/liveliness", "/healthz"]
