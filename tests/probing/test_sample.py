"""Samples of real traffic."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeorders import Arrival
from perfconsole.probing.sample import read_sample


def _read(*rows: dict[str, Any]) -> tuple[Arrival, ...]:
    return read_sample([json.dumps(row) for row in rows], "a.jsonl")


def test_arrivals_are_sorted_and_start_at_0() -> None:
    """A log is written when requests end, not when they come."""
    assert _read(
        {"t": 105.5, "prompt_tokens": 10, "output_tokens": 5}, {"t": 100, "prompt_tokens": 20, "output_tokens": 6}
    ) == (
        Arrival(0.0, 20, 6),
        Arrival(5.5, 10, 5),
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"timestamp": 1_790_000_000.0}, {"timestamp": 1_790_000_002.5}),
        ({"timestamp": 1_790_000_000_000}, {"timestamp": 1_790_000_002_500}),
        ({"timestamp": "2026-09-21T10:00:00Z"}, {"timestamp": "2026-09-21T12:00:02.5+02:00"}),
        ({"timestamp": "2026-09-21 10:00:00"}, {"timestamp": "2026-09-21 10:00:02.500"}),
        ({"timestamp": 1000, "hash_ids": [1]}, {"timestamp": 3500, "hash_ids": [1, 2]}),
    ],
)
def test_moments_are_read_in_any_of_their_forms(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Epoch seconds and milliseconds, ISO with and without a zone, milliseconds of Mooncake's traces."""
    lengths = {"input_length": 7, "output_length": 3}
    assert _read({**first, **lengths}, {**second, **lengths}) == (Arrival(0.0, 7, 3), Arrival(2.5, 7, 3))


@pytest.mark.parametrize(
    "text",
    [
        {"prompt": "a" * 400},
        {"messages": [{"role": "system", "content": "b" * 100}, {"role": "user", "content": "c" * 300}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "d" * 400}, {"type": "image_url"}]}]},
    ],
)
def test_a_text_without_a_count_stands_for_its_tokens(text: dict[str, Any]) -> None:
    """Four characters each; the text itself goes no further."""
    assert _read({"t": 0, "output_tokens": 5, **text}) == (Arrival(0.0, 100, 5),)


def test_a_count_goes_before_a_text() -> None:
    """It is the truth."""
    assert _read({"t": 0, "prompt_tokens": 9, "prompt": "a" * 400, "output_tokens": 5}) == (Arrival(0.0, 9, 5),)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"prompt_tokens": 1, "output_tokens": 1}', "no t and no timestamp"),
        ('{"t": "noon", "prompt_tokens": 1, "output_tokens": 1}', "t is no moment: noon"),
        ('{"t": NaN, "prompt_tokens": 1, "output_tokens": 1}', "t is no moment: nan"),
        ('{"t": true, "prompt_tokens": 1, "output_tokens": 1}', "t is no moment"),
        ('{"t": null, "prompt_tokens": 1, "output_tokens": 1}', "t is no moment"),
        ('{"t": 0, "output_tokens": 1}', "no length of the prompt"),
        ('{"t": 0, "prompt_tokens": 1}', "no output_tokens"),
        ('{"t": 0, "prompt_tokens": 0, "output_tokens": 1}', "prompt_tokens is no number of tokens"),
        ('{"t": 0, "prompt_tokens": 1.5, "output_tokens": 1}', "prompt_tokens is no number of tokens"),
        ('{"t": 0, "prompt_tokens": 1, "output_tokens": "5"}', "output_tokens is no number of tokens"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: str, why: str) -> None:
    """Of the file as an editor numbers it, empty lines too."""
    good = '{"t": 0, "prompt_tokens": 1, "output_tokens": 1}'
    with pytest.raises(ValueError, match=f"^a.jsonl line 3: {why}"):
        read_sample([good, "\n", line], "a.jsonl")


def test_a_sample_of_nothing_is_refused() -> None:
    """There would be nothing to send."""
    with pytest.raises(ValueError, match=r"a\.jsonl: no request"):
        read_sample(["", "\n"], "a.jsonl")


def test_a_sample_has_an_end() -> None:
    """More than are allowed are not cut without a word; exactly as many are taken."""
    line = '{"t": 0, "prompt_tokens": 1, "output_tokens": 1}'
    assert len(read_sample([line] * 3, "a.jsonl", most=3)) == 3
    with pytest.raises(ValueError, match="line 4: more than 3 requests"):
        read_sample([line] * 5, "a.jsonl", most=3)


@given(st.lists(st.text(max_size=60) | st.binary(max_size=30).map(lambda b: b.decode("latin-1")), max_size=5))
def test_garbage_is_a_value_error(lines: list[str]) -> None:
    """Never anything else, and never a sample."""
    with pytest.raises(ValueError, match=r"^a\.jsonl"):
        read_sample(lines, "a.jsonl")


@given(st.lists(st.tuples(st.floats(0, 1e9), st.integers(1, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30))
def test_every_request_is_kept(rows: list[tuple[float, int, int]]) -> None:
    """Ascending from 0, with its lengths."""
    found = _read(*({"t": t, "prompt_tokens": p, "output_tokens": o} for t, p, o in rows))
    assert found[0].at == 0
    assert [arrival.at for arrival in found] == sorted(arrival.at for arrival in found)
    assert sorted((a.prompt_tokens, a.output_tokens) for a in found) == sorted((p, o) for _, p, o in rows)
