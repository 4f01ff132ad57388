"""Rules written short, and a reader that says what a test tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfconsole.diagnose.evaluate import Evaluator, Holds
from perfconsole.diagnose.judge import Judge
from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.rulefile import load_rule
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import Finding, State, Verdict
from perfconsole.model.rule import Condition, Place, Rule, Severity
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.diagnose.assess import Assessment

ENGINE = Entity(Kind.ENGINE, "a")
OTHER = Entity(Kind.ENGINE, "b")
PLACE = Place("rules/engine/slow.yaml", 1, 1)


def rule(name: str = "slow", *when: str, **parts: object) -> Rule:
    """Rule of engine scope with these conditions; `parts` are further keys of the file (rank for its class)."""
    file = {
        "id": name,
        "title": name,
        "layer": "engine",
        "scope": "engine",
        "severity": "warn",
        "class": parts.pop("rank", "memory"),
        "when": list(when) or ["engine.x > 1"],
        "cause": "c",
        "confidence": "low",
        **parts,
    }
    return load_rule(json.dumps(file), f"rules/engine/{name}.yaml")


def condition(text: str) -> Condition:
    """A condition as a rule holds it."""
    return Condition(text, parse(text), PLACE)


@dataclass
class Told:
    """A reader: values by name (or by name and entity), baselines, and functions by how they are written."""

    t: float = 0.0
    values: Mapping[str | tuple[str, Entity], float | Missing] = field(default_factory=dict)
    bases: Mapping[str, float] = field(default_factory=dict)
    run_s: float | None = None
    full_windows: Mapping[str, float] = field(default_factory=dict)

    def known(self, entity: Entity) -> dict[str, float | Missing]:  # noqa: ARG002 - each is asked for when it is needed
        """Nothing beforehand."""
        return {}

    def read(self, name: str, entity: Entity) -> float | Missing:
        """The value told for this entity, or for all."""
        return self.values.get((name, entity), self.values.get(name, Missing.NEVER))

    def base(self, name: str, entity: Entity) -> float | Missing:  # noqa: ARG002 - the same for all entities
        """The baseline told."""
        return self.bases.get(name, Missing.NO_BASELINE)

    def over_time(self, function: str, name: str, entity: Entity, window_s: float) -> float | Missing:
        """The value told under `function(name[seconds])`."""
        return self.read(f"{function}({name}[{window_s:g}])", entity)

    def over_entities(self, function: str, name: str, entity: Entity) -> float | Missing:
        """The value told under `function(name)`."""
        return self.read(f"{function}({name})", entity)

    def full_window_s(self, name: str) -> float:
        """History told for an indicator."""
        return self.full_windows.get(name, 0.0)


def evaluator(reader: Told, holds: Holds | None = None) -> Evaluator:
    """An evaluator with holds of its own."""
    return Evaluator(reader, {} if holds is None else holds)


def judge(*rules: Rule) -> Judge:
    """A judge for which entities touch only themselves and no placeholder is known."""
    return Judge(
        rules,
        touch=lambda a, b: a == b,
        beside=lambda _a, _b: False,
        lookup=lambda _name, _entity: None,
        origin=lambda name: f"of {name}",
    )


def states(
    of: Judge, name: str, ticks: Sequence[float | Missing], *, step: float = 1.0, run_s: float | None = None
) -> list[str]:
    """State shown at each tick of the values of one indicator, `-` for nothing; the first finding counts."""
    shown = []
    for i, value in enumerate(ticks):
        findings, _ = of.judge(Told(i * step, {name: value}, run_s=run_s), [ENGINE])
        shown.append(str(findings[0].state) if findings else "-")
    return shown


def finding(name: str = "slow", entity: Entity = ENGINE, **changes: object) -> Finding:
    """A firing finding, likely and warn, with the fields that a test changes."""
    plain = Finding(
        rule=name,
        row="",
        entity=entity,
        state=State.FIRING,
        verdict=Verdict.LIKELY,
        severity=Severity.WARN,
        rank_class="memory",
        title=name,
        since=0.0,
        cut=False,
        cause="",
        readings=(),
        ruled_out=(),
        not_ruled_out=(),
        explained_by=None,
        checks=(),
        remedies=(),
        evidence=(),
        no_history=False,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself


def missing_names(assessment: Assessment) -> list[str]:
    """Names an undecided assessment lacks."""
    return [name for name, _ in assessment.lacks()]
