"""A flame graph as a still SVG picture: one file, no script, names as text that a browser can search."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from perfconsole.model.flametree import Node, Shade
from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH, _ROW, _TOP, _MARGIN = 1200.0, 17.0, 40.0, 10.0
_LETTER = 6.2
_XMLNS = "http://www.w3.org/2000/svg"
_LEAST = 0.6
"""Pixels below which a box is left out."""
_DEEPEST = 200
_COLORS = {
    Shade.BLOCKING: "#e5484d",
    Shade.USER: "#f5a524",
    Shade.PACKAGE: "#8fb573",
    Shade.LIBRARY: "#a9b4c2",
    Shade.IDLE: "#dfe3e8",
    Shade.GROUP: "#c7d7ee",
}


def svg(root: Node, title: str) -> str:
    """The picture; boxes grow downwards from the outermost function."""
    boxes = list(_boxes(root))
    height = _TOP + _ROW * (max((depth for _, depth, _, _ in boxes), default=0) + 1) + _MARGIN
    keys = "  ".join(f"{shade}: {color}" for shade, color in _COLORS.items())
    rows = [
        f'<svg xmlns="{_XMLNS}" width="{_WIDTH:.0f}" height="{height:.0f}" font-family="monospace" font-size="11">',
        f'<text x="{_MARGIN}" y="16">{escape(plain(title))}</text>',
        f'<text x="{_MARGIN}" y="30" fill="#666">{escape(keys)}</text>',
        *(_drawn(node, depth, x, wide, root.total) for node, depth, x, wide in boxes),
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _boxes(root: Node) -> Iterator[tuple[Node, int, float, float]]:
    """Node, depth, left edge and width in pixels, of all boxes wide enough to be seen."""
    waiting = [(root, 0, _MARGIN, _WIDTH - 2 * _MARGIN)]
    while waiting:
        node, depth, x, wide = waiting.pop()
        yield node, depth, x, wide
        if depth >= _DEEPEST or not node.total:
            continue
        for child in node.ordered():
            part = wide * child.total / node.total
            if part >= _LEAST:
                waiting.append((child, depth + 1, x, part))
            x += part


def _drawn(node: Node, depth: int, x: float, wide: float, whole: float) -> str:
    y = _TOP + depth * _ROW
    place = f" ({node.file}:{node.line})" if node.line else f" ({node.file})" if node.file else ""
    share = node.total / whole if whole else 0.0
    told = plain(f"{node.name}{place} {share:.1%}")
    room = int((wide - 4) / _LETTER)
    name = plain(node.name)
    label = name if len(name) <= room else f"{name[: room - 2]}.." if room > 3 else ""
    words = f'<text x="{x + 2:.1f}" y="{y + 12:.1f}">{escape(label)}</text>' if label else ""
    return (
        f'<g><title>{escape(told)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{max(wide - 0.5, 0.3):.1f}" '
        f'height="{_ROW - 1:.0f}" fill={quoteattr(_COLORS[node.shade])}/>{words}</g>'
    )
