"""Laws of the three truth values."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.finding import Truth, indicator_of

TRUTHS = st.sampled_from(Truth)
PAIRS = list(product(Truth, Truth))
KNOWN = (Truth.FALSE, Truth.TRUE)

Term = tuple[str, list["Term"]] | int
"""A formula: an operator with its parts, or the index of a variable."""


def _joined(parts: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.tuples(st.sampled_from(["and", "or", "not"]), st.lists(parts, min_size=2, max_size=3))


TERMS = st.recursive(st.integers(0, 3), _joined, max_leaves=8)


def value_of(term: Term, values: list[Truth]) -> Truth:
    """Truth of a formula under an assignment; `not` takes its first part."""
    if isinstance(term, int):
        return values[term]
    operator, parts = term
    truths = [value_of(part, values) for part in parts]
    if operator == "not":
        return ~truths[0]
    result = truths[0]
    for truth in truths[1:]:
        result = result & truth if operator == "and" else result | truth
    return result


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_known_values_behave_as_booleans_do(a: Truth, b: Truth) -> None:
    """Without UNKNOWN the operators are those of bool."""
    if a in KNOWN and b in KNOWN:
        left, right = a is Truth.TRUE, b is Truth.TRUE
        assert ((a & b) is Truth.TRUE, (a | b) is Truth.TRUE) == (left and right, left or right)
        assert (a & b) in KNOWN
        assert (a | b) in KNOWN


@pytest.mark.parametrize("known", KNOWN)
def test_unknown_wins_only_where_the_other_side_does_not_settle_it(known: Truth) -> None:
    """FALSE settles an and, TRUE settles an or; otherwise UNKNOWN stays."""
    conjunction = Truth.FALSE if known is Truth.FALSE else Truth.UNKNOWN
    disjunction = Truth.TRUE if known is Truth.TRUE else Truth.UNKNOWN
    assert (known & Truth.UNKNOWN, known | Truth.UNKNOWN) == (conjunction, disjunction)


def test_not_unknown_is_unknown() -> None:
    """Negation turns the known values round and leaves UNKNOWN."""
    assert [~t for t in (Truth.FALSE, Truth.UNKNOWN, Truth.TRUE)] == [Truth.TRUE, Truth.UNKNOWN, Truth.FALSE]


@given(TRUTHS, TRUTHS)
def test_de_morgan(a: Truth, b: Truth) -> None:
    """Negation swaps and with or."""
    assert ~(a & b) is (~a | ~b)
    assert ~(a | b) is (~a & ~b)


@given(TRUTHS, TRUTHS, TRUTHS)
def test_the_operators_form_a_lattice(a: Truth, b: Truth, c: Truth) -> None:
    """And and or commute, associate, absorb and distribute."""
    assert (a & b, a | b) == (b & a, b | a)
    assert ((a & b) & c, (a | b) | c) == (a & (b & c), a | (b | c))
    assert (a & (a | b), a | (a & b)) == (a, a)
    assert a & (b | c) is ((a & b) | (a & c))


@settings(max_examples=100)
@given(TERMS, st.lists(TRUTHS, min_size=4, max_size=4), st.lists(st.sampled_from(KNOWN), min_size=4, max_size=4))
def test_more_data_never_turns_a_decided_formula(term: Term, values: list[Truth], later: list[Truth]) -> None:
    """Whatever replaces the unknown values, what was TRUE or FALSE without them stays so."""
    filled = [new if old is Truth.UNKNOWN else old for old, new in zip(values, later, strict=True)]
    before, after = value_of(term, values), value_of(term, filled)
    assert before in (Truth.UNKNOWN, after)
    assert after is not Truth.UNKNOWN


def test_a_truth_is_written_in_lower_case() -> None:
    """Scripts read true, false and unknown."""
    assert [str(t) for t in Truth] == ["false", "unknown", "true"]


@pytest.mark.parametrize("operand", ["a.b.p95", "base(a.b.p95)", "max(a.b.p95)", "rate(a.b.p95[300s])"])
def test_an_operand_names_its_indicator(operand: str) -> None:
    """Plain, as a baseline, over entities and over time it is the same indicator."""
    assert indicator_of(operand) == "a.b.p95"
