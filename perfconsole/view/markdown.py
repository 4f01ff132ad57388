"""Markdown that shows text as it is, for the pages under docs and for reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS = re.compile(r"([\\`*_\[\]|~#!])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, inside a table cell too."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def literal(text: str) -> str:
    """Text from outside that Markdown shows as it is: no picture, no link, no markup, no second line."""
    return _SIGNS.sub(r"\\\1", plain(text).replace("&", "&amp;").replace("<", "&lt;"))


def table_line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return "| " + " | ".join(cells) + " |"


def bullets(items: Iterable[str], none: str) -> list[str]:
    """A list, one line an item, or what is said where there is none."""
    return [f"- {item}" for item in items] or [none]
