"""Tests of the rows about whom a gateway calls."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Snapshot
from perfconsole.model.upstream import Upstream
from perfconsole.view.canvas import plain_text
from perfconsole.view.upstreams import upstream_row, upstream_rows

GATEWAY = Entity(Kind.GATEWAY, "haproxy:8000")
BUSY = Upstream(GATEWAY, "127.0.0.1:8001", Entity(Kind.ENGINE, "vllm:8001"), "", 3.0, 0.9, Missing.NOT_EXPORTED, 12.0)
CALM = Upstream(GATEWAY, "engines/b", Entity(Kind.ENGINE, "vllm:8002"), "", 0.3, 0.1, 1.0, Missing.NOT_EXPORTED)
DEAD = Upstream(GATEWAY, "engines/c", None, "10.0.0.3:8000", 0.0, 0.0, 0.0, 0.0)


def snapshot(*upstreams: Upstream) -> Snapshot:
    """A picture that has nothing else."""
    return Snapshot(1, 0.0, 0.0, (), (), (), (), (), (), (), upstreams=upstreams)


def test_a_gateway_whose_page_names_none_has_no_line() -> None:
    """Nothing is said of what is not known."""
    assert upstream_row(snapshot(), GATEWAY, 80) == ()
    assert upstream_rows(snapshot(), GATEWAY, 5) == []


def test_a_card_counts_those_that_do_not_fit() -> None:
    """Never cut in the middle of a name."""
    rows = [upstream_row(snapshot(BUSY, CALM, DEAD), GATEWAY, columns) for columns in (72, 60, 20)]
    assert [plain_text([r]).strip() for r in rows] == [
        "to  10.0.0.3:8000 (engines/c) unhealthy  vllm:8001 90%  and 1 more",
        "to  10.0.0.3:8000 (engines/c) unhealthy  and 2 more",
        "",
    ]


def test_the_dead_and_the_overloaded_one_are_marked() -> None:
    """90 % of two is more than one and a half even shares."""
    rows = upstream_rows(snapshot(BUSY, CALM), GATEWAY, 5)
    assert [r[-1].style for r in rows] == ["warn", "value"]
    (row,) = upstream_rows(snapshot(DEAD), GATEWAY, 5)
    assert row[-1].style == "warn"


def test_an_only_upstream_is_never_uneven() -> None:
    """It has everything, as it should."""
    (row,) = upstream_rows(snapshot(replace(BUSY, share=1.0)), GATEWAY, 5)
    assert row[-1].style == "value"


def test_rows_that_are_left_out_are_counted() -> None:
    """Two rows for three upstreams: one, and a word about the others."""
    rows = upstream_rows(snapshot(BUSY, CALM, DEAD), GATEWAY, 2)
    assert plain_text([rows[-1]]).strip() == "and 2 more"
