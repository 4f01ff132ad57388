"""Tests of the program as a process: signals, pipes, closed streams, help."""

from __future__ import annotations

import os
import signal
import subprocess  # noqa: TID251 - a signal and a pipe need a process
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfconsole import __version__
from perfconsole.cli import main
from perfconsole.clock import SystemClock
from tests.sources.servers import Server, hung

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "tests" / "captures" / "vllm_hang" / "series.prom.gz"
PROGRAM = (sys.executable, "-m", "perfconsole")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """A small environment without the user's configuration and with the usual buffering."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    places = {"XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    return {**kept, **places, "PYTHONPATH": str(ROOT), **more}


@contextmanager
def watching(folder: Path, url: str) -> Iterator[subprocess.Popen[bytes]]:
    """A long check of one target, ended with the block."""
    arguments = [*PROGRAM, "check", "--engine", url, "--for", "60"]
    # A shell that runs the tests in the background has had ctrl-c ignored, which every child would take over.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(folder)
    )
    signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_at_once_while_a_source_hangs(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    """Within a second, with the code of the signal, and without a traceback."""
    clock = SystemClock()
    with Server(hung()) as server, watching(tmp_path, server.url) as process:
        for _ in range(400):
            if server.requests:
                break
            clock.sleep(0.02)
        process.send_signal(sent)
        began = clock.now()
        _, err = process.communicate(timeout=10)
        assert process.returncode == code
        assert clock.now() - began < 1.0
        assert err.count(b"\n") <= 1


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell with `$P` for the program on a recording."""
    line = f"P='{sys.executable} -m perfconsole'; R='{RECORDING}'; {command}"
    return subprocess.run(  # noqa: S603 - a line of this file
        ["/bin/sh", "-c", line], capture_output=True, check=False, env=environment(folder, **more), timeout=30
    )


@pytest.mark.parametrize("pipe", ["|", "2>&1 |"])
def test_a_reader_that_leaves_is_no_fault(tmp_path: Path, pipe: str) -> None:
    """`| head -1` gives one line and silence."""
    done = shell(f"$P check --replay $R {pipe} head -1", tmp_path)
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


def test_a_reader_that_has_left_before_is_no_fault(tmp_path: Path) -> None:
    """A pipe nobody reads at all."""
    assert shell("$P check --replay $R | true", tmp_path).stderr == b""


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """Usage error with the system's reason, no traceback."""
    done = shell("$P check --replay $R > /dev/full; echo $? >&2", tmp_path)
    assert done.stderr.splitlines() == [b"perfconsole: the output: No space left on device", b"2"]


def test_a_closed_stdout_changes_only_the_output(tmp_path: Path) -> None:
    """`>&-` keeps the exit code of the run."""
    done = shell("$P check --replay $R --fail-on never >&-; echo $? >&2", tmp_path)
    assert done.stderr == b"0\n"


def test_a_terminal_of_another_encoding_gets_escapes(tmp_path: Path) -> None:
    """A title that ASCII cannot carry does not end the run."""
    rule = tmp_path / "rules" / "heiss.yaml"
    rule.parent.mkdir()
    rule.write_text(
        "{id: heiss, title: 'heiß', layer: engine, scope: engine, severity: warn, class: symptom, "
        "when: ['engine.up == 1'], cause: c, confidence: low}",
        encoding="utf-8",
    )
    done = shell(f"$P rules list --rules {rule.parent}", tmp_path, PYTHONIOENCODING="ascii")
    assert b"hei\\xdf" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_help_and_version_reach_a_pipe(tmp_path: Path, flag: str) -> None:
    """What argparse prints is not lost at the quick exit."""
    done = shell(f"$P {flag}", tmp_path)
    assert done.returncode == 0
    assert b"perfconsole" in done.stdout


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, name and number."""
    with pytest.raises(SystemExit) as leaving:
        main(["--version"])
    assert leaving.value.code == 0
    assert capsys.readouterr().out == f"perfconsole {__version__}\n"


def test_help_imports_no_source_and_no_session(tmp_path: Path) -> None:
    """The command tree alone stays light."""
    code = (
        "import sys; from perfconsole.cli import build_parser; build_parser([]); "
        "print([m for m in sys.modules if m.startswith(('httpx', 'yaml', 'psutil', 'perfconsole.core'))])"
    )
    done = shell(f'{sys.executable} -c "{code}"', tmp_path)
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize("arguments", [["check", "--jso"], ["check", "--engin", "h"], ["--vers"]])
def test_flags_are_not_guessed_from_their_start(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A new flag must not change what an old script means."""
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
