"""Fields that a step adds."""

from __future__ import annotations

import pytest

from perfconsole.load.extra import Extra, parse_extra


def test_nothing_is_added_by_nothing() -> None:
    """An empty text is no JSON, and right."""
    assert parse_extra("", "chat") == Extra()


def test_fields_are_kept_as_they_are() -> None:
    """Of any JSON type."""
    assert parse_extra('{"top_k": -1, "stop": ["a"]}', "completions").fields == {"top_k": -1, "stop": ["a"]}


def test_a_picture_is_taken_out_of_the_fields() -> None:
    """No server knows the name."""
    assert parse_extra('{"image_pixels": 224, "seed": 1}', "chat") == Extra({"seed": 1}, 224)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1]", "no JSON object"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"model": "x"}', "model cannot be added"),
        ('{"stream": false, "max_tokens": 5}', "max_tokens, stream cannot be added"),
        ('{"messages": []}', "messages cannot be added"),
        ('{"n": 2}', "n cannot be added"),
        ('{"image_pixels": 0}', "image_pixels is 1 to"),
        ('{"image_pixels": true}', "image_pixels is 1 to"),
        ('{"image_pixels": "a"}', "image_pixels is 1 to"),
        ('{"top_p": NaN}', "no JSON"),
    ],
)
def test_what_cannot_be_added_is_said(text: str, why: str) -> None:
    """In words that name it."""
    with pytest.raises(ValueError, match=why):
        parse_extra(text, "chat")


def test_completions_take_no_picture() -> None:
    """Their prompt is one text."""
    with pytest.raises(ValueError, match="only chat"):
        parse_extra('{"image_pixels": 8}', "completions")
