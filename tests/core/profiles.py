"""Saved profiles by hand, with the fields that a test changes."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.profile import HealthyValue, Identity, Profile

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
WALL = 1_796_000_000.0
"""2026-11-30 00:53 UTC."""


def identity(**changes: object) -> Identity:
    """An engine with a stated cap on one kind of card."""
    plain = Identity(
        kind=Kind.ENGINE,
        adapter="vllm",
        model="qwen",
        build="0.32.0",
        config=(("engine.max_num_seqs", 32.0), ("gpu.name", "H200")),
        entity="vllm:8000",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def profile(*values: tuple[str, float], **changes: object) -> Profile:
    """45 healthy minutes of that engine; keywords are fields of the profile or of its identity."""
    own = {name: value for name, value in changes.items() if name in Profile.__slots__}
    who = identity(**{name: value for name, value in changes.items() if name not in own})
    figures = values or (("engine.ttft.p95", 0.4),)
    plain = Profile(
        name="usual",
        identity=who,
        values=tuple(HealthyValue(n, v, "s", whole=True) for n, v in figures),
        healthy_s=2700.0,
        requests=900.0,
        wall=WALL,
        host="gpu-07",
        tool="0.4.0",
    )
    return replace(plain, **own)  # type: ignore[arg-type]  # as above
