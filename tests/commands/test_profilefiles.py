"""Saved profiles on disk: private, whole, and never in the way."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.profilefiles import checked_name, folder, load_profiles, save_profile
from perfconsole.errors import UsageError
from tests.core.profiles import WALL, profile

if TYPE_CHECKING:
    from pathlib import Path


def test_the_folder_is_below_the_one_for_state() -> None:
    """XDG_STATE_HOME, or its usual place."""
    assert str(folder({"XDG_STATE_HOME": "/s", "HOME": "/h"})) == "/s/perfconsole/baselines"
    assert str(folder({"HOME": "/h"})) == "/h/.local/state/perfconsole/baselines"


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    """The oldest first, without a remark."""
    both = (profile(), profile(build="0.33.0", wall=WALL + 9))
    for one in reversed(both):
        save_profile(one, tmp_path / "deep" / "er")
    shelf = load_profiles(tmp_path / "deep" / "er")
    assert (shelf.known, shelf.problems) == (both, ())


def test_the_same_name_for_the_same_identity_is_replaced(tmp_path: Path) -> None:
    """Not so for another build, another model or another name."""
    for changes in ({}, {"wall": WALL + 9}, {"build": "0.33.0"}, {"model": "llama"}, {"name": "night"}):
        save_profile(profile(**changes), tmp_path)
    assert len(load_profiles(tmp_path).known) == 4


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    """Names of models and hosts are nobody else's business."""
    path = save_profile(profile(), tmp_path / "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    """One file, whole."""
    path = save_profile(profile(), tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One line with the place, the reason and what to do."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file/usual\.engine-vllm-8000.*cannot be written.*XDG_STATE_HOME"):
        save_profile(profile(), tmp_path / "file")


def test_a_strange_entity_makes_a_plain_file_name(tmp_path: Path) -> None:
    """It never leaves the folder."""
    path = save_profile(profile(entity="../../etc/x y"), tmp_path)
    assert path.parent == tmp_path
    assert load_profiles(tmp_path).known[0].identity.entity == "../../etc/x y"


def test_no_folder_holds_no_profiles(tmp_path: Path) -> None:
    """The usual case is no fault."""
    assert load_profiles(tmp_path / "none").problems == ()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "it is no JSON"),
        (b"\xff\xfe", "it is no JSON"),
        (b"[" * 100_000, "skipped"),
        (b"{}", "no baseline of perfconsole"),
        (b'"' + b"x" * (1 << 20) + b'"', "larger than 1 MiB"),
    ],
    ids=["empty", "binary", "deep", "foreign", "large"],
)
def test_a_file_that_is_no_profile_is_skipped_with_one_line(tmp_path: Path, body: bytes, said: str) -> None:
    """The others still count."""
    save_profile(profile(), tmp_path)
    (tmp_path / "odd.json").write_bytes(body)
    shelf = load_profiles(tmp_path)
    assert len(shelf.known) == 1
    assert len(shelf.problems) == 1
    assert said in shelf.problems[0]
    assert "odd.json" in shelf.problems[0]


def test_a_pipe_in_the_folder_does_not_hold_the_start(tmp_path: Path) -> None:
    """It is skipped, not waited for."""
    os.mkfifo(tmp_path / "pipe.json")
    assert "no plain file" in load_profiles(tmp_path).problems[0]


def test_other_files_and_unfinished_ones_are_passed_over(tmp_path: Path) -> None:
    """They are no profiles and need no remark."""
    for name in ("notes.txt", ".usual.json.123", ".hidden.json"):
        (tmp_path / name).write_text("x")
    assert load_profiles(tmp_path) == load_profiles(tmp_path / "none")


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    """One line with the reason."""
    (tmp_path / "file").write_text("")
    assert "cannot be read" in load_profiles(tmp_path / "file").problems[0]


@pytest.mark.parametrize("name", ["usual", "night-load", "a.b_c", "7"])
def test_a_plain_name_is_taken(name: str) -> None:
    """Letters, digits, dots, dashes, underscores."""
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", "../up", "a/b", "-x", ".x", "a b", "x" * 49, "a\n"])
def test_a_name_that_is_no_file_name_is_refused(name: str) -> None:
    """It says what a name may hold."""
    with pytest.raises(UsageError, match="letters, digits"):
        checked_name(name)
