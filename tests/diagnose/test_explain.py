"""Tests of explaining one rule: where it stands, and that asking changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.stages import Stage
from perfconsole.model.finding import Standing
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, OTHER, Told, judge, rule

if TYPE_CHECKING:
    from perfconsole.diagnose.judge import Judge
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Explanation

Values = dict[str | tuple[str, "Entity"], float | Missing]
TWO = rule("slow", "engine.x > 1", "engine.y > 1 for 5s", unless=["engine.z > 1"])


def explained(values: Values, seconds: int = 1) -> Explanation:
    """The rule of two conditions and an exclusion after so many equal ticks."""
    of = judge(TWO)
    of.asked = "slow"
    for t in range(seconds):
        of.judge(Told(float(t), values), [ENGINE])
    (found,) = of.explanations
    return found


@pytest.mark.parametrize(
    ("values", "seconds", "standing", "silencing"),
    [
        ({"engine.x": 2.0, "engine.y": 2.0, "engine.z": 0.0}, 6, Standing.FIRING, []),
        ({"engine.x": 2.0, "engine.y": 2.0, "engine.z": 0.0}, 1, Standing.PENDING, []),
        ({"engine.x": 0.0, "engine.y": 2.0, "engine.z": 0.0}, 6, Standing.QUIET, ["engine.x > 1"]),
        ({"engine.x": 0.0, "engine.z": 0.0}, 1, Standing.QUIET, ["engine.x > 1"]),
        ({"engine.x": 2.0, "engine.y": 2.0, "engine.z": 2.0}, 6, Standing.RULED_OUT, ["engine.z > 1"]),
        ({"engine.x": 2.0, "engine.z": 0.0}, 1, Standing.UNDECIDED, ["engine.y > 1 for 5s"]),
        ({}, 1, Standing.UNDECIDED, ["engine.x > 1", "engine.y > 1 for 5s"]),
        ({"engine.x": 0.0, "engine.y": 0.0, "engine.z": 2.0}, 1, Standing.QUIET, list("xyz")),
    ],
)
def test_a_rule_stands_somewhere_and_names_what_keeps_it_silent(
    values: Values, seconds: int, standing: Standing, silencing: list[str]
) -> None:
    """FALSE decides alone; an exclusion that holds is named beside it; without either what is missing is named."""
    found = explained(values, seconds)
    written = [c if len(c) > 1 else f"engine.{c} > 1{' for 5s' if c == 'y' else ''}" for c in silencing]
    assert (found.standing, [r.condition for r in found.silencing]) == (standing, written)


def test_what_is_missing_is_named_with_reason_and_source() -> None:
    """Of the exclusions as well."""
    found = explained({"engine.x": 2.0, "engine.y": 2.0, "engine.z": Missing.NO_PERMISSION})
    (lack,) = found.missing
    assert (lack.name, lack.reason, lack.source) == ("engine.z", Missing.NO_PERMISSION, "of engine.z")


def test_exclusions_of_a_quiet_rule_are_read_when_it_is_asked_about() -> None:
    """Otherwise they are left out to save time."""
    (reading,) = explained({"engine.x": 0.0, "engine.z": 3.0}).unless
    assert reading.operands == (("engine.z", 3.0),)


def test_a_fall_back_in_use_names_the_condition_it_stands_in_for() -> None:
    """By its place among the conditions."""
    of = judge(rule("slow", "engine.y > 1", "engine.x > 2 * base(engine.x)", fallback={"2": "engine.x > 10"}))
    of.asked = "slow"
    of.judge(Told(0.0, {"engine.x": 11.0, "engine.y": 2.0}), [ENGINE])
    (found,) = of.explanations
    assert (found.when[1].condition, found.stand_ins) == ("engine.x > 10", ((1, "engine.x > 2 * base(engine.x)"),))


def test_every_entity_of_the_scope_is_explained() -> None:
    """Each by its own values."""
    of = judge(TWO, rule("other"))
    of.asked = "slow"
    of.judge(Told(0.0, {("engine.x", ENGINE): 2.0, ("engine.x", OTHER): 0.0}), [ENGINE, OTHER])
    assert [(e.entity, e.standing) for e in of.explanations] == [(ENGINE, Standing.UNDECIDED), (OTHER, Standing.QUIET)]


def test_nothing_is_explained_unless_asked() -> None:
    """It would cost time at every tick."""
    of = judge(TWO)
    of.judge(Told(0.0, {"engine.x": 0.0}), [ENGINE])
    assert of.explanations == ()


def stages(of: Judge) -> dict[tuple[str, Entity], Stage]:
    """Where each rule stands; one that was only ever looked at stands nowhere."""
    return {key: stage for key, stage in of._stages.items() if stage != Stage()}


_VALUE = st.one_of(st.sampled_from([0.0, 2.0]), st.just(Missing.STALE))
_TICK = st.tuples(_VALUE, _VALUE, _VALUE, st.sampled_from(["slow", "held", None]))
Tick = tuple[float | Missing, float | Missing, float | Missing, str | None]


@given(st.lists(_TICK, max_size=30))
def test_asking_changes_nothing(
    ticks: list[Tick],
) -> None:
    """Holds, stages, findings and what is undecided are those of a judge that nobody asks."""
    rules = (TWO, rule("held", "engine.x > 1 for 3s", unless=["engine.y > 1 for 2s"]))
    asked, plain = judge(*rules), judge(*rules)
    for t, (x, y, z, question) in enumerate(ticks):
        told = Told(float(t), {"engine.x": x, "engine.y": y, "engine.z": z})
        asked.asked = question
        assert asked.judge(told, [ENGINE]) == plain.judge(told, [ENGINE])
        assert (stages(asked), asked.ruled_out) == (stages(plain), plain.ruled_out)
        assert asked._holds == plain._holds
