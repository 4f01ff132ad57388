"""Which findings make a moment no healthy one: what baselines must not learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.finding import State
from perfconsole.model.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.finding import Finding

_HALF = 0.5


def troubling(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of warn or above that fire, or have held for half of the time that they must."""
    return [f for f in findings if f.severity is not Severity.INFO and _stands(f)]


def _stands(finding: Finding) -> bool:
    """Whatever waits for its hold is no healthy minute any more: the trouble is there, only not yet sure."""
    passed = [(r.held_s or 0.0) / r.hold_s for r in finding.readings if r.hold_s]
    return finding.state is not State.PENDING or min(passed, default=0.0) >= _HALF
