"""Snapshots and findings by hand, with the fields that a test changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import Finding, Operand, Reading, Truth
from perfconsole.model.snapshot import Indicator, Snapshot, SourceHealth, SourceState
from tests.diagnose import judging

if TYPE_CHECKING:
    from perfconsole.model.sample import Missing

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
HOST = Entity(Kind.HOST, "gpu-07")


def indicator(name: str, value: float | Missing, entity: Entity = ENGINE) -> Indicator:
    """One indicator in its own unit."""
    return Indicator(name, entity, value, DEFAULT.unit(name))


def source(name: str = "vllm:8000", **changes: object) -> SourceHealth:
    """A source that answers."""
    healthy = SourceHealth(name, "metrics page", SourceState.OK, None, 0.02, 1.0, answered=True, silent_s=0.5)
    return replace(healthy, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def snapshot(**changes: object) -> Snapshot:
    """A picture at 100 s with one engine and nothing else in it."""
    empty = Snapshot(
        seq=1,
        t=100.0,
        wall=1_700_000_000.0,
        indicators=(),
        findings=(),
        undecided=(),
        sources=(),
        facts=(),
        links=(),
        entities=(ENGINE,),
    )
    return replace(empty, **changes)  # type: ignore[arg-type]  # as above


def reading(
    condition: str = "engine.kv_cache_usage < 80%",
    *operands: Operand,
    truth: Truth = Truth.TRUE,
    so_far: Truth = Truth.TRUE,
    held: tuple[float, float] | None = None,
) -> Reading:
    """A condition with its operands; `held` is how long it was true and how long it must be."""
    held_s, hold_s = held or (None, None)
    return Reading(condition, truth, so_far, operands, held_s, hold_s)


def finding(rule: str = "admission-cap", **changes: object) -> Finding:
    """A likely warning that has stood for 40 s."""
    shown: dict[str, object] = {
        "row": "S22",
        "rank_class": "scheduling",
        "title": f"Title of {rule}",
        "since": 60.0,
        "cause": "The cap is low.",
    }
    return judging.finding(rule, **{"entity": ENGINE, **shown, **changes})  # type: ignore[arg-type]  # fields by name
