"""Plays a scenario on a manual clock: the models, the page classes of live, a session; no socket, no waiting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from perfconsole.core.session import Session
from perfconsole.demo.gatewaytable import TABLE
from perfconsole.demo.model.engine import EngineModel, EngineSize
from perfconsole.demo.model.enginepage import render
from perfconsole.demo.model.gateway import GatewayModel, Passed
from perfconsole.demo.model.gpu import GpuModel
from perfconsole.demo.model.serverpage import ProcessFigures, process_part
from perfconsole.demo.model.traffic import Traffic
from perfconsole.demo.scenarios import RUN_S, Script, chosen
from perfconsole.demo.serve.core import busy
from perfconsole.demo.serve.gpu import answer
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Link, Relation
from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.sources import engines
from perfconsole.sources.gpu import GpuSource
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.targetpage import Poll, TargetPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.demo.model.request import Ask
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot

STEP_S = 0.05
EPOCH = 1_800_000_000.0
FLAGS = ("vllm", "serve", "--max-num-seqs", "32")


@dataclass(slots=True)
class Held:
    """A request that is under way: by which way it came, and when."""

    way: str
    ask: Ask
    sent: float
    first: float | None = None


class World:
    """Callers, gateway, engine and card of one scenario, from its start."""

    def __init__(self, name: str, seed: int = 1) -> None:
        self.script = Script(chosen(name), 0.0)
        self.engine = EngineModel(EngineSize(), 0.0)
        self.gateway = GatewayModel("http://127.0.0.1:1/v1", EPOCH)
        self.card = GpuModel(0.0)
        random = Random(seed)  # noqa: S311 - chance of a simulation
        self._ways = {"chat": Traffic(random, 0.0), "direct": Traffic(random, 0.0)}
        self.held: dict[int, Held] = {}
        self._numbers = 0
        self._unread: list[tuple[int, Ask]] = []

    def advance(self, t: float) -> None:
        """Play one small step up to t."""
        conditions = self.script.at(t).conditions
        self.card.advance(t, busy(self.engine), conditions.air_flow)
        self.engine.clock_ratio = self.card.clock_ratio
        for way, flow in (("chat", conditions.chat), ("direct", conditions.direct)):
            under_way = sum(h.way == way for h in self.held.values())
            for ask in self._ways[way].due(flow, t, under_way):
                self._send(way, ask, t)
        if conditions.frozen:
            self.engine.stand_still(t)
            return
        for number, ask in self._unread:
            self.engine.submit(number, ask, t)
        self._unread.clear()
        self._run(t, buffers=conditions.buffered)

    def _send(self, way: str, ask: Ask, t: float) -> None:
        self._numbers += 1
        self.held[self._numbers] = Held(way, ask, t)
        self._unread.append((self._numbers, ask))
        if way == "chat":
            self.gateway.begin()

    def _run(self, t: float, *, buffers: bool) -> None:
        for progress in self.engine.advance(t):
            held = self.held[progress.number]
            held.first = t if buffers else held.first or t
            if progress.ending is not None:
                del self.held[progress.number]
                if held.way == "chat":
                    took = t - held.sent
                    self.gateway.end(Passed(200, took, took, held.first - held.sent, held.ask.prompt, held.ask.output))


class Console:
    """The sources' pure halves and a session, polling a world once a second."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.session = Session(shipped_rules(), run_s=RUN_S)
        self._engine = TargetPage("127.0.0.1:1", engines.adapters(), DEFAULT, "sim-engine")
        self._gateway = TargetPage("127.0.0.1:2", (TABLE,), DEFAULT, "sim-gateway", layer=GATEWAY)
        self._gpu = GpuSource(("-",), DEFAULT, lambda: {self._engine.entity: frozenset({7})})

    def poll(self, t: float) -> None:
        """One poll of everything."""
        figures = process_part(ProcessFigures(EPOCH, cpu_s=0.01 * t))
        pages = ((self._engine, render(self._world.engine, EPOCH)), (self._gateway, self._world.gateway.page()))
        for page, text in pages:
            self.session.apply(page.batch(Poll((figures + text).encode(), False, t, EPOCH + t, 0.002, 1.0)))  # noqa: FBT003 - text, not OpenMetrics
        state = {"t": t, "pid": 7, "values": self._world.card.values()}
        self.session.apply(self._gpu.read(answer(state, t), t, EPOCH + t, 0.001))
        self.session.apply(self._processes(t))

    def _processes(self, t: float) -> Batch:
        """What the health route and the process source say of an engine that runs and is not stopped."""
        engine = self._engine.entity
        values = (("engine.up", 1.0, ()), ("engine.ready", 1.0, ()), *engines.flags_of(FLAGS))
        samples = tuple(Sample(SeriesKey(name, engine, tag), value) for name, value, tag in values)
        link = Link(Relation.GATEWAY_TO_ENGINE, self._gateway.entity, engine)
        return Batch("processes", "processes", t, EPOCH + t, 1.0, samples=samples, links=(link,), took_s=0.001)


def play(name: str, seed: int = 1) -> Iterator[tuple[float, Snapshot]]:
    """Second and snapshot, from the start of the scenario to its end."""
    world = World(name, seed)
    console = Console(world)
    steps = round(1 / STEP_S)
    for second in range(1, int(world.script.round_s)):
        for step in range(steps):
            world.advance(second - 1 + (step + 1) * STEP_S)
        console.poll(float(second))
        yield float(second), console.session.tick(float(second), EPOCH + second)


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """The rules as users get them."""
    return tuple(load_folder(shipped_folder())[0])
