"""What one engine did between two moments, as far as its polls show it: from the first poll in it to the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.engine import HIT, HITS, LOOKED_UP
from perfconsole.model.enginestretch import EngineStretch
from perfconsole.model.sample import Histogram, Missing

if TYPE_CHECKING:
    from perfconsole.core.series import Increase
    from perfconsole.core.store import Labels, SeriesStore
    from perfconsole.model.enginestretch import Points
    from perfconsole.model.entity import Entity

_RUNNING, _WAITING, _KV = "engine.requests_running", "engine.requests_waiting", "engine.kv_cache_usage"
_POLLED = (_RUNNING, "engine.generation_tokens", "engine.ttft")
"""What a page of an engine has at every poll, if it has anything."""


def engine_stretch(
    store: SeriesStore, engine: Entity, start: float, end: float, cap: float | None = None
) -> EngineStretch | None:
    """The stretch between the polls in [start, end], ten minutes back at most; None with fewer than two of them.

    `cap` is what may run at the same time, where that is known.
    """
    times = next((found for name in _POLLED if (found := [t for t, _ in store.points(name, engine, start, end)])), [])
    if len(times) < 2:
        return None
    within = (times[0], times[-1])

    def grown(name: str, match: Labels = ()) -> float | None:
        found = store.increase(name, engine, within, match)
        return None if isinstance(found, Missing) else found.cells[0]

    def added(name: str) -> Histogram | None:
        found = store.increase(name, engine, within)
        return None if isinstance(found, Missing) else _histogram(found)

    def points(name: str) -> Points:
        return tuple(store.points(name, engine, *within))

    return EngineStretch(
        start=times[0],
        end=times[-1],
        polls=len(times),
        output_tokens=grown("engine.generation_tokens"),
        prompt_tokens=grown("engine.prompt_tokens"),
        preemptions=grown("engine.preemptions"),
        looked_up=grown(HITS, LOOKED_UP),
        hit=grown(HITS, HIT),
        ttft=added("engine.ttft"),
        itl=added("engine.itl"),
        tpot=added("engine.tpot"),
        queue=added("engine.queue_time"),
        prefill=added("engine.prefill_time"),
        e2e=added("engine.e2e"),
        running=points(_RUNNING),
        waiting=points(_WAITING),
        kv_usage=_means(store, _KV, engine, within),
        max_num_seqs=cap,
    )


def _histogram(grown: Increase) -> Histogram | None:
    return None if grown.bounds is None else Histogram(grown.bounds, grown.cells[:-1], grown.cells[-1])


def _means(store: SeriesStore, name: str, engine: Entity, within: tuple[float, float]) -> Points:
    """Mean over the parts at each poll: a use of memory does not add up over ranks."""
    polled: dict[float, int] = {}
    for series in store.parts(name, engine).values():
        for t, _ in series.raw.points(*within):
            polled[t] = polled.get(t, 0) + 1
    return tuple((t, total / polled[t]) for t, total in store.points(name, engine, *within))
