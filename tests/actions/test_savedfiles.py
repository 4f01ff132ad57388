"""Files of one result: all or none, for the user alone, never over another."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from perfconsole.actions import savedfiles
from perfconsole.actions.savedfiles import save_all
from perfconsole.actions.situationfile import write_new
from perfconsole.errors import PerfconsoleError

TEXTS = {".txt": "stacks\n", ".svg": "<svg/>\n", ".json": "{}\n"}
KIND = "flames"


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    """Permissions."""
    return stat.S_IMODE(path.stat().st_mode)


def test_each_text_gets_its_file(tmp_path: Path) -> None:
    """The path that comes back has no ending."""
    path = save_all(TEXTS, "api-7", tmp_path, KIND)
    assert path == tmp_path / "api-7"
    assert {e: path.with_name(path.name + e).read_text(encoding="utf-8") for e in TEXTS} == TEXTS
    assert names(tmp_path) == ["api-7.json", "api-7.svg", "api-7.txt"]


def test_a_name_may_have_dots(tmp_path: Path) -> None:
    """An ending is put behind it, in the place of nothing."""
    save_all({".txt": ""}, "qwen2.5", tmp_path, KIND)
    assert names(tmp_path) == ["qwen2.5.txt"]


def test_files_and_their_new_folder_are_for_the_user_alone(tmp_path: Path) -> None:
    """Stacks tell paths and names; whatever the umask says."""
    before = os.umask(0)
    try:
        path = save_all(TEXTS, "a", tmp_path / "new" / "folder", KIND)
    finally:
        os.umask(before)
    assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    assert mode(path.parent) == 0o700


def test_a_folder_that_is_there_keeps_its_permissions(tmp_path: Path) -> None:
    """It is the user's."""
    tmp_path.chmod(0o750)
    save_all(TEXTS, "a", tmp_path, KIND)
    assert mode(tmp_path) == 0o750


def test_without_a_folder_they_go_to_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By kind."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = save_all(TEXTS, "a", None, KIND)
    assert path == tmp_path / "perfconsole" / KIND / "a"
    assert mode(path.parent) == 0o700


def test_a_relative_folder_gives_a_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown, and pasted into another terminal."""
    monkeypatch.chdir(tmp_path)
    assert save_all(TEXTS, "a", Path("out"), KIND) == tmp_path / "out" / "a"


@pytest.mark.parametrize("there", list(TEXTS))
def test_another_file_is_never_written_over(tmp_path: Path, there: str) -> None:
    """One of the same name gives all of them a number, and leaves none of the first try behind."""
    (tmp_path / f"a{there}").write_text("old", encoding="utf-8")
    assert save_all(TEXTS, "a", tmp_path, KIND).name == "a-2"
    assert names(tmp_path) == sorted([f"a{there}", *(f"a-2{ending}" for ending in TEXTS)])
    assert (tmp_path / f"a{there}").read_text(encoding="utf-8") == "old"


def test_a_link_that_waits_under_its_name_is_not_followed(tmp_path: Path) -> None:
    """Somebody else may write to the folder too."""
    (tmp_path / "a.txt").symlink_to(tmp_path / "aim")
    assert save_all(TEXTS, "a", tmp_path, KIND).name == "a-2"
    assert not (tmp_path / "aim").exists()


def test_twenty_of_one_name_are_enough(tmp_path: Path) -> None:
    """Then something is stuck, and the reason says so."""
    for _ in range(20):
        save_all({".txt": ""}, "a", tmp_path, KIND)
    with pytest.raises(PerfconsoleError, match="a and 19 more are there already"):
        save_all({".txt": ""}, "a", tmp_path, KIND)
    assert len(names(tmp_path)) == 20


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_full_disk_leaves_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Whichever file did not fit; the reason and the way out are one line."""

    def write(path: Path, data: bytes) -> None:
        if len(names(tmp_path)) >= room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write_new(path, data)

    monkeypatch.setattr(savedfiles, "write_new", write)
    with pytest.raises(PerfconsoleError) as caught:
        save_all(TEXTS, "a", tmp_path, KIND)
    assert str(caught.value) == f"nothing was saved in {tmp_path}: No space left on device"
    assert names(tmp_path) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """It stays as it is."""
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    with pytest.raises(PerfconsoleError, match=r"nothing was saved in .*file: File exists"):
        save_all(TEXTS, "a", file, KIND)
    assert file.read_text(encoding="utf-8") == "x"


def test_a_name_that_is_too_long_is_refused_in_words(tmp_path: Path) -> None:
    """Not tried under twenty numbers."""
    with pytest.raises(PerfconsoleError, match="File name too long"):
        save_all(TEXTS, "a" * 300, tmp_path, KIND)
    assert names(tmp_path) == []


def test_what_cannot_be_encoded_is_written_all_the_same(tmp_path: Path) -> None:
    """A path of the process may hold bytes that are no text."""
    path = save_all({".txt": "a\udcffb"}, "a", tmp_path, KIND)
    assert path.with_name("a.txt").read_bytes() == b"a?b"
