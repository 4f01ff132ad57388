"""All rules on all entities over time: undecided, ruled out, forgetting, holds outside conditions."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import CheckResult, State
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from tests.diagnose.conditions import CONDITIONS, ROWS, Row, told
from tests.diagnose.judging import ENGINE, OTHER, Told, judge, rule

GAP = Missing.STALE
BOTH = rule("slow", "engine.x > 1", "engine.y > 1")


def test_a_rule_runs_on_the_entities_of_its_scope_only() -> None:
    """An engine's rule says nothing about a GPU."""
    found, _ = judge(BOTH).judge(Told(0.0, {"engine.x": 2.0, "engine.y": 2.0}), [Entity(Kind.GPU, "0"), ENGINE])
    assert [f.entity for f in found] == [ENGINE]


def test_entities_are_judged_each_by_their_own_values() -> None:
    """One engine's trouble is not its neighbour's."""
    values: dict[str | tuple[str, Entity], float | Missing] = {
        ("engine.x", ENGINE): 2.0,
        ("engine.x", OTHER): 0.0,
        "engine.y": 2.0,
    }
    found, _ = judge(BOTH).judge(Told(0.0, values), [ENGINE, OTHER])
    assert [f.entity for f in found] == [ENGINE]


def test_a_rule_with_something_true_and_data_missing_is_undecided() -> None:
    """It is listed with the name, the reason and who has it, and gives no finding."""
    found, undecided = judge(BOTH).judge(Told(0.0, {"engine.x": 2.0, "engine.y": GAP}), [ENGINE])
    assert (found, [u.rule for u in undecided]) == ((), ["slow"])
    assert [(m.name, m.reason, m.source) for m in undecided[0].missing] == [("engine.y", GAP, "of engine.y")]


def test_a_rule_with_nothing_true_is_not_listed() -> None:
    """Missing data alone is no suspicion."""
    assert judge(BOTH).judge(Told(0.0, {}), [ENGINE]) == ((), ())


def test_a_firing_finding_that_lost_all_its_data_is_listed_with_the_names() -> None:
    """Though nothing is TRUE any more."""
    of = judge(BOTH)
    of.judge(Told(0.0, {"engine.x": 2.0, "engine.y": 2.0}), [ENGINE])
    found, undecided = of.judge(Told(1.0, {"engine.x": GAP, "engine.y": GAP}), [ENGINE])
    assert [f.state for f in found] == [State.UNDECIDED]
    assert [m.name for m in undecided[0].missing] == ["engine.x", "engine.y"]


def test_a_rule_that_an_exclusion_keeps_silent_is_ruled_out() -> None:
    """Whoever asks why nothing is shown gets it named."""
    of = judge(rule("slow", "engine.x > 1", unless=["engine.z > 1"]))
    of.judge(Told(0.0, {"engine.x": 2.0, "engine.z": 2.0}), [ENGINE])
    assert of.ruled_out == (("slow", ENGINE),)


def test_a_quiet_rule_is_not_ruled_out() -> None:
    """What does not hold needs no exclusion."""
    of = judge(rule("slow", "engine.x > 1", unless=["engine.z > 1"]))
    of.judge(Told(0.0, {"engine.x": 2.0, "engine.z": 2.0}), [ENGINE])
    of.judge(Told(1.0, {"engine.x": 0.0, "engine.z": 2.0}), [ENGINE])
    assert of.ruled_out == ()


def test_an_exclusion_takes_a_firing_finding_off() -> None:
    """It clears, as by a FALSE tick."""
    of = judge(rule("slow", "engine.x > 1", unless=["engine.z > 1"]))
    of.judge(Told(0.0, {"engine.x": 2.0, "engine.z": 0.0}), [ENGINE])
    found, _ = of.judge(Told(1.0, {"engine.x": 2.0, "engine.z": 2.0}), [ENGINE])
    assert [f.state for f in found] == [State.CLEARING]


def test_an_entity_that_is_gone_leaves_nothing_behind() -> None:
    """Neither stages nor holds stay, and its neighbours keep theirs."""
    of = judge(rule("slow", "engine.x > 1 for 5s"))
    of.judge(Told(0.0, {"engine.x": 2.0}), [ENGINE, OTHER])
    of.forget(ENGINE)
    assert {entity for _, entity in of._stages} == {OTHER}
    assert set(of._holds) == {OTHER}


def test_an_entity_that_comes_back_begins_anew() -> None:
    """A new process of an old name inherits no hold."""
    of = judge(rule("slow", "engine.x > 1 for 5s"))
    for t in range(6):
        of.judge(Told(float(t), {"engine.x": 2.0}), [ENGINE])
    of.forget(ENGINE)
    found, _ = of.judge(Told(6.0, {"engine.x": 2.0}), [ENGINE])
    assert (found[0].state, found[0].since) == (State.PENDING, 6.0)


def test_the_state_does_not_grow_with_time() -> None:
    """A thousand ticks keep what one keeps."""
    of = judge(rule("slow", "engine.x > 1 for 5s"))
    sizes = set()
    for t in range(1000):
        of.judge(Told(float(t), {"engine.x": float(t % 3)}), [ENGINE])
        sizes.add((len(of._stages), len(of._holds), len(of._holds[ENGINE])))
    assert max(sizes) == (1, 1, 1)


def test_an_escalation_is_not_held_over_a_time_nobody_looked() -> None:
    """A hold of an earlier stretch of the finding does not count for a later one."""
    of = judge(rule("slow", "engine.x > 1", escalate={"critical": "engine.y > 1 for 60s"}))
    of.judge(Told(0.0, {"engine.x": 2.0, "engine.y": 2.0}), [ENGINE])
    for t in range(1, 200):
        of.judge(Told(float(t), {"engine.x": 0.0, "engine.y": 2.0 if t < 20 else 0.0}), [ENGINE])
    found, _ = of.judge(Told(200.0, {"engine.x": 2.0, "engine.y": 2.0}), [ENGINE])
    assert found[0].severity is Severity.WARN


def test_an_escalation_holds_while_the_finding_is_shown() -> None:
    """Its time runs with the finding."""
    of = judge(rule("slow", "engine.x > 1", escalate={"critical": "engine.y > 1 for 5s"}))
    for t in range(6):
        found, _ = of.judge(Told(float(t), {"engine.x": 2.0, "engine.y": 2.0}), [ENGINE])
    assert found[0].severity is Severity.CRITICAL


def test_the_hold_of_a_check_runs_while_the_finding_is_shown() -> None:
    """What the check expects can be confirmed by what is watched anyway."""
    check = {"kind": "look", "what": "w", "confirms": "engine.y > 1 for 3s", "refutes": "see: it"}
    of = judge(rule("slow", "engine.x > 1", checks=[check]))
    results = []
    for t in range(4):
        found, _ = of.judge(Told(float(t), {"engine.x": 2.0, "engine.y": 2.0}), [ENGINE])
        results.append(found[0].checks[0].result)
    assert results == [None, None, None, CheckResult.CONFIRMED]


def test_two_rules_of_one_id_are_one() -> None:
    """The later one stands, as a folder of one's own comes after the shipped rules."""
    of = judge(rule("slow", "engine.x > 1"), rule("slow", "engine.x > 5"))
    assert of.judge(Told(0.0, {"engine.x": 2.0}), [ENGINE]) == ((), ())


RULES = st.lists(
    st.tuples(st.lists(CONDITIONS, min_size=1, max_size=2), st.lists(CONDITIONS, max_size=1), CONDITIONS),
    min_size=1,
    max_size=4,
)


@settings(max_examples=150, deadline=None)
@given(RULES, ROWS)
def test_what_is_left_out_at_a_glance_changes_nothing(
    drawn: list[tuple[list[str], list[str], str]], rows: list[Row]
) -> None:
    """Findings, undecided and ruled out are those of a judge that judges every rule in full at every tick."""
    rules = [
        rule(f"r{i}", *when, unless=unless, fallback={"1": other}, escalate={"critical": other})
        for i, (when, unless, other) in enumerate(drawn)
    ]
    quick, thorough = judge(*rules), judge(*rules)
    thorough._holding = frozenset(thorough.rules)
    for t, row in enumerate(rows):
        reader = told(row, float(t))
        assert quick.judge(reader, [ENGINE, OTHER]) == thorough.judge(reader, [ENGINE, OTHER])
        assert quick.ruled_out == thorough.ruled_out


class Counting(Told):
    """A reader that counts how often it is asked."""

    asked = 0

    def read(self, name: str, entity: Entity) -> float | Missing:
        """Count, and say what was told."""
        Counting.asked += 1
        return super().read(name, entity)


def reads(rules: int, entities: int) -> int:
    """Values asked for at a quiet tick of rules that read two indicators of their own and one of all."""
    of = judge(*(rule(f"r{i}", "engine.x > 1", f"engine.a{i} > 1", f"engine.b{i} > 1 for 9s") for i in range(rules)))
    Counting.asked = 0
    of.judge(Counting(0.0, {}), [Entity(Kind.ENGINE, str(i)) for i in range(entities)])
    return Counting.asked


def test_a_quiet_tick_asks_for_each_value_once_and_grows_with_rules_and_entities() -> None:
    """However many rules name an indicator, an entity is asked for it once."""
    one = reads(10, 3)
    assert one == 3 * (1 + 10 + 10)
    assert (reads(20, 3), reads(10, 6)) == (one + 3 * 20, 2 * one)


def test_an_undecided_rule_that_lacks_the_same_is_the_same_object() -> None:
    """It is made anew when what it lacks changes, or when it was decided in between."""
    of = judge(BOTH)
    ticks = [(2.0, GAP), (2.0, GAP), (2.0, Missing.NEVER), (0.0, GAP), (2.0, Missing.NEVER)]
    seen = [of.judge(Told(float(t), {"engine.x": x, "engine.y": y}), [ENGINE])[1] for t, (x, y) in enumerate(ticks)]
    assert seen[0][0] is seen[1][0]
    assert [m.reason for u in seen[2] for m in u.missing] == [Missing.NEVER]
    assert (seen[3], seen[4] == seen[2], seen[4][0] is seen[2][0]) == ((), True, False)
