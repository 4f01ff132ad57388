"""A result survives its file, and what is none says why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.probeplan import Caps, ProbePlan, Shape, Slo, Step
from perfconsole.model.proberesult import (
    ClientSide,
    Goodput,
    Headroom,
    Knee,
    ProbeResult,
    ServerSide,
    Spread,
    StepResult,
    Thresholds,
)
from perfconsole.probing.resultcodec import ResultError, decode, encode, read, written
from tests.probing.building import result, rung, step

TEXTS = st.text(max_size=6)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
MAYBE = st.none() | NUMBERS
COUNTS = st.integers(0, 10**9)
SPREADS = st.builds(Spread, COUNTS, MAYBE, MAYBE, MAYBE, MAYBE, MAYBE, MAYBE)
STEPS = st.builds(
    Step,
    st.sampled_from(Shape),
    NUMBERS,
    st.none() | COUNTS,
    MAYBE,
    COUNTS,
    TEXTS,
    TEXTS,
    st.booleans(),
    st.booleans(),
    TEXTS,
)
PLANS = st.builds(
    ProbePlan,
    recipe=TEXTS,
    urls=st.lists(TEXTS, max_size=2).map(tuple),
    steps=st.lists(STEPS, max_size=2).map(tuple),
    shed_s=MAYBE,
    slo=st.builds(Slo, NUMBERS, NUMBERS),
    caps=st.builds(Caps, COUNTS, COUNTS, NUMBERS),
    mix=st.lists(COUNTS, max_size=3).map(tuple),
)
CLIENTS = st.builds(ClientSide, NUMBERS, MAYBE, MAYBE, MAYBE, NUMBERS, MAYBE, COUNTS, TEXTS, MAYBE)
SERVERS = st.builds(ServerSide, NUMBERS, MAYBE, MAYBE, ttft=SPREADS, queue=SPREADS, waiting=MAYBE)
RESULTS_OF_STEPS = st.builds(
    StepResult,
    index=COUNTS,
    step=STEPS,
    run=COUNTS,
    requests=COUNTS,
    errors=COUNTS,
    timeouts=COUNTS,
    valid=st.booleans(),
    why=TEXTS,
    **dict.fromkeys(("ttft", "ttfo", "itl", "tpot", "e2e", "burst", "connect"), SPREADS),
    **dict.fromkeys(
        (
            "output_tokens_per_s",
            "total_tokens_per_s",
            "requests_per_s",
            "goodput_per_s",
            "goodput_ratio",
            "tokens_per_event",
            "output_tokens",
            "prompt_tokens",
        ),
        MAYBE,
    ),
    window_s=NUMBERS,
    client=CLIENTS,
    server=st.none() | SERVERS,
    error_kinds=st.lists(st.tuples(TEXTS, COUNTS), max_size=2).map(tuple),
    run_spread=MAYBE,
)
RESULTS = st.builds(
    ProbeResult,
    plan=PLANS,
    environment=st.dictionaries(TEXTS, TEXTS, max_size=2),
    began=NUMBERS,
    took_s=NUMBERS,
    steps=st.lists(RESULTS_OF_STEPS, max_size=2).map(tuple),
    knee=st.builds(Knee, MAYBE, TEXTS, TEXTS),
    thresholds=st.builds(Thresholds, MAYBE, MAYBE),
    goodput=st.builds(Goodput, MAYBE, MAYBE),
    headroom=st.builds(Headroom, MAYBE, MAYBE, MAYBE, st.just(((1.3, True),))),
    stopped=st.none() | TEXTS,
    requests=COUNTS,
    output_tokens=COUNTS,
    prompt_tokens=COUNTS,
    notes=st.lists(TEXTS, max_size=2).map(tuple),
    indicators=st.dictionaries(TEXTS, NUMBERS, max_size=2),
    runs=st.lists(RESULTS_OF_STEPS, max_size=1).map(tuple),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=15)
@given(RESULTS)
def test_a_result_comes_back_as_it_was(one: ProbeResult) -> None:
    """Through the text of its file."""
    assert read(written(one)) == one


def document(**more: object) -> dict[str, Any]:
    """The document of a small result, with some keys replaced."""
    return {**encode(result(rung(16, 2990))), **more}


def test_what_scripts_read() -> None:
    """The keys of the contract, in seconds."""
    found = document()
    assert set(found) >= {"schema", "environment", "plan", "steps", "knee", "goodput", "stopped"}
    assert (found["schema"], found["stopped"], set(found["knee"])) == (1, None, {"concurrency", "limit", "why"})
    (one,) = found["steps"]
    assert (one["concurrency"], one["requests"], one["errors"], one["timeouts"]) == (16, 100, 0, 0)
    assert (one["valid"], one["why"], one["output_tokens_per_s"]) == (True, "", 2990)
    assert set(one["ttft"]) == {"n", "mean", "p50", "p90", "p95", "p99", "max"} == set(one["itl"])
    assert set(one["client"]) >= {"cpu", "loop_lag_p99", "send_lag_p99"}
    assert found["totals"] == {"requests": 100, "output_tokens": 12_800, "prompt_tokens": 10_000}


@pytest.mark.parametrize(
    ("shape", "key"),
    [(Shape.CONCURRENCY, "concurrency"), (Shape.BURST, "concurrency"), (Shape.RATE, "rate"), (Shape.REPLAY, "speed")],
)
def test_a_load_stands_under_its_own_name(shape: Shape, key: str) -> None:
    """A rate is no concurrency."""
    (one,) = encode(result(rung(4, 1, step=step(4.0, shape=shape))))["steps"]
    assert {k: v for k, v in one.items() if k in ("concurrency", "rate", "speed")} == {key: 4.0}


def test_nothing_is_ever_nan() -> None:
    """What is not known is null."""
    text = written(result(rung(4, None)))
    assert "NaN" not in text
    assert json.loads(text)["steps"][0]["output_tokens_per_s"] is None


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([], "no result of a probe"),
        ({"schema": 1}, "no result of a probe"),
        (document(schema=2), "schema 2 is newer than the one that this version reads (1)"),
        (document(schema="1"), "schema '1' is none"),
        (document(schema=True), "schema True is none"),
        (document(totals=None), "totals is no table"),
        (document(totals={}), "requests is missing"),
        (document(steps=[{}]), "steps[0].index is missing"),
        (document(knee={"concurrency": "16", "limit": "", "why": ""}), "knee.concurrency is no number"),
        (document(environment={"host": 1}), "environment.host is no text"),
    ],
)
def test_what_is_no_result_says_why(broken: object, message: str) -> None:
    """In one line."""
    with pytest.raises(ResultError) as error:
        decode(broken)
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["", "{", "[1,", "[" * 100_000, "\x00"])
def test_what_is_no_json_says_so(text: str) -> None:
    """A file that was cut off, for one."""
    with pytest.raises(ResultError, match=r"^no JSON: [^\n]+$"):
        read(text)


@given(st.sampled_from(sorted(document())), JSON)
def test_a_hurt_file_never_does_anything_else(key: str, value: object) -> None:
    """It is read, or it is said in one line why not."""
    try:
        decode({**document(), key: value})
    except ResultError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is right
