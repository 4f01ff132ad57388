"""Targets as a list: for a person, and as JSON for scripts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from perfconsole.view.report_text import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

_STYLES = {"down": "critical", "late": "warn"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One target."""

    name: str
    layer: str
    adapter: str | None
    url: str | None
    pid: int | None
    links: tuple[str, ...]
    """What it calls, as KIND/NAME."""
    state: str
    """ok, late, down or absent, as for sources."""
    reason: str
    """Why it is in that state, or how it was found."""
    log: str | None = None
    """File of its log that is read; None for none."""


def listed_json(listed: Listed) -> dict[str, Any]:
    """The form for scripts."""
    return {**asdict(listed), "links": list(listed.links)}


def listed_lines(targets: Sequence[Listed], notes: Sequence[str]) -> list[Line]:
    """A block for each target, then what discovery has to say: what it looked at, and what it did not take."""
    lines = [line for target in targets for line in _block(target)]
    if not targets:
        lines.append(
            Line("no engine, gateway or orchestrator found; name one with --engine, --gateway, --orchestrator")
        )
    return [*lines, *([Line("")] if notes else []), *(Line(note, "dim", 2) for note in notes)]


def _block(target: Listed) -> list[Line]:
    who = "  ".join(
        word
        for word in (target.adapter or "unknown", target.url or "", f"pid {target.pid}" if target.pid else "")
        if word
    )
    lines = [
        Line(f"{target.layer:<13} {target.name}  {target.state}", _STYLES.get(target.state, "head")),
        Line(f"{'':13} {who}", "", 14),
    ]
    if target.links:
        lines.append(Line(f"{'':13} calls {', '.join(name.partition('/')[2] for name in target.links)}", "", 14))
    if target.log:
        lines.append(Line(f"{'':13} log {target.log}", "", 14))
    if target.reason:
        lines.append(Line(f"{'':13} {target.reason}", "", 14))
    return lines
