"""Tests of `rules why`: the same judgement as `check`, condition by condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.commands.running import perfconsole, recording, rule

if TYPE_CHECKING:
    from pathlib import Path


def test_the_condition_that_keeps_a_rule_silent_is_named(tmp_path: Path) -> None:
    """With its value, its threshold and how far it is from it."""
    own = rule(tmp_path / "rules", "engine.requests_running > 1", "engine.requests_waiting > 4")
    run = perfconsole("rules", "why", "mine", "--rules", own, "--replay", recording(tmp_path))
    lines = [line.strip() for line in run.out.splitlines()]
    assert run.code == 0
    assert lines[lines.index("no        engine.requests_waiting > 4") + 1 :][:2] == [
        "keeps it silent",
        "requests_waiting 0 is not > 4, short by 4",
    ]


def test_the_same_as_json(tmp_path: Path) -> None:
    """One explanation an entity, with what silences it."""
    own = rule(tmp_path / "rules", "engine.requests_running > 9", "engine.requests_waiting >= 0")
    document = perfconsole("rules", "why", "mine", "--rules", own, "--replay", recording(tmp_path), "--json").document
    (found,) = document["explanations"]
    assert (found["status"], found["silenced_by"]) == ("quiet", ["engine.requests_running > 9"])
    assert found["when"][0]["operands"] == {"engine.requests_running": 3.0}


def test_a_rule_that_fires_says_so(tmp_path: Path) -> None:
    """It is a finding, and its exclusions are listed as well."""
    own = rule(tmp_path / "rules", "engine.requests_running > 1", unless="engine.requests_waiting > 4")
    run = perfconsole("rules", "why", "mine", "--rules", own, "--replay", recording(tmp_path))
    assert "firing: it is a finding" in run.out
    assert "engine.requests_waiting > 4" in run.out


def test_a_rule_about_something_that_is_not_watched_says_so(tmp_path: Path) -> None:
    """Nothing was judged, which is no answer about any gateway."""
    run = perfconsole("rules", "why", "gateway-down", "--replay", recording(tmp_path))
    assert (run.code, "no gateway is watched" in run.out) == (0, True)


def test_an_unknown_rule_names_the_nearest(tmp_path: Path) -> None:
    """One line, exit code 2, before anything is watched."""
    run = perfconsole("rules", "why", "admision-cap", "--replay", recording(tmp_path))
    assert (run.code, run.err) == (
        2,
        "perfconsole: no rule is called 'admision-cap'; did you mean 'admission-cap'?\n",
    )


def test_a_recording_and_a_length_do_not_go_together(tmp_path: Path) -> None:
    """As for check."""
    run = perfconsole("rules", "why", "admission-cap", "--replay", recording(tmp_path), "--for", "5")
    assert (run.code, "--replay judges a recording" in run.err) == (2, True)
