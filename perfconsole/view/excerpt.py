"""A line of a file with a caret below one of its columns, as a terminal shows it.

Pure: text in, text out. The line is data and never obeyed; tabs, wide and invisible characters keep the caret in place.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable

_TAB = 8
# What stands before the caret is cut to this, so that both stay on one row of a usual terminal.
_BEFORE, _BEHIND = 70, 40
_MORE = "..."


def excerpt(line: str, column: int, spell: Callable[[str], str] = plain) -> tuple[str, str]:
    """The line (without its break) and the caret line below it; `column` counts characters from 1.

    `spell` writes text as the terminal takes it: where it makes escapes of letters the caret moves with them.
    """
    before, more = _shown(line[: column - 1], spell), spell(_MORE)
    behind = _shown(line[column - 1 :], spell, _width(before))
    if _width(before) > _BEFORE:
        before = more + _last(before, _BEFORE - len(more))
    if len(behind) > _BEHIND:
        behind = behind[:_BEHIND] + more
    return (before + behind).rstrip(), " " * _width(before) + "^"


def _shown(text: str, spell: Callable[[str], str], start: int = 0) -> str:
    """Text with tabs as blanks up to the next stop and with everything else made harmless."""
    shown = ""
    for character in text:
        shown += " " * (_TAB - (start + _width(shown)) % _TAB) if character == "\t" else spell(character)
    return shown


def _width(text: str) -> int:
    """Columns that a terminal takes for the text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _last(text: str, columns: int) -> str:
    """End of the text that fits the columns."""
    while _width(text) > columns:
        text = text[1:]
    return text
