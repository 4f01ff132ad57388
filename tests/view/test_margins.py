"""Tests of how far values are from the thresholds of a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.assess import judge_condition
from perfconsole.diagnose.rulefile import load_rule, shipped_folder
from perfconsole.model.sample import Missing
from perfconsole.view.margins import measured
from tests.diagnose import judging

if TYPE_CHECKING:
    from perfconsole.model.finding import Operand

WAITING, KV, TTFT = "engine.requests_waiting", "engine.kv_cache_usage", "engine.ttft.p95"


def words(condition: str, *operands: Operand) -> list[str]:
    """The comparisons as they are shown."""
    return [m.text for m in measured(condition, operands)]


@pytest.mark.parametrize(
    ("condition", "value", "text"),
    [
        (f"{WAITING} > 0 for 60s", (WAITING, 24.0), "requests_waiting 24 > 0, margin 24"),
        (f"{WAITING} > 30", (WAITING, 24.0), "requests_waiting 24 is not > 30, short by 6"),
        (f"{KV} < 80%", (KV, 0.52), "kv_cache_usage 52% < 80%, margin 28 points"),
        (f"{KV} < 80%", (KV, 0.9), "kv_cache_usage 90% is not < 80%, over by 10 points"),
        (f"{TTFT} > 1500ms", (TTFT, 2.5), "ttft.p95 2.5 s > 1500ms, margin 1 s"),
        (f"{WAITING} == 0", (WAITING, 0.0), "requests_waiting 0 == 0"),
        (f"{WAITING} == 0", (WAITING, 2.0), "requests_waiting 2 is not == 0, off by 2"),
        (f"{WAITING} != 0", (WAITING, 2.0), "requests_waiting 2 != 0"),
        (f"{WAITING} > 0", (WAITING, Missing.STALE), "requests_waiting stale > 0: cannot be told"),
        (f"{WAITING} < 5", (WAITING, float("inf")), "requests_waiting never is not < 5"),
        (f"{WAITING} > 0", (WAITING, 0.0), "requests_waiting 0 > 0: not met"),
        (f"{KV} > 0", (KV, 0.582), "kv_cache_usage 58.2% > 0, margin 58.2 points"),
    ],
)
def test_a_comparison_says_how_far_it_is(condition: str, value: Operand, text: str) -> None:
    """Value, threshold as written, and the distance in the unit of the value."""
    assert words(condition, value) == [text]


def test_in_a_condition_that_holds_nothing_is_short() -> None:
    """Another branch is enough."""
    found = measured(f"{KV} > 90% or {WAITING} > 0", [(KV, 0.5), (WAITING, 3.0)], holds=True)
    assert [m.text for m in found] == ["kv_cache_usage 50% > 90%: not met", "requests_waiting 3 > 0, margin 3"]


def test_a_product_shows_its_result() -> None:
    """The threshold is calculated from an operand, which is shown too."""
    base = f"base({TTFT})"
    assert words(f"{TTFT} > 1.5 * {base} for 3m", (TTFT, 2.5), (base, 0.5)) == [
        "ttft.p95 2.5 s > 1.5 * base(engine.ttft.p95) 500 ms = 750 ms, margin 1.75 s"
    ]


def test_a_window_is_the_same_however_it_is_written() -> None:
    """The rule says 3m where the operand says 180s."""
    operand = (f"slope({WAITING}[180s])", 2.0)
    found = measured(f"slope({WAITING}[3m]) * 60 > 3", [operand])
    assert [m.operands for m in found] == [(operand[0],)]
    assert found[0].text.endswith("* 60 = 120 > 3, margin 117")


def test_every_part_of_a_longer_condition_is_measured() -> None:
    """Grouping parentheses, and, or, not and for fall away."""
    condition = f"({WAITING} > 0 for 60s and not {KV} > 80%) or ({KV} < 20%)"
    assert words(condition, (WAITING, 3.0), (KV, 0.5)) == [
        "requests_waiting 3 > 0, margin 3",
        "kv_cache_usage 50% is not > 80%, short by 30 points",
        "kv_cache_usage 50% is not < 20%, over by 30 points",
    ]


@pytest.mark.parametrize(
    "condition",
    [
        f"({WAITING} + {KV}) * 2 > 3",
        "engine.other > 3",
        f"{WAITING} > 3 parsecs",
        "1 > 0",
        "",
    ],
)
def test_what_is_not_simple_is_left_out(condition: str) -> None:
    """Nothing is guessed."""
    assert words(condition, (WAITING, 1.0), (KV, 1.0)) == []


def test_a_division_by_zero_is_not_told() -> None:
    """As in the evaluation of a rule."""
    assert words(f"{KV} / {WAITING} > 3", (KV, 1.0), (WAITING, 0.0))[0].endswith("cannot be told")


def test_nearly_all_shipped_conditions_are_measured_in_full() -> None:
    """Operands as the evaluator writes them; one in twenty may be too hard for a look at the text."""
    files = list(shipped_folder().rglob("*.yaml"))
    rules = [load_rule(file.read_text(), str(file)) for file in files]
    conditions = [condition for rule in rules for condition in (*rule.when, *rule.unless)]
    hard = 0
    for condition in conditions:
        operands = judge_condition(condition, judging.ENGINE, judging.evaluator(judging.Told())).reading().operands
        read = {name for m in measured(condition.text, operands) for name in m.operands}
        hard += read != {name for name, _ in operands}
    assert hard <= len(conditions) / 20


@given(
    st.text(alphabet=" ()<>=!+-*/%.0123456789abms[]engir_or and not for", max_size=60),
    st.lists(st.tuples(st.sampled_from(["engine.a", "max(engine.a)", "engine.b"]), st.floats(allow_nan=False))),
)
def test_no_text_makes_it_fail(condition: str, operands: list[Operand]) -> None:
    """A rule of the user may hold anything that parses."""
    measured(condition, operands)
