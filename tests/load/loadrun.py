"""The load in this process, driven to its end, and the load process as a child."""

from __future__ import annotations

import subprocess  # noqa: TID251 - its end is looked at as any program sees it
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfconsole.clock import epoch_ns
from perfconsole.load.load import Load
from perfconsole.model.probeload import LoadEnd, LoadEvent, LoadTick, Part, RequestRecord, StepRecord
from perfconsole.model.probeorders import Open, Run, Target
from perfconsole.model.probeplan import Caps, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass
class Told:
    """Everything that the process told."""

    records: list[RequestRecord] = field(default_factory=list)
    ticks: list[LoadTick] = field(default_factory=list)
    steps: list[StepRecord] = field(default_factory=list)
    end: LoadEnd | None = None

    def counted(self, step: int = 0) -> list[RequestRecord]:
        """Requests of a step that count."""
        return [r for r in self.records if r.step == step and r.part is Part.COUNTED]


def opening(port: int, **more: object) -> Open:
    """The first order, for a server on this host; any field may be given another value."""
    fields: dict[str, object] = {
        "targets": (Target("http", "127.0.0.1", port),),
        "api": "chat",
        "model": "exact",
        "scenario": "short-chat",
        "mix": (3, 4, 3),
        "prompt_tokens": 32,
        "output_tokens": 16,
        "timeout_s": 10.0,
        "caps": Caps(seconds=30.0),
        "seed": 1,
    }
    return Open(**{**fields, **more})  # type: ignore[arg-type]


def closed(amount: int, requests: int, index: int = 0, **more: object) -> Run:
    """A step of the closed loop."""
    return Run(index, Shape.CONCURRENCY, float(amount), requests=requests, **more)  # type: ignore[arg-type]


def process() -> subprocess.Popen[bytes]:
    """The load process, waiting for its first order."""
    argv = [sys.executable, "-m", "perfconsole.load"]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own


def drive(first: Open, runs: Sequence[Run], warm: int = 0) -> Told:
    """Warm up, go through the steps, and let it end: in this process, as its own loop would."""
    told, coming = Told(), list(runs)
    moved = Moved(first)
    moved.load.warm(warm) if warm else moved.load.step(coming.pop(0))
    while not moved.load.over:
        seen = len(moved.of(StepRecord))
        moved.until(lambda seen=seen: len(moved.of(StepRecord)) > seen)  # type: ignore[misc]  # bound now
        if not moved.load.over:
            moved.load.step(coming.pop(0)) if coming else moved.load.finish(None)
    told.records, told.ticks = moved.of(RequestRecord), moved.of(LoadTick)
    told.steps, told.end = moved.of(StepRecord), moved.of(LoadEnd)[0]
    return told


class Moved:
    """A load that is moved on by hand, and what it told."""

    def __init__(self, first: Open) -> None:
        self.told: list[LoadEvent] = []
        self.load = Load(first, self.told.append)

    def until(self, done: Callable[[], bool]) -> None:
        """Go on until then, or until it is over."""
        traffic, asked = self.load.traffic, 0
        for _ in range(100_000):
            if done() or self.load.over:
                return
            traffic.since, asked = asked, epoch_ns()
            for fd, mask in traffic.wires.epoll.poll(0.002):
                if not traffic.wires.news(fd):
                    traffic.serve(fd, mask)
            self.load.account.tell_some()
            self.load.on_time()
        raise AssertionError("it does not come to that")

    def of(self, kind: type[Any]) -> list[Any]:
        """Events of a kind."""
        return [event for event in self.told if isinstance(event, kind)]
