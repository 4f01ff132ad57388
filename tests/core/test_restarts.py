"""Restarts of entities."""

from __future__ import annotations

from math import inf

from perfconsole.core.restarts import COUNTED_S, SAME_RESTART_S, Restarts
from tests.core.building import ENGINE, page


def test_an_entity_that_never_restarted_has_no_time() -> None:
    """Windows over it begin wherever they like."""
    assert Restarts().at(ENGINE) == -inf


def test_what_another_source_says_soon_after_is_an_echo() -> None:
    """The page saw it first; its processes tell the same."""
    restarts = Restarts()
    assert restarts.note(ENGINE, page(10.0, source="page"))
    assert not restarts.note(ENGINE, page(12.0, source="processes"))
    assert restarts.at(ENGINE) == 10.0


def test_the_same_source_is_believed_each_time() -> None:
    """An engine that crashes in a loop restarts again."""
    restarts = Restarts()
    restarts.note(ENGINE, page(10.0, source="page"))
    assert restarts.note(ENGINE, page(12.0, source="page"))
    assert restarts.at(ENGINE) == 12.0


def test_another_source_is_believed_after_a_while() -> None:
    """A minute later it is another restart."""
    restarts = Restarts()
    restarts.note(ENGINE, page(10.0, source="page"))
    assert restarts.note(ENGINE, page(10.1 + SAME_RESTART_S, source="processes"))


def test_an_entity_that_is_gone_is_forgotten() -> None:
    """One of the same name later has a life of its own."""
    restarts = Restarts()
    restarts.note(ENGINE, page(10.0))
    restarts.drop(ENGINE)
    assert restarts.at(ENGINE) == -inf
    assert restarts.count(ENGINE, 10.0) == 0


def test_restarts_are_counted_for_six_hours() -> None:
    """Those of the last six hours before a moment, and none of later."""
    restarts = Restarts()
    for t in (0.0, 100.0, COUNTED_S + 50.0):
        restarts.note(ENGINE, page(t))
    assert [restarts.count(ENGINE, t) for t in (COUNTED_S + 50.0, COUNTED_S + 200.0, 60.0)] == [2, 1, 0]
