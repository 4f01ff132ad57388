"""Which other causes a finding names as thought of and denied, and by which condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.glance import Glance
from perfconsole.diagnose.rivals import MAX_RIVALS, Rivals
from tests.diagnose.judging import ENGINE, Told, evaluator, rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import RuledOut
    from perfconsole.model.rule import Rule
    from perfconsole.model.sample import Missing

    Values = Mapping[str | tuple[str, Entity], float | Missing]

SLOW = rule("slow", "engine.x > 1", "engine.y > 1")


def denied(values: Values, *others: Rule, of: Rule = SLOW) -> list[RuledOut]:
    """Rivals of a rule that these values deny."""
    rules = {r.id: r for r in (of, *others)}
    told = Told(values=values)
    return Rivals(rules, {name: Glance(r) for name, r in rules.items()}).denied(of, ENGINE, evaluator(told))


def shown(values: Values, *others: Rule, of: Rule = SLOW) -> list[tuple[str, str]]:
    """Rule and condition of each."""
    return [(r.rule, r.condition) for r in denied(values, *others, of=of)]


def test_a_rival_is_denied_by_what_its_condition_read() -> None:
    """The line has the values that say no."""
    [line] = denied({"engine.x": 2.0}, rule("full", "engine.x > 5"))
    assert (line.rule, line.condition, line.operands) == ("full", "engine.x > 5", (("engine.x", 2.0),))


def test_of_several_false_conditions_the_one_on_the_same_indicators_is_shown() -> None:
    """The reader of the finding has its value before their eyes."""
    full = rule("full", "engine.z > 1", "engine.x > 5")
    assert shown({"engine.x": 2.0, "engine.z": 0.0}, full) == [("full", "engine.x > 5")]


def test_of_several_false_conditions_the_one_that_shares_most_is_shown() -> None:
    """Two known values tell more than one."""
    full = rule("full", "engine.x > 5", "engine.x > 2 * engine.y")
    assert shown({"engine.x": 2.0, "engine.y": 2.0}, full) == [("full", "engine.x > 2 * engine.y")]


def test_of_equally_telling_conditions_the_first_is_shown() -> None:
    """The order of the file decides, so that the line does not jump."""
    full = rule("full", "engine.x > 5", "engine.x > 7")
    assert shown({"engine.x": 2.0}, full) == [("full", "engine.x > 5")]


def test_a_true_condition_denies_nothing() -> None:
    """Even where it alone shares what the finding reads."""
    full = rule("full", "engine.x > 1", "engine.z > 1")
    assert shown({"engine.x": 2.0, "engine.z": 0.0}, full) == [("full", "engine.z > 1")]


def test_an_unknown_condition_denies_nothing() -> None:
    """What lacks data is no reason, even where it alone shares what the finding reads."""
    full = rule("full", "engine.x > 1", "engine.z > 1")
    assert shown({"engine.z": 0.0}, full) == [("full", "engine.z > 1")]


def test_a_rival_that_is_true_or_open_is_not_denied() -> None:
    """Only a FALSE condition takes a cause out of the question."""
    true, blank = rule("true", "engine.x > 1"), rule("blank", "engine.y > 1")
    assert shown({"engine.x": 2.0}, true, blank) == []


def test_a_hold_that_still_runs_denies_nothing() -> None:
    """It may yet be the cause."""
    assert shown({"engine.x": 2.0}, rule("full", "engine.x > 1 for 30s")) == []


def test_a_fall_back_that_is_false_is_shown_in_the_place_of_its_condition() -> None:
    """Without a baseline it is the fall-back that says no."""
    full = rule("full", "engine.x > 2 * base(engine.x)", fallback={"1": "engine.x > 100"})
    assert shown({"engine.x": 2.0}, full) == [("full", "engine.x > 100")]


def test_a_symptom_is_no_rival() -> None:
    """It is no cause that somebody could have meant."""
    assert shown({"engine.x": 0.0}, rule("sign", "engine.x > 1", rank="symptom")) == []


def test_a_rule_of_another_scope_is_no_rival() -> None:
    """It does not speak of this entity."""
    assert shown({"engine.x": 0.0}, rule("wide", "engine.x > 1", scope="gateway")) == []


def test_a_rule_that_reads_nothing_in_common_is_no_rival() -> None:
    """Nobody would mistake one for the other."""
    assert shown({"engine.z": 0.0}, rule("far", "engine.z > 1")) == []


def test_a_rule_is_not_its_own_rival() -> None:
    """A finding that is clearing has a FALSE condition of its own."""
    assert shown({"engine.x": 0.0, "engine.y": 0.0}) == []


def test_the_closest_rivals_come_first() -> None:
    """Closest is what shares most indicators; between equals the order of the rules stays."""
    one, other, both = (
        rule("one", "engine.x > 1"),
        rule("other", "engine.y > 1"),
        rule("both", "engine.x > engine.y"),
    )
    assert [name for name, _ in shown({"engine.x": 0.0, "engine.y": 0.0}, one, other, both)] == ["both", "one", "other"]


def test_no_more_than_a_few_rivals_are_named() -> None:
    """Those that are not denied take no place from the others."""
    true = [rule(f"true-{i}", "engine.x > 1") for i in range(MAX_RIVALS)]
    false = [rule(f"false-{i}", "engine.x > 5") for i in range(MAX_RIVALS + 2)]
    names = [name for name, _ in shown({"engine.x": 2.0}, *true, *false)]
    assert names == [f"false-{i}" for i in range(MAX_RIVALS)]


def test_a_rule_reads_what_its_conditions_name() -> None:
    """Functions and baselines count by their indicator, exclusions not at all."""
    mine = rule("mine", "rate(engine.x[1m]) > base(engine.y)", unless=["engine.z > 1"])
    assert Rivals({"mine": mine}, {"mine": Glance(mine)}).reads(mine) == {"engine.x", "engine.y"}
