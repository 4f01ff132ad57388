"""What a recording is kept as: folded stacks, speedscope, a picture, and what it says, when and how it was taken."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from perfconsole.stacks.folded import write_folded
from perfconsole.stacks.speedscope import write_speedscope
from perfconsole.view.flamesvg import svg
from perfconsole.view.stackreport import stacks_json

if TYPE_CHECKING:
    from perfconsole.model.flameplan import FlamePlan
    from perfconsole.model.flametree import Node
    from perfconsole.model.stack import Profile
    from perfconsole.model.stackreading import StackReading

ENDINGS = (".folded", ".speedscope.json", ".svg", ".json")


def flame_name(plan: FlamePlan, wall: float) -> str:
    """Name of its files, without an ending."""
    return f"flame-{_stamp(wall)}-{plan.pid}"


def flame_texts(
    profile: Profile, reading: StackReading, tree: Node, plan: FlamePlan, title: str, wall: float
) -> dict[str, str]:
    """Text by ending."""
    shown = f"process {plan.pid}  {title}  {plan.seconds:.0f} s at {plan.rate} a second  {_stamp(wall)}"
    said = {**stacks_json(reading), "recorded": _stamp(wall), "process": title, "plan": asdict(plan)}
    texts = (write_folded(profile), write_speedscope(profile, shown), svg(tree, shown), json.dumps(said) + "\n")
    return dict(zip(ENDINGS, texts, strict=True))


def _stamp(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).strftime("%Y%m%dT%H%M%SZ")
