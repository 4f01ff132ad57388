"""What can never or must always hold: proven, or not said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.reach import first_clash, implied, of_ranges
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.expression import And, Comparison, Held, Name, Not, Number, Or

if TYPE_CHECKING:
    from perfconsole.model.expression import Expression, Truthful

VALUES = (-1.0, 0.0, 0.5, 1.0, 2.0)
NAMES = ("a.x", "a.y")
ATOMS = st.builds(
    lambda operator, name, other: Comparison(operator, Name(name, 1), other, 1),
    st.sampled_from(("<", "<=", ">", ">=", "==", "!=")),
    st.sampled_from(NAMES),
    st.one_of(
        st.sampled_from((0.0, 0.5, 1.0)).map(lambda n: Number(n, str(n), "", 1)),
        st.sampled_from(NAMES).map(lambda name: Name(name, 1)),
    ),
)
TREES: st.SearchStrategy[Truthful] = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(lambda part: Not(part, 1)),
        inner.map(lambda part: Held(part, 60, 1)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts), 1)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts), 1)),
    ),
    max_leaves=6,
)


def holds(tree: Expression, values: dict[str, float]) -> bool:
    """Truth of a condition that has been as it is for ever."""
    match tree:
        case Comparison():
            left, right = (
                values[s.name] if isinstance(s, Name) else s.value
                for s in (tree.left, tree.right)
                if isinstance(s, Name | Number)
            )
            found = {
                "<": left < right,
                "<=": left <= right,
                ">": left > right,
                ">=": left >= right,
                "==": left == right,
            }
            return found.get(tree.operator, left != right)
        case Not():
            return not holds(tree.part, values)
        case Held():
            return holds(tree.part, values)
        case And():
            return all(holds(part, values) for part in tree.parts)
        case Or():
            return any(holds(part, values) for part in tree.parts)


def worlds() -> list[dict[str, float]]:
    """All values of both readings."""
    return [{"a.x": x, "a.y": y} for x in VALUES for y in VALUES]


@given(st.lists(TREES, min_size=1, max_size=4))
def test_a_clash_is_proof_that_no_values_satisfy_all(parts: list[Truthful]) -> None:
    """Whatever the conditions are, what is said to exclude each other does."""
    if first_clash(parts) is not None:
        assert not any(all(holds(part, world) for part in parts) for world in worlds())


@given(TREES, st.lists(TREES, min_size=1, max_size=3))
def test_what_is_implied_holds_wherever_the_others_do(tree: Truthful, given_parts: list[Truthful]) -> None:
    """`unless` is only said to repeat `when` where it truly does."""
    if implied(tree, given_parts):
        assert all(holds(tree, world) for world in worlds() if all(holds(part, world) for part in given_parts))


@pytest.mark.parametrize(
    ("one", "given_text", "follows"),
    [
        ("a.x > 3", "a.x > 5", True),
        ("a.x > 5", "a.x > 3", False),
        ("a.x > 3 for 30s", "a.x > 5 for 60s", True),
        ("a.x > 3 for 90s", "a.x > 5 for 60s", False),
        ("a.x > 3 for 30s", "a.x > 5", False),
        ("a.x > 3", "a.x > 5 for 60s", True),
        ("a.x > 9 or a.x > 3", "a.x > 5", True),
        ("a.x > 3 and a.y > 1", "a.x > 5", False),
        ("a.x >= a.y", "a.x > a.y", True),
        ("a.x < a.y", "a.y > a.x", True),
        ("max(a.x) > 3", "max(a.x) > 5", True),
        ("max(a.x[1m]) > 3", "max(a.x[5m]) > 5", False),
    ],
)
def test_what_follows_from_a_condition(one: str, given_text: str, *, follows: bool) -> None:
    """Numbers, holds and both orders of a comparison are followed; windows are readings of their own."""
    assert implied(parse(one), [parse(given_text)]) is follows


@pytest.mark.parametrize(
    "text",
    [
        "engine.kv_cache_usage > 90%",
        "engine.kv_cache_usage >= 100%",
        "engine.kv_cache_usage < engine.prefix_cache_hit_ratio",
        "engine.load_ratio > 1.3",
        "slope(engine.requests_waiting[1m]) < 0",
        "engine.up == 1",
        "engine.requests_waiting > 5 or engine.requests_waiting < 3",
        "engine.requests_waiting > 3 and engine.requests_waiting < 5",
        "not (engine.requests_waiting > 5 for 60s) and engine.requests_waiting > 5",
        "gpu.temp_margin < 0",
    ],
)
def test_what_can_be_either_is_left_alone(text: str) -> None:
    """Nothing is said of a condition that some values meet and others do not."""
    assert list(of_ranges(parse(text), DEFAULT)) == []


def test_a_percentage_written_as_a_number_is_explained() -> None:
    """The range, and how the number is meant to be written."""
    [(code, message, column)] = of_ranges(parse("engine.kv_cache_usage > 90"), DEFAULT)
    assert (code, column) == ("never-true", 25)
    assert message.endswith("engine.kv_cache_usage lies between 0 and 1; write the number as a share, as in 90%")


def test_the_number_in_front_is_the_place_too() -> None:
    """As a comparison may be turned."""
    assert [column for _, _, column in of_ranges(parse("90 < engine.kv_cache_usage"), DEFAULT)] == [1]
