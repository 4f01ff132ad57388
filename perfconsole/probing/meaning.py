"""What a probe means for the findings that it was to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import measured_result

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot


def meaning(snapshot: Snapshot | None) -> str:
    """The findings that a probe has answered, and how; empty for none."""
    if snapshot is None:
        return ""
    checked = ((f, measured_result(c for c in f.checks if c.kind == "probe")) for f in snapshot.findings)
    return "; ".join(f"{f.title}: {result}" for f, result in checked if result is not None)
