"""Parts of an indicator that are counters of a page, told by the label `counted`: their rate is the indicator.

An adapter maps a counter that moves while requests run to `engine.generation_rate` as `counted=live`, seconds of work
to `engine.busy` and CPU seconds to the CPU of a process as `counted=seconds`. A part of `engine.generation_tokens` that
moves only when a request ends is `counted=at-finish`, and has no rate that means anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, rate
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.core.frame import Frame
    from perfconsole.core.store import Labels
    from perfconsole.model.entity import Entity

COUNTED = "counted"
AT_FINISH = (COUNTED, "at-finish")
TOKENS = "engine.generation_tokens"
OUTPUT = "engine.generation_rate"
_SERIES = "series"
HTTP_INFLIGHT = "engine.http_inflight"


def is_counted(frame: Frame, name: str, entity: Entity) -> bool:
    """Some source has counters under this name."""
    return any(dict(labels).get(COUNTED) for labels in frame.store.parts(name, entity))


def live_tokens(frame: Frame, engine: Entity) -> str | None:
    """Name under which output tokens are counted while requests run; None where they are counted only at the end."""
    if is_counted(frame, OUTPUT, engine):
        return OUTPUT
    parts = frame.store.parts(TOKENS, engine)
    return None if parts and all(AT_FINISH in labels for labels in parts) else TOKENS


def generation_rate(frame: Frame, engine: Entity) -> float | Missing:
    """Output tokens a second over 10 s; UNSUPPORTED where tokens are only counted when a request ends."""
    name = live_tokens(frame, engine)
    return Missing.UNSUPPORTED if name is None else rate(frame, name, engine, RATE_WINDOW_S)


def busiest(name: str) -> Callable[[Frame, Entity], float | Missing]:
    """The largest of the rates of the counters under a name: seconds a second of the busiest process or rank."""
    return lambda frame, engine: _busiest(frame, name, engine)


def seen_on_page(frame: Frame, engine: Entity) -> float | Missing:
    """What the page counts; another source that sees the same thing under the plain name overrides it."""
    return frame.folded(HTTP_INFLIGHT, engine)


def _busiest(frame: Frame, name: str, engine: Entity) -> float | Missing:
    counters = [labels for labels in frame.store.parts(name, engine) if dict(labels).get(COUNTED)]
    if not counters:
        return frame.folded(name, engine)
    told_apart = dict.fromkeys(tuple(pair for pair in labels if pair[0] != _SERIES) for labels in counters)
    return highest_rate(frame, name, engine, told_apart)  # of all series of a row


def highest_rate(frame: Frame, name: str, engine: Entity, groups: Iterable[Labels]) -> float | Missing:
    """The largest of the rates over 10 s of the parts with the labels of each group, of one group at the least."""
    rates = [rate(frame, name, engine, RATE_WINDOW_S, labels) for labels in groups]
    known = [r for r in rates if not isinstance(r, Missing)]
    return max(known) if known else rates[0]


_RATED = (
    "engine.busy",
    "engine.model_flops",
    "engine.frontend_cpu",
    "engine.frontend_process_cpu",
    "engine.core_cpu",
    "engine.core_process_cpu",
)
STATED = frozenset((HTTP_INFLIGHT, *_RATED))
"""Indicators that most sources state as they are: without a source nobody looks for them."""

FORMULAS = {
    OUTPUT: generation_rate,
    HTTP_INFLIGHT: seen_on_page,
    **{name: busiest(name) for name in _RATED},
}
