"""Tests of `perfconsole dump`: all stacks of this moment, and one line for each way to fail."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions import dumping
from perfconsole.commands import dump, suspects
from tests.actions.sleepers import beside, sleeper
from tests.actions.stackwords import DUMPS, KILLED
from tests.commands.running import perfconsole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = f"marked-for-a-dump-{os.getpid()}"
"""A word of one process alone, also where tests run beside each other."""


@pytest.fixture
def pid() -> Iterator[int]:
    """A Python process of our own."""
    with sleeper(MARK) as number:
        yield number


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often, and at both moments soon."""
    monkeypatch.setattr(dump, "_LOOK_S", 0.01)
    monkeypatch.setattr(suspects, "_APART_S", 0.01)
    monkeypatch.setattr(dumping, "APART_S", 0.01)


def test_stacks_are_told_thread_by_thread(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What each does, and where."""
    beside(tmp_path, monkeypatch, DUMPS)
    run = perfconsole("dump", pid)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"PROCESS {pid}  ")
    assert "  Main (7): runs  has not moved  has the interpreter lock\n" in run.out
    assert "        work  /srv/app/main.py:7\n" in run.out


def test_for_scripts_it_is_one_document(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the process and its threads."""
    beside(tmp_path, monkeypatch, DUMPS)
    (process,) = perfconsole("dump", pid, "--json", "--alone").document["processes"]
    assert (process["pid"], process["threads"][0]["name"]) == (pid, "Main")


def test_a_word_of_its_command_line_names_it(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it names one alone."""
    beside(tmp_path, monkeypatch, DUMPS)
    assert perfconsole("dump", MARK).out.startswith(f"PROCESS {pid}  ")


def test_nothing_named_lists_the_processes(pid: int) -> None:
    """With the command that takes one of them."""
    run = perfconsole("dump")
    assert run.code == 0
    assert f"\n{pid:7}  other " in run.out
    assert "perfconsole dump PID takes one of them" in run.out


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (KILLED, "it was killed and said nothing"),
        ("sys.exit('Error: Permission Denied')", "Permission Denied"),
        ("print('[1]')", "py-spy wrote what is no dump"),
    ],
)
def test_stacks_that_could_not_be_read_are_one_line(
    body: str, words: str, pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With py-spy's own last words."""
    beside(tmp_path, monkeypatch, body)
    run = perfconsole("dump", pid)
    assert (run.code, run.out, run.err.count("\n")) == (6, "", 1)
    assert f"py-spy could not read process {pid}: {words}" in run.err


@pytest.mark.parametrize(
    ("tool", "code", "words"), [(None, 6, "pip install py-spy"), (DUMPS, 2, "does not exist here")]
)
def test_a_missing_tool_or_process_is_one_line(
    tool: str | None, code: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool is asked for first: without it no process can be read."""
    beside(tmp_path, monkeypatch, tool)
    run = perfconsole("dump", 99999999)
    assert (run.code, run.out, run.err.count("\n")) == (code, "", 1)
    assert words in run.err
