"""apply(batch) and tick(t): the only two ways into the state of a session, live, replayed or made up for a test."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from perfconsole.core.baseline import Baselines
from perfconsole.core.distribution import SUFFIXES
from perfconsole.core.formulas import COMPARED, FORMULAS, STATED
from perfconsole.core.formulas.batching import cap_with_origin
from perfconsole.core.frame import Frame
from perfconsole.core.history import History
from perfconsole.core.placeholders import Placeholders
from perfconsole.core.reader import FrameReader
from perfconsole.core.store import SeriesStore
from perfconsole.core.stretch import engine_stretch
from perfconsole.core.topology import Topology
from perfconsole.core.trail import stretch_means
from perfconsole.core.trends import trends
from perfconsole.core.trouble import troubling
from perfconsole.core.upstreams import upstreams
from perfconsole.core.windowed import beyond, lifetime
from perfconsole.diagnose.judge import Judge
from perfconsole.diagnose.parse import walk
from perfconsole.model.dictionary import DEFAULT, Dictionary
from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.dictionary.sources import source_words
from perfconsole.model.expression import Base
from perfconsole.model.sample import ACTION, Fact, Missing
from perfconsole.model.snapshot import Indicator, Snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from perfconsole.core.series import Increase
    from perfconsole.model.enginestretch import EngineStretch
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Undecided
    from perfconsole.model.profile import Profile
    from perfconsole.model.rule import Rule
    from perfconsole.model.sample import Batch

_CAP = "engine.max_num_seqs"


class _Kept(NamedTuple):
    """What the dictionary says of a name, looked up once instead of 150 times a tick."""

    unit: str
    owner: str
    marked: bool
    suffixed: bool


def _kept(dictionary: Dictionary, name: str) -> _Kept:
    entry = dictionary.find(name)
    marked = entry is not None and bool(entry.warn or entry.critical)
    return _Kept(dictionary.unit(name), entry.owner if entry else "", marked, bool(dictionary.split(name)[1]))


class Session:
    """State of one session. `run_s` is the length of a headless run: it cuts the holds of rules.

    `derived` are the formulas worked out at every tick; of others only what a condition or a formula asks for.
    Without rules (None, not an empty list) nothing is judged until `adopt` brings them, and snapshots say so.
    One that does not learn takes its baselines from outside only: of figures held still every minute looks healthy.
    """

    def __init__(
        self,
        rules: Iterable[Rule] | None,
        dictionary: Dictionary = DEFAULT,
        run_s: float | None = None,
        *,
        learns: bool = True,
        profiles: Iterable[Profile] = (),
        derived: Collection[str] = FORMULAS,
    ) -> None:
        self._dictionary = dictionary
        self._profiles = tuple(profiles)
        self._run_s = run_s
        self._learns = learns
        self._derived = derived
        self._store = SeriesStore(dictionary)
        self._history = History()
        self._topology = Topology()
        self._seq = 0
        self._listed: dict[Entity, tuple[list[str], list[str]]] = {}
        """Names that sources fill, and the indicators that follow from them: they seldom change."""
        self._kept: dict[str, _Kept] = {}
        self._generation = 0
        self._asked: str | None = None
        self._shown: dict[tuple[str, Entity], Indicator] = {}
        """Indicators of one part and no baseline as they were shown last: most of a card's sixty stand still."""
        self.adopt(rules or ())
        self._judged = rules is not None
        self._reader: FrameReader | None = None
        """What the last tick was judged on."""

    def adopt(self, rules: Iterable[Rule]) -> None:
        """Judge by these rules from the next tick on."""
        rules = list(rules)
        self._judged = True
        self._baselines = Baselines(_baseline_names(rules), self._profiles)
        self._shown.clear()
        lookup = Placeholders(self._store, self._topology).lookup
        origin, near = partial(source_words, self._dictionary), self._topology
        self._judge = Judge(rules, touch=near.touch, beside=near.beside, lookup=lookup, origin=origin)
        self._judge.asked = self._asked

    def ask(self, rule: str | None) -> None:
        """Explain this rule, by id, in the snapshots from the next tick on; None for no rule."""
        self._asked = self._judge.asked = rule

    def apply(self, batch: Batch) -> None:
        """Take in one poll of one source."""
        self._store.apply(batch)
        for entity in batch.gone:
            self._forget(entity)
        for entity in batch.restarted:
            if self._store.restarts.at(entity) == batch.t:
                self._baselines.forget(entity)
                self._history.restart(entity, batch.t)
        if batch.error is None and batch.took_s is not None:
            self._topology.replace(batch.source, batch.links)
        self._baselines.give(batch.baselines)
        for given in batch.baselines:
            self._shown.pop((given.indicator, given.entity), None)

    def dismiss(self, sources: Collection[str]) -> None:
        """Forget sources that will not come back, and what only they knew of."""
        for entity in self._store.dismiss(sources):
            self._forget(entity)
        for name in sources:
            self._topology.replace(name, ())

    def _forget(self, entity: Entity) -> None:
        self._listed.pop(entity, None)
        self._shown = {key: shown for key, shown in self._shown.items() if key[1] != entity}
        self._topology.forget(entity)
        self._history.forget(entity)
        self._judge.forget(entity)
        self._baselines.forget(entity)

    def tick(self, t: float, wall: float) -> Snapshot:
        """Derive, judge, and freeze the picture at time t; nothing else moves the state over time."""
        frame = Frame(
            t,
            self._store,
            self._history,
            self._topology,
            self._dictionary,
            FORMULAS,
            self._run_s,
            self._baselines,
        )
        entities = self._store.entities
        values = [(name, e, frame.value(name, e)) for e in entities for name in self._names(e)]
        self._observe(frame, entities, ())
        self._reader = FrameReader(frame, self._baselines)
        findings, undecided = self._judge.judge(self._reader, entities)
        self._observe(frame, (), {f.entity for f in troubling(findings)})
        kept = values if self._derived is FORMULAS else frame.asked()
        self._history.record(t, ((name, e, None if isinstance(v, Missing) else v) for name, e, v in kept))
        self._seq += 1
        snapshot = Snapshot(
            seq=self._seq,
            t=t,
            wall=wall,
            indicators=tuple(self._indicators(frame, values)),
            findings=findings,
            undecided=undecided,
            sources=tuple(s.health(t) for _, s in sorted(self._store.sources.items()) if s.last.kind != ACTION),
            facts=(*self._store.facts.all(), *_cap_origins(frame, [e for n, e, _ in values if n == _CAP])),
            links=self._topology.links,
            entities=tuple(entities),
            ruled_out=self._judge.ruled_out,
            judged=self._judged,
            explanations=self._judge.explanations,
            trends=tuple(trends(frame, entities)),
            upstreams=tuple(upstreams(frame, entities)),
        )
        if self._baselines.recall(snapshot):
            self._shown.clear()
        return snapshot

    def grown(self, start: float, end: float) -> dict[tuple[str, Entity], Increase]:
        """Growth of every histogram between the polls from start to end, at most ten minutes back."""
        keys = ((n, e) for e in self._store.entities for n in self._store.names(e))
        histograms = [key for key in keys if self._dictionary.sort(key[0]) is Sort.HISTOGRAM]
        found = ((key, self._store.increase(*key, (start, end))) for key in histograms)
        return {key: grown for key, grown in found if not isinstance(grown, Missing)}

    def stretch(self, engine: Entity, start: float, end: float) -> EngineStretch | None:
        """What an engine did between its polls in [start, end], at most ten minutes back; None below two of them."""
        return engine_stretch(self._store, engine, start, end, self._reader.cap(engine) if self._reader else None)

    def open_rules(self) -> tuple[Undecided, ...]:
        """Rules that nothing spoke for or against at the last tick, with the values that would decide them."""
        return self._judge.open_rules(self._reader, self._store.entities) if self._reader else ()

    def _observe(self, frame: Frame, entities: Iterable[Entity], troubled: Iterable[Entity]) -> None:
        if self._learns:
            self._baselines.observe(frame, entities, troubled)

    def trail(self, name: str, entity: Entity, end: float, step_s: float, columns: int) -> tuple[float | None, ...]:
        """History of one indicator up to `end`: means over stretches of `step_s`, None where nothing was known."""
        track = self._history.track(name, entity)
        return stretch_means(track, end, step_s, columns) if track else (None,) * columns

    def _names(self, entity: Entity) -> list[str]:
        """Indicators of an entity: what its sources fill or explain, and what is derived for its kind."""
        held = self._store.names(entity)
        known = self._listed.get(entity)
        if known is not None and known[0] == held:
            return known[1]
        names = [n for name in held for n in _expanded(self._dictionary, name)]
        if held:
            derived = (
                n
                for n in FORMULAS
                if n in self._derived
                and n not in STATED
                and (entry := self._dictionary.find(n))
                and entry.scope is entity.kind
            )
            names.extend(derived)
        self._listed[entity] = (held, list(dict.fromkeys(names)))
        return self._listed[entity][1]

    def _indicators(self, frame: Frame, values: Iterable[tuple[str, Entity, float | Missing]]) -> Iterator[Indicator]:
        """All indicators; one that stands still is the one of the tick before."""
        if self._generation != self._store.generation:
            self._shown.clear()
            self._generation = self._store.generation
        shown = self._shown
        for name, entity, value in values:
            before = shown.get((name, entity))
            same = before is not None and before.value == value
            yield before if before is not None and same else self._indicator(frame, name, entity, value)

    def _indicator(self, frame: Frame, name: str, entity: Entity, value: float | Missing) -> Indicator:
        kept = self._kept.get(name)
        if kept is None:
            kept = self._kept[name] = _kept(self._dictionary, name)
        shown = value if isinstance(value, Missing) or isfinite(value) else Missing.NEVER
        plain = not kept.suffixed and not self._baselines.knows(name, entity)
        lone = plain and len(frame.store.parts(name, entity)) < 2
        found = Indicator(
            name,
            entity,
            shown,
            kept.unit,
            self._baselines.look(name, entity, frame),
            lifetime(frame, name, entity) if kept.suffixed else None,
            self._dictionary.marked(name, shown) if kept.marked and not isinstance(shown, Missing) else None,
            _parts(frame, name, entity),
            kept.owner,
            kept.suffixed and not isinstance(shown, Missing) and beyond(frame, name, entity, shown),
        )
        if lone:
            self._shown[name, entity] = found
        return found


def _expanded(dictionary: Dictionary, name: str) -> list[str]:
    """The names under which an indicator is shown: of a histogram its suffixes."""
    entry = dictionary.find(name)
    if entry is None:
        return []
    if entry.sort is Sort.HISTOGRAM and name == entry.name:
        return [f"{name}.{suffix}" for suffix in SUFFIXES]
    return [name]


def _parts(frame: Frame, name: str, entity: Entity) -> tuple[tuple[str, float], ...]:
    """Current parts of an indicator that is a fold of several."""
    if len(frame.store.parts(name, entity)) < 2:
        return ()
    current = Missing.NEVER if name in FORMULAS else frame.store.current(name, entity, frame.t)
    if isinstance(current, Missing) or len(current) == 1:
        return ()
    return tuple((",".join(f"{k}={v}" for k, v in labels), s.last()) for labels, s in current.items())


def _baseline_names(rules: Sequence[Rule]) -> set[str]:
    """Indicators that some condition, or a formula, compares with their baseline."""
    conditions = (condition for rule in rules for condition in rule.conditions)
    compared = {node.name for c in conditions for node in walk(c.expression) if isinstance(node, Base)}
    return compared | set(COMPARED)


def _cap_origins(frame: Frame, engines: Iterable[Entity]) -> list[Fact]:
    """Where the max_num_seqs of each engine comes from."""
    found = [(e, cap_with_origin(frame, e)[1]) for e in engines]
    return [Fact(f"{_CAP}_origin", e, origin) for e, origin in found if origin]
