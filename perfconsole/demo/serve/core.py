"""The simulated engine core: takes requests on stdin, runs the model in real time, gives events and pages on stdout.

It stands between two pipes as a real engine core does: stopping this process freezes the engine and nothing else.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.demo.model.engine import EngineModel, EngineSize
from perfconsole.demo.model.enginepage import render
from perfconsole.demo.model.gpu import GpuModel
from perfconsole.demo.model.request import Ask
from perfconsole.demo.serve import own

if TYPE_CHECKING:
    from perfconsole.clock import Clock

_TICK_S = 0.04
_PAGE_S, _PAGE_STREAMED_S = 0.25, 0.1
"""Whoever streams compares what it counts with the page."""
STOPPED_S = 0.5
"""A loop that was away for so long was stopped: what did not run meanwhile is not made up for."""


class Core:
    """The loop's state: the model, its card, and what was read but not yet taken in."""

    def __init__(self, size: EngineSize, cue: own.Cue, clock: Clock) -> None:
        self._clock = clock
        self._cue = cue
        self._now = clock.now()
        self._born = clock.wall()
        self.engine = EngineModel(size, self._now)
        self._gpu = GpuModel(self._now)
        self._page_due = 0.0
        self._rest = b""
        self._streamed: set[int] = set()
        """Requests of which each token is told."""

    def step(self, received: bytes) -> bytes:
        """Take in what came, move the model to now; gives what is to be written."""
        before, self._now = self._now, self._clock.now()
        if self._now - before > STOPPED_S:
            self.engine.stand_still(self._now)
        self._gpu.advance(self._now, busy(self.engine), self._cue.at(self._now).conditions.air_flow)
        self.engine.clock_ratio = self._gpu.clock_ratio
        self._take(received)
        told = self.engine.advance(self._now)
        self._streamed.difference_update(p.number for p in told if p.ending is not None)
        return b"".join(b"%d %d %d\n" % (p.number, p.generated, p.ending is not None) for p in told) + self._page()

    @property
    def wait_s(self) -> float:
        """How long nothing is to be done: while tokens are streamed each is told when it is made."""
        due = self.engine.due if self._streamed else None
        return _TICK_S if due is None else min(_TICK_S, max(0.0, due - self._clock.now()))

    def _take(self, received: bytes) -> None:
        *lines, self._rest = (self._rest + received).split(b"\n")
        for line in lines:
            match json.loads(line):
                case [number]:
                    self.engine.abort(number)
                    self._streamed.discard(number)
                case [number, prompt, output, each]:
                    self.engine.submit(number, Ask(prompt, output, each), self._now)
                    self._streamed.update([number] if each else ())
                case start:
                    self._cue.begin(float(start))

    def _page(self) -> bytes:
        if self._now < self._page_due:
            return b""
        self._page_due = self._now + (_PAGE_STREAMED_S if self._streamed else _PAGE_S)
        card = json.dumps({"t": self._now, "pid": os.getpid(), "values": self._gpu.values()}).encode()
        body = render(self.engine, self._born).encode()
        return b"card %d\n%bpage %d\n%b" % (len(card), card, len(body), body)


def busy(engine: EngineModel) -> float:
    """Work of the card: some for the weights, the rest with the batch."""
    return 0.3 + 0.7 * len(engine.running) / engine.size.max_num_seqs if engine.running else 0.0


def main() -> None:
    """Run until stdin ends."""
    known, cue = own.arguments(sys.argv[1:], "--max-num-seqs")
    core = Core(EngineSize(max_num_seqs=known.max_num_seqs), cue, SystemClock())
    out = core.step(b"")
    while True:
        while out:
            out = out[os.write(1, out) :]
        ready, _, _ = select.select([0], [], [], core.wait_s)
        received = os.read(0, 65536) if ready else b""
        if ready and not received:
            return
        out = core.step(received)


if __name__ == "__main__":
    main()
