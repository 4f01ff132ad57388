"""Tests of YAML as plain values: bounded, whatever the text tries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.yamltext import load_yaml


def test_a_mapping_is_plain_values() -> None:
    """An alias is the value that it stands for."""
    assert load_yaml("a: &x {b: [1, 'c']}\nd: *x") == {"a": {"b": [1, "c"]}, "d": {"b": [1, "c"]}}


def test_a_merge_brings_the_defaults() -> None:
    """What stands beside it goes before them."""
    assert load_yaml("d: &d {a: 1, b: 2}\ne: {<<: *d, b: 3}") == {"d": {"a": 1, "b": 2}, "e": {"a": 1, "b": 3}}


@pytest.mark.parametrize("text", ["a: [", "just a text", "- 1", "", "[" * 50_000, "a: !!python/name:os.system x", "\0"])
def test_what_is_no_mapping_is_none(text: str) -> None:
    """Broken, too deep, or with a tag that would make more than a value."""
    assert load_yaml(text) is None


def test_merges_do_not_multiply() -> None:
    """Forty lines would make more entries than there is memory for."""
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{i}: &a{i}\n  <<: [*a{i - 1}, *a{i - 1}]\n  y: 1" for i in range(1, 40)]
    found = load_yaml("\n".join(lines))
    assert found is not None
    assert max(len(each) for each in found.values()) <= 2


def test_repeated_merges_do_not_multiply_either() -> None:
    """Eight in a mapping, ten deep; releases of the parser differ in what they make of it."""
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{i}: &a{i} {{{', '.join(f'<<: *a{i - 1}' for _ in range(8))}, y: 1}}" for i in range(1, 10)]
    found = load_yaml("\n".join(lines)) or {}
    assert all(len(each) <= 2 for each in found.values())


@given(st.text(alphabet="ab:-[]{}&*<!|>'\"# \n", max_size=120))
def test_no_text_makes_it_raise(text: str) -> None:
    """Whatever the parser thinks of it."""
    found = load_yaml(text)
    assert found is None or isinstance(found, dict)
