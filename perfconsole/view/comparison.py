"""What a finding was compared with: the healthy values in its conditions, and where each of them comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.units import operand_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import Baseline, Snapshot

_OPEN, _CLOSE = "base(", ")"


def baselines_of(finding: Finding, snapshot: Snapshot) -> dict[str, Baseline]:
    """Healthy values by the name of their indicator; of the entity itself, else of what carries that very value."""
    wanted = {
        name.removeprefix(_OPEN).removesuffix(_CLOSE): value
        for r in finding.readings
        for name, value in r.operands
        if name.startswith(_OPEN) and not isinstance(value, Missing)
    }
    found: dict[str, Baseline] = {}
    for i in snapshot.indicators if wanted else ():
        own = i.entity == finding.entity
        if i.baseline and i.baseline.value == wanted.get(i.name) and (own or i.name not in found):
            found[i.name] = i.baseline
    return found


def comparison_words(finding: Finding, snapshot: Snapshot) -> Iterator[str]:
    """`base(engine.ttft.p95) 400 ms, saved profile of 2026-11-30 (45 min)`."""
    for name, baseline in baselines_of(finding, snapshot).items():
        yield f"{operand_text((f'{_OPEN}{name}{_CLOSE}', baseline.value))}, {baseline.kind}"
