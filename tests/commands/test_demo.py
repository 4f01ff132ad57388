"""`perfconsole demo` from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfconsole.cli import main
from perfconsole.demo.scenarios import NAMES

if TYPE_CHECKING:
    import pytest


def test_the_list_has_a_line_for_each_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    """Name first."""
    assert main(["demo", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(NAMES)


def test_targets_of_ones_own_have_no_place_on_the_stage(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody shall take simulated numbers for those of a real engine."""
    for flag in ("--engine", "--gateway", "--orchestrator"):
        assert main(["demo", flag, "http://127.0.0.1:1"]) == 2
        assert "a host of its own" in capsys.readouterr().err


def test_a_short_headless_run_prints_the_report_of_check(capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON document with the simulated targets, healthy, exit code 0."""
    code = main(["demo", "--scenario", "healthy", "--headless", "--json", "--for", "6"])
    document = json.loads(capsys.readouterr().out)
    assert document["host"] == "SIMULATED host"
    assert code == 0
    assert document["findings"] == []
    assert "sim-engine" in {s["name"] for s in document["sources"]}
