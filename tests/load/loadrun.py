"""The load process as a child, driven to its end: what it told."""

from __future__ import annotations

import subprocess  # noqa: TID251 - its end is looked at as any program sees it
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfconsole.load.wire import decode_event, encode_order
from perfconsole.model.probeload import LoadEnd, LoadTick, Part, RequestRecord, StepRecord
from perfconsole.model.probeorders import Finish, Open, Run, Target, Warm
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


def drive(first: Open, runs: Sequence[Run], warm: int = 0, on_step: Callable[[StepRecord], None] | None = None) -> Told:
    """Warm up, go through the steps, and let it end."""
    told, coming = Told(), list(runs)
    with process() as child:
        assert child.stdin is not None
        assert child.stdout is not None
        orders = [first, *([Warm(warm)] if warm else [coming.pop(0)])]
        child.stdin.write(b"".join(map(encode_order, orders)))
        child.stdin.flush()
        for line in child.stdout:
            event = decode_event(line)
            if isinstance(event, RequestRecord):
                told.records.append(event)
            elif isinstance(event, LoadTick):
                told.ticks.append(event)
            elif isinstance(event, LoadEnd):
                told.end = event
                break
            else:
                told.steps.append(event)
                if on_step is not None:
                    on_step(event)
                child.stdin.write(encode_order(coming.pop(0) if coming else Finish()))
                child.stdin.flush()
        child.stdin.close()
        child.wait(10)
    return told
