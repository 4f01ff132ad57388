"""Tests of what a page lacks, and why."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.adapter import Adapter, Metric, Operand
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.owed import Owed, unripe

GATEWAY = Entity(Kind.GATEWAY, "x")
ROWS = (
    Metric("gateway.requests", "x:requests", since="2.0"),
    Metric("gateway.latency.mean", "x:latency", ripe=Operand("x:answers", (("code", "~2..|5.."),)), ripe_at=100.0),
    Metric("gateway.errors", "x:errors", optional=True),
)
TABLE = Adapter("x", "X", ("x:",), "", "/m", "", "", "", (), (), ROWS, unexported=("gateway.error_ratio",))
OWED = Owed(TABLE, DEFAULT)


def reasons(*filled: str, green: tuple[int, ...] = ()) -> dict[str, Missing]:
    """Why each indicator is missing."""
    return {a.indicator: a.reason for a in OWED.absences(filled, green, GATEWAY)}


def test_what_is_not_there_is_not_exported() -> None:
    """Of the rows, of what no page leads to, and of all that only a page can tell; of a mean the histogram too."""
    names = {"gateway.requests", "gateway.latency.mean", "gateway.latency", "gateway.errors", "gateway.error_ratio"}
    assert reasons() == dict.fromkeys(names | DEFAULT.of_pages(Kind.GATEWAY), Missing.NOT_EXPORTED)


def test_what_is_there_is_not_missing() -> None:
    """All the rest is: a histogram too of which there is but the mean."""
    filled = {"gateway.requests", "gateway.latency.mean", "gateway.ttft"}
    assert set(reasons()) - set(reasons(*filled)) == filled


def test_an_average_that_has_to_fill_is_waited_for() -> None:
    """Nobody needs to look for another source of it."""
    found = reasons(green=(1,))
    assert {found["gateway.latency.mean"], found["gateway.latency"]} == {Missing.WARMING_UP}
    assert found["gateway.requests"] is Missing.NOT_EXPORTED


@pytest.mark.parametrize(("version", "lines"), [("", 0), ("1.9", 1), ("2.1", 2)])
def test_a_release_is_reminded_of_names_that_it_should_have(version: str, lines: int) -> None:
    """Not one that came before them, nor of those that are optional."""
    assert len(OWED.remarks((), (), version)) == lines


def test_an_average_that_fills_is_no_lack_of_its_release() -> None:
    """It says when it will be there."""
    (line,) = OWED.remarks(("gateway.requests",), (1,), "2.1")
    assert line == "its averages began at 0 and are left out until it has counted 100 of x:answers"


@pytest.mark.parametrize(("ok", "failed", "green"), [(98, 1, {1}), (98, 2, set()), (0, 0, {1})])
def test_a_row_is_ripe_once_its_operand_is_large_enough(ok: int, failed: int, green: set[int]) -> None:
    """All series with the right labels count, others do not."""
    text = f'x:answers{{code="200"}} {ok}\nx:answers{{code="500"}} {failed}\nx:answers{{code="404"}} 900\n'
    assert unripe(ROWS, PageParser().parse(text.encode())) == green


def test_without_its_operand_a_row_is_not_ripe() -> None:
    """Nobody knows how many it has seen."""
    assert unripe(ROWS, PageParser().parse(b"x:latency 3\n")) == {1}
