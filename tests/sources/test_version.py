"""Tests of release order: which names an engine of some version should have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.sources.version import version_key, within

_RELEASES = st.lists(st.integers(0, 40), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("0.32.0+cpu", (0, 32, 0)),
        ("v0.9.2.dev1", (0, 9, 2)),
        ("0.6.6.post1", (0, 6, 6)),
        ("0.11.0rc2", (0, 11, 0)),
        (" 0.14.1\n", (0, 14, 1)),
        ("7", (7,)),
        ("dev", ()),
        ("", ()),
        ("v", ()),
    ],
)
def test_numbers_in_front_make_the_key(text: str, key: tuple[int, ...]) -> None:
    """Only the numbers that a release begins with count."""
    assert version_key(text) == key


@pytest.mark.parametrize("text", ["0.1.dev1+g1a2b3c", "0.1.dev9432+gabc.d20260101", "v0.0.dev0"])
def test_a_build_without_tags_has_no_release(text: str) -> None:
    """A build from a checkout without tags is of unknown release, not older than all of them."""
    assert version_key(text) == ()


@pytest.mark.parametrize(
    ("version", "since", "until", "expected"),
    [
        ("0.9.2", "0.9.2", "0.12", True),
        ("0.11.2", "0.9.2", "0.12", True),
        ("0.12.0", "", "0.12", False),
        ("0.9.10", "0.9.2", "", True),
        ("0.10.0", "0.9.2", "", True),
        ("0.9.1", "0.9.2", "", False),
        ("0.6.6.post1", "0.6.6", "", True),
        ("0.12", "0.12.0", "", True),
        ("0.12.0", "0.12", "", True),
        ("0.32.0+cpu", "", "", True),
        ("", "", "", True),
        ("", "0.9", "", False),
        ("main", "", "0.9", False),
    ],
)
def test_bounds_hold_by_number(version: str, since: str, until: str, expected: bool) -> None:  # noqa: FBT001 - expected value
    """The first bound is in, the last one out, and an unknown version is within open bounds only."""
    assert within(version, since, until) is expected


@given(_RELEASES, _RELEASES)
@settings(max_examples=100)
def test_a_release_is_before_or_since_another(version: list[int], bound: list[int]) -> None:
    """Every release lies on exactly one side of a bound."""
    text, edge = ".".join(map(str, version)), ".".join(map(str, bound))
    assert within(text, edge, "") is not within(text, "", edge)
