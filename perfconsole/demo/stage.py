"""The stage: starts the programs of the simulator, says what plays, gives the targets to watch, and clears up.

Owns the children and their ports. What plays when follows from the script, the clock, and how long the play stood
still while a probe ran; the stage sends nothing to anybody.
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.actions import run
from perfconsole.clock import SystemClock
from perfconsole.config import Target
from perfconsole.demo.gatewaytable import TABLE
from perfconsole.demo.scenarios import ALL, Script, chosen
from perfconsole.demo.serve.standstill import Standstill
from perfconsole.errors import NotPermittedError

if TYPE_CHECKING:
    from perfconsole.clock import Clock
    from perfconsole.config import Config
    from perfconsole.demo.scenarios import Moment

HOST = "127.0.0.1"
MAX_NUM_SEQS = 32
_LEAD_S = 0.5
"""From the moment at which all programs answer to the start of the script."""
_READY_S = 15.0
_LOOK_S = 0.05
_END_S = 1.0
_PROGRAMS = "perfconsole.demo.serve"
ENGINE, GATEWAY, ORCHESTRATOR = "sim-engine", "sim-gateway", "sim-agents"
"""Names of the targets, so that every line about them says that they are simulated."""


class Stage:
    """One showing. Call `start` from the main thread, and `close` in any case; both may come twice.

    `skip_s` seconds of the script are left out at its start.
    """

    def __init__(self, name: str = ALL, clock: Clock | None = None, skip_s: float = 0.0) -> None:
        self._clock = clock or SystemClock()
        self._name = name
        self._skip_s = skip_s
        self.scenarios = chosen(name)
        self._script: Script | None = None
        self._children: dict[str, run.Child] = {}
        self._standstill = Standstill()
        self._reserved = [_reserve() for _ in range(3)]
        self._engine, self._gateway, self._orchestrator = (s.getsockname()[1] for s in self._reserved)

    @property
    def length_s(self) -> float:
        """How long the script is; it begins anew after that."""
        return sum(s.length_s for s in self.scenarios)

    @property
    def lead_s(self) -> float:
        """Seconds until the script begins, 0 once it has."""
        return max(0.0, self._script.start - self._clock.now()) if self._script else _LEAD_S

    @property
    def pids(self) -> tuple[int, ...]:
        """Programs that were started here."""
        return tuple(child.pid for child in self._children.values())

    @property
    def lost(self) -> tuple[str, ...]:
        """Programs that have ended although the showing goes on."""
        return tuple(name for name, child in self._children.items() if child.code() is not None)

    def start(self) -> None:
        """Start the programs and wait until all ports answer; NotPermittedError when one of them cannot."""
        if self._script is not None:
            return
        try:
            for name, flags in self._flags().items():
                shared = ("--scenario", self._name, "--standstill", self._standstill.place)
                self._children[name] = run.start(_argv(name, *flags, *shared))
            self._wait()
        except BaseException:
            self.close()
            raise
        self._script = Script(self.scenarios, self._clock.now() + _LEAD_S - self._skip_s)
        for child in self._children.values():
            child.send(b"%r\n" % self._script.start)

    def _flags(self) -> dict[str, tuple[object, ...]]:
        engine, gateway = ("--engine-port", self._engine), ("--gateway-port", self._gateway)
        # The words after --simulates are those by which the process source knows the command line of an engine.
        argv = ("--simulates", "vllm.entrypoints.openai", "--port", self._engine, "--max-num-seqs", MAX_NUM_SEQS)
        return {
            "engine": argv,
            "gateway": ("--port", self._gateway, *engine),
            "orchestrator": ("--port", self._orchestrator, *gateway),
            "callers": (*gateway, *engine, "--orchestrator-port", self._orchestrator),
        }

    def _wait(self) -> None:
        deadline = self._clock.now() + _READY_S
        for port in (self._engine, self._gateway, self._orchestrator):
            while not _answers(port):
                self._look_after(deadline)
                self._clock.sleep(_LOOK_S)

    def _look_after(self, deadline: float) -> None:
        for name in self.lost:
            words = self._children[name].last_words()
            raise NotPermittedError(f"the simulated {name} ended at its start: {words}")
        if self._clock.now() > deadline:
            raise NotPermittedError(f"the simulated servers did not answer within {_READY_S:.0f} s")

    def config(self, config: Config) -> Config:
        """The user's configuration with the simulated targets in the place of real ones."""
        places = (
            ("engine", self._engine, ENGINE, None),
            ("gateway", self._gateway, GATEWAY, TABLE),
            ("orchestration", self._orchestrator, ORCHESTRATOR, None),
        )
        targets = tuple(
            Target(layer, f"http://{HOST}:{port}", name, adapter=table) for layer, port, name, table in places
        )
        return replace(config, targets=targets)

    def gpu_helper(self) -> list[str]:
        """Program that answers in the place of NVML."""
        return _argv("gpu", self._engine)

    def scenario_now(self, now: float) -> Moment:
        """What plays at a moment of the monotonic clock, and what to expect of it."""
        return (self._script or Script(self.scenarios, now)).at(self._standstill.played(now))

    def banner(self, now: float) -> str:
        """One line for the head of the screen: that it is simulated, what plays, what happens just now."""
        moment = self.scenario_now(now)
        number = moment.number % len(self.scenarios) + 1
        scenario = moment.scenario
        place = f"{number}/{len(self.scenarios)} {scenario.name}"
        lost = "".join(f"; the simulated {name} has ended" for name in self.lost)
        waits = ", waits for the probe" if self._standstill.held else ""
        return f"SIMULATED {place} {moment.since_s:.0f}/{scenario.length_s:.0f} s{waits}: {moment.phase.text}{lost}"

    def close(self) -> None:
        """End all programs; takes a second at most. They leave nothing behind."""
        run.end(list(self._children.values()), _END_S)
        for child in self._children.values():
            child.close()
        for reserved in self._reserved:
            reserved.close()
        self._standstill.close()


def _argv(program: str, *flags: object) -> list[str]:
    return [sys.executable, "-m", f"{_PROGRAMS}.{program}", *(str(flag) for flag in flags)]


def _reserve() -> socket.socket:
    """A free port that nobody else gets: bound here, and listened on by the program that is told of it."""
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind((HOST, 0))
    return reserved


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), timeout=0.5):
        return True
    return False
