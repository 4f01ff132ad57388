"""Tests of the lines between the conductor and the load process."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.wire import decode_event, decode_order, encode_event, encode_order
from perfconsole.model.probeload import LoadEnd, LoadEvent, LoadTick, Part, RequestRecord, StepRecord, Trouble
from perfconsole.model.probeorders import Arrival, Finish, LoadOrder, Open, Run, Stop, Target, Warm
from perfconsole.model.probeplan import Caps, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_COUNTS = st.dictionaries(st.integers(0, 10**9), st.integers(1, 10**6), max_size=5).map(
    lambda counts: tuple(sorted(counts.items()))
)
_OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(10**15), 10**15),
    "float": _NUMBERS,
    "str": st.text(max_size=20),
    "bool": st.booleans(),
    "Part": st.sampled_from(Part),
    "Trouble": st.sampled_from(Trouble),
    "Shape": st.sampled_from(Shape),
    "Counts": _COUNTS,
    "tuple[int, ...]": st.lists(st.integers(0, 9), max_size=3).map(tuple),
    "tuple[str, ...]": st.lists(st.text(max_size=9), max_size=3).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple),
}


def _any(kind: type) -> st.SearchStrategy[Any]:
    """Any value of a frozen class, by the types of its fields."""
    return st.builds(kind, **{field.name: _of(str(field.type)) for field in fields(kind)})


def _of(text: str) -> st.SearchStrategy[Any]:
    if text.endswith(" | None"):
        return st.none() | _of(text.removesuffix(" | None"))
    return _OF_TYPE[text]


_OF_TYPE["Caps"] = _any(Caps)
_OF_TYPE["tuple[Target, ...]"] = st.lists(_any(Target), max_size=2).map(tuple)
_OF_TYPE["tuple[Arrival, ...]"] = st.lists(_any(Arrival), max_size=3).map(tuple)
_EVENTS = st.one_of(*(_any(kind) for kind in (RequestRecord, LoadTick, StepRecord, LoadEnd)))
_ORDERS = st.one_of(*(_any(kind) for kind in (Open, Warm, Run, Finish, Stop)))
_TICK = LoadTick(
    t=1_700_000_000.25,
    step=2,
    inflight=4,
    busy_s=1.9,
    tokens=120,
    prompt_tokens=0,
    gaps=((4_990, 3), (5_010, 117)),
    lag=(),
    reads=118,
    merged=2,
    cpu_s=0.01,
)


@given(_EVENTS)
def test_event_round_trip(event: LoadEvent) -> None:
    """What was an event is the same one after the pipe."""
    assert decode_event(encode_event(event)) == event


@given(_ORDERS)
def test_order_round_trip(order: LoadOrder) -> None:
    """What was an order is the same one after the pipe."""
    assert decode_order(encode_order(order)) == order


@given(_EVENTS | _ORDERS)
def test_one_line(value: Any) -> None:  # noqa: ANN401 - either union
    """Whatever stands in the texts, an object is one line of ASCII."""
    encode: Callable[[Any], bytes] = (
        encode_order if isinstance(value, (Open, Warm, Run, Finish, Stop)) else encode_event
    )
    line = encode(value)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert line.isascii()


@given(
    st.binary(max_size=40)
    | st.recursive(st.none() | _NUMBERS | st.text(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_garbage(line: bytes) -> None:
    """What is no event is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"."):
        decode_event(line)


@given(
    st.sampled_from([field.name for field in fields(LoadTick)]),
    st.none() | st.booleans() | st.text() | st.lists(st.text(min_size=1), min_size=1),
)
def test_wrong_field(name: str, value: object) -> None:
    """A field of the wrong type is refused by its name."""
    row = {**json.loads(encode_event(_TICK)), name: value}
    with pytest.raises(ValueError, match=name):
        decode_event(json.dumps(row).encode())


def test_unknown_field() -> None:
    """A field of a later version is passed over."""
    row = {**json.loads(encode_event(_TICK)), "mood": "good"}
    assert decode_event(json.dumps(row).encode()) == _TICK


def test_compact() -> None:
    """A distribution has no inner brackets, and what is None or at its default is left out."""
    assert b'"gaps":[4990,3,5010,117]' in encode_event(_TICK)
    assert (
        encode_order(Run(0, Shape.CONCURRENCY, 4.0)) == b'{"is":"step","index":0,"shape":"concurrency","amount":4.0}\n'
    )


def test_odd_counts() -> None:
    """A distribution that is cut, empty in a place or out of order is refused."""
    for counts in ([5], [5, 0], [5, 1, 4, 1], [5, 1, 5, 1]):
        row = {**json.loads(encode_event(_TICK)), "gaps": counts}
        with pytest.raises(ValueError, match="gaps"):
            decode_event(json.dumps(row).encode())


def test_no_number() -> None:
    """A number that is none goes neither way."""
    with pytest.raises(ValueError, match="Out of range"):
        encode_event(replace(_TICK, t=float("nan")))
    for text in (b"NaN", b"Infinity", b"1e999"):
        with pytest.raises(ValueError, match="busy_s"):
            decode_event(encode_event(_TICK).replace(b"1.9", text))


def test_deep() -> None:
    """A line of nothing but brackets is refused, not followed down."""
    with pytest.raises(ValueError, match="deeply"):
        decode_event(b"[" * 100_000)


def test_event_is_no_order() -> None:
    """The two ways have their own words."""
    with pytest.raises(ValueError, match="none of open, warm, step"):
        decode_order(encode_event(_TICK))


def test_secret() -> None:
    """A key in the headers is in no text of an order, and in no error about one."""
    target = Target("http", "127.0.0.1", 8000, headers=(("Authorization", "Bearer hunter2"),))
    order = Open((target,), "chat", "m", "short-chat", (3, 4, 3), 128, 128, 60.0, Caps(), 0)
    assert "hunter2" not in repr(order)
    line = encode_order(order).replace(b'"port":8000', b'"port":"8000"')
    with pytest.raises(ValueError, match=r"Open\.targets") as error:
        decode_order(line)
    assert "hunter2" not in str(error.value)
