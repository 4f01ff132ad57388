"""Tests of `check` on recordings: what it names, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands.running import BROKEN, PAGE, START, perfconsole, recording, replayed, rule

if TYPE_CHECKING:
    from pathlib import Path

HOLDS = "engine.requests_running > 0"
LACKS = "engine.kv_cache_usage > 50%"


def test_the_admission_cap_is_named_during_overload() -> None:
    """While requests wait for a slot the cap stands first."""
    assert replayed("vllm", "--at", "54", "--json").rules[0] == "admission-cap"


def test_a_preemption_storm_is_named_under_kv_pressure() -> None:
    """It fires as likely, stands first and gives exit code 1."""
    run = replayed("vllm_kv", "--at", "50", "--json")
    first = run.document["findings"][0]
    assert (first["rule"], first["state"], first["verdict"], run.code) == ("preemption-storm", "firing", "likely", 1)


def test_a_frozen_engine_is_named_while_health_still_answers() -> None:
    """The engine core stopped at 8 s: counters are flat, gauges hold requests."""
    assert replayed("vllm_hang", "--at", "18", "--json").rules[0] == "engine-frozen"


@pytest.mark.parametrize("name", ["sglang", "llamacpp"])
def test_the_overload_of_other_engines_is_named(name: str) -> None:
    """Its slots are full while requests wait; before it and after it nothing is wrong."""
    assert replayed(name, "--at", "60", "--json").rules[0] == "admission-cap"
    for quiet in (replayed(name, "--at", "12", "--json"), replayed(name, "--json")):
        assert (quiet.code, quiet.rules) == (0, [])


@pytest.mark.parametrize("at", ["10", "30"])
@pytest.mark.parametrize("name", ["vllm", "vllm_kv"])
def test_a_healthy_engine_has_no_finding(name: str, at: str) -> None:
    """Idle at 10 s and under a load that it carries at 30 s, nothing is named."""
    run = replayed(name, "--at", at, "--json")
    assert (run.rules, run.code) == ([], 0)


def test_nothing_fires_after_recovery() -> None:
    """Half a minute after the overload no warning stands, and those that only pended give no exit code."""
    run = replayed("vllm", "--json")
    assert [f["rule"] for f in run.document["findings"] if f["state"] == "firing"] == []
    assert run.code == 0


def test_a_healthy_engine_reads_so() -> None:
    """The all-clear, what the engine does, and nothing on stderr."""
    run = replayed("vllm", "--at", "30")
    assert "Nothing obviously wrong" in run.out
    assert "ENGINE         vllm busy" in run.out
    assert run.err == ""


def test_an_idle_engine_reads_idle() -> None:
    """Gauges and counters at 0 are idle."""
    assert "ENGINE         vllm idle" in replayed("vllm", "--at", "10").out


def test_a_past_finding_stands_in_the_timeline() -> None:
    """The overload is over, and the run still tells of it."""
    assert "admission-cap" in [e["rule"] for e in replayed("vllm", "--json").document["timeline"]]
    assert "EARLIER" in replayed("vllm").out


def test_the_time_of_a_replay_is_the_recorded_one() -> None:
    """Not the moment of replaying."""
    assert replayed("vllm", "--at", "10", "--json").document["t"].startswith("2026-11-29T12:29:5")


def test_text_into_a_pipe_has_no_escape_codes() -> None:
    """Colour is for terminals."""
    assert "\x1b" not in replayed("vllm", "--at", "54").out


def test_ascii_gives_ascii(tmp_path: Path) -> None:
    """A title in another script comes out as escapes."""
    folder = rule(tmp_path / "rules", HOLDS)
    text = (folder / "mine.yaml").read_text(encoding="utf-8").replace("My own", "Zu heiß 90 °C")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    run = perfconsole("check", "--replay", recording(tmp_path), "--rules", folder, "--ascii")
    assert run.out.isascii()
    assert "Zu hei\\xdf 90 deg C" in run.out


def test_hostile_labels_come_out_as_escapes(tmp_path: Path) -> None:
    """A model name with escape codes cannot move the cursor."""
    hostile = PAGE.replace('"m"', '"\x1b[2J\u202em"')
    run = perfconsole("check", "--replay", recording(tmp_path, body=hostile))
    assert run.code == 0
    assert "\x1b" not in run.out
    assert "\u202e" not in run.out


@pytest.mark.parametrize(
    ("unless", "severity", "flags", "code"),
    [
        ("", "warn", [], 1),
        ("", "info", [], 0),
        ("", "info", ["--fail-on", "info"], 1),
        ("", "warn", ["--fail-on", "critical"], 0),
        ("", "critical", ["--fail-on", "critical"], 1),
        ("", "critical", ["--fail-on", "never"], 0),
        (LACKS, "warn", [], 4),
        (LACKS, "warn", ["--fail-on", "critical"], 0),
        (LACKS, "warn", ["--fail-on", "never"], 0),
    ],
)
def test_a_finding_gives_its_exit_code(tmp_path: Path, unless: str, severity: str, flags: list[str], code: int) -> None:
    """Likely 1, possible 4, below --fail-on 0."""
    folder = rule(tmp_path / "rules", HOLDS, severity=severity, unless=unless)
    run = perfconsole("check", "--replay", recording(tmp_path), "--rules", folder, *flags)
    assert run.code == code


def test_likely_comes_before_possible(tmp_path: Path) -> None:
    """With both, the code is 1."""
    folder = rule(tmp_path / "rules", HOLDS, unless=LACKS)
    rule(folder, HOLDS, name="second")
    assert perfconsole("check", "--replay", recording(tmp_path), "--rules", folder).code == 1


def test_an_undecided_rule_counts_only_when_strict(tmp_path: Path) -> None:
    """Exit code 4 with --strict, 0 without, 0 with --fail-on never."""
    folder = rule(tmp_path / "rules", HOLDS, LACKS, severity="critical")
    path = recording(tmp_path)
    common = ("check", "--replay", path, "--rules", folder, "--fail-on", "critical")
    assert perfconsole(*common).code == 0
    assert perfconsole(*common, "--strict").code == 4
    assert perfconsole(*common[:-1], "never", "--strict").code == 0


def test_a_finding_that_is_over_still_counts(tmp_path: Path) -> None:
    """It fired during the run, whatever the end looks like."""
    polls = [f"# t {START + i}\n{PAGE if i < 3 else PAGE.replace('3.0', '0.0')}" for i in range(40)]
    folder = rule(tmp_path / "rules", HOLDS)
    run = perfconsole("check", "--replay", recording(tmp_path, *polls), "--rules", folder, "--json")
    assert [f["rule"] for f in run.document["findings"] if f["rule"] == "mine"] == []
    assert run.code == 1


def test_a_target_that_never_answered_comes_before_findings(tmp_path: Path) -> None:
    """Only refused polls: 3, though a rule of the user's says likely."""
    polls = [f"# t {START + i} error=ConnectionRefusedError\n" for i in range(3)]
    folder = rule(tmp_path / "rules", "engine.up == 0")
    run = perfconsole("check", "--replay", recording(tmp_path, *polls), "--rules", folder, "--json")
    assert "mine" in run.rules
    assert run.code == 3


def test_a_broken_rule_gives_2_and_results_all_the_same(tmp_path: Path) -> None:
    """One line with FILE:LINE:COLUMN, the report, and 2 before everything else."""
    folder = rule(tmp_path / "rules", HOLDS)
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    run = perfconsole("check", "--replay", recording(tmp_path), "--rules", folder, "--json")
    assert run.err.startswith(f"perfconsole: {folder}/broken.yaml:1:1: ")
    assert run.err.count("\n") == 1
    assert "mine" in run.rules
    assert run.code == 2


def test_a_rule_of_the_user_replaces_the_shipped_one(tmp_path: Path) -> None:
    """The same id is judged once, by the user's conditions."""
    folder = rule(tmp_path / "rules", HOLDS, name="admission-cap")
    run = perfconsole("check", "--replay", recording(tmp_path), "--rules", folder, "--json")
    assert [f["title"] for f in run.document["findings"]] == ["My own"]


def test_one_page_is_enough_for_a_replay(tmp_path: Path) -> None:
    """A recording of a moment is judged, rates are missing and not 0."""
    run = perfconsole("check", "--replay", recording(tmp_path, f"# t {START}\n{PAGE}"), "--json")
    rows = {i["name"]: i for i in run.document["indicators"]}
    assert rows["engine.requests_running"]["value"] == 3.0
    assert rows["engine.generation_rate"]["value"] is None
    assert run.code == 0


def test_a_gap_of_years_is_not_ticked_through(tmp_path: Path) -> None:
    """A wrong time in a recording costs a bounded number of ticks, and the end is judged."""
    polls = (f"# t {START}\n{PAGE}", f"# t {START + 3_000_000_000}\n{PAGE}")
    run = perfconsole("check", "--replay", recording(tmp_path, *polls), "--json")
    rows = {i["name"]: i["value"] for i in run.document["indicators"]}
    assert rows["engine.requests_running"] == 3.0


def test_at_ends_before_later_pages(tmp_path: Path) -> None:
    """Pages after --at are not seen."""
    polls = [f"# t {START + i}\n{PAGE.replace('3.0', f'{i}.0')}" for i in range(10)]
    run = perfconsole("check", "--replay", recording(tmp_path, *polls), "--at", "4", "--json")
    rows = {i["name"]: i["value"] for i in run.document["indicators"]}
    assert rows["engine.requests_running"] == 4.0
