"""Tests of the last answer to a question: how long it holds, why it is missing, when it is asked again."""

from __future__ import annotations

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.question import FAST_S, SLOW_S, STATE_S, Question
from perfconsole.sources.nvml.reading import Reading
from perfconsole.sources.nvml.slot import Slot

POWER = "gpu.power"
READING = Reading({POWER: 300.0})


def slot(every_s: float = FAST_S) -> Slot:
    """A slot of a question that nobody asks here."""
    return Slot(Question("call", lambda _device, _t: READING, (POWER,), every_s))


def test_before_the_first_answer_it_warms_up() -> None:
    """And is due."""
    fresh = slot()
    assert (fresh.reading(0.0), fresh.reason(POWER, 0.0)) == (None, Missing.WARMING_UP)
    assert fresh.due_t <= 0.0


@pytest.mark.parametrize(("every_s", "until"), [(FAST_S, 5.0), (STATE_S, 10.0), (SLOW_S, 65.0)])
def test_an_answer_holds_until_it_should_long_have_been_renewed(every_s: float, until: float) -> None:
    """Then the driver does not answer."""
    one = slot(every_s)
    one.store(0.0, READING)
    assert one.reading(until) is READING
    assert one.reading(until + 0.1) is None
    assert one.reason(POWER, until + 0.1) is Missing.SOURCE_DOWN


def test_an_answer_from_before_a_loss_does_not_count() -> None:
    """The card is another one since."""
    one = slot()
    one.store(1.0, READING)
    assert one.reading(2.0, since=1.5) is None


def test_an_error_has_its_reason_and_is_asked_again() -> None:
    """In the next round."""
    one = slot()
    one.failed(10.0, 999)
    assert one.reason(POWER, 10.0) is Missing.SOURCE_DOWN
    assert one.broken
    assert one.due_t <= 11.0


@pytest.mark.parametrize("code", [3, 13])
def test_what_is_not_supported_is_asked_again_once_a_minute(code: int) -> None:
    """It costs nothing meanwhile, and is no trouble."""
    one = slot()
    one.failed(10.0, code)
    assert one.reason(POWER, 10.0) is Missing.UNSUPPORTED
    assert not one.broken
    assert one.due_t == 70.0


def test_a_value_that_an_answer_lacks_has_the_reason_that_it_gives() -> None:
    """Or is not supported."""
    one = slot()
    one.store(0.0, Reading(missing={POWER: Missing.WARMING_UP}))
    assert one.reason(POWER, 0.0) is Missing.WARMING_UP
    one.store(0.0, Reading())
    assert one.reason(POWER, 0.0) is Missing.UNSUPPORTED


def test_a_value_that_is_there_and_not_given_is_not_unsupported() -> None:
    """Its call hangs: the source is down for it."""
    one = slot()
    one.store(0.0, READING)
    assert one.reason(POWER, 0.0) is Missing.SOURCE_DOWN


def test_the_driver_answered_also_when_it_said_that_there_is_nothing() -> None:
    """But not by an error."""
    one = slot()
    assert not one.answered(0.0)
    one.failed(5.0, 3)
    assert one.answered(5.0)
    assert not one.answered(5.1)
    one.failed(6.0, 999)
    assert not one.answered(0.0)
    assert one.failing(6.0)


@pytest.mark.parametrize(("every_s", "code", "due_t"), [(SLOW_S, 999, 14.5), (STATE_S, 999, 14.5), (SLOW_S, 15, 9.5)])
def test_a_rare_question_that_failed_is_not_left_for_a_minute(every_s: float, code: int, due_t: float) -> None:
    """And in the next round where it said that the card is lost: only it can say that the card is back."""
    one = slot(every_s)
    one.failed(10.0, code)
    assert one.due_t == due_t
