"""One thing wrong with a rule, as it is written."""

from __future__ import annotations

from perfconsole.diagnose.problem import Problem
from perfconsole.model.rule import Place


def test_a_problem_is_one_line_that_an_editor_can_jump_to() -> None:
    """FILE:LINE:COLUMN in front, the code to search for at the end."""
    problem = Problem(Place("rules/engine/slow.yaml", 3, 7), "no-check", "no check; add one")
    assert str(problem) == "rules/engine/slow.yaml:3:7: no check; add one [no-check]"


def test_the_same_problem_is_found_once() -> None:
    """Whoever finds it twice can tell: equal by place, code and message."""
    place = Place("slow.yaml", 3, 7)
    found = {Problem(place, "a", "b"), Problem(Place("slow.yaml", 3, 7), "a", "b"), Problem(place, "a", "c")}
    assert len(found) == 2
