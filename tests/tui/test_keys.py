"""Tests of the keys as they are shown: none that does nothing, none that is not explained."""

from __future__ import annotations

import re

from perfconsole.tui.app import ConsoleApp
from perfconsole.tui.keys import ALL_KEYS, EVERYWHERE
from perfconsole.tui.moving import CursorScreen
from perfconsole.tui.page import PageScreen

NAMES = {"?": "question_mark", "+": "plus", "-": "minus", "/": "slash", "esc": "escape", "arrows": "up", "1-4": "1"}


def bound() -> set[str]:
    """Every key that something is bound to, and that of the palette."""
    bindings = [*ConsoleApp.BINDINGS, *CursorScreen.BINDINGS, *PageScreen.BINDINGS]
    keys = {key for binding in bindings for key in binding.key.split(",")}  # type: ignore[union-attr]  # all are Bindings
    return {*keys, ConsoleApp.COMMAND_PALETTE_BINDING}


def keys_of(text: str) -> list[str]:
    """Single keys of an entry such as `arrows, h j k l`."""
    return [NAMES.get(word, word) for word in re.split(r"[ ,]+", text) if word]


def test_every_key_of_the_footer_does_something() -> None:
    """A key that is shown and does nothing costs trust."""
    shown = [key for entry, _ in EVERYWHERE for key in keys_of(entry)]
    assert set(shown) <= bound()


def test_every_key_of_the_help_does_something() -> None:
    """The same of the list that explains them."""
    shown = [key for entry, _ in ALL_KEYS for key in keys_of(entry)]
    assert set(shown) <= bound()


def test_the_help_explains_every_key_of_the_footer() -> None:
    """Whoever wonders finds it there."""
    explained = {key for entry, _ in ALL_KEYS for key in keys_of(entry)}
    assert {key for entry, _ in EVERYWHERE for key in keys_of(entry)} <= explained
