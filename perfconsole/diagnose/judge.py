"""All rules on all entities, once a tick. Owns the holds and the stages of findings; reads everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import Assessment, assess
from perfconsole.diagnose.evaluate import Evaluator, Holds
from perfconsole.diagnose.evidence import finding
from perfconsole.diagnose.explain import explanation
from perfconsole.diagnose.glance import Glance, Impression, has_hold
from perfconsole.diagnose.openrules import Lacks, OpenRules
from perfconsole.diagnose.order import ranked
from perfconsole.diagnose.rivals import Rivals
from perfconsole.diagnose.stages import Stage
from perfconsole.model.finding import Finding, State, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from perfconsole.diagnose.evaluate import Reader
    from perfconsole.diagnose.order import Touch
    from perfconsole.model.entity import Entity, Kind
    from perfconsole.model.finding import Explanation
    from perfconsole.model.rule import Rule


class Judge:
    """Rules with their state over time."""

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        touch: Touch,
        beside: Touch,
        lookup: Callable[[str, Entity], str | None],
        origin: Callable[[str], str],
    ) -> None:
        self.rules = {rule.id: rule for rule in rules}
        glances = {rule_id: Glance(rule) for rule_id, rule in self.rules.items()}
        self._glances = _by_scope(glances.values())
        self._rivals = Rivals(self.rules, glances)
        self._touch, self._beside = touch, beside
        self._lookup = lookup
        self._holds: Holds = {}
        self._holding = frozenset(r.id for r in self.rules.values() if _holds(r))
        self._stages: dict[tuple[str, Entity], Stage] = {}
        self._open = OpenRules(origin)
        self._origin = origin
        self.ruled_out: tuple[tuple[str, Entity], ...] = ()
        """Rules that only an exclusion kept silent at the last tick, for whoever asks why nothing is shown."""
        self.asked: str | None = None
        """Rule to explain at each tick; only Session.ask writes it, and it changes nothing else."""
        self.explanations: tuple[Explanation, ...] = ()
        """The rule that is asked about on every entity of its scope, as it was judged at the last tick."""

    def judge(self, reader: Reader, entities: Sequence[Entity]) -> tuple[tuple[Finding, ...], tuple[Undecided, ...]]:
        """Findings in ranked order, and the rules that lack data to be decided."""
        evaluator = Evaluator(reader, self._holds)
        found: list[tuple[Finding, int]] = []
        undecided: list[Undecided] = []
        ruled_out: list[tuple[str, Entity]] = []
        explanations: list[Explanation] = []
        always = self._always()
        whole = self._whole(always)
        for entity in entities:
            glances = self._glances.get(entity.kind, ())
            here, lacking, excluded = self._looked_at(entity, evaluator, whole.get(entity, always))
            found.extend(self._findings(here, reader, evaluator))
            lacking.update((a.rule.id, a.lacks()) for a in here if self._is_open(a))
            undecided.extend(self._open.listed(glances, entity, lacking))
            excluded.update(a.rule.id for a in here if a.silenced)
            ruled_out.extend((g.rule.id, entity) for g in glances if g.rule.id in excluded)
            explanations.extend(self._explanations(here))
        self.ruled_out = tuple(ruled_out)
        self.explanations = tuple(explanations)
        self._open.keep()
        self._drop_idle_holds(reader.t)
        return ranked(found, self.rules, self._touch, self._beside), tuple(undecided)

    def open_rules(self, reader: Reader, entities: Sequence[Entity]) -> tuple[Undecided, ...]:
        """Rules with nothing TRUE and nothing FALSE at a tick that was judged; judging it again changes no hold."""
        evaluator = Evaluator(reader, self._holds)
        every = (assess(g.rule, e, evaluator) for e in entities for g in self._glances.get(e.kind, ()))
        return tuple(self._open.undecided(a.rule, a.entity, a.lacks()) for a in every if a.open)

    def _is_open(self, assessment: Assessment) -> bool:
        """It cannot be decided, or fired and lost its data."""
        stage = self._stages[assessment.rule.id, assessment.entity]
        return stage.state is State.UNDECIDED or assessment.undecided

    def _always(self) -> AbstractSet[str]:
        """Rules judged in full on every entity: asked about, or with an exclusion that must see every tick."""
        return self._holding if self.asked is None else self._holding | {self.asked}

    def _whole(self, always: AbstractSet[str]) -> dict[Entity, set[str]]:
        """Rules to judge with their exclusions whatever they say, by entity: they are on the screen there.

        So are, on every entity, those of `_always`.
        """
        whole: dict[Entity, set[str]] = {}
        for (rule, entity), stage in self._stages.items():
            if stage.state is not None:
                whole.setdefault(entity, set(always)).add(rule)
        return whole

    def _looked_at(
        self, entity: Entity, evaluator: Evaluator, whole: AbstractSet[str]
    ) -> tuple[list[Assessment], dict[str, Lacks], set[str]]:
        """Rules that may speak of an entity, judged in full; those that only lack data; those that are ruled out."""
        seen = evaluator.seen(entity)
        here: list[Assessment] = []
        lacking: dict[str, Lacks] = {}
        excluded: set[str] = set()
        for glance in self._glances.get(entity.kind, ()):
            impression = None if glance.rule.id in whole else glance.impression(seen)
            if impression is Impression.QUIET or impression is Impression.BLANK:
                continue
            if impression is None or not glance.excluded(seen):
                if impression is Impression.OPEN:
                    lacking[glance.rule.id] = glance.missing(seen)
                else:
                    here.append(assess(glance.rule, entity, evaluator))
            elif impression is Impression.FULL:
                excluded.add(glance.rule.id)
        return here, lacking, excluded

    def _findings(self, here: list[Assessment], reader: Reader, evaluator: Evaluator) -> Iterable[tuple[Finding, int]]:
        for assessment in here:
            rule, entity = assessment.rule, assessment.entity
            stage = self._stages.setdefault((rule.id, entity), Stage())
            if stage.move(reader.t, assessment) is not None:
                shown = finding(assessment, stage, self._rivals, reader, evaluator, self._lookup)
                yield stage.settled(shown), assessment.met()

    def _explanations(self, here: list[Assessment]) -> Iterable[Explanation]:
        for assessment in here:
            if assessment.rule.id == self.asked:
                state = self._stages[assessment.rule.id, assessment.entity].state
                yield explanation(assessment, state, self._origin)

    def _drop_idle_holds(self, t: float) -> None:
        """A hold that was not asked for (of a check whose finding is off) has a gap here: it starts anew."""
        for holds in self._holds.values():
            for key in [k for k, hold in holds.items() if hold.seen != t]:
                del holds[key]

    def forget(self, entity: Entity) -> None:
        """Drop the state of an entity that is gone for good."""
        for key in [k for k in self._stages if k[1] == entity]:
            del self._stages[key]
        self._holds.pop(entity, None)


def _by_scope(glances: Iterable[Glance]) -> dict[Kind, list[Glance]]:
    """Rules of each scope, in their order."""
    found: dict[Kind, list[Glance]] = {}
    for glance in glances:
        found.setdefault(glance.rule.scope, []).append(glance)
    return found


def _holds(rule: Rule) -> bool:
    """Some exclusion has a `for`."""
    return any(has_hold(condition.expression) for condition in rule.unless)
