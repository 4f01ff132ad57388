"""Tests of what loggers put before a message."""

from __future__ import annotations

from calendar import timegm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.logs.prefix import Stamp, message_of, plain_line, stamp_of

MESSAGE = "Chunked prefill is enabled with max_num_batched_tokens=8192."
WALL = float(timegm((2025, 11, 5, 13, 0, 0)))
HALF_PAST = float(timegm((2025, 11, 5, 12, 30, 0)))


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "INFO 11-05 12:30:00 [scheduler.py:205] ",
        "INFO 04-30 10:00:00 config.py:1005] ",
        "(EngineCore_DP0 pid=180) INFO 11-05 12:30:00 [scheduler.py:205] ",
        "(VllmWorker rank=1 pid=254) ",
        "(RayWorkerWrapper pid=12, ip=10.0.0.1) INFO 11-05 12:30:00 [scheduler.py:205] ",
        "(APIServer pid=1) (EngineCore pid=2) WARNING 11-05 12:30:00 [a/b.py:1] ",
        "[2025-11-05 12:30:00 DP0 TP1] ",
        "[2025-11-05 12:30:00] INFO ",
        "2025-11-05 12:30:00,692 - INFO - autotuner.py:262 - flashinfer.jit: ",
        "2025-11-05T12:30:00.123456789Z stdout F (APIServer pid=1) INFO:     ",
        "Nov  5 12:30:00 gpu-07 vllm[188633]: (EngineCore pid=9) INFO 11-05 12:30:00 [core.py:1] ",
        "1762345800.123456 gpu-07 vllm[9]: ",
        "vllm-1  | INFO 11-05 12:30:00 [core.py:1] ",
        "[rank0]:[E1105 12:30:00.789012345 ProcessGroupNCCL.cpp:632] [Rank 0] ",
        "0.00.100.000 E ",
    ],
)
def test_the_message_is_what_remains(prefix: str) -> None:
    """Of every logger that engines are run with."""
    assert message_of(prefix + MESSAGE) == MESSAGE


def test_colours_are_taken_off() -> None:
    """As loggers write them to what they take for a terminal."""
    assert plain_line(b"\x1b[32mINFO\x1b[0m 11-05 12:30:00 [a.py:1] x") == "INFO 11-05 12:30:00 [a.py:1] x"


def test_dockers_json_is_unpacked() -> None:
    """The date that Docker gives comes first."""
    line = plain_line(b'{"log":"INFO:     Application startup complete.\\n","time":"2025-11-05T12:30:00.5Z"}')
    assert message_of(line) == "Application startup complete."
    assert stamp_of(line, WALL) == Stamp(HALF_PAST, zoned=True)


@pytest.mark.parametrize("line", [b'{"log":', b'{"log":"x"', b'{"log":[1]}', b"\xff\x00{"])
def test_what_only_looks_like_json_stays_text(line: bytes) -> None:
    """And is borne."""
    assert isinstance(plain_line(line), str)


@pytest.mark.parametrize(
    ("line", "zoned"),
    [
        ("(EngineCore pid=1) INFO 11-05 12:30:00 [a.py:1] x", False),
        ("[2025-11-05 12:30:00 TP0] x", False),
        ("2025-11-05 12:30:00,692 - INFO - x", False),
        ("2025-11-05T13:30:00.123+01:00 x", True),
        ("2025-11-05T06:00:00-0630 x", True),
        ("Nov  5 12:30:00 gpu-07 vllm[1]: x", False),
        (f"{HALF_PAST:.0f}.000000 gpu-07 vllm[1]: x", True),
    ],
)
def test_dates_are_read(line: str, *, zoned: bool) -> None:
    """With the zone where one is written, in the year that fits where none is."""
    assert stamp_of(line, WALL) == Stamp(HALF_PAST, zoned=zoned)


def test_a_date_of_december_read_in_january_is_of_last_year() -> None:
    """There is no year in it."""
    january = float(timegm((2026, 1, 1, 0, 10, 0)))
    assert stamp_of("INFO 12-31 23:59:00 x", january) == Stamp(january - 660.0, zoned=False)


@pytest.mark.parametrize(
    "line", ["no date", "INFO 13-45 12:30:00 x", "2025-02-30 12:00:00 x", "x" * 200 + "2025-11-05 12:30:00"]
)
def test_what_is_no_date_gives_none(line: str) -> None:
    """Nor does one in the middle of a message."""
    assert stamp_of(line, WALL) is None


@given(st.binary(max_size=400))
def test_any_bytes_are_borne(raw: bytes) -> None:
    """Binary garbage among the lines costs nothing."""
    line = plain_line(raw)
    message_of(line)
    stamp_of(line, WALL)
