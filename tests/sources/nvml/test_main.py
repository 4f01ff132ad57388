"""Tests of the helper as a program: what it loads, when it ends, and what it costs while nothing is asked."""

from __future__ import annotations

import json
import os
import subprocess  # noqa: TID251 - a clean interpreter, and a console that dies
import sys
from pathlib import Path

from perfconsole.clock import SystemClock
from tests.sources.nvml.fakenvml import WAIT_S, FakeNvml, helper_of, needs_compiler

CLOCK = SystemClock()
LOADED = """
import json, sys
before = set(sys.modules)
import perfconsole.sources.nvml.__main__
print(json.dumps(sorted(set(sys.modules) - before)))
"""
CONSOLE = """
import sys, time
from perfconsole.actions.run import start
from perfconsole.sources.gpu import helper_argv
child = start(helper_argv(), ends_itself=True)
child.send(b"\\n")
print(child.pid, child.line(20.0) is not None, flush=True)
time.sleep(60)
"""


def test_the_helper_loads_little() -> None:
    """The standard library, pynvml, and what it needs of the package: it is started beside a busy engine."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - our own code
    names = set(json.loads(done.stdout))
    outside = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"perfconsole"}
    own = {
        name for name in names if name.startswith("perfconsole.") and not name.startswith("perfconsole.sources.nvml")
    }
    assert {name for name in outside if not name.startswith("_")} == {"pynvml"}
    assert {name.split(".")[1] for name in own} == {"actions", "clock", "model", "sources"}


@needs_compiler
def test_the_helper_ends_with_its_stdin(tmp_path: Path) -> None:
    """Also while a call hangs."""
    nvml = FakeNvml(tmp_path, "count 1", "hang 0 nvmlDeviceGetPowerUsage")
    with helper_of(nvml) as helper:
        helper.until(lambda a: any("has not returned" in note for g in a["gpus"] for note in g["notes"]))
        assert helper.end() == 0


@needs_compiler
def test_the_helper_ends_with_the_console(tmp_path: Path) -> None:
    """However the console ends; started from a thread it sees to that itself."""
    nvml = FakeNvml(tmp_path, "count 1")
    environment = os.environ | nvml.environment()
    console = subprocess.Popen([sys.executable, "-c", CONSOLE], stdout=subprocess.PIPE, env=environment)  # noqa: S603 - our own code
    assert console.stdout is not None
    pid, answered = console.stdout.readline().split()
    assert answered == b"True"
    console.kill()
    console.wait(WAIT_S)
    console.stdout.close()
    deadline = CLOCK.now() + WAIT_S
    while not ended(int(pid)):
        assert CLOCK.now() < deadline
        CLOCK.sleep(0.02)


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waits for its parent to notice."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
