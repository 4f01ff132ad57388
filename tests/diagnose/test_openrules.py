"""The list of what cannot be decided: kept while it lacks the same, made anew when that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.diagnose.glance import Glance
from perfconsole.diagnose.openrules import OpenRules
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, OTHER, rule

if TYPE_CHECKING:
    from perfconsole.diagnose.openrules import Lacks
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Undecided

SLOW, FULL = Glance(rule("slow")), Glance(rule("full"))
X: Lacks = (("engine.x", Missing.NEVER),)
STALE_X: Lacks = (("engine.x", Missing.STALE),)
X_AND_Y: Lacks = (*X, ("engine.y", Missing.NEVER))


def opened() -> OpenRules:
    """Nothing listed yet; every operand comes from `the page`."""
    return OpenRules(lambda _name: "the page")


def tick(rules: OpenRules, lacks: Lacks | None, *entities: Entity) -> list[Undecided]:
    """One tick in which the slow rule lacks this on these entities, or is decided."""
    lacking = {} if lacks is None else {"slow": lacks}
    listed = [line for entity in entities for line in rules.listed([SLOW], entity, lacking)]
    rules.keep()
    return listed


def test_a_line_names_what_is_missing_why_and_who_has_it() -> None:
    """That is what somebody needs to do about it."""
    [line] = tick(opened(), X, ENGINE)
    [missing] = line.missing
    assert (line.rule, line.entity) == ("slow", ENGINE)
    assert (missing.name, missing.reason, missing.source) == ("engine.x", Missing.NEVER, "the page")


def test_lines_stand_in_the_order_of_the_rules() -> None:
    """Whatever order they were found in."""
    lines = opened().listed([FULL, SLOW], ENGINE, {"slow": X, "full": X})
    assert [line.rule for line in lines] == ["full", "slow"]


def test_a_rule_that_lacks_nothing_is_not_listed() -> None:
    """Only those of the map are."""
    assert [line.rule for line in opened().listed([FULL, SLOW], ENGINE, {"slow": X})] == ["slow"]


def test_the_same_lack_is_the_same_object() -> None:
    """Nothing is made at a tick at which nothing changed."""
    rules = opened()
    [first] = tick(rules, X, ENGINE)
    [second] = tick(rules, (("engine.x", Missing.NEVER),), ENGINE)
    assert second is first


def test_one_more_value_missing_makes_a_new_line() -> None:
    """The old one would not name it."""
    rules = opened()
    tick(rules, X, ENGINE)
    [line] = tick(rules, X_AND_Y, ENGINE)
    assert [m.name for m in line.missing] == ["engine.x", "engine.y"]


def test_another_reason_makes_a_new_line() -> None:
    """A value that went stale is another trouble than one that never came."""
    rules = opened()
    tick(rules, X, ENGINE)
    [line] = tick(rules, STALE_X, ENGINE)
    assert [m.reason for m in line.missing] == [Missing.STALE]


def test_entities_have_lines_of_their_own() -> None:
    """The same rule on two engines is two lines."""
    lines = tick(opened(), X, ENGINE, OTHER)
    assert [line.entity for line in lines] == [ENGINE, OTHER]


def test_what_was_decided_in_between_is_made_anew() -> None:
    """Nothing of before the last tick is kept."""
    rules = opened()
    [first] = tick(rules, X, ENGINE)
    tick(rules, None, ENGINE)
    [again] = tick(rules, X, ENGINE)
    assert again == first
    assert again is not first


def test_an_entity_that_is_gone_is_forgotten() -> None:
    """Its line goes with it, and that of the other stays the same object."""
    rules = opened()
    [_, other] = tick(rules, X, ENGINE, OTHER)
    [stays] = tick(rules, X, OTHER)
    assert stays is other
    assert {entity for _, entity in rules._before} == {OTHER}


def test_a_line_asked_for_outside_the_list_is_not_kept() -> None:
    """It is for one finding at one moment."""
    rules = opened()
    asked = rules.undecided(SLOW.rule, ENGINE, X)
    [listed] = tick(rules, X, ENGINE)
    assert listed is not asked
