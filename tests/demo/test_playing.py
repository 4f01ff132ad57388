"""Every scenario on a manual clock: its own rule is pending in time, comes first when it fires, and clears."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from perfconsole.demo.scenarios import INCIDENTS, chosen
from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from tests.demo.playing import play

PENDING_WITHIN_S = 20.0
PLAYED = [s.name for s in INCIDENTS if s.name != "blocked-orchestrator"]
"""The orchestrator is a real process and is tested as one."""
SPEAKING = (State.PENDING, State.FIRING)


@dataclass(frozen=True, slots=True)
class Seen:
    """What matters of one snapshot."""

    t: float
    first: str | None
    first_state: State | None
    states: dict[str, State]
    loud: tuple[str, ...]
    """Rules of findings of warn and above, in any state."""


@cache
def seen(name: str) -> tuple[Seen, ...]:
    """The whole scenario, second by second; played once for all tests of it."""
    found = []
    for t, snapshot in play(name):
        findings = snapshot.findings
        first = findings[0] if findings else None
        loud = tuple(f.rule for f in findings if f.severity.rank >= Severity.WARN.rank)
        states = {f.rule: f.state for f in findings}
        found.append(Seen(t, first.rule if first else None, first.state if first else None, states, loud))
    return tuple(found)


def own_rule(name: str) -> str:
    """The rule that a scenario is about."""
    rule = chosen(name)[0].rule
    assert rule is not None
    return rule


@pytest.mark.parametrize("name", PLAYED)
def test_its_own_rule_speaks_within_twenty_seconds(name: str) -> None:
    """Nobody waits longer than that to see where it goes."""
    rule = own_rule(name)
    spoke = next(s.t for s in seen(name) if s.states.get(rule) in SPEAKING)
    assert spoke <= PENDING_WITHIN_S


@pytest.mark.parametrize("name", PLAYED)
def test_nothing_is_wrong_before_the_trouble_begins(name: str) -> None:
    """The first phase of every scenario is healthy."""
    begins = chosen(name)[0].phases[1].at_s
    assert [s for s in seen(name) if s.loud and s.t < begins] == []


@pytest.mark.parametrize("name", PLAYED)
def test_its_own_rule_comes_first_whenever_it_fires(name: str) -> None:
    """It fires before the trouble ends, and no other finding stands above it."""
    rule = own_rule(name)
    ends = chosen(name)[0].phases[-1].at_s
    firing = [s for s in seen(name) if s.states.get(rule) is State.FIRING]
    assert firing
    assert firing[0].t < ends
    assert {s.first for s in firing} == {rule}


@pytest.mark.parametrize("name", PLAYED)
def test_its_own_rule_has_cleared_at_the_end(name: str) -> None:
    """The cause is gone, so the finding is."""
    assert own_rule(name) not in seen(name)[-1].states


def test_a_healthy_host_has_no_finding_of_warn_or_above() -> None:
    """Not even for a second."""
    assert [s for s in seen("healthy") if s.loud] == []
