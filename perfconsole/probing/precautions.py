"""What speaks against a probe before its first request: what forbids it, and what somebody must know."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from perfconsole.model.finding import State
from perfconsole.model.probeplan import Shape
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.entity import Entity
    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.snapshot import Snapshot

PRODUCTION_SLOTS = 16
"""An engine that runs so many requests at a time serves people; a smaller one is somebody's own."""
FULL = 0.97
"""Of its slots: one that was freed by the last step shows as empty."""
FULL_KV = 0.90
_ORIGIN = "engine.max_num_seqs_origin"
HINT = "; --despite-traffic loads it all the same"
_SPARE_FILES = 64
"""What the load process has open beside its connections, and then some."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the plan does not say."""

    snapshot: Snapshot | None
    """The newest picture; None where nothing is watched."""
    engine: Entity | None
    """The engine that the load comes to, where one is watched."""
    local: bool
    """The target is on this host."""
    files: int
    """Descriptors that a process may have open."""
    despite_traffic: bool = False
    """Somebody said so: to load an engine that is busy with real traffic already."""


@dataclass(frozen=True, slots=True)
class Precautions:
    """Sentences for the person. With a refusal nothing is started."""

    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def precautions(plan: ProbePlan, around: Surroundings) -> Precautions:
    """What speaks against this plan, here and now."""
    busy = (*_ill(plan, around), *_busy(around))
    refused = () if around.despite_traffic else tuple(text for text, grave in busy if grave)
    warned = tuple(text for text, grave in busy if not grave or around.despite_traffic)
    return Precautions((*_files(plan, around.files), *refused), (*_place(plan, around), *warned))


def most_at_once(plan: ProbePlan) -> int:
    """Connections that a plan opens at most at the same time."""
    wide = [step.amount for step in plan.steps if step.shape in (Shape.CONCURRENCY, Shape.BURST)]
    open_loop = any(step.shape in (Shape.RATE, Shape.REPLAY) for step in plan.steps)
    return min(plan.caps.concurrency, max(ceil(max(wide, default=1)), plan.caps.concurrency if open_loop else 0))


def _files(plan: ProbePlan, files: int) -> Iterator[str]:
    wanted = most_at_once(plan)
    if wanted + _SPARE_FILES > files:
        yield (
            f"{wanted} connections at a time need more files than this user may have open ({files}); "
            f"raise it with `ulimit -n {wanted + _SPARE_FILES}`, or lower the concurrency"
        )


def _place(plan: ProbePlan, around: Surroundings) -> Iterator[str]:
    if not around.local:
        yield f"{plan.urls[0]} is not on this host: others may depend on it, and the network counts too"
    if around.engine is None or around.snapshot is None:
        yield "no numbers of the engine: neither its queue nor its memory is watched while it is loaded"


def _ill(plan: ProbePlan, around: Surroundings) -> Iterator[tuple[str, bool]]:
    """A critical finding that stands; where a finding asks for this probe, that is why."""
    for finding in around.snapshot.findings if around.snapshot is not None else ():
        firing = finding.severity is Severity.CRITICAL and finding.state is State.FIRING
        if firing and finding.entity == around.engine and not finding.explained_by:
            words = f"something is badly wrong there already: {finding.title}"
            yield (words, False) if plan.why else (f"{words}{HINT}", True)


def _busy(around: Surroundings) -> Iterator[tuple[str, bool]]:
    """What real traffic does there, and whether it is a reason not to begin."""
    values = engine_values(around.snapshot, around.engine)
    waiting, running = values.get("engine.requests_waiting"), values.get("engine.requests_running")
    slots, used = _slots(around, values), values.get("engine.kv_cache_usage")
    large = max(slots or 0.0, running or 0.0) >= PRODUCTION_SLOTS  # what runs at once shows slots that nobody tells
    if waiting:
        words = f"{waiting:.0f} requests of others wait already: it is past its knee, and more load hurts them"
        yield f"{words}{HINT if large else ''}", large
    elif running and slots is not None and large and running >= FULL * slots:
        yield f"{running:.0f} requests of others run already, of {slots:.0f} that can: it is at its knee{HINT}", True
    elif running:
        yield f"{running:.0f} requests of others run there now: they share what it has with the probe", False
    if used is not None and used > FULL_KV:
        yield f"its KV cache is {used:.0%} full already: more load throws requests out of it{HINT}", True


def _slots(around: Surroundings, values: dict[str, float]) -> float | None:
    """What may run at the same time over all ranks; a plateau is one of all ranks already."""
    cap = values.get("engine.max_num_seqs")
    facts = around.snapshot.facts if around.snapshot is not None else ()
    whole = any((f.name, f.entity, f.value) == (_ORIGIN, around.engine, "plateau") for f in facts)
    return cap if cap is None or whole else cap * max(1.0, values.get("engine.data_parallel", 1.0))


def engine_values(snapshot: Snapshot | None, engine: Entity | None) -> dict[str, float]:
    """What is known of one engine, by indicator."""
    if snapshot is None or engine is None:
        return {}
    return {i.name: i.value for i in snapshot.indicators if i.entity == engine and not isinstance(i.value, Missing)}
