"""Changes that must not happen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probecomparison import FailOn
from perfconsole.probing.comparison import compared
from perfconsole.probing.failon import gates, parse_fail_on
from perfconsole.probing.metrics import METRICS
from tests.probing.building import result, rung, spread

USUAL = result(rung(8, 1000, 0.1), rung(16, 2000, 0.1))


def failing(rule: str, *after: object) -> list[float]:
    """Loads at which the rule is broken."""
    (gate,) = gates(compared(USUAL, result(*after)), parse_fail_on(rule))  # type: ignore[arg-type]  # steps
    return [d.step.amount for d in gate.passed if d.step]


def test_rules_as_they_are_written() -> None:
    """With commas between them."""
    assert parse_fail_on("ttft_p95:+10%, output_tokens_per_s:-2.5%") == (
        FailOn("ttft_p95", 0.1),
        FailOn("output_tokens_per_s", -0.025),
    )


@given(st.sampled_from(sorted(METRICS)), st.integers(0, 10_000))
def test_a_rule_is_read_as_it_is_shown(name: str, percent: int) -> None:
    """Every metric in the direction in which it gets worse."""
    sign = "+" if METRICS[name].rises else "-"
    (rule,) = parse_fail_on(f"{name}:{sign}{percent}%")
    assert parse_fail_on(str(FailOn(name, rule.limit))) == (rule,) or percent == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%"),
        ("ttft_p95", "'ttft_p95' is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%"),
        ("ttft_p95:10%", "'ttft_p95:10%' is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%"),
        ("ttft_p95:+10", "'ttft_p95:+10' is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%"),
        ("ttft_p95:+10%,", "'' is not METRIC:+N% or METRIC:-N%, as in ttft_p95:+10%"),
        ("ttft_p95:-10%", "ttft_p95 gets worse when it rises: write ttft_p95:+10%"),
        ("goodput:+5%", "goodput gets worse when it falls: write goodput:-5%"),
        ("speed:-5%", f"'speed' is no metric; known are {', '.join(METRICS)}"),
    ],
)
def test_what_is_no_rule_says_why(text: str, message: str) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        parse_fail_on(text)
    assert str(error.value) == message


def test_a_limit_is_taken_at_its_word() -> None:
    """A tenth is not more than a tenth."""
    assert failing("ttft_p50:+10%", rung(8, 1000, 0.112), rung(16, 2000, 0.11)) == [8]
    assert failing("output_tokens_per_s:-10%", rung(8, 899, 0.1), rung(16, 1800, 0.1)) == [8]


def test_better_never_fails() -> None:
    """However much."""
    assert failing("ttft_p50:+0%", rung(8, 1000, 0.01)) == []
    assert failing("output_tokens_per_s:-0%", rung(8, 5000)) == []


def test_errors_in_points() -> None:
    """From none to three of a hundred is +3%."""
    assert failing("error_ratio:+2%", rung(8, 1000, errors=3)) == [8]
    assert failing("error_ratio:+3%", rung(8, 1000, errors=3)) == []


def test_nothing_is_decided_by_a_step_of_the_client_or_a_withheld_value() -> None:
    """They are told, so that nobody takes silence for a pass."""
    spoiled = rung(8, 1000, 0.9, valid=False, why="the client was the limit")
    after = result(spoiled, rung(16, 2000, ttft=spread(0.9, 19)))
    (gate,) = gates(compared(USUAL, after), parse_fail_on("ttft_p95:+10%"))
    assert (gate.passed, [d.step.amount for d in gate.unchecked if d.step]) == ((), [8, 16])
