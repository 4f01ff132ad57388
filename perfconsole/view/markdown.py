"""Markdown that shows text as it is, for the pages under docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, inside a table cell too."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def table_line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return "| " + " | ".join(cells) + " |"


def bullets(items: Iterable[str], none: str) -> list[str]:
    """A list, one line an item, or what is said where there is none."""
    return [f"- {item}" for item in items] or [none]
