"""The command as a program, with its own load process, against a server that knows the truth."""

from __future__ import annotations

import json
import os
import signal
import subprocess  # noqa: TID251 - a signal and an exit code need a process
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

QUICK = Settings(slots=4, itl_ms=1.0, prefill_ms=5.0)


def started(words: tuple[str, ...], folder: Path) -> subprocess.Popen[str]:
    """The command with these words, its state in this folder."""
    environment: Mapping[str, str] = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    argv = [sys.executable, "-m", "perfconsole", "probe", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=environment)  # noqa: S603 - our own


def document(path: Path) -> dict[str, Any]:
    """A result."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_queue_is_found_where_it_is(tmp_path: Path) -> None:
    """Four slots: the knee is at 4, tokens are the server's own, and the error ratio is its own too."""
    out = tmp_path / "r.json"
    with ExactServer(QUICK) as server:
        words = (server.url, "--concurrency", "2,4,8", "--requests-per-step", "24", "--output-tokens", "24")
        with started((*words, "--prompt-tokens", "40", "--yes", "--out", str(out)), tmp_path) as probe:
            _, said = probe.communicate(timeout=60)
        assert server.settled()
        written = server.state()["tokens"]
    assert probe.returncode == 0, said
    found = document(out)
    assert (found["knee"]["concurrency"], found["knee"]["limit"]) == (4, "queue")
    assert found["totals"]["output_tokens"] == written
    assert [(s["concurrency"], s["requests"], s["errors"]) for s in found["steps"]] == [
        (level, 24, 0) for level in (2, 4, 8)
    ]


def test_errors_are_counted_and_change_no_latency(tmp_path: Path) -> None:
    """A tenth of the requests fails at once: no first token comes sooner for it."""
    out = tmp_path / "r.json"
    with ExactServer(Settings(slots=16, itl_ms=1.0, prefill_ms=30.0, error_share=0.1)) as server:
        words = (server.url, "--concurrency", "8", "--requests-per-step", "100", "--output-tokens", "4", "--yes")
        with started((*words, "--out", str(out)), tmp_path) as probe:
            probe.communicate(timeout=60)
    (step,) = document(out)["steps"]
    assert 9 <= step["errors"] <= 11
    assert step["requests"] == 100
    assert step["ttft"]["p50"] >= 0.03


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_nothing_left(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """What was measured until then is kept."""
    out = tmp_path / "r.json"
    with ExactServer(Settings(slots=4, itl_ms=50.0, prefill_ms=10.0)) as server:
        words = (server.url, "--concurrency", "4", "--requests-per-step", "400", "--warmup", "0", "--yes")
        with started((*words, "--out", str(out)), tmp_path) as probe:
            for _ in range(100):
                if server.state()["most_running"] == 4:
                    break
                signal.sigtimedwait([], 0.1)
            probe.send_signal(number)
            _, said = probe.communicate(timeout=30)
        assert server.settled()
    assert probe.returncode == code, said
    assert document(out)["stopped"]


def test_a_server_that_breaks_down_ends_it_by_itself(tmp_path: Path) -> None:
    """With the exit code of a safety limit."""
    with ExactServer(Settings(slots=4, itl_ms=1.0, prefill_ms=1.0)) as server:
        words = (server.url, "--concurrency", "2", "--requests-per-step", "500", "--output-tokens", "4", "--yes")
        with started(words, tmp_path) as probe:
            for _ in range(100):
                if server.state()["tokens"] > 40:
                    break
                signal.sigtimedwait([], 0.1)
            server.set(error_share=1.0)
            out, _ = probe.communicate(timeout=30)
    assert probe.returncode == 5
    assert "requests failed (limit 25%)" in " ".join(out.split())
