"""The stand-in library for tests: built once by the C compiler, told what to answer by a file."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import shutil
import subprocess  # noqa: TID251 - the C compiler, and the helper as a process of its own
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.clock import SystemClock
from perfconsole.sources.gpu import helper_argv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SOURCE = Path(__file__).parent / "fake" / "nvml.c"
COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler builds the stand-in for NVML")
WAIT_S = 20.0
_CLOCK = SystemClock()


@functools.cache
def library_folder() -> Path:
    """Folder with the built library."""
    folder = Path(tempfile.mkdtemp(prefix="fake-nvml-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = folder / "libnvidia-ml.so.1"
    command = [str(COMPILER), "-shared", "-fPIC", "-O1", "-pthread", "-o", str(target), str(SOURCE)]
    subprocess.run(command, check=True, timeout=60, capture_output=True)  # noqa: S603 - our own source
    return folder


class FakeNvml:
    """What the stand-in answers."""

    def __init__(self, folder: Path, *lines: str) -> None:
        self.path = folder / "nvml"
        self._draft = folder / "nvml.new"
        self.lines = list(lines)
        self.say()

    def say(self, *more: str) -> None:
        """These lines from now on, after those that are there; the first line about a thing counts."""
        self.lines = [*more, *self.lines]
        self._write()

    def unsay(self, *lines: str) -> None:
        """Take these lines back."""
        self.lines = [line for line in self.lines if line not in lines]
        self._write()

    def _write(self) -> None:
        self._draft.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        self._draft.replace(self.path)

    def environment(self) -> dict[str, str]:
        """Environment in which the library is found and knows its file."""
        return {"LD_LIBRARY_PATH": str(library_folder()), "FAKE_NVML": str(self.path)}


class Helper:
    """The helper, asked directly."""

    def __init__(self, environment: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        env = os.environ | environment
        self.process = subprocess.Popen(helper_argv(), stdin=pipe, stdout=pipe, stderr=pipe, env=env)  # noqa: S603 - our own program

    def ask(self) -> dict[str, Any]:
        """One answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        assert select.select([self.process.stdout], [], [], WAIT_S)[0], "the helper does not answer"
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def until(self, good: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The first answer that is as wanted; there is time for it."""
        deadline = _CLOCK.now() + WAIT_S
        answer = self.ask()
        while not good(answer):
            assert _CLOCK.now() < deadline, answer
            _CLOCK.sleep(0.02)
            answer = self.ask()
        return answer

    def end(self) -> int:
        """Close its stdin; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(WAIT_S)

    def kill(self) -> None:
        """Leave nothing of it."""
        self.process.kill()
        self.process.wait(WAIT_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


@contextmanager
def helper_of(nvml: FakeNvml) -> Iterator[Helper]:
    """A helper over the stand-in, ended at the end."""
    helper = Helper(nvml.environment())
    try:
        yield helper
    finally:
        helper.kill()


def gpu(answer: dict[str, Any], index: int) -> dict[str, Any]:
    """Entry of one GPU."""
    found: dict[str, Any] = next(entry for entry in answer["gpus"] if entry["index"] == index)
    return found


def notes(answer: dict[str, Any]) -> str:
    """All remarks as one text."""
    every: Iterable[str] = [*answer["notes"], *(note for entry in answer["gpus"] for note in entry["notes"])]
    return "\n".join(every)


def one_gpu(folder: Path, *lines: str) -> dict[str, Any]:
    """What the first GPU says when nothing warms up any more."""
    with helper_of(FakeNvml(folder, *lines, "count 1")) as helper:
        return gpu(helper.until(lambda a: a["gpus"] and "warming-up" not in gpu(a, 0)["missing"].values()), 0)
