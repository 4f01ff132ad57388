"""The first look at a rule says what judging it in full says, tick by tick, and moves the same holds."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.diagnose.assess import assess
from perfconsole.diagnose.evaluate import Holds, Trace
from perfconsole.diagnose.glance import Glance, Impression, hopeful, strict
from perfconsole.diagnose.parse import parse
from perfconsole.model.finding import Truth
from perfconsole.model.sample import Missing
from tests.diagnose.conditions import CONDITIONS, ROWS, told
from tests.diagnose.judging import ENGINE, Told, evaluator, rule

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule
    from tests.diagnose.conditions import Row

STEPS = st.lists(st.sampled_from([1.0, 1.0, 2.5]), min_size=12, max_size=12)
T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN


@settings(max_examples=300, deadline=None)
@given(CONDITIONS, ROWS, STEPS, st.sampled_from([None, 12.0]))
def test_a_look_says_what_the_evaluation_says(
    text: str, rows: list[Row], steps: list[float], run_s: float | None
) -> None:
    """Strict and hopeful truth and every hold, for any condition, values, gaps and lengths of ticks."""
    node = parse(text)
    holds: tuple[Holds, Holds, Holds] = {}, {}, {}
    looks = strict(node), hopeful(node)
    for t, row in zip(accumulate(steps), rows, strict=False):
        reader = told(row, t, run_s)
        outcome = evaluator(reader, holds[0]).outcome(node, ENGINE, Trace())
        found = [look(evaluator(reader, held).seen(ENGINE)) for look, held in zip(looks, holds[1:], strict=True)]
        assert found == [outcome.strict, outcome.hopeful]
        assert holds[1].get(ENGINE, {}) == holds[2].get(ENGINE, {}) == holds[0].get(ENGINE, {})


def impression_of(of: Rule, reader: Told, holds: Holds) -> Impression:
    """What judging in full comes to."""
    found = [j.outcome.hopeful for j in assess(of, ENGINE, evaluator(reader, holds)).when]
    if F in found:
        return Impression.QUIET
    if T not in found:
        return Impression.BLANK
    return Impression.OPEN if U in found else Impression.FULL


@settings(max_examples=200, deadline=None)
@given(st.lists(CONDITIONS, min_size=1, max_size=3), CONDITIONS, CONDITIONS, ROWS)
def test_an_impression_is_that_of_the_rule_judged_in_full(
    when: list[str], substitute: str, exclusion: str, rows: list[Row]
) -> None:
    """With its fall-back, what it lacks, whether it is excluded, and every hold of `when`."""
    of = rule("slow", *when, unless=[exclusion], fallback={"1": substitute})
    glance = Glance(of)
    whole: Holds = {}
    light: Holds = {}
    for t, row in enumerate(rows):
        reader = told(row, float(t))
        seen = evaluator(reader, light).seen(ENGINE)
        full = assess(of, ENGINE, evaluator(reader, whole))
        impression = glance.impression(seen)
        assert impression is impression_of(of, reader, whole)
        assert glance.excluded(seen) == full.ruled_out
        if impression is Impression.OPEN:
            assert glance.missing(seen) == full.lacks()
        assert light.get(ENGINE, {}) == whole.get(ENGINE, {})


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (0.0, Missing.STALE, Impression.QUIET),
        (Missing.STALE, Missing.STALE, Impression.BLANK),
        (2.0, Missing.STALE, Impression.OPEN),
        (2.0, 2.0, Impression.FULL),
    ],
)
def test_an_impression_tells_what_a_closer_look_is_due_for(
    x: float | Missing, y: float | Missing, expected: Impression
) -> None:
    """One FALSE condition is enough; one that holds makes the others worth asking for."""
    seen = evaluator(Told(values={"engine.x": x, "engine.y": y})).seen(ENGINE)
    assert Glance(rule("slow", "engine.x > 1", "engine.y > 1")).impression(seen) is expected


def test_a_quiet_rule_goes_on_holding() -> None:
    """A part with a `for` sees the tick though another condition is FALSE already."""
    holds: Holds = {}
    glance = Glance(rule("slow", "engine.y > 1", "engine.x > 1 for 3s"))
    for t in range(3):
        glance.impression(evaluator(Told(float(t), {"engine.x": 2.0, "engine.y": 0.0}), holds).seen(ENGINE))
    assert [hold.held_s(2.0) for hold in holds[ENGINE].values()] == [2.0]
