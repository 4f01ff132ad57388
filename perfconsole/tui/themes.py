"""What colour each style of a page has: themes for the eye, and none at all where no colour is wanted.

Colours are those of the terminal's own palette where they serve, so that the person's choice of background holds and
a change of colour costs five bytes instead of twenty.
"""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style

Theme = dict[str, str]
_ANSI: Theme = {
    "critical": "bold red",
    "warn": "yellow",
    "info": "cyan",
    "ok": "green",
    "dim": "dim",
    "head": "bold",
    "key": "bold cyan",
    "value": "",
    "spark": "cyan",
    "frame": "dim",
    "select": "reverse",
    "simulated": "bold magenta",
}
THEMES: dict[str, Theme] = {
    "terminal": _ANSI,
    # Orange and blue are told apart by all common kinds of colour blindness; red and green are not.
    "colour-blind": {
        **_ANSI,
        "critical": "bold reverse color(208)",
        "warn": "color(214)",
        "info": "color(75)",
        "ok": "color(39)",
        "key": "bold color(75)",
        "spark": "color(75)",
        "simulated": "bold color(219)",
    },
    "high-contrast": {
        **_ANSI,
        "critical": "bold white on red",
        "warn": "bold black on yellow",
        "info": "bold bright_white",
        "ok": "bold bright_green",
        "dim": "bright_white",
        "key": "bold reverse",
        "spark": "bright_white",
        "frame": "bright_white",
        "value": "bold bright_white",
        "simulated": "bold black on bright_magenta",
    },
    # Attributes alone: bold, dim, reverse and underline tell apart what the words say anyway.
    "mono": {
        **dict.fromkeys(_ANSI, ""),
        "critical": "bold underline",
        "warn": "underline",
        "dim": "dim",
        "head": "bold",
        "key": "bold",
        "frame": "dim",
        "select": "reverse",
        "simulated": "bold underline",
    },
}


@lru_cache(maxsize=512)
def style(theme: str, name: str) -> Style:
    """The style of a word, or of several joined by `+`, the later ones on top."""
    return Style.combine([Style.parse(THEMES[theme][part]) for part in name.split("+") if part] or [Style.null()])
