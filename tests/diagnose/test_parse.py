"""The grammar of conditions: trees, numbers, and what is said about mistakes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.parse import ExpressionError, has_base, names, nearest, parse, render, walk
from perfconsole.model.expression import (
    And,
    Arithmetic,
    Base,
    Comparison,
    Expression,
    Held,
    Name,
    Not,
    Number,
    Or,
    OverEntities,
    OverTime,
    Value,
)


def value_without_columns(node: Value) -> Value:
    """Copy of a value with every column 0."""
    if isinstance(node, Arithmetic):
        left, right = value_without_columns(node.left), value_without_columns(node.right)
        return replace(node, left=left, right=right, column=0)
    return replace(node, column=0)


def without_columns(node: Expression) -> Expression:
    """Copy of a condition with every column 0."""
    match node:
        case Comparison():
            left, right = value_without_columns(node.left), value_without_columns(node.right)
            return replace(node, left=left, right=right, column=0)
        case And() | Or():
            return replace(node, parts=tuple(map(without_columns, node.parts)), column=0)
        case Not() | Held():
            return replace(node, part=without_columns(node.part), column=0)


def x(column: int = 1, name: str = "engine.x") -> Name:
    """Name node at a column."""
    return Name(name, column)


def over(bound: float, text: str, column: int = 1, unit: str = "") -> Comparison:
    """`engine.x > bound` at a column."""
    return Comparison(">", x(column), Number(bound, text, unit, column + 11), column)


def mistake(text: str) -> ExpressionError:
    """Error that parsing the text raises."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    return caught.value


def test_a_comparison_keeps_operands_and_their_columns() -> None:
    """A comparison holds its two sides with the column at which each begins."""
    assert parse("engine.x > 80%") == over(0.8, "80%", unit="%")


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
def test_every_comparison_operator_is_known(operator: str) -> None:
    """All six comparisons parse to their own operator."""
    tree = parse(f"engine.x {operator} 1")
    assert isinstance(tree, Comparison)
    assert tree.operator == operator


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7.0),
        ("0.1%", 0.001),
        ("98%", 0.98),
        ("20ms", 0.02),
        ("1.5s", 1.5),
        ("5m", 300.0),
        ("24h", 86400.0),
        ("2KiB", 2048.0),
        ("10MiB", 10 * 1024.0**2),
        ("1GiB", 1024.0**3),
        ("3k", 3000.0),
    ],
)
def test_numbers_are_kept_in_base_units(text: str, value: float) -> None:
    """A unit is converted exactly and the written form is kept."""
    tree = parse(f"engine.x > {text}")
    assert isinstance(tree, Comparison)
    assert tree.right == Number(value, text, text.lstrip("0123456789."), 12)


def test_for_binds_to_the_unit_before_it() -> None:
    """`for` holds the last unit of a conjunction, not the whole."""
    assert parse("engine.x > 1 and engine.x > 2 for 30s") == And(
        (over(1, "1"), Held(over(2, "2", 18), 30.0, 18)),
        1,
    )


def test_for_holds_a_parenthesised_condition() -> None:
    """Parentheses make a whole conjunction one unit for `for`."""
    assert parse("(engine.x > 1 and engine.x > 2) for 5m") == Held(
        And((over(1, "1", 2), over(2, "2", 19)), 2),
        300.0,
        2,
    )


def test_for_holds_a_negation() -> None:
    """`not` belongs to the unit that `for` holds."""
    assert parse("not engine.x > 1 for 30s") == Held(Not(over(1, "1", 5), 1), 30.0, 1)


def test_and_binds_more_strongly_than_or() -> None:
    """A conjunction is one part of the disjunction around it."""
    tree = parse("engine.x > 1 or engine.x > 2 and engine.x > 3")
    assert tree == Or((over(1, "1"), And((over(2, "2", 17), over(3, "3", 34)), 17)), 1)


def test_a_row_of_or_is_one_node() -> None:
    """Parts joined by the same word stand side by side."""
    tree = parse("engine.x > 1 or engine.x > 2 or engine.x > 3")
    assert isinstance(tree, Or)
    assert len(tree.parts) == 3


def test_parentheses_may_hold_a_sum() -> None:
    """A sum in parentheses is multiplied as a whole."""
    tree = parse("engine.x < 50% * (engine.x + engine.x)")
    assert isinstance(tree, Comparison)
    product = tree.right
    assert isinstance(product, Arithmetic)
    assert isinstance(product.right, Arithmetic)
    assert (product.operator, product.right.operator) == ("*", "+")


def test_subtraction_groups_from_the_left() -> None:
    """`a - b - c` takes b from a first."""
    tree = parse("engine.x - engine.x - 3 > 0")
    assert isinstance(tree, Comparison)
    assert isinstance(tree.left, Arithmetic)
    assert isinstance(tree.left.left, Arithmetic)


def test_a_window_makes_a_function_run_over_time() -> None:
    """With a window max() runs over time."""
    tree = parse("max(engine.x[3m]) > 1")
    assert isinstance(tree, Comparison)
    assert tree.left == OverTime("max", "engine.x", 180.0, 1)


def test_without_a_window_a_function_runs_over_entities() -> None:
    """Without a window max() runs over entities."""
    tree = parse("max(gpu.utilization) > 1")
    assert isinstance(tree, Comparison)
    assert tree.left == OverEntities("max", "gpu.utilization", 1)


def test_base_is_the_baseline() -> None:
    """base() names the baseline of an indicator."""
    tree = parse("engine.ttft.p95 > 1.5 * base(engine.ttft.p95)")
    assert has_base(tree)
    assert not has_base(parse("engine.ttft.p95 > 1"))


def test_line_breaks_are_spaces() -> None:
    """A condition may span lines."""
    assert names(parse("engine.x > 1\n  and\tengine.y > 2")) == ("engine.x", "engine.y")


def test_names_come_once_in_order_of_appearance() -> None:
    """names() lists every indicator read, also inside functions, each once."""
    text = "max(gpu.b) > 1 or engine.ttft.p95 > base(engine.a) and rate(engine.c[1m]) > engine.ttft.p95"
    assert names(parse(text)) == ("gpu.b", "engine.ttft.p95", "engine.a", "engine.c")


def test_walk_visits_the_whole_before_its_parts() -> None:
    """walk() yields a node before its children, from left to right."""
    kinds = [type(node) for node in walk(parse("not (engine.x > 1) for 5s"))]
    assert kinds == [Held, Not, Comparison, Name, Number]


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("engine.x", 1, "a number is not a condition: compare it with something"),
        ("(engine.x + 1)", 2, "a number is not a condition"),
        ("engine.y > 1 and 3", 18, "a number is not a condition"),
        ("engine.x for 30s", 1, "a number is not a condition"),
        ("not engine.x", 5, "a number is not a condition"),
        ("(engine.x > 1) + 2 > 0", 2, "a condition stands where a number is needed"),
        ("engine.x > not engine.y > 1", 12, "a condition stands where a number is needed"),
        ("1 < engine.x < 5", 14, "comparisons do not chain: write 'a < b and b < c'"),
        ("engine.x > 1 for 30s for 10s", 22, "held once"),
        ("engine.x > 1 for soon", 18, "'for' needs a duration, as in 30s"),
        ("engine.x > 1 for 30", 18, "needs a unit of time"),
        ("engine.x > 1 for 30%", 18, "needs a unit of time"),
        ("engine.x > 1 for 0s", 18, "longer than 0"),
        ("averag(engine.x) > 1", 1, "unknown function 'averag'"),
        ("medan(engine.x) > 1", 1, "unknown function 'medan'"),
        ("spraed(engine.x) > 1", 1, "did you mean 'spread'?"),
        ("rate(engine.x) > 1", 1, "rate() needs a window: write rate(engine.x[1m])"),
        ("sum(engine.x[1m]) > 1", 13, "sum() takes no window: write sum(engine.x)"),
        ("base(engine.x[1m]) > 1", 14, "base() takes no window"),
        ("max(engine.x[]) > 1", 14, "the window needs a duration"),
        ("max(engine.x[3m) > 1", 13, "this window is never closed"),
        ("max(3) > 1", 5, "takes the name of one indicator"),
        ("max(engine.x + 1) > 1", 14, "expected ')' before '+'"),
        ("max(engine.x > 1", 14, "expected ')' before '>'"),
        ("max(engine.x", 4, "this parenthesis is never closed"),
        ("engine.x[1m] > 1", 9, "a window stands inside a function"),
        ("engine.x > 5fortnights", 12, "unknown unit 'fortnights'"),
        ("engine.x > 1" + 400 * "0", 12, "too large"),
        ("engine.x > 80 %", 15, "a unit stands directly behind its number"),
        ("engine.x = 1", 10, "unexpected character '=': a comparison is written '=='"),
        ("engine.x > 1 && engine.y > 1", 14, "write 'and'"),
        ("engine.x > 1 ; engine.y > 1", 14, "unexpected character ';'"),
        ("engine.x > .5", 12, "a number starts with a digit"),
        ("engine.x > 1\N{NO-BREAK SPACE}", 13, "unexpected character '\\xa0'"),
        ("(engine.x > 1 and (engine.y > 2)", 1, "this parenthesis is never closed"),
        ("engine.x > 1)", 13, "no parenthesis is open here"),
        ("(engine.x > 1 engine.y", 15, "expected ')' before 'engine.y'"),
        ("()", 2, "')' stands where a number or an indicator should"),
        ("engine.x > 1 and or engine.y > 1", 18, "'or' stands where a number or an indicator should"),
        ("engine.x >", 11, "the condition ends where a number or an indicator should stand"),
        ("", 1, "the condition ends where a number or an indicator should stand"),
        ("engine.x > -5", 12, "write 0 - 5 for -5"),
        ("waiting > 5", 1, "'waiting' is not an indicator: write its layer too, as in engine.waiting"),
        ("max(waiting) > 5", 5, "'waiting' is not an indicator"),
        ("engine.x > 1 AND engine.y > 1", 14, "expected 'and', 'or' or the end before 'AND'"),
        ("(" * 60 + "engine.x" + ")" * 60, 51, "nested more than 50 deep"),
        ("not " * 5000 + "engine.x > 1", 201, "nested more than 50 deep"),
    ],
)
def test_a_mistake_is_named_at_its_column(text: str, column: int, said: str) -> None:
    """Each mistake is said in words, at the column at which it stands."""
    error = mistake(text)
    assert said in error.message
    assert error.column == column
    assert error.text == text


def test_the_caret_points_at_the_column() -> None:
    """caret() prints the condition and a mark below the mistake."""
    assert mistake("engine.x >> 3").caret() == "engine.x >> 3\n          ^"


def test_the_caret_keeps_to_one_line() -> None:
    """A condition that spans lines is shown on one, so that the mark stays under its column."""
    text, mark = mistake("engine.x > 1\nand ?").caret().split("\n")
    assert text[len(mark) - 1] == "?"


def test_the_text_of_the_error_says_the_column() -> None:
    """The error's own text is one line with the column in it."""
    assert str(mistake("engine.x")) == "a number is not a condition: compare it with something (column 1)"


def test_nearest_says_nothing_when_nothing_is_close() -> None:
    """nearest() stays empty instead of naming an unrelated word."""
    assert nearest("qqq", ("when", "unless")) == ""
    assert nearest("unles", ("when", "unless")) == "; did you mean 'unless'?"


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("((engine.x>1))and engine.y<2", "engine.x > 1 and engine.y < 2"),
        ("(engine.x > 1 or engine.y > 1) and engine.z > 1", "(engine.x > 1 or engine.y > 1) and engine.z > 1"),
        ("not ((engine.x > 1))", "not engine.x > 1"),
        ("(not engine.x > 1) for 90s", "not engine.x > 1 for 90s"),
        ("not (engine.x > 1 for 60s)", "not (engine.x > 1 for 1m)"),
        ("slope(engine.x[60s]) * 60 > 3", "slope(engine.x[1m]) * 60 > 3"),
        ("engine.x - (engine.y - 1) > 0", "engine.x - (engine.y - 1) > 0"),
        ("(engine.x - engine.y) - 1 > 0", "engine.x - engine.y - 1 > 0"),
        ("engine.x > 0 for 0.0000001s", "engine.x > 0 for 0.0000001s"),
    ],
)
def test_render_writes_no_needless_parentheses(text: str, rendered: str) -> None:
    """Rendered text has the parentheses that the tree needs and no others."""
    assert render(parse(text)) == rendered


WORDS = st.sampled_from(["engine.x", "engine.ttft.p95", "gpu.mem_used", "host.process_cpu"])
DIGITS = st.sampled_from(["0", "1", "2.5", "80"])
SPANS = st.sampled_from([0.02, 0.25, 5.0, 60.0, 90.0, 180.0, 3600.0])
FACTORS = {"": 1.0, "s": 1.0, "m": 60.0, "k": 1000.0, "KiB": 1024.0}


def literals() -> st.SearchStrategy[Number]:
    """Numbers as they may be written."""
    return st.builds(
        lambda digits, unit: Number(float(digits) * FACTORS[unit], digits + unit, unit, 0),
        DIGITS,
        st.sampled_from(sorted(FACTORS)),
    )


def values() -> st.SearchStrategy[Value]:
    """Arithmetic on anything that has a value."""
    leaves: st.SearchStrategy[Value] = st.one_of(
        literals(),
        st.builds(Name, WORDS, st.just(0)),
        st.builds(Base, WORDS, st.just(0)),
        st.builds(OverTime, st.sampled_from(["rate", "max", "slope"]), WORDS, SPANS, st.just(0)),
        st.builds(OverEntities, st.sampled_from(["max", "count"]), WORDS, st.just(0)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.builds(Arithmetic, st.sampled_from("+-*/"), inner, inner, st.just(0)),
        max_leaves=5,
    )


def conditions() -> st.SearchStrategy[Expression]:
    """Trees of every kind of node."""
    compared: st.SearchStrategy[Expression] = st.builds(
        Comparison, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), values(), values(), st.just(0)
    )
    return st.recursive(
        compared,
        lambda inner: st.one_of(
            st.builds(Not, inner, st.just(0)),
            st.builds(Held, inner, SPANS, st.just(0)),
            st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple), st.just(0)),
            st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple), st.just(0)),
        ),
        max_leaves=6,
    )


@given(conditions())
def test_what_is_rendered_parses_to_the_same_tree(tree: Expression) -> None:
    """render() and parse() are inverse, apart from columns."""
    assert without_columns(parse(render(tree))) == tree


@given(conditions())
def test_columns_point_at_what_they_name(tree: Expression) -> None:
    """Every name, number and function stands in the text at its column."""
    text = render(tree)
    for node in walk(parse(text)):
        at = text[node.column - 1 :]
        match node:
            case Name():
                assert at.startswith(node.name)
            case Number():
                assert at.startswith(node.text)
            case OverTime() | OverEntities():
                assert at.startswith(f"{node.function}(")
            case _:
                pass


PIECES = [
    "engine.x",
    "x",
    "max(",
    "rate(",
    "(",
    ")",
    "[1m]",
    "80%",
    "5s",
    "for",
    "and",
    "or",
    "not",
    ">",
    "==",
    "+",
    "$",
]


@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)))
def test_any_text_parses_or_is_refused_in_place(text: str) -> None:
    """Whatever is written either parses or is an error whose column lies in the text or just behind it."""
    refusal = None
    try:
        parse(text)
    except ExpressionError as error:
        refusal = error
    assert refusal is None or 1 <= refusal.column <= len(text) + 1
