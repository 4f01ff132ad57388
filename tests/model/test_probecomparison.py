"""Values of a comparison."""

from __future__ import annotations

from perfconsole.model.probecomparison import FailOn


def test_a_rule_is_shown_as_it_is_written() -> None:
    """With its sign."""
    assert [str(FailOn("ttft_p95", 0.1)), str(FailOn("goodput", -0.025))] == ["ttft_p95:+10%", "goodput:-2.5%"]
