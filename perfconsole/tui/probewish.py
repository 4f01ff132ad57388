"""What a person wants probed, before it is: target, scenario, ladder, or what a check of a finding says."""

from __future__ import annotations

import resource
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.errors import UsageError
from perfconsole.model.entity import Kind
from perfconsole.model.probeask import Change
from perfconsole.model.probeplan import SCENARIOS, STEP_LOAD, ProbePlan
from perfconsole.probing.asking import asked
from perfconsole.probing.conductor import Lead
from perfconsole.probing.opening import opening_of
from perfconsole.probing.planning import plan_of
from perfconsole.probing.precautions import Surroundings, precautions
from perfconsole.probing.written import read_written
from perfconsole.sources.probetarget import shown_target
from perfconsole.sources.servedmodels import served_models
from perfconsole.sources.web.address import parse_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.entity import Entity
    from perfconsole.model.probeask import ProbeAsk
    from perfconsole.model.probeorders import Target
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.keys import Keys
    from perfconsole.view.picture import Picture

LADDERS = ("", "1,4,16", "1,2,4,8,16,32", "1")
"""Loads to choose from; the first goes up until more gives nothing more."""
_URLS = ("engine.url", "gateway.url")


@dataclass(frozen=True, slots=True)
class Place:
    """Something that can be probed."""

    url: str
    entity: Entity | None


class Wish:
    """Owns what is chosen; the models of a target are asked for on a thread, once for each."""

    def __init__(self, command: tuple[str, ...] = (), entity: Entity | None = None, why: str = "") -> None:
        """`command` is that of a check; `entity` is what its finding speaks of."""
        self._command = command
        self.about = entity
        self._why = why
        self._target = self._scenario = self._ladder = 0
        self._places: tuple[Place, ...] = ()
        self._models: dict[str, str] = {}
        """By URL, once the target has said so."""
        self._asking: set[str] = set()
        self.trouble = ""
        self._address: Callable[[str], Target] | None = None

    def settle(self, app: ConsoleApp, draw: Callable[[], object]) -> None:
        """Take note of what is watched, and ask the target for its models; `draw` is called when it has said them."""
        self._address = app.setting.address
        self._places = places(app.picture.snapshot) if app.picture else ()
        urls = self._urls()
        if urls and urls[0] not in self._models and urls[0] not in self._asking:
            self._asking.add(urls[0])

            def work(url: str = urls[0]) -> None:
                self._ask_models(url)
                app.call_from_thread(draw)

            threading.Thread(target=work, name="models", daemon=True).start()

    def _ask_models(self, url: str) -> None:
        """Which model it serves."""
        try:
            headers = dict(self._address(url).headers) if self._address else {}
            served = served_models(url, headers)
        except UsageError as error:
            self.trouble = str(error)
        else:
            self.trouble = served.trouble
            if served.models:
                self._models[url] = served.models[0]
        self._asking.discard(url)

    def change(self, what: str) -> None:
        """The next target, scenario or ladder; a check says all of them itself."""
        if self._command:
            return
        if what == "target":
            self._target += 1
        elif what == "scenario":
            self._scenario += 1
        else:
            self._ladder += 1
        self.trouble = ""

    def keys(self) -> Keys:
        """What can be changed."""
        many: Keys = (("t", "target"),) if len(self._places) > 1 else ()
        return () if self._command else (*many, ("s", "scenario"), ("n", "loads"))

    def _urls(self) -> tuple[str, ...]:
        if self._command:
            return read_written(self._command)[1]
        return (self._places[self._target % len(self._places)].url,) if self._places else ()

    def plan(self) -> ProbePlan:
        """What would be sent; UsageError where nothing can be."""
        words = self._command or self._chosen()
        recipe, urls, options = read_written(words)
        options.why = self._why
        seed = int(SystemClock().wall() * 1000) & 0x7FFFFFFF
        plan = plan_of(recipe, tuple(map(shown_target, urls)), options, seed)
        return replace(plan, model=self._models.get(urls[0], ""))

    def _chosen(self) -> tuple[str, ...]:
        urls = self._urls()
        if not urls:
            raise UsageError("nothing is watched that could be probed: name it with --engine URL or --gateway URL")
        ladder = LADDERS[self._ladder % len(LADDERS)]
        scenario = SCENARIOS[self._scenario % len(SCENARIOS)]
        steps = ("--steps", ladder) if ladder else ()
        return ("perfconsole", "probe", STEP_LOAD, *urls, "--scenario", scenario, *steps)

    def ask(self, snapshot: Snapshot) -> ProbeAsk:
        """The question, with what speaks against it here and now."""
        try:
            plan = self.plan()
        except UsageError as error:
            empty = ProbePlan(STEP_LOAD, (), ())
            return replace(
                asked(empty, precautions(empty, self._around(snapshot, empty)), snapshot, None),
                refusals=(str(error),),
                warnings=(),
            )
        around = self._around(snapshot, plan)
        ask = asked(plan, precautions(plan, around), snapshot, around.engine)
        waits = () if plan.model or self.trouble else (f"{plan.urls[0]} is asked for its models",)
        trouble = self.trouble if not plan.model else ""
        refusals = (*ask.refusals, *([trouble] if trouble else []))
        return replace(
            ask, refusals=refusals, warnings=(*waits, *ask.warnings), changes=self._changes(), trouble=self.trouble
        )

    def _changes(self) -> tuple[Change, ...]:
        if self._command:
            return ()
        ladder = LADDERS[self._ladder % len(LADDERS)] or "up until more gives nothing more"
        target = (Change("t", "target", self._urls()[0]),) if len(self._places) > 1 else ()
        return (
            *target,
            Change("s", "scenario", SCENARIOS[self._scenario % len(SCENARIOS)]),
            Change("n", "loads", ladder),
        )

    def ready(self, picture: Picture | None) -> bool:
        """It can be started."""
        if picture is None:
            return False
        ask = self.ask(picture.snapshot)
        return bool(ask.plan.model) and not ask.refusals

    def _around(self, snapshot: Snapshot, plan: ProbePlan) -> Surroundings:
        _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
        local = all(parse_address(url).loopback for url in plan.urls)
        return Surroundings(snapshot, self.engines()[0] if plan.urls else None, local, files if files > 0 else 1 << 20)

    def engines(self) -> tuple[Entity | None, ...]:
        """The engine behind each target: itself, or the only one that is watched."""
        engines = {place.url: place.entity for place in self._places if _is_engine(place)}
        only = next(iter(engines.values())) if len(engines) == 1 else None
        return tuple(engines.get(url, only) for url in self._urls())

    def entities(self) -> tuple[Entity, ...]:
        """What its values speak of: what the finding that asks is about, and what was probed."""
        known = {place.url: place.entity for place in self._places}
        probed = (known.get(url) for url in self._urls())
        found = (self.about, *probed, *self.engines()[:1])
        return tuple(dict.fromkeys(entity for entity in found if entity is not None))

    def start(self, snapshot: Snapshot, offset: float) -> tuple[ProbePlan, Lead]:
        """The plan, and what it is led by; `offset` is epoch minus monotonic seconds."""
        plan, address = self.plan(), self._address
        assert address is not None  # noqa: S101 - it was settled before it could be ready
        opening = opening_of(plan, map(address, self._urls()))
        return plan, Lead(opening, offset, self.engines(), snapshot)


def places(snapshot: Snapshot) -> tuple[Place, ...]:
    """Everything that can be probed: engines first, then what stands before them."""
    facts = sorted((fact for fact in snapshot.facts if fact.name in _URLS), key=lambda f: _URLS.index(f.name))
    return tuple(Place(fact.value, fact.entity) for fact in facts)


def _is_engine(place: Place) -> bool:
    return place.entity is not None and place.entity.kind is Kind.ENGINE
