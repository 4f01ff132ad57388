"""Lines of source files, as a process sees them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux import sourcelines
from perfconsole.sources.linux.sourcelines import SourceLines
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

FILE = "/srv/app/main.py"


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a root folder of a process with one file of three lines, the last one without an end."""
    root = FakeRoot(tmp_path / "root")
    root.put(FILE[1:], "import time\ntime.sleep(1)\nlast")
    return root


@pytest.mark.parametrize(("line", "text"), [(1, "import time"), (2, "time.sleep(1)"), (3, "last")])
def test_lines_are_counted_from_one(root: FakeRoot, line: int, text: str) -> None:
    """As in a traceback, without their ends."""
    assert SourceLines(root.base).text(FILE, line) == text


@pytest.mark.parametrize("line", [-1, 0, 4])
def test_a_line_that_the_file_does_not_have_is_none(root: FakeRoot, line: int) -> None:
    """The recorder gives 0 where it knows none."""
    assert SourceLines(root.base).text(FILE, line) is None


def test_the_root_of_the_process_comes_before_ours(root: FakeRoot, tmp_path: Path) -> None:
    """The same path is another file in a container."""
    ours = tmp_path / "ours.py"
    ours.write_text("ours\n", encoding="utf-8")
    root.put(str(ours)[1:], "its\n")
    assert SourceLines(root.base).text(str(ours), 1) == "its"


def test_what_its_root_does_not_have_is_read_from_ours(root: FakeRoot, tmp_path: Path) -> None:
    """Its root may be closed to us while the files are the same."""
    ours = tmp_path / "ours.py"
    ours.write_text("ours\n", encoding="utf-8")
    assert SourceLines(root.base).text(str(ours), 1) == "ours"


def test_a_file_that_is_nowhere_has_no_lines(root: FakeRoot) -> None:
    """Also what is no file at all, as frozen modules are."""
    assert SourceLines(root.base).text("/nowhere/a.py", 1) is None
    assert SourceLines(root.base).text("<frozen importlib._bootstrap>", 1) is None


def test_a_relative_path_is_never_read(root: FakeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be below the console's folder, which has nothing to do with the process."""
    monkeypatch.chdir(root.path / "srv/app")
    assert SourceLines().text("main.py", 1) is None
    assert SourceLines(root.base).text("main.py", 1) is None


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody writes to it."""
    os.mkfifo(tmp_path / "pipe.py")
    assert SourceLines().text(str(tmp_path / "pipe.py"), 1) is None


def test_a_device_is_not_read() -> None:
    """It never ends."""
    assert SourceLines().text("/dev/zero", 1) is None


def test_a_huge_file_is_left_alone(root: FakeRoot) -> None:
    """No source file has more than four mebibytes."""
    os.truncate(root.path / FILE[1:], (4 << 20) + 1)
    assert SourceLines(root.base).text(FILE, 1) is None


def test_a_file_is_read_once(root: FakeRoot) -> None:
    """Hundreds of stacks name the same one."""
    lines = SourceLines(root.base)
    lines.text(FILE, 1)
    root.put(FILE[1:], "changed\n")
    assert lines.text(FILE, 1) == "import time"


def test_no_more_than_some_hundred_files_are_read(root: FakeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were read stay."""
    monkeypatch.setattr(sourcelines, "_MOST_FILES", 1)
    root.put("srv/app/other.py", "other\n")
    lines = SourceLines(root.base)
    assert lines.text(FILE, 1) == "import time"
    assert lines.text("/srv/app/other.py", 1) is None
    assert lines.text(FILE, 3) == "last"


def test_bytes_that_are_no_text_do_not_matter(root: FakeRoot) -> None:
    """Old files are in other encodings."""
    (root.path / FILE[1:]).write_bytes(b"# caf\xe9\nwork()\n")
    assert SourceLines(root.base).text(FILE, 2) == "work()"
