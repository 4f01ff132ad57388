"""Tests of the journal, with a stand-in for journalctl that says what it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.logs.journal import Journal
from perfconsole.sources.logs.tail import Unreadable

if TYPE_CHECKING:
    from pathlib import Path

MATCH = "_SYSTEMD_CGROUP=/system.slice/vllm.service"


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A program that answers with its arguments, one a line, and a cursor."""
    return script(tmp_path, 'for word in "$@"; do echo "$word"; done\necho "-- cursor: s=7"\n')


def script(folder: Path, body: str) -> Path:
    """A program of the shell."""
    path = folder / "journalctl"
    path.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_first_look_begins_at_a_moment(stand_in: Path) -> None:
    """Asked for one service, in a form with seconds, without a pager."""
    found = Journal((MATCH,), program=str(stand_in)).read(1000.0)
    assert isinstance(found, bytes)
    assert {b"--since=@1000", b"--no-pager", b"--output=short-unix", MATCH.encode()} <= set(found.splitlines())
    assert b"cursor: s=7" not in found


def test_later_looks_go_on_where_the_last_one_ended(stand_in: Path) -> None:
    """By the cursor that it gave."""
    journal = Journal((MATCH,), program=str(stand_in))
    journal.read(1000.0)
    found = journal.read(1000.0)
    assert isinstance(found, bytes)
    assert b"--after-cursor=s=7" in found.splitlines()


def test_the_start_of_an_engine_is_asked_for_by_its_time(stand_in: Path) -> None:
    """And moves no cursor."""
    journal = Journal((MATCH,), program=str(stand_in))
    found = journal.start_of(100.0, 60.0)
    assert isinstance(found, bytes)
    assert {b"--since=@100", b"--until=@160"} <= set(found.splitlines())
    later = journal.read(1000.0)
    assert isinstance(later, bytes)
    assert b"--since=@1000" in later.splitlines()


def test_a_refusal_is_named(tmp_path: Path) -> None:
    """With what to do about it."""
    program = script(tmp_path, "echo 'No journal files were opened due to insufficient permissions.' >&2\nexit 1\n")
    found = Journal((MATCH,), program=str(program)).read(0.0)
    assert isinstance(found, Unreadable)
    assert found.reason is Missing.NO_PERMISSION
    assert "systemd-journal" in found.words


def test_without_journalctl_there_is_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most containers have none."""
    monkeypatch.setenv("PATH", "/nowhere")
    found = Journal((MATCH,)).read(0.0)
    assert isinstance(found, Unreadable)
    assert found.reason is Missing.NOT_EXPORTED


def test_one_that_cannot_be_started_is_a_reason_too(tmp_path: Path) -> None:
    """Not a fault."""
    found = Journal((MATCH,), program=str(tmp_path / "gone")).read(0.0)
    assert isinstance(found, Unreadable)
    assert found.reason is Missing.NO_PERMISSION


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    """At once when the console leaves."""
    program = script(tmp_path, "sleep 60\n")
    assert Journal((MATCH,), program=str(program)).read(0.0, lambda: True) == b""


def lines_of(folder: Path, first: int, last: int, end: str = "") -> str:
    """Body of a program that gives a line a second, then says what it was asked."""
    asked = folder / "asked"
    return (
        f'echo "$@" >> {asked}\n'
        f"for n in $(seq {first} {last}); do printf '%d.000000 h vllm[1]: %d\\n' $n $n; done\n{end}"
    )


def test_a_full_run_keeps_its_cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes after the last of the lines that were asked for."""
    monkeypatch.setattr("perfconsole.sources.logs.journal._MOST_LINES", 5)
    body = lines_of(tmp_path, 1_700_000_001, 1_700_000_005, 'echo "-- cursor: s=7"\n')
    journal = Journal((MATCH,), program=str(script(tmp_path, body)))
    found = journal.read(1000.0)
    assert isinstance(found, bytes)
    assert len(found.splitlines()) == 5
    assert journal.gap
    journal.read(1000.0)
    assert "--after-cursor=s=7" in (tmp_path / "asked").read_text(encoding="utf-8").splitlines()[1]


def test_without_a_cursor_no_line_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was cut short goes on at the time of its last line, with a gap."""
    monkeypatch.setattr("perfconsole.sources.logs.journal._MOST_LINES", 3)
    script(tmp_path, lines_of(tmp_path, 1_700_000_001, 1_700_000_009))
    journal = Journal((MATCH,), program=str(tmp_path / "journalctl"))
    first = journal.read(1000.0)
    script(tmp_path, lines_of(tmp_path, 1_700_000_004, 1_700_000_005, 'echo "-- cursor: s=8"\n'))
    second = journal.read(1000.0)
    assert journal.gap
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert [line[-1:] for line in first.splitlines()] == [b"1", b"2", b"3", b"4"]
    assert [line[-1:] for line in second.splitlines()] == [b"5"]
    journal.read(1000.0)
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert "--since=@1700000004.000000" in asked[1]
    assert "--after-cursor=s=8" in asked[2]
    assert not journal.gap


def test_a_cursor_from_before_does_not_bring_lines_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the run after it timed out."""
    monkeypatch.setattr("perfconsole.sources.logs.journal._WAIT_S", 0.6)
    script(tmp_path, lines_of(tmp_path, 1_700_000_001, 1_700_000_001, 'echo "-- cursor: s=7"\n'))
    journal = Journal((MATCH,), program=str(tmp_path / "journalctl"))
    journal.read(1000.0)
    script(tmp_path, lines_of(tmp_path, 1_700_000_002, 1_700_000_003, "exec sleep 60\n"))
    journal.read(1000.0)
    again = journal.read(1000.0)
    assert again == b""
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert "--after-cursor=s=7" in asked[1]
    assert "--since=@1700000003.000000" in asked[2]
