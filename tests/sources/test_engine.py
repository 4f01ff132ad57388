"""Tests of polling an engine over HTTP, against real loopback servers: page, health and info routes fail apart."""

from __future__ import annotations

import pytest

from perfconsole.clock import ManualClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.engine import EngineSource
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.http import Fetcher
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import LITTLE, capture, value
from tests.sources.engineserver import HANG, IMPATIENT, bench
from tests.sources.fetching import closed_port
from tests.sources.servers import Peer, Server

OURS = {"/metrics", "/health", "/version", "/v1/models"}
HUNG = (HANG, b"")
GONE = ("404 Not Found", b"")
NGINX = ("200 OK", b"Active connections: 3 \n")


def test_a_healthy_engine_is_up_and_ready() -> None:
    """Page and health answer: no error in either, figures from both."""
    with bench() as it:
        page, health = it.poll()
        assert (page.error, health.error) == (None, None)
        assert value(page, "engine.requests_running") == 3.0
        assert (value(health, "engine.up"), value(health, "engine.ready")) == (1.0, 1.0)


def test_the_engine_is_named_by_its_port() -> None:
    """A local vLLM is vllm:PORT in both batches, and its provisional name is gone."""
    with bench() as it:
        page, health = it.poll()
        engine = Entity(Kind.ENGINE, f"vllm:{it.server.port}")
        assert (page.entities, health.entities) == ((engine,), (engine,))
        assert page.gone == (Entity(Kind.ENGINE, f"127.0.0.1:{it.server.port}"),)


def test_batches_carry_the_end_of_the_poll() -> None:
    """Monotonic and wall time are of the same moment."""
    with bench() as it:
        page, health = it.poll()
        assert (page.t, page.wall, health.t) == (100.0, it.clock.wall(), 100.0)


def test_facts_come_with_the_second_page() -> None:
    """Version and model are asked for once the engine is known."""
    with bench() as it:
        it.poll()
        page, _ = it.poll(1.0)
        assert ("engine.version", "0.32.0") in [(f.name, f.value) for f in page.facts]
        assert value(page, "engine.max_model_len") == 512.0


def test_info_routes_are_asked_at_most_once_a_minute() -> None:
    """Sixty polls, a second apart, ask each of them once; the next one asks again."""
    with bench() as it:
        for _ in range(60):
            it.poll(1.0)
        assert (it.paths.count("/version"), it.paths.count("/v1/models")) == (1, 1)
        it.poll(1.0)
        assert (it.paths.count("/version"), it.paths.count("/v1/models")) == (2, 2)


def test_info_routes_that_fail_are_not_asked_more_often() -> None:
    """A route that needs a key is no reason to ask each second."""
    with bench(version=("401 Unauthorized", b"")) as it:
        it.routes.answers["/v1/models"] = ("500 Oops", b"")
        for _ in range(60):
            page, _ = it.poll(1.0)
        assert (it.paths.count("/version"), it.paths.count("/v1/models")) == (1, 1)
        assert (page.error, [f.name for f in page.facts if f.name == "engine.version"]) == (None, [])


@pytest.mark.parametrize("metrics", [("200 OK", LITTLE), GONE, NGINX, ("200 OK", b"x 1\n")])
def test_no_other_path_is_ever_requested(metrics: tuple[str, bytes]) -> None:
    """Only routes of the table, on any kind of server."""
    with bench(metrics=metrics) as it:
        for _ in range(5):
            it.poll(30.0)
        assert set(it.paths) <= OURS
        assert {request.split(" ")[0] for request in it.server.requests} == {"GET"}


def test_another_program_is_asked_for_its_version_at_most_once_a_minute() -> None:
    """The question whether it is a silent engine costs a stranger one request a minute."""
    with bench(metrics=("200 OK", b"x 1\n"), version=GONE) as it:
        for _ in range(30):
            it.poll(1.0)
        assert it.paths.count("/version") == 1


def test_a_silent_engine_is_known_by_its_version_route() -> None:
    """A page without statistics of a server that answers /version is vLLM, and says what to switch on."""
    with bench(metrics=("200 OK", capture("vllm_nostats/idle.prom"))) as it:
        page, health = it.poll()
        assert page.error is None
        assert ADAPTER.silent_hint in page.notes
        assert page.gone == (Entity(Kind.ENGINE, f"127.0.0.1:{it.server.port}"),)
        assert value(health, "engine.up") == 1.0


@pytest.mark.parametrize("version", [GONE, ("200 OK", b"[1]"), ("200 OK", b'{"version": 3}'), ("200 OK", b"[" * 99999)])
def test_a_page_without_statistics_and_without_a_version_is_unknown(version: tuple[str, bytes]) -> None:
    """Nothing says that it is vLLM, so nothing calls it that."""
    with bench(metrics=("200 OK", capture("vllm_nostats/idle.prom")), version=version) as it:
        page, _ = it.poll()
        assert page.error is not None
        assert it.source.page.adapter is None


def test_health_that_hangs_leaves_the_page() -> None:
    """The page's figures are there; up stays 1 and the unanswered time is shown."""
    with bench(IMPATIENT, health=HUNG) as it:
        page, health = it.poll()
        assert (page.error, value(page, "engine.requests_running")) == (None, 3.0)
        assert value(health, "engine.up") == 1.0
        assert value(health, "engine.ready") == 0.0
        assert health.error is not None
        assert "no answer" in health.error


def test_a_page_that_hangs_leaves_health() -> None:
    """The engine is up although its page gives nothing."""
    with bench(IMPATIENT) as it:
        it.poll()
        it.routes.answers["/metrics"] = HUNG
        page, health = it.poll(1.0)
        assert page.error is not None
        assert (value(health, "engine.up"), health.error) == (1.0, None)


class _Moving(ManualClock):
    """A clock that every look at moves a little, as time does for whoever waits."""

    def now(self) -> float:
        """Move on by 10 ms."""
        self.sleep(0.01)
        return super().now()


@pytest.mark.parametrize("start", [0.0, 100.0])
def test_unanswered_health_grows_for_30_s_and_then_is_down(start: float) -> None:
    """The time counts from the first unanswered request, over the polls, from whatever moment a clock starts at."""
    with bench(IMPATIENT, start, health=HUNG) as it:
        seen = [it.poll(after)[1] for after in (0.0, 10.0, 19.0, 1.0)]
        assert [value(batch, "engine.health_time") for batch in seen] == [None, 10.0, 29.0, 30.0]
        assert [value(batch, "engine.up") for batch in seen] == [1.0, 1.0, 1.0, 0.0]


def test_an_answer_ends_the_unanswered_time() -> None:
    """The next hang counts from its own beginning."""
    with bench(IMPATIENT, health=HUNG) as it:
        it.poll()
        it.routes.answers["/health"] = ("200 OK", b"")
        assert value(it.poll(20.0)[1], "engine.up") == 1.0
        it.routes.answers["/health"] = HUNG
        assert value(it.poll(20.0)[1], "engine.up") == 1.0


def test_a_refused_poll_ends_the_unanswered_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that was replaced in the meantime starts a count of its own."""
    monkeypatch.setattr("perfconsole.sources.engine.PAGE_WAIT_S", 0.2)
    with bench(IMPATIENT, health=HUNG) as it:
        it.poll()
        it.routes.answers["/metrics"] = HUNG
        answering, it.source._fetcher = it.source._fetcher, Fetcher(f"http://127.0.0.1:{closed_port()}")
        assert value(it.poll(20.0)[1], "engine.up") == 0.0
        it.source._fetcher = answering
        assert value(it.poll(20.0)[1], "engine.up") == 1.0


def test_health_that_was_not_asked_took_what_the_page_took() -> None:
    """What is known of it came with the page: not 0 s, and no second cost in the cadence."""
    with bench(metrics=GONE) as it:
        it.source._clock = it.source._fetcher._clock = _Moving(100.0)
        page, health = it.poll()
        assert "/health" not in it.paths
        assert page.took_s
        assert health.took_s == page.took_s
        assert value(health, "engine.health_time") is None


class _Slowing(_Moving):
    """A clock by which everything takes longer than what came before."""

    def now(self) -> float:
        """Move on by a tenth of a thousandth of the time so far."""
        self.sleep(super().now() * 1e-4)
        return super().now()


def test_health_that_is_refused_took_what_the_page_took() -> None:
    """A refused page needs no second question, and its time is told for both."""
    with bench() as it:
        it.source._pages = it.source._fetcher = Fetcher(f"http://127.0.0.1:{closed_port()}")
        it.source._clock = it.source._fetcher._clock = _Moving(100.0)
        page, health = it.poll()
        assert health.took_s == page.took_s
        assert (bool(health.took_s), value(health, "engine.health_time")) == (True, None)


def test_health_that_was_asked_took_its_own_time() -> None:
    """The two requests are timed apart."""
    with bench() as it:
        it.source._clock = it.source._fetcher._clock = _Slowing(100.0)
        page, health = it.poll()
        assert page.took_s != health.took_s
        assert value(health, "engine.health_time") == health.took_s


def test_a_refused_connection_is_down() -> None:
    """Nothing listens: up is 0 in words, and no ready is claimed of what is not known."""
    port = closed_port()
    source = EngineSource(
        TargetPage(f"127.0.0.1:{port}", (ADAPTER,), DEFAULT), Fetcher(f"http://127.0.0.1:{port}"), ManualClock()
    )
    page, health = source.poll(0.0, 1.7e9)
    assert value(health, "engine.up") == 0.0
    assert value(health, "engine.health_time") is None
    assert (
        page.error
        == health.error
        == (f"connection refused by 127.0.0.1:{port} (is the server running, is this the right port?)")
    )
    assert [e.name for e in (*page.entities, *health.entities)] == [f"127.0.0.1:{port}"] * 2


def test_a_refused_engine_that_was_known_is_not_ready() -> None:
    """Down is neither up nor ready, under the name that it had."""
    with bench() as it:
        it.poll()
        it.source.close()
        it.source._pages = it.source._fetcher = Fetcher(f"http://127.0.0.1:{closed_port()}")
        page, health = it.poll(1.0)
        assert (value(health, "engine.up"), value(health, "engine.ready")) == (0.0, 0.0)
        assert page.entities == health.entities == (Entity(Kind.ENGINE, f"vllm:{it.server.port}"),)


def test_a_connection_that_is_reset_is_down() -> None:
    """A process that dies under the request does not answer."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.reset()

    with Server(script) as server:
        page = TargetPage(f"127.0.0.1:{server.port}", (ADAPTER,), DEFAULT)
        source = EngineSource(page, Fetcher(server.url), ManualClock())
        assert value(source.poll(0.0, 1.7e9)[1], "engine.up") == 0.0
        source.close()


@pytest.mark.parametrize("status", ["500 Internal Server Error", "503 Service Unavailable"])
def test_a_server_error_of_health_is_down(status: str) -> None:
    """The engine itself says that it is ill; its page still counts."""
    with bench(health=(status, b"")) as it:
        page, health = it.poll()
        assert page.error is None
        assert (value(health, "engine.up"), value(health, "engine.ready")) == (0.0, 0.0)
        assert health.error == f"HTTP {status[:3]} from {it.server.url}/health"


@pytest.mark.parametrize("status", ["401 Unauthorized", "404 Not Found"])
def test_a_health_route_that_answers_something_else_is_up(status: str) -> None:
    """Whoever answers is there."""
    with bench(health=(status, b"")) as it:
        assert value(it.poll()[1], "engine.up") == 1.0


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        ("401 Unauthorized", "it wants a key: name the variable that holds it as token_env in the configuration"),
        ("403 Forbidden", "access is forbidden: name a key as token_env in the configuration"),
        ("404 Not Found", "there is no such page: is this the engine's own port, are its metrics switched on?"),
    ],
)
def test_a_refusal_comes_with_advice(status: str, advice: str) -> None:
    """The error says what to do about it."""
    with bench(metrics=(status, b"")) as it:
        page, _ = it.poll()
        assert page.error == f"HTTP {status[:3]} from {it.server.url}/metrics ({advice})"


def test_an_unexpected_status_is_named() -> None:
    """A status without advice is an error all the same."""
    with bench(metrics=("418 Teapot", b"")) as it:
        assert it.poll()[0].error == f"HTTP 418 from {it.server.url}/metrics"


def test_a_page_of_html_is_an_error() -> None:
    """A login page with status 200 is no page of metrics."""
    with bench(metrics=("200 OK", b"<html>\n<body>please log in</body>\n"), version=GONE) as it:
        page, _ = it.poll()
        assert page.error is not None
        assert page.samples == ()


def test_the_batch_says_the_cadence_that_this_poll_asks_for() -> None:
    """An expensive target is asked less often from its third poll on, and both batches say so at once."""
    with bench() as it:
        it.source._clock = _Moving(100.0)
        it.source._fetcher._clock = _Moving(100.0)
        seen = [it.poll(1.0) for _ in range(3)]
        assert [(p.cadence_s, h.cadence_s) for p, h in seen[:2]] == [(1.0, 1.0)] * 2
        took = sum(batch.took_s or 0.0 for batch in seen[2])
        assert seen[2][0].cadence_s == seen[2][1].cadence_s == pytest.approx(max(1.0, took / 0.02))


def test_the_two_batches_have_sources_of_their_own() -> None:
    """The health line of a target is apart from the one of its page."""
    with bench() as it:
        page, health = it.poll()
        assert (page.source, health.source) == (it.source.name, f"{it.source.name} health")


def test_a_closed_source_asks_nothing_more() -> None:
    """After close a poll fails in words and sends nothing."""
    with bench() as it:
        it.poll()
        it.source.close()
        asked = len(it.server.requests)
        page, _ = it.poll(1.0)
        assert page.error is not None
        assert len(it.server.requests) == asked
