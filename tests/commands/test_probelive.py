"""A probe from the command line to its files and its exit code."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.commands import probelive
from perfconsole.commands.probetold import Teller
from perfconsole.probing.conductor import Phase
from perfconsole.probing.precautions import Precautions
from tests.commands.probing import STEPS, Stage, stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perfconsole.probing.conductor import Conductor


@pytest.fixture(name="target")
def _target(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A target that serves one model."""
    with stage(monkeypatch, "m") as made:
        yield made


def _document(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def test_the_contract_for_scripts(target: Stage, tmp_path: Path) -> None:
    """FILE has the steps with their percentiles, the environment and the plan, for its owner alone."""
    out = tmp_path / "r.json"
    run = target.probe(*STEPS, "--out", out)
    assert run.code == 0, run.err
    found = _document(out)
    assert (found["schema"], found["stopped"], found["plan"]["model"]) == (1, None, "m")
    assert [(s["concurrency"], s["requests"], s["errors"], s["valid"]) for s in found["steps"]] == [
        (1, 20, 0, True),
        (4, 20, 0, True),
    ]
    assert found["steps"][1]["ttft"]["p50"] == pytest.approx(0.05)
    assert {"host.kernel", "host.cpus"} <= found["environment"].keys()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_it_is_kept(target: Stage, tmp_path: Path) -> None:
    """In the archive as well, with a page to read and one to look at."""
    run = target.probe()
    kept = sorted(path.suffix for path in (tmp_path / "state" / "perfconsole" / "probes").iterdir())
    assert kept == [".html", ".json", ".md"]
    assert "saved" in run.out
    assert "perfconsole: 4 at a time: " in run.err


def test_what_is_said_before(target: Stage) -> None:
    """What would be sent, at which cost, and that nobody can see the engine."""
    said = target.probe().err
    assert "at worst" in said
    assert "no numbers of the engine" in said


def test_quiet(target: Stage) -> None:
    """Nothing but the result."""
    assert target.probe(*STEPS, "--quiet").err == ""


def test_json(target: Stage, tmp_path: Path) -> None:
    """One document on stdout, the same as in FILE."""
    out = tmp_path / "r.json"
    run = target.probe(*STEPS, "--json", "--out", out)
    assert run.document == _document(out)


def test_no_terminal(target: Stage) -> None:
    """Without --yes nothing is sent, not even a question."""
    from tests.commands.running import perfconsole  # noqa: PLC0415 - the stage adds --yes

    run = perfconsole("probe", target.server.url)
    assert (run.code, run.out) == (2, "")
    assert "add --yes" in run.err
    assert target.server.requests == []


def test_a_target_that_does_not_answer(target: Stage) -> None:
    """One clear line, and the code for it."""
    target.server.__exit__(None, None, None)
    run = target.probe()
    assert run.code == 3
    assert run.err.count("\n") == 1
    assert "does not answer" in run.err


def test_a_target_that_takes_no_request(target: Stage) -> None:
    """It named its models, and then refused every connection."""
    target.play("refused")
    run = target.probe()
    assert run.code == 3
    assert "the warm-up failed" in run.out


def test_a_limit(target: Stage, tmp_path: Path) -> None:
    """It stopped itself; what was seen until then is kept, with the reason."""
    target.play("fails")
    run = target.probe(*STEPS, "--out", tmp_path / "r.json")
    assert run.code == 5
    assert _document(tmp_path / "r.json")["stopped"].endswith("failed (limit 25%)")


def test_a_load_process_that_dies(target: Stage) -> None:
    """Its last words are told."""
    target.play("crash")
    run = target.probe()
    assert run.code == 5
    assert "the load process ended: MemoryError: all gone" in run.out


def test_ctrl_c(target: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ends it at once; the result so far is kept and says so."""
    target.play("silent")

    def press(_: Teller, conductor: Conductor, _now: float) -> None:
        if conductor.phase is Phase.STEP:
            raise KeyboardInterrupt

    monkeypatch.setattr(Teller, "tell", press)
    run = target.probe(*STEPS, "--out", tmp_path / "r.json")
    assert run.code == 130
    assert _document(tmp_path / "r.json")["stopped"] == "ended by Ctrl-C"


def test_a_refusal(target: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reason not to begin nothing is started, whatever was said yes to."""
    monkeypatch.setattr(probelive, "precautions", lambda *_: Precautions(("the engine is busy",)))
    monkeypatch.setattr(probelive, "ProbeRun", None)
    run = target.probe()
    assert run.code == 2
    assert "not started: the engine is busy" in run.err


def test_traffic_that_came_while_somebody_thought(target: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was true when it was asked is looked at once more before the first request."""
    looks = iter([Precautions(), Precautions(("3 requests wait",))])
    monkeypatch.setattr(probelive, "precautions", lambda *_: next(looks))
    monkeypatch.setattr(probelive, "ProbeRun", None)
    run = target.probe()
    assert run.code == 2
    assert run.err.endswith("not started: 3 requests wait\n")


def test_a_sample(target: Stage, tmp_path: Path) -> None:
    """A replay has the requests of its file; one that is none is told by file and line."""
    sample = tmp_path / "s.jsonl"
    sample.write_text('{"t": 0, "prompt_tokens": 9, "output_tokens": 5}\n' * 3)
    run = target.probe("--replay", sample, "--speed", "4", "--json")
    assert run.code == 0, run.err
    assert [step["step"]["requests"] for step in run.document["steps"]] == [3]
    sample.write_text("{}\n")
    run = target.probe("--replay", sample)
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert f"{sample} line 1" in run.err


def test_a_file_that_could_not_be_written(target: Stage) -> None:
    """A script that asked for it is not told that all is well."""
    run = target.probe(*STEPS, "--out", "/dev/full")
    assert run.code == 2
    assert "--out /dev/full: No space left on device" in run.err


def test_a_folder_that_takes_nothing(target: Stage, tmp_path: Path) -> None:
    """Is told before anything is sent."""
    run = target.probe(*STEPS, "--out", tmp_path / "none" / "r.json")
    assert run.code == 2
    assert target.server.requests == []
