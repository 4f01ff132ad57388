"""Frozen values as tables of JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, nan

import pytest

from perfconsole.probing.tables import TableError, from_json, to_json


class Colour(StrEnum):
    """One of two."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    """A part."""

    n: int
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Outer:
    """All kinds of field."""

    name: str
    on: bool
    colour: Colour
    one: Inner
    maybe: Inner | None
    several: tuple[Inner, ...]
    pairs: tuple[tuple[str, float], ...]
    named: dict[str, float] = field(default_factory=dict)


VALUE = Outer("a", True, Colour.BLUE, Inner(1, 0.5), None, (Inner(2),), (("x", 1.5),), {"k": 2.0})  # noqa: FBT003
TABLE = {
    "name": "a",
    "on": True,
    "colour": "blue",
    "one": {"n": 1, "share": 0.5},
    "maybe": None,
    "several": [{"n": 2, "share": None}],
    "pairs": [["x", 1.5]],
    "named": {"k": 2.0},
}


def test_there_and_back() -> None:
    """Every kind of field."""
    assert to_json(VALUE) == TABLE
    assert from_json(Outer, TABLE, "") == VALUE


def test_what_has_a_default_may_be_absent() -> None:
    """And what is not known is looked past."""
    table = {**{k: v for k, v in TABLE.items() if k != "named"}, "new": 1, "one": {"n": 1}}
    found = from_json(Outer, table, "")
    assert (found.named, found.one) == ({}, Inner(1))


def test_what_is_no_number_is_null() -> None:
    """JSON has none of these."""
    assert to_json([nan, inf, -inf, 1.0]) == [None, None, None, 1.0]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("name", 1, "file.name is no text"),
        ("on", 1, "file.on is no true or false"),
        ("colour", "green", "file.colour is 'green', none of red, blue"),
        ("colour", ["x" * 99], f"file.colour is ['{'x' * 38}, none of red, blue"),
        ("one", None, "file.one is no table"),
        ("one", {}, "file.one.n is missing"),
        ("one", {"n": True}, "file.one.n is no whole number"),
        ("one", {"n": 1.5}, "file.one.n is no whole number"),
        ("one", {"n": 1, "share": nan}, "file.one.share is no number"),
        ("one", {"n": 1, "share": 10**400}, "file.one.share is no number"),
        ("one", {"n": 1, "share": "2"}, "file.one.share is no number"),
        ("several", [{"n": 1}, {"n": ""}], "file.several[1].n is no whole number"),
        ("several", {}, "file.several is no list"),
        ("pairs", [["x"]], "file.pairs[0] has 1 parts where there are 2"),
        ("named", [], "file.named is no table"),
        ("named", {"a\nb": "c"}, "file.named.'a\\nb' is no number"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(key: str, value: object, message: str) -> None:
    """In one line."""
    with pytest.raises(TableError) as error:
        from_json(Outer, {**TABLE, key: value}, "file")
    assert str(error.value) == message
