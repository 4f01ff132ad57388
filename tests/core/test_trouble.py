"""Which moments are no healthy ones."""

from __future__ import annotations

import pytest

from perfconsole.core.trouble import troubling
from perfconsole.model.finding import State, Truth
from perfconsole.model.rule import Severity
from tests.diagnose.judging import finding
from tests.view.pictures import reading


@pytest.mark.parametrize(("held_s", "troubles"), [(29.0, False), (30.0, True), (59.0, True)])
def test_what_has_held_for_half_of_its_time_is_trouble(held_s: float, *, troubles: bool) -> None:
    """The minute before a finding fires must not become its baseline."""
    pending = finding(state=State.PENDING, readings=(reading(truth=Truth.UNKNOWN, held=(held_s, 60.0)),))
    assert bool(troubling([pending])) is troubles


@pytest.mark.parametrize("state", [State.FIRING, State.UNDECIDED, State.CLEARING])
def test_what_fires_or_fired_is_trouble(state: State) -> None:
    """However long it must hold."""
    assert troubling([finding(state=state)])


def test_information_is_none() -> None:
    """A host at work always has some."""
    assert troubling([finding(severity=Severity.INFO)]) == []
