"""What a person wants probed, before it is: target, scenario, loads and model, or what a check of a finding says."""

from __future__ import annotations

import resource
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.errors import UsageError
from perfconsole.model.probeask import Change, ProbeAsk, Traffic, Worst
from perfconsole.model.probeplan import SCENARIOS, STEP_LOAD, ProbePlan
from perfconsole.probing.asking import asked
from perfconsole.probing.conductor import Lead
from perfconsole.probing.opening import opening_of
from perfconsole.probing.planning import plan_of
from perfconsole.probing.precautions import HINT, Surroundings, precautions
from perfconsole.probing.written import read_written
from perfconsole.sources.probetarget import is_unix, shown_target
from perfconsole.sources.web.address import parse_address
from perfconsole.tui.probemodels import Models
from perfconsole.tui.probeplaces import engine_behind, entity_at, places, spot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perfconsole.model.entity import Entity
    from perfconsole.model.probeorders import Target
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.keys import Keys
    from perfconsole.tui.probeplaces import Place

LADDERS = ("", "1,4,16", "1,2,4,8,16,32", "1")
"""Loads to choose from; the first goes up until more gives nothing more."""
_NOTHING = "nothing is watched that could be probed: name it with --engine URL or --gateway URL"
_REPLAY = "no sample is replayed here: run the command in a shell"
_OURS = "the probe before this one still counts in what the engine says"
_RATE_S = 15.0
"""Rates are of the last 10 s, and a poll may be some seconds old."""
_DESPITE = "; a loads it all the same"
_FILES = 1 << 20
"""Descriptors of a process that may have as many as it likes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the keys have chosen: a URL, and how often each of the others was pressed."""

    target: str = ""
    """The first place until there is one; it stays whatever is found later, so that nobody loads what was not shown."""
    scenario: int = 0
    ladder: int = 0
    model: int = 0
    despite: int = 0
    """How often somebody said: all the same."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What is led, and whom its values speak of."""

    plan: ProbePlan
    lead: Lead
    entities: tuple[Entity, ...]
    traffic_per_s: float | None
    """What others sent before it."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What the screen knows beside the pictures."""

    address: Callable[[str], Target]
    """What a probe connects to at a URL."""
    loaded_until: float = -inf
    """Monotonic seconds of the end of the probe before."""


class Wish:
    """Owns what is chosen, and the question: that takes up to 4 ms to make, and is drawn more often than it changes."""

    def __init__(self, command: tuple[str, ...] = (), entity: Entity | None = None, why: str = "") -> None:
        """`command` is that of a check; `entity` is what its finding speaks of."""
        self.trouble = ""
        """Why the last attempt failed."""
        self._command = command
        self._about = entity
        self._why = why
        self._choice = Choice()
        self._models = Models()
        self._watch: Watched | None = None
        self._seen: Snapshot | None = None
        self._places: tuple[Place, ...] = ()
        self._said: ProbeAsk | None = None
        """The question about what was seen last."""
        self._urls: tuple[str, ...] = ()
        """Of the plan, as they are written."""

    def settle(self, watch: Watched, snapshot: Snapshot, told: Callable[[], object]) -> None:
        """Take note of what is watched, and ask the target for its models; `told` is called when it has said them."""
        if snapshot is not self._seen or watch != self._watch:
            self._seen, self._watch, self._places, self._said = snapshot, watch, places(snapshot), None
        if not self.ask().plan.model and self._urls:
            self._models.ask(self._urls[0], watch.address, told)

    def heard(self) -> None:
        """The target has named its models."""
        self._said = None

    def change(self, what: str) -> None:
        """The next target, scenario, loads or model (a check says all but the model); or ask the target `again`."""
        self.trouble, self._said = "", None
        if what == "again":
            self._models.forget(self._urls[0]) if self._urls else None
        elif what in ("model", "despite") or not self._command:
            self._choice = _turned(self._choice, what, self._places)

    def keys(self) -> Keys:
        """What can be changed."""
        if self._said is None:
            return ()
        again: Keys = (("r", "ask again"),) if self._urls and self._models.served(self._urls[0]).trouble else ()
        refused = any(text.endswith(_DESPITE) for text in self._said.refusals)
        despite: Keys = (("a", "all the same"),) if refused else ()
        return (*again, *despite, *((change.key, change.name) for change in self._said.changes))

    def ask(self) -> ProbeAsk:
        """The question, with what speaks against it here and now."""
        if self._said is None:
            try:
                self._said = self._question(self._plan())
            except UsageError as error:
                plan, worst = ProbePlan(STEP_LOAD, (), ()), Worst(0, 0, 0, 0.0)
                self._said = ProbeAsk(plan, worst, refusals=(str(error),))
        return replace(self._said, trouble=self.trouble)

    @property
    def ready(self) -> bool:
        """It can be started."""
        ask = self.ask()
        return bool(ask.plan.model) and not ask.refusals

    def begin(self, offset: float) -> Begun:
        """What to lead, once it is ready; `offset` is epoch minus monotonic seconds. UsageError for a key not there."""
        assert self._watch is not None  # noqa: S101 - it was settled before it could be ready
        ask = self.ask()
        plan = replace(ask.plan, seed=_seed())
        engines = tuple(engine_behind(url, self._places) for url in self._urls)
        probed = (entity_at(url, self._places) for url in self._urls)
        entities = dict.fromkeys(entity for entity in (self._about, *probed, *engines[:1]) if entity is not None)
        opening = opening_of(plan, map(self._watch.address, self._urls))
        lead = Lead(opening, offset, engines, self._seen)
        return Begun(plan, lead, tuple(entities), ask.traffic.requests_per_s)

    def _plan(self) -> ProbePlan:
        """What would be sent; UsageError where nothing can be."""
        self._urls = ()
        if not self._choice.target:
            self._choice = _turned(self._choice, "target", self._places)
        recipe, urls, options = read_written(self._command or _words(self._choice))
        if options.replay is not None:
            raise UsageError(_REPLAY)
        if len(set(map(spot, urls))) < len(urls):
            raise UsageError(f"{' and '.join(map(shown_target, urls))} are one target: there is no way around it")
        options.why = self._why
        plan = plan_of(recipe, tuple(map(shown_target, urls)), options, _seed())
        self._urls = urls
        served = self._models.served(urls[0]).models
        return plan if plan.model or not served else replace(plan, model=served[self._choice.model % len(served)])

    def _question(self, plan: ProbePlan) -> ProbeAsk:
        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        local = all(is_unix(url) or parse_address(url).loopback for url in self._urls)
        engine = engine_behind(self._urls[0], self._places)
        despite = bool(self._choice.despite % 2)
        around = Surroundings(self._seen, engine, local, files if files > 0 else _FILES, despite)
        ask = asked(plan, precautions(plan, around), self._seen, engine)
        traffic = Traffic(unknown=_OURS) if self._is_ours() and not ask.traffic.unknown else ask.traffic
        refusals = (*self._unasked(plan), *(text.replace(HINT, _DESPITE) for text in ask.refusals))
        return replace(ask, traffic=traffic, refusals=refusals, changes=self._changes())

    def _is_ours(self) -> bool:
        """Rates of now may still be those of the probe before."""
        watch, seen = self._watch, self._seen
        return watch is not None and seen is not None and seen.t < watch.loaded_until + _RATE_S

    def _unasked(self, plan: ProbePlan) -> Iterator[str]:
        """Why there is no model to ask for."""
        served = self._models.served(self._urls[0])
        if served.trouble and not plan.model:
            yield f"{served.trouble}{f' (`perfconsole probe` takes {served.option})' if served.option else ''}"

    def _changes(self) -> tuple[Change, ...]:
        """What each key changes, and what that is now."""
        choice, models = self._choice, self._models.served(self._urls[0]).models
        named = models[choice.model % len(models)] if len(models) > 1 else ""
        model = (Change("m", "model", named),) if named else ()
        if self._command:
            return model
        ladder = _turn(LADDERS, choice.ladder) or "up until more gives nothing more"
        layer = next((f"{place.entity.kind} " for place in self._places if place.url == choice.target), "")
        target = (Change("t", "target", f"{layer}{choice.target}"),) if len(self._places) > 1 else ()
        scenario = Change("s", "scenario", _turn(SCENARIOS, choice.scenario))
        return (*target, *model, scenario, Change("n", "loads", ladder))


def _words(choice: Choice) -> tuple[str, ...]:
    """The command that says the same."""
    if not choice.target:
        raise UsageError(_NOTHING)
    ladder = _turn(LADDERS, choice.ladder)
    steps = ("--steps", ladder) if ladder else ()
    return ("perfconsole", "probe", STEP_LOAD, choice.target, "--scenario", _turn(SCENARIOS, choice.scenario), *steps)


def _turned(choice: Choice, what: str, known: tuple[Place, ...]) -> Choice:
    """The choice with the next one of something; another target has models of its own."""
    if what != "target":
        return replace(choice, **{what: getattr(choice, what) + 1})
    urls = [place.url for place in known]
    following = urls.index(choice.target) + 1 if choice.target in urls else 0
    return replace(choice, target=urls[following % len(urls)] if urls else choice.target, model=0)


def _turn(values: Sequence[str], number: int) -> str:
    return values[number % len(values)]


def _seed() -> int:
    """Another one for each probe: no two share a text, as a prefix cache would flatter."""
    return int(SystemClock().wall() * 1000) & 0x7FFFFFFF
