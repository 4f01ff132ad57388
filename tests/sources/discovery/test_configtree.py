"""Trees of configurations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.configtree import at, below, list_at, load_toml, load_tree, table_at, text_at


def test_names_are_found_however_they_are_spelt() -> None:
    """And what is not there is nothing."""
    tree = {"static_resources": {"Listeners": [1]}, 5: "x"}
    assert at(tree, "staticResources", "listeners") == [1]
    assert (at(tree, "a", "b"), list_at(tree, "a"), table_at(tree, "a"), text_at(tree, "a")) == (None, [], {}, "")
    assert list_at({"a": "alone"}, "a") == ["alone"]


def test_a_text_may_be_json_yaml_or_toml() -> None:
    """What is a mapping in none of them is nothing."""
    assert load_tree('{"a": 1}') == load_tree("{a: 1}") == load_tree("a: 1") == load_toml("a = 1") == {"a": 1}
    assert [load_tree(text) for text in ("[1]", "", "a: b: c", "[" * 60_000, '{"a":' * 60_000)] == [None] * 5
    assert [load_toml(text) for text in ("a = " + "[" * 60_000, "a." * 30_000 + "b = 1")] == [None] * 2


def test_aliases_that_would_never_end_are_walked_once() -> None:
    """Nine lines make a thousand million values if each alias is followed."""
    text = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} [{f'*a{i - 1}, ' * 10}]\n" for i in range(1, 10))
    tree = load_tree(text)
    assert [value for _, value in below(tree)].count(1) == 1


@given(st.text(alphabet="ab:-[]{}&*<!|>'\"#=. \n", max_size=80))
def test_no_text_makes_it_raise(text: str) -> None:
    """Whatever the parsers think of it."""
    for tree in (load_tree(text), load_toml(text)):
        assert tree is None or list(below(tree))
