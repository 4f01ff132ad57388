"""Tests of values in words."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from perfconsole.view.units import (
    FACTOR,
    MISSING_WORDS,
    duration,
    number,
    operand_text,
    said_in,
    shown,
    size,
    told,
    unit_of,
)
from tests.view.pictures import ENGINE

FACTORS = 19


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.52, "ratio", "52%"),
        (0.0, "ratio", "0%"),
        (0.0004, "ratio", "0.04%"),
        (1.0, "ratio", "100%"),
        (2.0, "ratio", "200%"),
        (7.9, "ratio", "7.9x"),
        (-3.0, "ratio", "-3x"),
        (1.54, "x", "1.54x"),
        (0.02, "ratio/s", "2 points/s"),
        (0.00968, "cores", "0.01"),
        (0.038, "s", "38 ms"),
        (2.5, "s", "2.5 s"),
        (0.0, "s", "0 s"),
        (90.0, "s", "90 s"),
        (600.0, "s", "10 min"),
        (7200.0, "s", "2.0 h"),
        (0.0, "bytes", "0 B"),
        (1023.0, "bytes", "1023 B"),
        (1024.0, "bytes", "1 KiB"),
        (3 * 2.0**30, "bytes", "3 GiB"),
        (2.0**20, "bytes/s", "1 MiB/s"),
        (32.0, "requests", "32"),
        (1.5, "cores", "1.5"),
        (1980e6, "Hz", "1980 MHz"),
        (12.0, "tokens/s", "12 tokens/s"),
        (1.0, "0/1", "1"),
        (inf, "s", "never"),
    ],
)
def test_a_value_follows_its_unit(value: float, unit: str, text: str) -> None:
    """Ratios are percent, seconds ms to h, bytes binary, counts bare, infinity `never`."""
    assert shown(value, unit) == text


@pytest.mark.parametrize("reason", list(Missing))
def test_a_missing_value_shows_its_reason(reason: Missing) -> None:
    """Every reason has words without a digit, in every unit."""
    text = shown(reason, "requests")
    assert text == MISSING_WORDS[reason]
    assert not any(c.isdigit() for c in text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999.6, "1000"),
        (99_999.0, "99999"),
        (99_999.7, "100k"),
        (150_000.0, "150k"),
        (1_500_000.0, "1500k"),
        (2e9, "2000M"),
        (1e10, "10000M"),
        (-0.0, "0"),
        (-3.14159, "-3.14"),
    ],
)
def test_a_number_has_three_digits_and_no_exponent(value: float, text: str) -> None:
    """Rounding up to a power of ten never turns a number into 1e+03, and zero has no sign."""
    assert number(value) == text


@given(st.floats(min_value=1e-3, max_value=1e15))
@settings(max_examples=100)
def test_a_number_reads_back_nearly_the_same(value: float) -> None:
    """What is shown is within half a percent of the value, and free of exponents."""
    text = number(value)
    factor = {"k": 1e3, "M": 1e6}.get(text[-1], 1.0)
    assert "e" not in text
    assert float(text.rstrip("kM")) * factor == pytest.approx(value, rel=0.0051)


@given(st.floats(min_value=1e-3, max_value=1e7), st.floats(min_value=1e-3, max_value=1e7))
@settings(max_examples=100)
def test_longer_never_reads_shorter(one: float, other: float) -> None:
    """The order of two durations survives the words, up to rounding."""
    factors = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}

    def seconds(value: float) -> float:
        digits, unit = duration(value).split(" ")
        return float(digits) * factors[unit]

    low, high = sorted((one, other))
    assert seconds(low) <= seconds(high) * 1.11


def test_a_duration_just_below_a_second_is_not_a_thousand_ms() -> None:
    """Rounding happens before the unit is chosen."""
    assert duration(0.9996) == "1 s"


def test_half_a_state_is_not_rounded_to_zero() -> None:
    """The mean of a state over time shows as it is."""
    assert shown(0.5, "0/1") == "0.5"


def test_negative_sizes_keep_their_sign() -> None:
    """A size that falls is shown as falling."""
    assert size(-2.0 * 2**20) == "-2 MiB"


@pytest.mark.parametrize(
    ("operand", "unit"),
    [
        ("engine.kv_cache_usage", "ratio"),
        ("engine.ttft.p95", "s"),
        ("base(engine.ttft.p95)", "s"),
        ("max(gpu.utilization)", "ratio"),
        ("slope(engine.requests_waiting[60s])", "requests/s"),
        ("count(gpu.utilization)", ""),
        ("changes(engine.requests_running[60s])", ""),
        ("no.such_name", ""),
    ],
)
def test_an_operand_has_the_unit_of_what_it_reads(operand: str, unit: str) -> None:
    """Functions keep the unit, slopes are per second, counts have none, unknown names have none."""
    assert unit_of(operand) == unit


def test_an_operand_is_shown_without_the_prefix_of_its_layer() -> None:
    """Engine names are short, others whole, a missing one says why."""
    assert operand_text(("engine.kv_cache_usage", 0.52)) == "kv_cache_usage 52%"
    assert operand_text(("gateway.ttft.p95", Missing.NEVER)) == "gateway.ttft.p95 nothing observed"


def test_a_factor_is_never_a_percentage() -> None:
    """Calls per request and the like say how many times, also below two."""
    assert operand_text(("gateway.amplification", 1.54)) == "gateway.amplification 1.54x"
    assert told(Indicator("gateway.amplification", ENGINE, 1.0, "ratio")) == "1x"
    assert told(Indicator("gateway.error_ratio", ENGINE, 1.0, "ratio")) == "100%"


def test_only_ratios_are_factors() -> None:
    """What has a unit of its own keeps it."""
    assert (said_in("gateway.amplification", "ratio"), said_in("engine.e2e.p95", "s")) == ("x", "s")


def test_every_factor_is_a_ratio_of_the_dictionary() -> None:
    """A name that is no more would be forgotten here."""
    factors = [e.name for e in DEFAULT.entries if said_in(e.name, "ratio") == FACTOR]
    assert {DEFAULT.unit(name) for name in factors} == {"ratio"}
    assert len(factors) == FACTORS


def test_a_quantile_behind_the_last_bound_is_told_as_more_than_that() -> None:
    """Nobody knows how much more."""
    engine = Entity(Kind.ENGINE, "x")
    assert told(Indicator("engine.e2e.p95", engine, 1.0, "s", at_least=True)) == "> 1 s"
    assert told(Indicator("engine.e2e.p95", engine, 1.0, "s")) == "1 s"
