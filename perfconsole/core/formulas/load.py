"""How much an engine is asked for now: against its healthy load, and for each of its GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.core.formulas.common import RATE_WINDOW_S, poll_window_s, quotient
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from perfconsole.core.frame import Frame
    from perfconsole.model.entity import Entity

RUNNING = "engine.requests_running"
WAITING = "engine.requests_waiting"
COMPARED = (RUNNING, WAITING)
"""Indicators whose baseline is read here."""


def load_ratio(frame: Frame, engine: Entity) -> float | Missing:
    """Requests in flight over the last 10 s / in the baseline; those that wait count where their baseline is known."""
    usual = frame.base(RUNNING, engine)
    if isinstance(usual, Missing):
        return usual
    running, waiting = _mean(frame, RUNNING, engine), _mean(frame, WAITING, engine)
    usually_waiting = frame.base(WAITING, engine)
    if isinstance(running, Missing) or isinstance(waiting, Missing) or isinstance(usually_waiting, Missing):
        return quotient(running, usual)
    return quotient(running + waiting, usual + usually_waiting)


def _mean(frame: Frame, name: str, engine: Entity) -> float | Missing:
    now = frame.value(name, engine)
    if isinstance(now, Missing):
        return now
    window = poll_window_s(frame, name, engine, RATE_WINDOW_S)
    values = [value for _, value in frame.store.points(name, engine, frame.t - window, frame.t)]
    return sum(values) / len(values) if values else now


def tokens_per_gpu(frame: Frame, engine: Entity) -> float | Missing:
    """Output tokens a second / GPUs of the engine; missing where none of them is seen."""
    return quotient(frame.value("engine.generation_rate", engine), float(len(frame.related(engine, Kind.GPU))))


def build_changed(frame: Frame, engine: Entity) -> float | Missing:
    """1 when build or effective configuration differ from those the saved profile was taken with, else 0."""
    return frame.build_changed(engine)


FORMULAS = {
    "engine.build_changed": build_changed,
    "engine.load_ratio": load_ratio,
    "engine.tokens_per_gpu": tokens_per_gpu,
}
