"""The incidents as data: what happens when, what to expect, and which rule is to speak first.

Pure. Every program of the simulator reads the same script by the same clock, so that nothing has to be sent around.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from perfconsole.demo.model.traffic import Flow
from perfconsole.errors import UsageError

ALL = "all"
RUN_S = 45.0
"""`run_s` of a session that watches the demo: cuts the holds of rules (a minute and more) to the length of a scene."""


_USUAL_CHAT = Flow(rate=4.0)
_NOBODY = Flow()


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that a phase can change."""

    chat: Flow = _USUAL_CHAT
    """Through the gateway."""
    direct: Flow = _NOBODY
    """Past the gateway, straight to the engine."""
    tasks: int = 2
    """Agent tasks under way at the orchestrator, each of 3 to 8 model calls."""
    blocking_s: float = 0.0
    """How long a tool call of a task blocks the loop of the orchestrator; 0: it waits as it should."""
    air_flow: float = 1.0
    """Of the GPU's fans, against all they give."""
    frozen: bool = False
    """The engine core is stopped (SIGSTOP)."""
    buffered: bool = False
    """The gateway keeps each answer back until it is whole."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a scenario."""

    at_s: float
    """Start, from the start of the scenario."""
    text: str
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class Scenario:
    """One incident."""

    name: str
    title: str
    expect: str
    rule: str | None
    """Rule whose finding is to come first; None when there is nothing to find."""
    phases: tuple[Phase, ...]
    length_s: float = 75.0

    def phase(self, t: float) -> Phase:
        """Phase at t seconds from the start."""
        return next(p for p in reversed(self.phases) if p.at_s <= max(0.0, t))


USUAL = Conditions()
QUIET = Conditions(chat=Flow(rate=2.0))
_AGENTS = Conditions(chat=Flow(rate=1.0), tasks=3)

SCENARIOS = (
    Scenario(
        "queue-knee",
        "more callers than slots",
        "requests wait for a slot while the KV cache is nearly empty: admission-cap",
        "admission-cap",
        (
            Phase(0, "usual traffic", USUAL),
            Phase(10, "a rush: four times the callers", Conditions(chat=Flow(rate=18.0))),
            Phase(15, "a little more arrives than 32 slots can serve", Conditions(chat=Flow(rate=9.0))),
            Phase(54, "the rush is over, the queue drains", QUIET),
        ),
    ),
    Scenario(
        "kv-exhaustion",
        "long requests fill the KV cache",
        "what was admitted does not fit: requests are evicted and computed again: preemption-storm",
        "preemption-storm",
        (
            Phase(0, "usual traffic", USUAL),
            Phase(
                10,
                "42 callers send long prompts and want long answers",
                Conditions(chat=Flow(callers=42, prompt=1250, output=420)),
            ),
            Phase(42, "no more long requests are sent", QUIET),
        ),
    ),
    Scenario(
        "gateway-bypass",
        "a batch job talks to the engine directly",
        "the engine gets requests that the gateway never sent, and they queue: traffic-bypasses-gateway",
        "traffic-bypasses-gateway",
        (
            Phase(0, "usual traffic", Conditions(chat=Flow(rate=2.0, output=100))),
            Phase(
                10,
                "25 direct callers send prompts of 3500 tokens",
                Conditions(chat=Flow(rate=1.5, output=100), direct=Flow(callers=25, prompt=3500, output=4), tasks=1),
            ),
            Phase(50, "the batch job is stopped", Conditions(chat=Flow(rate=1.5, output=100))),
        ),
    ),
    Scenario(
        "blocked-orchestrator",
        "a tool call blocks the agents' event loop",
        "agent tasks stand still while the engine idles: orchestrator-loop-blocked",
        "orchestrator-loop-blocked",
        (
            Phase(0, "usual traffic", _AGENTS),
            Phase(
                9,
                "the tool call sleeps inside the event loop; 12 tasks are under way",
                Conditions(chat=Flow(rate=1.0), tasks=12, blocking_s=0.8),
            ),
            Phase(50, "the tool call waits as it should again", _AGENTS),
        ),
    ),
    Scenario(
        "frozen-engine",
        "the engine core is stopped",
        "health and metrics answer, and no number moves: engine-frozen",
        "engine-frozen",
        (
            Phase(0, "usual traffic", USUAL),
            Phase(7, "the engine core gets SIGSTOP", Conditions(chat=Flow(rate=2.0), frozen=True)),
            Phase(46, "the engine core goes on (SIGCONT)", QUIET),
        ),
    ),
    Scenario(
        "thermal",
        "the GPU gets too little air",
        "it slows down for heat, and every token takes longer: gpu-thermal-throttle",
        "gpu-thermal-throttle",
        (
            Phase(0, "usual traffic", USUAL),
            Phase(10, "the air flow falls to a third", Conditions(chat=Flow(rate=3.0), air_flow=0.33)),
            Phase(45, "the fans are back", USUAL),
        ),
        length_s=65.0,
    ),
    Scenario(
        "buffered-stream",
        "the gateway buffers the answers",
        "tokens come late and all at once at the gateway, not at the engine; a probe confirms it: stream-buffered",
        "stream-buffered",
        (
            Phase(0, "usual traffic", USUAL),
            Phase(8, "the gateway keeps every answer back until it is whole", Conditions(buffered=True)),
            Phase(40, "it passes tokens on as they come again", USUAL),
        ),
        length_s=90.0,
    ),
    Scenario(
        "healthy",
        "nothing is wrong",
        "no finding at all",
        None,
        (Phase(0, "little traffic: p probes it", QUIET),),
        length_s=60.0,
    ),
)
INCIDENTS = tuple(s for s in SCENARIOS if s.rule is not None)
NAMES = (*(s.name for s in SCENARIOS), ALL)


def chosen(name: str) -> tuple[Scenario, ...]:
    """The scenarios that a name stands for; UsageError for an unknown one."""
    if name == ALL:
        return INCIDENTS
    found = tuple(s for s in SCENARIOS if s.name == name)
    if not found:
        raise UsageError(f"unknown scenario {name!r}; known: {', '.join(NAMES)}")
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """What plays at a time."""

    number: int
    """How many scenarios have begun before, over all rounds."""
    scenario: Scenario
    since_s: float
    phase: Phase

    @property
    def conditions(self) -> Conditions:
        """What holds now."""
        return self.phase.conditions


@dataclass(frozen=True, slots=True)
class Script:
    """Scenarios one after the other, again and again, from `start` on a monotonic clock."""

    scenarios: tuple[Scenario, ...]
    start: float
    _starts: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        lengths = [s.length_s for s in self.scenarios]
        object.__setattr__(self, "_starts", tuple(sum(lengths[:i]) for i in range(len(lengths))))

    @property
    def round_s(self) -> float:
        """Length of one round."""
        return sum(s.length_s for s in self.scenarios)

    def at(self, now: float) -> Moment:
        """What plays now; before the start the first scenario has not moved from its first second."""
        rounds, t = divmod(max(0.0, now - self.start), self.round_s)
        index = max(i for i, begin in enumerate(self._starts) if begin <= t)
        scenario, since = self.scenarios[index], t - self._starts[index]
        return Moment(int(rounds) * len(self.scenarios) + index, scenario, since, scenario.phase(since))
