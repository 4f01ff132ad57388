"""Tests of writing a situation file: for its owner alone, never over another, all of it or nothing."""

from __future__ import annotations

import resource
import stat
from pathlib import Path

import pytest

from perfconsole.actions.situationfile import state_folder, write_situation
from perfconsole.errors import PerfconsoleError

STAMP = "20231114-221320"


def test_it_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask says."""
    path = write_situation("title: x\n", STAMP, [tmp_path])
    assert (path.name, path.read_text(encoding="utf-8")) == (f"perfconsole-{STAMP}.yaml", "title: x\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_one_of_the_same_second_gets_a_number(tmp_path: Path) -> None:
    """The first one stays as it is."""
    first, second = (write_situation(text, STAMP, [tmp_path]) for text in ("a", "b"))
    assert (first.read_text(encoding="utf-8"), second.name) == ("a", f"perfconsole-{STAMP}-2.yaml")


def test_a_link_that_waits_under_its_name_is_not_followed(tmp_path: Path) -> None:
    """Somebody else may write to the folder too."""
    aim = tmp_path / "aim"
    (tmp_path / f"perfconsole-{STAMP}.yaml").symlink_to(aim)
    assert write_situation("x", STAMP, [tmp_path]).name.endswith("-2.yaml")
    assert not aim.exists()


def test_the_next_folder_is_taken_when_one_refuses(tmp_path: Path) -> None:
    """It is made where it is not there yet."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    path = write_situation("x", STAMP, [tmp_path / "file", tmp_path / "state" / "perfconsole"])
    assert path.parent == tmp_path / "state" / "perfconsole"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_refusal_is_one_line_with_every_folder_and_reason(tmp_path: Path) -> None:
    """So that somebody can make room."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(PerfconsoleError, match=r"could not be written to .*file: File exists$"):
        write_situation("x", STAMP, [tmp_path / "file"])


def test_a_file_that_cannot_be_finished_is_taken_away(tmp_path: Path) -> None:
    """Half of it would be judged as if it were whole; a limit of the kernel stands in for a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        with pytest.raises(PerfconsoleError, match="File too large"):
            write_situation("xyz", STAMP, [tmp_path])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_the_state_folder_follows_the_environment() -> None:
    """As other programs do."""
    assert state_folder({"HOME": "/home/x"}) == Path("/home/x/.local/state/perfconsole")
    assert state_folder({"HOME": "/home/x", "XDG_STATE_HOME": "/state"}) == Path("/state/perfconsole")
