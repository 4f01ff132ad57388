"""Tests of the order in which the page of an engine is looked for."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.adapter import Adapter
from perfconsole.sources.pagepaths import WALK_EVERY_S, PagePaths
from perfconsole.sources.targetpage import TargetPage

PLAIN = Adapter("a", "A", ("a:",), "", "/metrics", "", "", "", (), (), ())
OTHER = Adapter("b", "B", ("b:",), "", "/b", "", "", "", (), (), (), pages=("/b2",), never_read=("/drains", "/metrics"))
DRAINS = Adapter("c", "C", ("c:",), "", "/drains", "", "", "", (), (), ())


def paths(*adapters: Adapter, known: str = "") -> PagePaths:
    """Of an engine that may be any of these."""
    return PagePaths(TargetPage("h:1", adapters, DEFAULT), known)


def test_what_is_unsafe_at_some_engine_is_asked_last() -> None:
    """The usual path behind all others, whichever engine it is unsafe at."""
    assert paths(PLAIN, OTHER, DRAINS).due(0.0) == ("/b", "/b2", "/drains", "/metrics")


def test_between_two_walks_only_the_usual_path_is_asked() -> None:
    """A stranger is not asked for four pages a second."""
    it = paths(PLAIN, OTHER)
    it.due(0.0)
    assert it.due(1.0) == ("/metrics",)
    assert it.due(WALK_EVERY_S) == ("/b", "/b2", "/metrics")


def test_an_engine_that_is_known_has_its_own_paths() -> None:
    """And no other one."""
    page = TargetPage("h:1", (PLAIN, OTHER), DEFAULT)
    page.take(OTHER)
    assert PagePaths(page).due(0.0) == ("/b", "/b2")


def test_a_path_that_was_right_stays() -> None:
    """As does one that somebody named."""
    it = paths(PLAIN, OTHER)
    it.take("/b2")
    assert it.due(0.0) == ("/b2",)
    assert paths(PLAIN, known="/named").due(0.0) == ("/named",)


def test_without_any_table_there_is_the_usual_path() -> None:
    """It is where most programs have their page."""
    assert paths().due(0.0) == ("/metrics",)
