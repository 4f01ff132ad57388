"""Tests of two results of a probe side by side."""

from __future__ import annotations

from perfconsole.model.probecomparison import Difference, FailOn, Gate, Outcome, ProbeComparison, Setting
from perfconsole.model.probeplan import Shape, Step
from perfconsole.view.probediff import comparison_lines, difference_words, tally

AT = Step(Shape.CONCURRENCY, 16)
SLOWER = Difference("ttft_p95", AT, 0.0738, 0.0984, 0.333, 0.05, Outcome.WORSE, "from the samples")
FASTER = Difference("output_tokens_per_s", AT, 2992.0, 3300.0, 0.103, 0.02, Outcome.BETTER, "from several runs")
ALIKE = Difference("itl_p50", AT, 0.005, 0.0051, 0.02, 0.05, Outcome.SAME, "from the samples")
FAILING = Difference("error_ratio", AT, 0.0, 0.03, 0.03, 0.01, Outcome.WORSE, "from the number of requests")
KNEE = Difference("knee", None, 16.0, 8.0, -0.5, None, Outcome.UNSURE, "one step apart")
LOST = [
    Difference(name, AT, 0.1, None, None, None, Outcome.UNSURE, "no value after")
    for name in ("ttft_p99", "itl_p99", "tpot_p99", "e2e_p99")
]
FOUND = ProbeComparison(
    environment=(Setting("engine.version", "0.31.0", "0.32.0"), Setting("gpu.0.power", None, "700 W")),
    plan=(Setting("output_tokens", "128", "256"),),
    differences=(SLOWER, FASTER, ALIKE, FAILING, KNEE, *LOST),
    notes=("step concurrency 64 only before",),
)


def text(found: ProbeComparison = FOUND, gates: tuple[Gate, ...] = (), *, every: bool = False) -> list[str]:
    """The report as text."""
    return [line.text for line in comparison_lines(found, "A.json", "B.json", gates, every=every)]


def test_it_begins_with_how_many_are_worse() -> None:
    """Then line by line what they are."""
    assert text()[:7] == [
        "perfconsole probe compare  A.json  B.json",
        "2 worse, 1 better, 1 the same within what two runs differ by, 5 cannot be told",
        "",
        "WORSE",
        f"  {difference_words(SLOWER)}",
        f"  {difference_words(FAILING)}",
        "",
    ]


def test_a_difference_has_both_sides_in_their_unit() -> None:
    """With the change, and what of it two runs may differ by."""
    assert difference_words(SLOWER) == (
        "ttft_p95 at 16             73.8 ms -> 98.4 ms  +33.3% (two runs may differ by 5%, from the samples)"
    )
    assert difference_words(FASTER) == (
        "output_tokens_per_s at 16  2992 tokens/s -> 3300 tokens/s  +10.3% "
        "(two runs may differ by 2%, from several runs)"
    )


def test_a_share_changes_by_points() -> None:
    """3% of nothing has no ratio."""
    assert "0% -> 3%  +3 points" in difference_words(FAILING)


def test_what_has_no_other_side_says_so() -> None:
    """And makes no change up."""
    assert difference_words(LOST[0]).split("  ")[-2:] == ["no change can be said", "no value after"]
    assert "100 ms -> none" in difference_words(LOST[0])


def test_reasons_why_nothing_can_be_said_are_told_once() -> None:
    """A whole step has the same one."""
    assert "  no value after: ttft_p99 at 16, itl_p99 at 16, tpot_p99 at 16 and 1 more" in text()
    assert "  one step apart: knee" in text()


def test_what_is_the_same_is_listed_only_for_those_who_ask_for_all() -> None:
    """There is much of it."""
    assert not any("itl_p50" in line for line in text())
    assert any("itl_p50 at 16" in line for line in text(every=True))
    assert sum("no value after" in line for line in text(every=True)) == 4


def test_a_limit_that_was_passed_is_said_before_everything_else() -> None:
    """Also one that could not be checked: that is no pass."""
    gates = (
        Gate(FailOn("ttft_p95", 0.1), (SLOWER,), (), 2),
        Gate(FailOn("itl_p50", 0.1), (), (), 2),
        Gate(FailOn("ttfo_p95", 0.1), (), (), 0),
        Gate(FailOn("ttft_p99", 0.1), (), (LOST[0],), 1),
    )
    assert text(gates=gates)[2:6] == [
        "FAILED     ttft_p95:+10%: at 16 +33.3%",
        "kept       itl_p50:+10%",
        "unchecked  ttfo_p95:+10%: no step of both has it (p95 needs 20 requests, p99 100)",
        "unchecked  ttft_p99:+10%: at 16 no value after",
    ]
    styles = [line.style for line in comparison_lines(FOUND, "a", "b", gates)][2:6]
    assert styles == ["critical", "info", "warn", "warn"]


def test_what_changed_around_them_is_told() -> None:
    """A setting that only one side has too, and steps without a partner."""
    page = text()
    assert "  engine.version             0.31.0 -> 0.32.0" in page
    assert "  gpu.0.power                none -> 700 W" in page
    assert "  output_tokens              128 -> 256" in page
    assert page[-1] == "note       step concurrency 64 only before"


def test_two_equal_results_have_nothing_to_list() -> None:
    """But the tally."""
    assert text(ProbeComparison((), (), (ALIKE,))) == [
        "perfconsole probe compare  A.json  B.json",
        "0 worse, 0 better, 1 the same within what two runs differ by, 0 cannot be told",
    ]
    assert tally(ProbeComparison((), (), ())).startswith("0 worse")
