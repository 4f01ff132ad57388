"""The characters that draw frames, charts and marks: one set for UTF-8 terminals, one in plain ASCII."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of characters; every one is a single column wide."""

    bars: str
    """Eight levels of a sparkline, lowest first."""
    gap: str
    """Where nothing was known."""
    horizontal: str
    cursor: str
    more: str
    """Something was cut here; may be several columns wide."""
    dot: str
    up: str
    down: str
    degree: str
    edge: str
    """Left edge of a box of a flame graph."""


UNICODE = Glyphs("▁▂▃▄▅▆▇█", " ", "─", "▸", "…", "·", "↑", "↓", "°", "▏")
ASCII = Glyphs("_.,-=+*#", " ", "-", ">", "..", "-", "^", "v", " ", "|")
