"""The script: what plays when, and that it names rules that exist."""

from __future__ import annotations

import pytest

from perfconsole.demo.scenarios import ALL, INCIDENTS, NAMES, SCENARIOS, Script, chosen
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.errors import UsageError


def test_every_rule_of_a_scenario_is_shipped() -> None:
    """An incident that no rule can find would be a riddle."""
    known = {rule.id for rule in load_folder(shipped_folder())[0]}
    assert {s.rule for s in INCIDENTS} <= known


def test_the_expectation_names_the_rule() -> None:
    """So that whoever watches knows what to look for."""
    assert all(s.rule in s.expect for s in INCIDENTS if s.rule)


def test_phases_begin_at_the_start_and_stand_in_order() -> None:
    """And end before the scenario does."""
    for scenario in SCENARIOS:
        starts = [phase.at_s for phase in scenario.phases]
        assert starts == sorted(starts)
        assert starts[0] == 0
        assert starts[-1] < scenario.length_s


def test_all_is_every_incident_one_after_the_other() -> None:
    """Health is no incident."""
    assert [s.name for s in chosen(ALL)] == [n for n in NAMES if n not in ("healthy", ALL)]


def test_an_unknown_scenario_is_refused_with_the_known_ones() -> None:
    """One line that helps."""
    with pytest.raises(UsageError, match="queue-knee"):
        chosen("queue-kneed")


def test_the_next_scenario_begins_where_the_last_one_ends() -> None:
    """With its own clock."""
    script = Script(chosen(ALL), 100.0)
    moment = script.at(100.0 + INCIDENTS[0].length_s + 3.0)
    assert (moment.number, moment.scenario.name) == (1, INCIDENTS[1].name)
    assert moment.since_s == pytest.approx(3.0)


def test_the_round_begins_anew() -> None:
    """With a number of its own, so that everything is fresh again."""
    script = Script(chosen("healthy"), 0.0)
    assert (script.at(0.0).number, script.at(script.round_s + 1).number) == (0, 1)


def test_before_the_start_the_first_scenario_waits() -> None:
    """Nothing has happened yet."""
    assert Script(chosen(ALL), 100.0).at(50.0).since_s == 0.0


def test_a_phase_holds_until_the_next() -> None:
    """The last one to the end."""
    scenario = chosen("frozen-engine")[0]
    assert [scenario.phase(t).conditions.frozen for t in (0.0, 6.9, 7.0, 45.0, 46.0, 74.0)] == [
        *(False, False, True, True, False, False),
    ]
