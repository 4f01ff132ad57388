"""Tests of the reader of llama.cpp's slots: shapes of all builds, nothing but numbers, and look-alikes refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.exposition import PageError
from perfconsole.sources.otherpages.slotspage import slots_page
from tests.sources.enginepages import capture

if TYPE_CHECKING:
    from perfconsole.sources.exposition import Page

NAMES = ["llamacpp:slots", "llamacpp:slots_busy", "llamacpp:slots_context_tokens", "llamacpp:slots_held_tokens"]
SECRET = "the prompt of somebody"
_COUNT = st.integers(0, 2**40)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def numbers(*slots: object) -> dict[str, float]:
    """What the page of these slots says."""
    return read(slots_page(json.dumps(slots).encode()))


def read(page: Page) -> dict[str, float]:
    """Values by name."""
    return {s.name: value for s, value in zip(page.series, page.values, strict=True)}


def busy(**told: object) -> dict[str, object]:
    """A slot at work."""
    return {"id": 0, "n_ctx": 1000, "is_processing": True, "prompt": SECRET, "params": {"stop": [SECRET]}, **told}


def test_captured_slots_give_what_stands_there() -> None:
    """Four at work, the tokens of each as the build counts them: prompt and answer."""
    assert list(read(slots_page(capture("llamacpp_slots/load.json"))).items()) == [
        (NAMES[0], 4.0),
        (NAMES[1], 4.0),
        (NAMES[2], 4096.0),
        (NAMES[3], 95.0 + 169.0 + 175.0 + 156.0),
    ]


def test_idle_slots_hold_nothing() -> None:
    """What they keep may be thrown out at once."""
    assert list(read(slots_page(capture("llamacpp_slots/idle.json"))).values()) == [4.0, 0.0, 4096.0, 0.0]


@pytest.mark.parametrize(
    ("told", "held"),
    [
        ({"n_prompt_tokens": 300, "next_token": {"n_decoded": 50}}, 300.0),
        ({"n_prompt_tokens": 300, "n_prompt_tokens_processed": 300, "next_token": {"n_decoded": 50}}, 350.0),
        (
            {
                "n_prompt_tokens": 100,
                "n_prompt_tokens_cache": 60,
                "n_prompt_tokens_processed": 40,
                "next_token": [{"n_decoded": 7}],
            },
            107.0,
        ),
        ({"n_past": 420}, 420.0),
        ({"n_past": 4200}, 1000.0),
        ({"is_processing": None, "state": 1, "n_past": 5}, 5.0),
    ],
)
def test_what_a_slot_holds_in_each_shape(told: dict[str, object], held: float) -> None:
    """The count of the whole sequence or of the prompt, an object or a list of one, and never more than its context."""
    assert numbers(busy(**told))[NAMES[3]] == held


def test_a_slot_that_does_not_tell_makes_the_sum_unknown() -> None:
    """The other numbers stand all the same."""
    assert list(numbers(busy(), busy(n_past=5))) == NAMES[:3]


def test_a_slot_of_an_old_build_at_rest() -> None:
    """`state` 0, and neither a task nor a prompt."""
    slot = {"id": 0, "task_id": -1, "state": 0, "n_ctx": 512, "next_token": {"n_decoded": 0}}
    assert list(numbers(slot).values()) == [1.0, 0.0, 512.0, 0.0]


@given(st.lists(st.tuples(_COUNT, st.booleans(), _COUNT), min_size=1, max_size=8))
def test_busy_and_held_never_pass_the_whole(slots: list[tuple[int, bool, int]]) -> None:
    """Whatever the slots say of themselves."""
    rows = [{"id": i, "n_ctx": c, "is_processing": b, "n_prompt_tokens": n} for i, (c, b, n) in enumerate(slots)]
    found = numbers(*rows)
    assert 0 <= found[NAMES[1]] <= found[NAMES[0]] == len(slots)
    assert 0 <= found[NAMES[3]] <= found[NAMES[2]]


@given(st.lists(st.dictionaries(st.sampled_from(["id", "n_ctx", "state", "prompt", "next_token"]), _JSON), max_size=3))
def test_any_list_is_numbers_or_refused(slots: list[dict[str, object]]) -> None:
    """No other error, and no text comes through."""
    try:
        page = slots_page(json.dumps(slots).encode())
    except PageError:
        return
    assert [s.labels for s in page.series] == [()] * len(page.values)
    assert {s.name for s in page.series} <= set(NAMES)


@given(st.binary(max_size=100))
def test_other_bytes_are_refused(body: bytes) -> None:
    """Never anything but a PageError."""
    with pytest.raises(PageError):
        slots_page(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[]", id="no slot"),
        pytest.param(b"{}", id="an object"),
        pytest.param(b'[{"id": 0}]', id="no context"),
        pytest.param(b'[{"id": 0, "n_ctx": -1}]', id="negative"),
        pytest.param(b'[{"id": 0, "n_ctx": 10}, 3]', id="something else in the list"),
        pytest.param(b'{"error": {"code": 501, "message": "no slots"}}', id="switched off"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(json.dumps([{"id": i, "n_ctx": 1} for i in range(5000)]).encode(), id="too many"),
    ],
)
def test_look_alikes_are_refused(body: bytes) -> None:
    """Only a list of slots."""
    with pytest.raises(PageError):
        slots_page(body)
