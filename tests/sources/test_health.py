"""Tests of what answers and silences of a health route mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.lookup import Dictionary
from perfconsole.sources.health import UNANSWERED_LIMIT_S, Health, Moment, status_text
from perfconsole.sources.http import FetchError, FetchKind, Reply
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR, Layer
from perfconsole.sources.targetpage import TargetPage

MOMENT = Moment(10.0, 20.0, 1.0)
LATE = FetchError(FetchKind.TIMEOUT, "no answer")


def health(layer: Layer = GATEWAY) -> Health:
    """Health of a target of which nothing is known yet."""
    return Health(TargetPage("h:1", (), DEFAULT, layer=layer), DEFAULT)


def reply(status: int) -> Reply:
    """An answer that took 20 ms."""
    return Reply(status, b"", "", 0.02, "http://h:1/health")


@pytest.mark.parametrize("layer", [GATEWAY, ORCHESTRATOR])
@pytest.mark.parametrize("status", [200, 404, 401, 500, 503])
def test_any_answer_of_what_stands_in_front_is_a_sign_of_life(status: int, layer: Layer) -> None:
    """A route that is not there, or a fault, is answered by a loop that runs."""
    verdict = health(layer).answered(reply(status))
    assert (verdict.up, verdict.took_s, verdict.answered, verdict.error) == (1.0, 0.02, True, None)


@pytest.mark.parametrize(("status", "up"), [(200, 1.0), (404, 1.0), (500, 0.0), (503, 0.0)])
def test_an_engine_with_a_server_fault_is_down(status: int, up: float) -> None:
    """It would say the same to a request for tokens."""
    verdict = health(ENGINE).answered(reply(status))
    assert (verdict.up, verdict.answered) == (up, True)


def test_a_server_fault_is_not_ready_and_said() -> None:
    """In a dictionary that has a name for it; the source answers, with a remark."""
    ready = next(entry for entry in DEFAULT.entries if entry.name == "engine.ready")
    named = Dictionary((*DEFAULT.entries, replace(ready, name="gateway.ready")))
    it = Health(TargetPage("h:1", (), named, layer=GATEWAY), named)
    batch = it.batch(it.answered(reply(503)), MOMENT)
    assert {s.key.indicator: s.value for s in batch.samples if s.key.indicator != "gateway.health_time"} == {
        "gateway.up": 1.0,
        "gateway.ready": 0.0,
    }
    assert (batch.error, batch.notes) == (None, ("HTTP 503 from http://h:1/health",))


def test_a_silence_grows_from_the_first_request_on() -> None:
    """However many requests it lasts."""
    it = health()
    assert [it.failed(LATE, 0.0, 5.0).took_s, it.failed(LATE, 6.0, 11.0).took_s] == [5.0, 11.0]


def test_a_silence_ends_with_an_answer() -> None:
    """The next one counts from its own start."""
    it = health()
    it.silent("no answer", 0.0, 5.0)
    it.answered(reply(200))
    assert it.silent("no answer", 8.0, 9.0).took_s == 1.0


@pytest.mark.parametrize("kind", [FetchKind.REFUSED, FetchKind.RESET, FetchKind.UNREACHABLE])
def test_nobody_there_is_down_at_once(kind: FetchKind) -> None:
    """And ends a silence: what answers next is another process."""
    it = health()
    it.silent("no answer", 0.0, 5.0)
    assert it.failed(FetchError(kind, "gone"), 6.0, 6.1).up == 0.0
    assert it.silent("no answer", 8.0, 9.0).took_s == 1.0


@pytest.mark.parametrize("layer", [GATEWAY, ENGINE])
def test_a_certificate_that_is_not_trusted_is_a_sign_of_life(layer: Layer) -> None:
    """However long it lasts: no silence grows, nothing is said of its readiness, and a remark says why."""
    it = health(layer)
    it.silent("no answer", 0.0, 5.0)
    verdict = it.failed(FetchError(FetchKind.TLS, "certificate of h:1 is not trusted"), 6.0, 99.0)
    batch = it.batch(verdict, MOMENT)
    assert [(s.key.indicator, s.value) for s in batch.samples] == [(f"{layer.name('up')}", 1.0)]
    assert batch.error is None
    assert batch.notes == ("certificate of h:1 is not trusted; somebody answers there, so it counts as up",)
    assert it.silent("no answer", 100.0, 101.0).took_s == 1.0


def test_a_silence_is_down_after_its_limit() -> None:
    """A connection that was taken keeps it up until then."""
    it = health()
    ups = [it.silent("no answer", 0.0, t).up for t in (UNANSWERED_LIMIT_S - 0.1, UNANSWERED_LIMIT_S)]
    assert ups == [1.0, 0.0]


def test_the_batch_has_the_names_of_its_layer() -> None:
    """And only those that the dictionary has: a gateway is never ready."""
    it = health()
    names = {s.key.indicator for s in it.batch(it.failed(LATE, 0.0, 40.0), MOMENT).samples}
    assert names == {"gateway.up", "gateway.health_time"}


def test_an_engine_that_is_down_is_not_ready() -> None:
    """Its layer has a name for it."""
    it = health(ENGINE)
    samples = it.batch(it.gone("refused"), MOMENT).samples
    assert {s.key.indicator: s.value for s in samples} == {"engine.up": 0.0, "engine.ready": 0.0}


def test_a_status_comes_with_advice_for_its_layer() -> None:
    """What to do about it."""
    assert "is this the gateway's own port" in status_text(404, "http://h:1/metrics", "gateway")
    assert status_text(418, "http://h:1/metrics", "gateway") == "HTTP 418 from http://h:1/metrics"
