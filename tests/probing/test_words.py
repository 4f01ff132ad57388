"""Numbers in sentences."""

from __future__ import annotations

import pytest

from perfconsole.probing.words import amount, change, length, share, speed


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "?"),
        (0.0, "0 us"),
        (0.00085, "850 us"),
        (0.0512, "51.2 ms"),
        (0.99996, "1 s"),
        (2.105, "2.1 s"),
        (1234.0, "1,234 s"),
    ],
)
def test_length(seconds: float | None, text: str) -> None:
    """Three digits in the unit that fits."""
    assert length(seconds) == text


def test_shares_rates_and_loads() -> None:
    """Three digits, and all of them before the point."""
    assert [share(0.004), share(0.9664), share(2.5), share(12.0)] == ["0.4%", "96.6%", "250%", "1,200%"]
    assert [amount(16.0), amount(2.5), amount(2982.6)] == ["16", "2.5", "2,983"]
    assert [speed(2982.6, "tokens"), speed(None, "requests")] == ["2,983 tokens/s", "? requests/s"]


@pytest.mark.parametrize(
    ("part", "text"),
    [(0.12, "+12%"), (-0.031, "-3%"), (0.0, "+0%"), (-0.000724, "+0%"), (0.996, "+100%"), (14.9, "+1,490%")],
)
def test_gains(part: float, text: str) -> None:
    """Whole percents: more digits would promise what two steps cannot tell."""
    assert change(part) == text
