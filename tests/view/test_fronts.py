"""Tests of what stands in front of the engines: whom it calls, and its processes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.canvas import plain_text
from perfconsole.view.fronts import calls, process_cells
from tests.view.pictures import ENGINE, indicator
from tests.view.serving import AGENT, GATEWAY, indicators, serving

if TYPE_CHECKING:
    from perfconsole.view.picture import Picture

FIRST, SECOND = (Entity(Kind.PROCESS, number) for number in ("4312", "4313"))


def _engines(count: int) -> list[Entity]:
    return [Entity(Kind.ENGINE, f"vllm:{8000 + n}") for n in range(count)]


def _owned(*facts: Fact, first: float | Missing = 0.1, second: float | Missing = 0.85) -> Picture:
    links = [Link(Relation.GATEWAY_HAS_PROCESS, GATEWAY, process) for process in (FIRST, SECOND)]
    more = [i for v, p in ((first, FIRST), (second, SECOND)) for i in indicators({"host.process_fd_ratio": v}, p)]
    picture = serving(more=[indicator("gateway.up", 1.0, GATEWAY), *more], links=links)
    return replace(picture, snapshot=replace(picture.snapshot, facts=facts))


def _cells(picture: Picture, entity: Entity = GATEWAY) -> list[str]:
    return [plain_text([cell]) for cell in process_cells(picture, entity)]


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, ""),
        (1, "calls vllm:8000"),
        (3, "calls vllm:8000, vllm:8001, vllm:8002"),
        (8, "calls 8: vllm:8000, vllm:8001, vllm:8002 and 5 more"),
    ],
)
def test_the_engines_behind_a_gateway_are_named(count: int, words: str) -> None:
    """The first few of many."""
    links = [Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, engine) for engine in _engines(count)]
    assert calls(serving(links=links), GATEWAY) == words


def test_an_orchestrator_may_call_a_gateway_and_an_engine() -> None:
    """Each once, and nothing of what another one calls."""
    links = [
        Link(Relation.ORCHESTRATOR_TO_GATEWAY, AGENT, GATEWAY),
        Link(Relation.ORCHESTRATOR_TO_ENGINE, AGENT, ENGINE),
        Link(Relation.ORCHESTRATOR_HAS_PROCESS, AGENT, FIRST),
        Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, Entity(Kind.ENGINE, "other:1")),
    ]
    assert calls(serving(links=links), AGENT) == "calls litellm:4000, vllm:8000"


def test_the_process_with_most_descriptors_speaks_for_all() -> None:
    """With its mark: one full table is enough to refuse connections."""
    assert _cells(_owned()) == ["fds 85% !"]


def test_a_process_without_the_figure_is_left_out() -> None:
    """And nothing is said where none has it."""
    assert _cells(_owned(second=Missing.NO_PERMISSION)) == ["fds 10%"]
    assert _cells(_owned(first=Missing.STALE, second=Missing.STALE)) == []


def test_a_process_that_does_not_run_is_named() -> None:
    """Before anything else."""
    assert _cells(_owned(Fact("process.state", SECOND, "stopped"))) == ["process 4313 stopped", "fds 85% !"]


def test_processes_of_others_are_not_its_own() -> None:
    """An orchestrator without one has nothing to tell."""
    assert _cells(_owned(), AGENT) == []
