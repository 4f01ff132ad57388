"""The stage: real processes and servers, read by the very same sources as live."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import SystemClock
from perfconsole.commands.demo import stage_sources
from perfconsole.config import Config
from perfconsole.core.session import Session
from perfconsole.demo.scenarios import RUN_S, SCENARIOS
from perfconsole.demo.stage import Stage
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import State
from perfconsole.model.rule import Severity
from perfconsole.monitor import Monitor
from tests.commands.running import perfconsole
from tests.demo.playing import shipped_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.snapshot import Snapshot

CONFIG = Config(targets=(), dictionary=DEFAULT, rule_folders=())


@contextmanager
def staged(name: str, skip_s: float = 0.0) -> Iterator[Stage]:
    """A stage that is closed in any case."""
    stage = Stage(name, skip_s=skip_s)
    try:
        yield stage
    finally:
        stage.close()


def watched(stage: Stage, seconds: float) -> list[Snapshot]:
    """Snapshots of so many seconds."""
    found: list[Snapshot] = []
    sources, _ = stage_sources(stage, CONFIG)
    Monitor(Session(shipped_rules(), run_s=RUN_S), sources, SystemClock()).run(seconds, found.append)
    return found


def values(snapshot: Snapshot) -> dict[str, object]:
    """Indicators by name; each of these stages has one entity of a kind."""
    return {i.name: i.value for i in snapshot.indicators}


def alive(pids: tuple[int, ...]) -> list[int]:
    """Those that have not ended."""
    return [pid for pid in pids if Path(f"/proc/{pid}/stat").exists()]


def left(pids: tuple[int, ...]) -> list[int]:
    """Those that are still there after some seconds: on a busy machine a killed process takes its time to go."""
    clock = SystemClock()
    end = clock.now() + 5.0
    while alive(pids) and clock.now() < end:
        clock.sleep(0.05)
    return alive(pids)


def children_of(pid: int) -> tuple[int, ...]:
    """Processes that it started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return tuple(int(word) for word in text.split())


def test_a_healthy_stage_is_read_by_every_source_and_leaves_nothing_behind() -> None:
    """Engine, gateway, agents and card answer, no finding is there, and closing ends every process."""
    with staged("healthy") as stage:
        last = watched(stage, 5.0)[-1]
        pids = (*stage.pids, *(p for pid in stage.pids for p in children_of(pid)))
    found = values(last)
    assert {s.name: s.state for s in last.sources if s.state != "ok"} == {}
    assert [f.rule for f in last.findings if f.severity.rank >= Severity.WARN.rank] == []
    assert (found["engine.max_num_seqs"], found["gpu.clock_ratio"], found["gateway.up"]) == (32.0, 1.0, 1.0)
    assert len(pids) == 5
    assert left(pids) == []


def test_the_frozen_core_is_really_stopped_while_the_pages_answer() -> None:
    """One of the engine's two processes is in state T; health stays good."""
    with staged("frozen-engine", skip_s=6.5) as stage:
        found = values(watched(stage, 5.0)[-1])
    assert (found["engine.processes"], found["engine.stopped_processes"]) == (2.0, 1.0)
    assert found["engine.up"] == 1.0


def test_the_blocked_orchestrator_is_found() -> None:
    """Its loop really stands still: health takes longer than half a second, and the finding is pending."""
    with staged("blocked-orchestrator", skip_s=8.5) as stage:
        last = watched(stage, 8.0)[-1]
    states = {f.rule: f.state for f in last.findings}
    assert states.get("orchestrator-loop-blocked") in (State.PENDING, State.FIRING)
    assert last.findings[0].rule == "orchestrator-loop-blocked"


def test_the_banner_says_that_it_is_simulated_and_what_plays() -> None:
    """Place, name, time and what happens just now."""
    with staged("all") as stage:
        assert stage.banner(0.0) == "SIMULATED 1/7 queue-knee 0/75 s: usual traffic"
        assert "admission-cap" in stage.scenario_now(0.0).scenario.expect


def test_a_program_that_ended_is_named() -> None:
    """In the banner, where whoever watches sees it."""
    with staged("healthy") as stage:
        stage.start()
        os.kill(stage.pids[1], signal.SIGKILL)
        deadline = SystemClock().now() + 5.0
        while not stage.lost and SystemClock().now() < deadline:
            SystemClock().sleep(0.02)
        assert stage.banner(0.0).endswith("the simulated gateway has ended")


def test_the_targets_are_called_simulated() -> None:
    """So that every line about them says so."""
    with staged("healthy") as stage:
        targets = stage.config(CONFIG).targets
    assert [t.name for t in targets] == ["sim-engine", "sim-gateway", "sim-agents"]
    assert [t.layer for t in targets] == ["engine", "gateway", "orchestration"]


def test_an_unknown_scenario_starts_nothing() -> None:
    """It is refused with the known ones."""
    with pytest.raises(UsageError, match=SCENARIOS[0].name):
        Stage("nonsense")


def test_closing_a_stage_that_never_started_is_no_trouble() -> None:
    """And may come twice."""
    stage = Stage("healthy")
    stage.close()
    stage.close()
    assert stage.pids == ()


def test_a_probe_of_the_stage_counts_what_its_engine_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real load process against the simulated engine, which the other callers load meanwhile; the play waits."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    steps = ("--concurrency", "4", "--requests-per-step", "16", "--output-tokens", "24", "--yes", "--quiet", "--json")
    with staged("healthy") as stage:
        stage.start()
        ran = perfconsole("probe", stage.config(CONFIG).targets[0].url, *steps, "--despite-traffic")
        banner = stage.banner(SystemClock().now())
    (step,) = ran.document["steps"]
    totals, server = ran.document["totals"], step["server"]
    assert (ran.code, step["errors"], step["valid"]) == (0, 0, True)
    assert totals["output_tokens"] == 2 * 16 + 24 * (totals["requests"] - 2)
    assert ran.document["environment"]["engine.max_num_seqs"] == "32"
    assert server["running"] >= 4
    assert server["output_tokens"] >= 0.9 * server["client_output_tokens"]
    assert "waits for the probe: " in banner
