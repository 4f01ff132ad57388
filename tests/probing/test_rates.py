"""Rates of a step."""

from __future__ import annotations

import pytest

from perfconsole.model.probeload import Trouble
from perfconsole.model.probeplan import Shape, Slo
from perfconsole.probing.answers import answers
from perfconsole.probing.rates import Rates, rates
from perfconsole.probing.window import Flow, Window
from tests.probing.building import T0, request, step

WINDOW = Window(T0, T0 + 2.0)
SEEN = Flow(2.0, 2560.0, 16.0, 0.1)
GOOD = [request(T0, tokens=128)] * 9
FAILED = request(T0, ended=T0 + 0.1, tokens=0, trouble=Trouble.STATUS, detail="500")


def found(*records: object, shape: Shape = Shape.CONCURRENCY, seen: Flow = SEEN) -> Rates:
    """Rates of a step of two seconds in which 2560 tokens came."""
    asked = step(shape=shape)
    return rates(asked, answers(asked, records), seen, WINDOW, Slo())  # type: ignore[arg-type]  # records


def test_tokens_are_those_that_arrived_in_the_window() -> None:
    """Whosever they are."""
    assert found(*GOOD).output_tokens == 1280


def test_requests_are_reckoned_from_the_tokens() -> None:
    """Ten a second of 128 tokens each, whichever of them were counted."""
    assert found(*GOOD).requests == pytest.approx(10.0)


def test_requests_that_failed_are_none_that_ended_well() -> None:
    """They do not make the rate higher; their tokens are taken off it."""
    assert found(*GOOD, FAILED).requests == pytest.approx(10.0)
    half = request(T0, tokens=128, trouble=Trouble.RESET)
    assert found(*GOOD, half).requests == pytest.approx(9.0)


@pytest.mark.parametrize("shape", [Shape.BURST, Shape.REPLAY])
def test_requests_of_a_step_that_is_never_steady_are_counted(shape: Shape) -> None:
    """All of them are in its window."""
    assert found(*GOOD, FAILED, shape=shape).requests == pytest.approx(4.5)


def test_without_tokens_requests_are_counted() -> None:
    """By when they ended."""
    assert found(*GOOD, seen=Flow(0.0, 0.0, 0.0, 0.0)).requests == pytest.approx(4.5)


def test_total_is_with_the_prompts() -> None:
    """100 tokens of prompt on 128 of answer."""
    assert found(*GOOD).total_tokens == pytest.approx(1280 * (1 + 100 / 128))
    assert found(request(prompt_tokens=None)).total_tokens is None


def test_goodput_is_the_part_that_kept_the_promise() -> None:
    """Failed requests kept none."""
    slow = request(T0, ttft=3.0, e2e=3.5)
    seen = found(*GOOD[:6], slow, slow, FAILED, FAILED)
    assert seen.goodput == pytest.approx(10.0 * 6 / 8)
    assert seen.goodput_ratio == pytest.approx(0.6)


def test_of_nothing_there_is_no_rate() -> None:
    """No request, no share; all failed, no goodput."""
    assert found() == Rates(1280.0, None, None, None, None)
    assert (found(FAILED).requests, found(FAILED).goodput, found(FAILED).goodput_ratio) == (0.0, 0.0, 0.0)
