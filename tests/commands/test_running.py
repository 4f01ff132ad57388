"""How long a run watches, and which flags do not go together."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from perfconsole.commands.running import add_length, add_replay, refuse_mixed, seconds_of
from perfconsole.errors import UsageError

RECORDING = Path("series.prom.gz")


def flags(**given: object) -> argparse.Namespace:
    """Arguments of a run, none given but these."""
    plain: dict[str, object] = {
        "replay": None,
        "at": None,
        "seconds": None,
        "engine": [],
        "gateway": [],
        "orchestrator": [],
        "log": [],
    }
    return argparse.Namespace(**{**plain, **given})


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45", 45.0), ("90s", 90.0), ("2m", 120.0), ("1.5m", 90.0), ("0.5m", 30.0), ("1", 1.0), ("1440m", 86_400.0)],
)
def test_a_time_is_in_seconds_or_minutes(text: str, seconds: float) -> None:
    """Bare numbers are seconds; both ends of the span are allowed."""
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s", "m", "0", "0.99", "-5", "86401", "1441m", "2h", "two", "1 2", "nan", "nans", "inf", "1e9", "infm"]
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    """Below a second, above a day, or no number at all; the text is quoted."""
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        seconds_of(text)
    assert str(refused.value) == f"{text!r} is no time from 1 s to 24 h, such as 45, 90s or 2m"


def test_a_length_and_an_end_are_read_as_times() -> None:
    """Both flags take the same words."""
    parser = argparse.ArgumentParser()
    add_length(parser)
    add_replay(parser)
    given = parser.parse_args(["--for", "2m", "--replay", "series.prom.gz", "--at", "90s"])
    assert (given.seconds, given.replay, given.at) == (120.0, RECORDING, 90.0)


def test_without_flags_nothing_is_chosen() -> None:
    """None tells a default apart from 30 s that somebody asked for."""
    parser = argparse.ArgumentParser()
    add_length(parser)
    add_replay(parser)
    assert vars(parser.parse_args([])) == {"seconds": None, "replay": None, "at": None}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"seconds": 45.0, "engine": ["http://a:8000"], "log": ["a.log"]},
        {"replay": RECORDING},
        {"replay": RECORDING, "at": 90.0},
    ],
)
def test_flags_that_go_together_are_let_through(given: dict[str, object]) -> None:
    """Live watching with its targets, or a recording with its end."""
    refuse_mixed(flags(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"engine": ["http://a:8000"]},
        {"gateway": ["http://a:80"]},
        {"orchestrator": ["http://a:9000"]},
        {"log": ["a.log"]},
        {"seconds": 45.0},
    ],
)
def test_a_recording_takes_no_flag_of_live_watching(given: dict[str, object]) -> None:
    """It would do nothing, and nobody would notice."""
    with pytest.raises(UsageError, match="--replay judges a recording"):
        refuse_mixed(flags(replay=RECORDING, **given))


def test_an_end_needs_a_recording() -> None:
    """Live watching ends with --for."""
    with pytest.raises(UsageError, match="--at goes with --replay"):
        refuse_mixed(flags(at=90.0))
