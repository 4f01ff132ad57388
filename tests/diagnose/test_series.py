"""Numbers with units, durations, and rows of samples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.series import SeriesError, duration, parse_series, quantity


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        ("7", (7.0,)),
        ("1x3", (1.0, 1.0, 1.0, 1.0)),
        ("1x0", (1.0,)),
        ("0+10x3", (0.0, 10.0, 20.0, 30.0)),
        ("9-1x2", (9.0, 8.0, 7.0)),
        ("-2-3x2", (-2.0, -5.0, -8.0)),
        ("-4", (-4.0,)),
        ("_", (None,)),
        ("_x3", (None, None, None)),
        ("_x0 1", (1.0,)),
        ("1x2 _x3 0+10x1 7", (1.0, 1.0, 1.0, None, None, None, 0.0, 10.0, 7.0)),
        ("80%x1", (0.8, 0.8)),
        ("1.5s+500msx2", (1.5, 2.0, 2.5)),
        ("2h+5x1", (7200.0, 7205.0)),
        ("1GiB 3k", (1024.0**3, 3000.0)),
        ("  1 \n 2 ", (1.0, 2.0)),
    ],
)
def test_each_form_gives_its_samples(text: str, samples: tuple[float | None, ...]) -> None:
    """Every form of the notation gives the samples it stands for, a gap being None."""
    assert parse_series(text) == samples


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("1x20 nope", 6, "'nope' is none of"),
        ("1x", 1, "'1x' is none of"),
        ("1 0+10", 3, "has a step and no count: write 0+10x5"),
        ("1 5parsecs", 3, "unknown unit 'parsecs'"),
        ("1 0+5parsecsx3", 5, "unknown unit 'parsecs'"),
        ("", 1, "at least one sample"),
        ("_x0", 1, "at least one sample"),
        ("1 1x999999999999", 3, "more than 20000 samples"),
        ("_x20000 1x9", 9, "more than 20000 samples"),
        ("nan", 1, "'nan' is none of"),
    ],
)
def test_a_mistake_is_named_at_its_column(text: str, column: int, said: str) -> None:
    """A series that cannot be read says what is wrong and where."""
    with pytest.raises(SeriesError) as caught:
        parse_series(text)
    assert said in caught.value.message
    assert caught.value.column == column


def test_a_series_error_is_a_value_error() -> None:
    """Callers that know nothing of series catch ValueError."""
    with pytest.raises(ValueError, match=r"\(column 3\)"):
        parse_series("1 ?")


@given(st.lists(st.one_of(st.none(), st.integers(0, 9999).map(float)), min_size=1, max_size=30))
def test_samples_written_one_by_one_come_back(samples: list[float | None]) -> None:
    """Writing each sample as a number or a gap gives the same samples."""
    text = " ".join("_" if sample is None else f"{sample:.0f}" for sample in samples)
    assert parse_series(text) == tuple(samples)


@given(st.integers(-50, 50), st.integers(0, 9), st.sampled_from("+-"), st.integers(0, 60))
def test_a_ramp_has_one_sample_more_than_its_count(start: int, step: int, way: str, count: int) -> None:
    """`a+bxn` starts at a, has n + 1 samples and ends n steps away."""
    samples = parse_series(f"{start}{way}{step}x{count}")
    assert len(samples) == count + 1
    assert samples[0] == start
    assert samples[-1] == start + count * (step if way == "+" else -step)


@given(st.text(alphabet="01x+-_ .%smk", max_size=20))
def test_any_text_gives_samples_or_one_error(text: str) -> None:
    """Whatever is written gives samples or a SeriesError inside the text."""
    refusal = None
    try:
        parse_series(text)
    except SeriesError as error:
        refusal = error
    assert refusal is None or 1 <= refusal.column <= len(text) + 1


@pytest.mark.parametrize(("text", "seconds"), [("5s", 5.0), ("250ms", 0.25), ("3m", 180.0), ("1h", 3600.0)])
def test_a_duration_is_in_seconds(text: str, seconds: float) -> None:
    """Every unit of time is converted."""
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "said"),
    [("5", "needs a unit of time"), ("5MiB", "needs a unit of time"), ("0s", "longer than 0"), ("s", "not a number")],
)
def test_what_is_no_duration_is_refused(text: str, said: str) -> None:
    """A duration needs a number above 0 and a unit of time."""
    with pytest.raises(ValueError, match=said):
        duration(text)


@pytest.mark.parametrize("text", ["", "-1", "1 s", "x", "1..2", "1e9"])
def test_what_is_no_number_is_refused(text: str) -> None:
    """Signs, inner spaces, exponents and words are no numbers with a unit."""
    with pytest.raises(ValueError, match=r"not a number|unknown unit"):
        quantity(text)
