"""Tests of small charts beside operands."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.view.glyphs import ASCII
from perfconsole.view.picture import Picture
from perfconsole.view.sparks import bar, indicator_of, owner, span_s, spark
from tests.view.pictures import ENGINE, HOST, finding, indicator, snapshot

WAITING = "engine.requests_waiting"


def rising(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:
    """A history of requests that wait, with a gap, and of nothing else; stretches are never under 5 s."""
    known = name == WAITING and entity == ENGINE and step_s >= 5.0
    return tuple(float(i) if known and i else None for i in range(columns))


def picture(t: float = 1000.0, **changes: object) -> Picture:
    """A moment with that history."""
    return Picture(snapshot(t=t, **changes), DEFAULT, rising, ASCII)


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, "[----]"), (0.5, "[##--]"), (0.99, "[###-]"), (1.0, "[####]"), (7.0, "[####]")]
)
def test_a_bar_fills_and_is_full_only_at_the_end(share: float, drawn: str) -> None:
    """An open hold never looks complete."""
    assert bar(share, 4, ASCII) == drawn


def test_a_chart_shows_the_history_and_its_reach() -> None:
    """A gap stays a gap, and the lowest and highest values are said."""
    found = spark(picture(), WAITING, ENGINE, 600.0, 8)
    assert found is not None
    assert (found.line[0], len(found.line), found.reach) == (" ", 8, "1 to 7")


@pytest.mark.parametrize("operand", ["engine.up", f"base({WAITING})"])
def test_what_has_no_history_has_no_chart(operand: str) -> None:
    """Nothing was recorded, or it is one value for all time."""
    assert spark(picture(), operand, ENGINE, 600.0, 8) is None


@pytest.mark.parametrize(
    ("operand", "name"),
    [(WAITING, WAITING), (f"slope({WAITING}[180s])", WAITING), (f"max({WAITING})", WAITING), (f"base({WAITING})", "")],
)
def test_the_indicator_inside_an_operand_is_found(operand: str, name: str) -> None:
    """A function is charted by what it reads."""
    assert indicator_of(operand) == name


@pytest.mark.parametrize(
    ("since", "started", "span"), [(960.0, 0.0, 600.0), (100.0, 0.0, 1200.0), (960.0, 900.0, 120.0)]
)
def test_charts_go_back_to_the_beginning(since: float, started: float, span: float) -> None:
    """Ten minutes, more for what began earlier, less where watching has just begun."""
    of = Picture(snapshot(t=1000.0), DEFAULT, started=started)
    assert span_s(of, finding(since=since)) == span


def test_a_value_of_a_linked_entity_has_that_entity_as_its_owner() -> None:
    """A condition on an engine may read its host; with two candidates nobody can say which."""
    hosts = (HOST, Entity(Kind.HOST, "b"))
    links = tuple(Link(Relation.HOST_HAS, host, ENGINE) for host in hosts)
    values = tuple(indicator("host.psi_cpu", 0.1, host) for host in hosts)
    assert owner(picture(indicators=values[:1], links=links), "host.psi_cpu", ENGINE) == HOST
    assert owner(picture(indicators=values, links=links), "host.psi_cpu", ENGINE) == ENGINE


def test_the_reach_of_a_rate_is_short() -> None:
    """`0 tokens/s to 1094 tokens/s` would be cut on every page."""
    picture = Picture(snapshot(), DEFAULT, lambda *_: (0.0, 1094.0))
    found = spark(picture, "engine.prefill_rate", ENGINE, 600.0, 8)
    assert found is not None
    assert found.reach == "0/s to 1094/s"
