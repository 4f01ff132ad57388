"""One rule on one entity at one tick: every condition read, the truth of the whole, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from perfconsole.diagnose.evaluate import Evaluator, Trace
from perfconsole.diagnose.parse import has_base
from perfconsole.model.finding import MissingOperand, Reading, Truth, Verdict
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.diagnose.holds import Outcome
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Condition, Rule


@dataclass(frozen=True, slots=True)
class Judged:
    """A condition with its outcome and what was read."""

    condition: Condition
    outcome: Outcome
    trace: Trace

    def reading(self) -> Reading:
        """The evidence line of this condition."""
        trace, (strict, hopeful) = self.trace, self.outcome
        return Reading(self.condition.text, strict, hopeful, trace.operand_list(), trace.open_held_s, trace.open_hold_s)

    def missing(self) -> list[tuple[str, Missing]]:
        """Operands without a value."""
        return [(name, v) for name, v in self.trace.operands.items() if isinstance(v, Missing)]


@dataclass(frozen=True, slots=True)
class Assessment:
    """The rule as a whole."""

    rule: Rule
    entity: Entity
    when: tuple[Judged, ...]
    unless: tuple[Judged, ...]
    no_history: bool
    """A fall-back stood in for a condition whose baseline is missing."""

    @property
    def strict(self) -> Truth:
        """Truth of `when` with `unless` taken off when it is TRUE."""
        return self._whole([j.outcome.strict for j in self.when])

    @property
    def hopeful(self) -> Truth:
        """The same if every open hold goes on as it began."""
        return self._whole([j.outcome.hopeful for j in self.when])

    def _whole(self, truths: list[Truth]) -> Truth:
        return Truth.FALSE if self.ruled_out else reduce(lambda a, b: a & b, truths)

    @property
    def ruled_out(self) -> bool:
        """Some exclusion holds."""
        return any(j.outcome.strict is Truth.TRUE for j in self.unless)

    @property
    def silenced(self) -> bool:
        """Nothing but an exclusion keeps it from being a finding."""
        return self.ruled_out and all(j.outcome.hopeful is Truth.TRUE for j in self.when)

    @property
    def verdict(self) -> Verdict:
        """LIKELY when every exclusion is FALSE and no fall-back was needed."""
        sure = all(j.outcome.strict is Truth.FALSE for j in self.unless) and not self.no_history
        return Verdict.LIKELY if sure else Verdict.POSSIBLE

    @property
    def only_unobserved(self) -> bool:
        """What is missing did not get lost: the sources answer, and there was nothing of the kind to observe."""
        unknown = [j for j in self.when if j.outcome.hopeful is Truth.UNKNOWN]
        reasons = {reason for j in unknown for _, reason in j.missing()}
        return bool(reasons) and reasons <= {Missing.NEVER, Missing.NO_BASELINE}

    def known(self) -> frozenset[str]:
        """Operands of `when` that have a value."""
        operands = (pair for j in self.when for pair in j.trace.operands.items())
        return frozenset(name for name, value in operands if not isinstance(value, Missing))

    def lost(self, known: frozenset[str]) -> bool:
        """Something that is open now was known then; what nobody ever knew was not lost."""
        unknown = [j for j in self.when if j.outcome.hopeful is Truth.UNKNOWN]
        missing = [{name for name, _ in j.missing()} for j in unknown]
        return not self.only_unobserved and any(not names or names & known for names in missing)

    @property
    def undecided(self) -> bool:
        """UNKNOWN as a whole, nothing in `when` FALSE, something TRUE."""
        return self.hopeful is Truth.UNKNOWN and any(j.outcome.hopeful is Truth.TRUE for j in self.when)

    @property
    def open(self) -> bool:
        """UNKNOWN as a whole, and nothing in `when` is decided."""
        return not self.ruled_out and all(j.outcome.hopeful is Truth.UNKNOWN for j in self.when)

    @property
    def cut(self) -> bool:
        """A hold that takes part was shortened."""
        return any(j.trace.cut for j in self.when)

    def met(self) -> int:
        """Conditions that hold or are on their way."""
        return sum(j.outcome.hopeful is Truth.TRUE for j in self.when)

    def lacks(self) -> tuple[tuple[str, Missing], ...]:
        """Operands that would decide it, each once, from the conditions that are UNKNOWN."""
        unknown = (j for j in self.when if j.outcome.hopeful is Truth.UNKNOWN)
        return tuple(dict(pair for j in unknown for pair in j.missing()).items())


def missing_operands(judged: Iterable[Judged], origin: Callable[[str], str]) -> tuple[MissingOperand, ...]:
    """Missing operands of some conditions, each once, with the kind of source that has them."""
    found = dict(pair for j in judged for pair in j.missing())
    return tuple(MissingOperand(name, reason, origin(name)) for name, reason in found.items())


def assess(rule: Rule, entity: Entity, evaluator: Evaluator, *, whole: bool = True) -> Assessment:
    """Judge every condition of a rule; holds are updated, so call it once a tick.

    Exclusions of a rule that is quiet anyway are left out, unless it is asked for as a `whole`.
    """
    judged = [judge_condition(c, entity, evaluator) for c in rule.when]
    no_history = False
    for index, substitute in rule.fallback:
        stand_in = None if substitute is None else judge_condition(substitute, entity, evaluator)
        if stand_in is not None and _lacks_baseline(judged[index]):
            judged[index] = stand_in
            no_history = True
    quiet = not whole and any(j.outcome.hopeful is Truth.FALSE for j in judged)
    excluding = () if quiet else rule.unless
    unless = tuple(judge_condition(c, entity, evaluator) for c in excluding)
    return Assessment(rule, entity, tuple(judged), unless, no_history)


def _lacks_baseline(judged: Judged) -> bool:
    """The condition is open only because a baseline is missing: what is decided without it stays decided."""
    open_ = judged.outcome.hopeful is Truth.UNKNOWN
    return open_ and has_base(judged.condition.expression) and _no_baseline(judged)


def _no_baseline(judged: Judged) -> bool:
    return any(v is Missing.NO_BASELINE for v in judged.trace.operands.values())


def judge_condition(condition: Condition, entity: Entity, evaluator: Evaluator) -> Judged:
    """Outcome of one condition with the trace of what it read."""
    trace = Trace()
    return Judged(condition, evaluator.outcome(condition.expression, entity, trace), trace)
