"""Tests of the times of one request."""

from __future__ import annotations

import pytest

from tests.probing.building import T0, request


def test_a_latency_begins_where_the_request_should_have_been_sent() -> None:
    """On an open connection a late send counts against the server: it was its answers that held the client."""
    found = request(sent=T0 + 0.02)
    assert found.start == T0
    assert (found.ttft, found.e2e) == pytest.approx((0.05, 0.685))


def test_connecting_of_ones_own_does_not_count() -> None:
    """The end of it is where the latency begins, unless it was over before its time."""
    assert request(connect_s=0.03, sent=T0 + 0.03).ttft == pytest.approx(0.02)
    assert request(connect_s=0.03, sent=T0 - 0.01).start == T0


def test_no_time_is_negative() -> None:
    """Stamps of the kernel and those of the client are microseconds apart."""
    found = request(connect_s=0.1, sent=T0 + 1.0)
    assert (found.ttft, found.e2e) == (0.0, 0.0)


def test_an_answer_without_text_has_no_times() -> None:
    """It is counted as what it is."""
    found = request(first=None, last=None)
    assert (found.ttft, found.e2e, found.tpot) == (None, None, None)


@pytest.mark.parametrize(("tokens", "tpot"), [(128, 0.635 / 127), (2, 0.635), (1, None), (0, None), (None, None)])
def test_the_time_per_token_is_between_the_first_and_the_last(tokens: int | None, tpot: float | None) -> None:
    """One token has none."""
    found = request(tokens=tokens).tpot  # type: ignore[arg-type]  # a server that does not say
    assert found == (None if tpot is None else pytest.approx(tpot))
