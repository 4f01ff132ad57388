"""Tests of the page of the exact server: our own reader takes it for a vLLM, and its numbers are those of the log."""

from __future__ import annotations

from statistics import fmean

import pytest

from perfconsole.clock import SystemClock
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Histogram
from perfconsole.sources.engine import EngineSource
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.http import Fetcher
from perfconsole.sources.targetpage import TargetPage
from tests.load.asking import Asking, wait_for
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.sources.enginepages import folded, mapped
from tests.sources.enginepages import histogram as of_page

FAST = Settings(itl_ms=1.0, prefill_ms=2.0, slots=2, prefix_cache=True)


def page(asking: Asking) -> bytes:
    """The page now."""
    asking.request("GET /metrics")
    return asking.reply().body


def test_our_reader_finds_everything_it_expects_of_vllm() -> None:
    """No name is missed, none is of another type."""
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        asking.ask()
        assert mapped(page(asking), asking.get("/version")["version"]).notes == ()


def test_our_source_polls_it_as_an_engine() -> None:
    """Its page, its health, its version and its model."""
    clock = SystemClock()
    with ExactServer(FAST) as server:
        source = EngineSource(TargetPage(f"127.0.0.1:{server.port}", (ADAPTER,), DEFAULT), Fetcher(server.url), clock)
        first = source.poll(clock.now(), clock.wall())
        second = source.poll(clock.now(), clock.wall())
        source.close()
    assert [batch.error for batch in (*first, *second)] == [None] * 4
    facts = {fact.name: fact.value for batch in second for fact in batch.facts}
    assert (facts["engine.version"], facts["engine.model"]) == ("0.32.0", "exact")


def test_the_counters_are_those_of_the_log() -> None:
    """Tokens, prompts, the prefix cache and how requests ended."""
    prompt = " ".join(f"w{i}" for i in range(32))
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        for tokens in (3, 5):
            asking.ask(tokens=tokens, prompt=prompt)
        samples = mapped(page(asking), "0.32.0").samples
    ranked = {
        name: sum(folded(samples, name).values()) for name in ("engine.generation_tokens", "engine.prompt_tokens")
    }
    assert ranked == {"engine.generation_tokens": 8.0, "engine.prompt_tokens": 80.0 - 32.0}
    assert sum(folded(samples, "engine.requests_finished").values()) == 2.0
    assert sorted(folded(samples, "engine.prefix_cache_hit_ratio").values()) == [32.0, 80.0]


@pytest.mark.parametrize(
    ("name", "count"),
    [("engine.ttft", 2), ("engine.itl", 4 + 2), ("engine.e2e", 2), ("engine.tpot", 2), ("engine.queue_time", 2)],
)
def test_each_time_is_counted_once(name: str, count: int) -> None:
    """A gap less than tokens, and one of the others for each request."""
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        for tokens in (5, 3):
            asking.ask(tokens=tokens)
        found = of_page(mapped(page(asking), "0.32.0").samples, name)
    assert isinstance(found, Histogram)
    assert found.count == count


def test_times_are_those_of_the_log() -> None:
    """The mean on the page is the mean of what was written."""
    with ExactServer(FAST) as server, Asking(server.port) as asking:
        for tokens in (5, 3):
            asking.ask(tokens=tokens)
        truths = server.truths()
        found = of_page(mapped(page(asking), "0.32.0").samples, "engine.ttft")
    assert found is not None
    waited = [(truth.wrote_ns[0] - truth.arrival_ns) / 1e9 for truth in truths]
    assert found.total / found.count == pytest.approx(fmean(waited))


def test_what_runs_and_what_waits_is_on_the_page() -> None:
    """And how full the cache of the engine is."""
    settings = Settings(slots=1, prefill_ms=60_000.0, kv_tokens=1616, template_tokens=0)
    with ExactServer(settings) as server, Asking(server.port) as one, Asking(server.port) as other:
        one.send(prompt="w " * 800)
        wait_for(lambda: server.state()["running"] == 1)
        other.send()
        wait_for(lambda: server.state()["waiting"] == 1)
        with Asking(server.port) as third:
            samples = mapped(page(third), "0.32.0").samples
    assert sum(folded(samples, "engine.requests_running").values()) == 1.0
    assert sum(folded(samples, "engine.requests_waiting").values()) == 1.0
    assert sum(folded(samples, "engine.kv_cache_usage").values()) == pytest.approx(0.5)


def test_the_page_may_fail_and_hang() -> None:
    """While completions go on."""
    with ExactServer(FAST) as server, Asking(server.port) as asking, Asking(server.port) as other:
        server.set(metrics_status=500)
        asking.request("GET /metrics")
        assert asking.reply().status == 500
        server.set(metrics_hang=True)
        asking.request("GET /metrics")
        assert len(other.ask(tokens=3).texts) == 3
        assert asking.silent()
