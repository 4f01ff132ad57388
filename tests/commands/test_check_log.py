"""Tests of `check` on an engine that writes a log: found by itself, named, or absent."""

from __future__ import annotations

import shlex
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.actions.run import Child, start
from perfconsole.clock import SystemClock
from tests.commands.running import Ran, perfconsole
from tests.commands.test_check_live import engine
from tests.sources.logs.logbooks import LOGS
from tests.sources.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path(__file__).parents[1] / "sources" / "loggingengine.py"
PAGE = Path(__file__).parents[1] / "captures" / "vllm" / "load.prom"
HEALTHY = LOGS / "vllm-0.11.0-healthy.log"
OOM = (
    b"(EngineCore_DP0 pid=1) ERROR 11-05 12:30:00 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to "
    b"allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 3.00 GiB is free. sk-very-secret\n"
)
EVENTS = ("engine.oom_events", "engine.compile_lines", "engine.rpc_timeouts", "engine.peer_disconnects")
WAIT_S = 20.0


@contextmanager
def engine_with(log: Path, out: Path) -> Iterator[tuple[str, Child]]:
    """An engine in a process of its own, whose stdout is a file or a pipe."""
    port = out.with_suffix(".port")
    to = f"> {shlex.quote(str(out))}" if out.suffix == ".log" else "| cat > /dev/null"
    words = shlex.join([sys.executable, str(PROGRAM), str(port), str(PAGE), str(log)])
    child = start(["/bin/sh", "-c", f"exec {words} {to}" if out.suffix == ".log" else f"{words} {to}"])
    clock = SystemClock()
    deadline = clock.now() + WAIT_S
    while not (port.exists() and port.read_text()) and clock.now() < deadline:
        clock.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{port.read_text()}", child
    finally:
        child.end()


def indicators(run: Ran) -> dict[str, Any]:
    """Values of the engine, None with its reason for what is missing."""
    rows = [row for row in run.document["indicators"] if row["entity"].startswith("engine/")]
    return {row["name"]: row["value"] if row["value"] is not None else row["missing"] for row in rows}


def source(run: Ran) -> dict[str, Any]:
    """The line of the log among the sources."""
    (found,) = [s for s in run.document["sources"] if s["kind"] == "engine log"]
    return dict(found)


def test_the_file_behind_stdout_is_read_with_no_flag(tmp_path: Path) -> None:
    """Facts of the start, zeros for what did not happen, what happens while it looks, and the path for commands."""
    out = tmp_path / "engine.log"
    with engine_with(HEALTHY, out) as (url, child):
        later = threading.Timer(3.0, child.send, [OOM])
        later.start()
        run = perfconsole("check", "--for", "8", "--engine", url, "--json", "-q")
        later.join()
    values = indicators(run)
    assert (values["engine.captured_batch"], values["engine.kv_max_concurrency"]) == (128.0, 30.14)
    assert [values[name] for name in EVENTS] == [1.0, 0.0, 0.0, 0.0]
    assert (values["engine.oom_request"], values["engine.oom_free"]) == (2 * 2.0**30, 3 * 2.0**30)
    assert source(run)["state"] == "ok"
    facts = {fact["name"]: fact["value"] for fact in run.document["facts"]}
    assert facts["engine.log"] == str(out)
    assert "secret" not in run.out


def test_a_healthy_log_is_silent(tmp_path: Path) -> None:
    """No finding stands on it."""
    with engine_with(HEALTHY, tmp_path / "engine.log") as (url, _):
        run = perfconsole("check", "--for", "4", "--engine", url, "--json", "-q")
    assert [indicators(run)[name] for name in EVENTS] == [0.0] * 4
    named = [name for finding in run.document["findings"] for r in finding["readings"] for name in r["operands"]]
    assert not set(EVENTS) & set(named)


def test_an_engine_that_writes_to_a_pipe_says_so_once(tmp_path: Path) -> None:
    """What the log would say is missing with that reason."""
    with engine_with(HEALTHY, tmp_path / "engine.none") as (url, _):
        run = perfconsole("check", "--for", "4", "--engine", url, "--json", "-q")
    assert source(run)["state"] == "absent"
    assert "--log FILE" in source(run)["reason"]
    assert {indicators(run)[name] for name in EVENTS} == {"not-exported"}


@pytest.mark.parametrize("way", ["flag", "configuration"])
def test_a_named_file_is_read(tmp_path: Path, way: str) -> None:
    """By a flag with the engine's port, or by `log` in its table."""
    with Server(engine) as server:
        config = tmp_path / "c.toml"
        log = f"log = '{HEALTHY}'\n" if way == "configuration" else ""
        config.write_text(f'[discovery]\nenabled = false\n[[target]]\nurl = "{server.url}"\n{log}')
        flags = ["--log", f"{server.port}={HEALTHY}"] if way == "flag" else []
        run = perfconsole("check", "--for", "3", "--config", config, *flags, "--json", "-q")
    assert indicators(run)["engine.captured_batch"] == 128.0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--engine", "a:1", "--log", "/nowhere/x.log"], "--log /nowhere/x.log: cannot be read: No such file"),
        (["--engine", "a:1", "--engine", "b:2", "--log", str(HEALTHY)], "2 engines are watched (a:1, b:2)"),
        (["--engine", "a:1", "--log", f"c:3={HEALTHY}"], "no such engine is watched; watched: a:1"),
        (["--replay", "x.prom.gz", "--log", str(HEALTHY)], "--replay judges a recording"),
    ],
)
def test_a_log_that_cannot_be_meant_is_refused(flags: list[str], words: str) -> None:
    """One line, before anything is polled."""
    run = perfconsole("check", *flags)
    assert run.code == 2
    assert words in run.err
    assert run.err.count("\n") == 1


def test_a_log_goes_with_engines_only(tmp_path: Path) -> None:
    """A gateway's is not read, and the place is named."""
    config = tmp_path / "c.toml"
    config.write_text('[[target]]\nlayer = "gateway"\nurl = "g:1"\nlog = "/x"\n')
    run = perfconsole("check", "--config", config)
    assert run.code == 2
    assert f"{config}:4:1: log is read of engines only" in run.err
