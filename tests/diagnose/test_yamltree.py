"""YAML nodes that know where every character of their text stands."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.yamltree import RuleFileError, Scalar, Table, tree


def value(text: str) -> Scalar:
    """What the key `a` of a file holds."""
    table = tree(text, "f.yaml")
    assert isinstance(table, Table)
    node = table.entries["a"][1]
    assert isinstance(node, Scalar)
    return node


def at(text: str, word: str) -> tuple[int, int]:
    """Place of a word of the value."""
    node = value(text)
    place = node.at(node.text.index(word) + 1)
    return place.line, place.column


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: one two", (1, 8)),
        ("a: one\n  two", (2, 3)),
        ("a: one\n\n\n  two", (4, 3)),
        ("a: 'it''s two'", (1, 11)),
        ("a: 'one\n  two'", (2, 3)),
        ('a: "o\\x6ee two"', (1, 12)),
        ('a: "one\\\n   \\ two"', (2, 6)),
        ("a: |\n  one\n  two", (3, 3)),
        ("a: >-\n    one\n    two", (3, 5)),
        ("a: |\n  one\n    x two", (3, 7)),
    ],
)
def test_a_word_is_found_where_it_is_written(text: str, place: tuple[int, int]) -> None:
    """Behind quotes, escapes and folds."""
    assert at(text, "two") == place


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from(["'", '"', "|", ">", None]), st.integers(5, 40))
def test_every_character_is_placed_on_itself(words: list[str], style: str | None, width: int) -> None:
    """In whatever style a writer of YAML puts them, a letter or figure stands where it is said to."""
    text = " ".join(words)
    written = yaml.dump({"a": text}, default_style=style, width=width, allow_unicode=True)
    lines = written.split("\n")
    node = next(n for key, (_, n) in _entries(written).items() if key == "a")
    assert isinstance(node, Scalar)
    for column, character in enumerate(node.text, 1):
        place = node.at(column)
        if character.isascii() and character.isalnum():
            assert lines[place.line - 1][place.column - 1] == character


def _entries(text: str) -> dict[str, tuple[Scalar, object]]:
    table = tree(text, "f.yaml")
    assert isinstance(table, Table)
    return {key: (written, node) for key, (written, node) in table.entries.items()}


def test_a_path_leads_to_a_value_and_a_key() -> None:
    """As far as it goes."""
    table = tree("a:\n  - b: word\n    c: [x, y]\n", "f.yaml")
    assert isinstance(table, Table)
    assert str(table.of("a", 0, "b")) == "f.yaml:2:8"
    assert str(table.of("a", 0, "c", 1)) == "f.yaml:3:12"
    assert str(table.key("a", 0, "c")) == "f.yaml:3:5"
    assert str(table.of("a", 7, "c")) == "f.yaml:2:3"
    assert str(table.key("a", 0, "none")) == "f.yaml:2:5"


def test_a_comment_belongs_to_what_stands_before_it() -> None:
    """On the same line, without its mark."""
    assert value("a: 5s  # why: so\n").comment == "why: so"
    assert value("a: 5s\n# other\n").comment == ""


@pytest.mark.parametrize(
    "text", ["[" * 1000, "- " * 1000, "{a: " * 1000, "a: *b", "", "\t", "a: \0", "%" * 9, "--- a\n--- b"]
)
def test_what_is_no_file_of_ours_is_one_line(text: str) -> None:
    """Deep, aliased, empty or no YAML at all."""
    with pytest.raises(RuleFileError) as caught:
        tree(text, "f.yaml")
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_tree_or_one_line(text: str) -> None:
    """Nothing else comes out."""
    assert _outcome(text)[:7] in ("a tree", "f.yaml:")


def _outcome(text: str) -> str:
    try:
        tree(text, "f.yaml")
    except RuleFileError as error:
        return str(error)
    return "a tree"
