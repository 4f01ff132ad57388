"""Configuration files of processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.configfile import MAX_BYTES, ProcessFiles, read_bounded
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_a_relative_path_is_below_the_folder_of_the_process(tmp_path: Path) -> None:
    """As the process itself reads it."""
    root = FakeRoot(tmp_path)
    root.link("proc/7/cwd", "/srv/llm")
    root.put("srv/llm/a.yaml", "here")
    assert ProcessFiles(root.base, 7).read("a.yaml") == "here"
    assert ProcessFiles(root.base, 7).read("/srv/llm/a.yaml") == "here"
    assert ProcessFiles(root.base, 7).read("gone.yaml") is None


def test_the_root_of_a_container_comes_first(tmp_path: Path) -> None:
    """The same path on the host is another file."""
    root = FakeRoot(tmp_path)
    root.put("etc/a.yaml", "host")
    root.put("container/etc/a.yaml", "container")
    root.link("proc/7/root", str(tmp_path / "container"))
    assert ProcessFiles(root.base, 7).read("/etc/a.yaml") == "container"


def test_a_pattern_gives_its_files_in_order(tmp_path: Path) -> None:
    """Up to some dozen."""
    root = FakeRoot(tmp_path)
    for number in range(100):
        root.put(f"etc/sites/{number:03}.conf", str(number))
    texts = ProcessFiles(root.base, 7).including("/etc")("sites/*.conf")
    assert texts[:2] == ["0", "1"]
    assert len(texts) == 64


def test_a_pattern_beside_a_relative_path_is_below_the_folder_of_the_process(tmp_path: Path) -> None:
    """A server that was started with `-p . -c conf/nginx.conf` includes from there, not from where the console runs."""
    root = FakeRoot(tmp_path)
    root.link("proc/7/cwd", "/srv/llm")
    root.put("srv/llm/conf/sites/a.conf", "here")
    assert ProcessFiles(root.base, 7).including("conf")("sites/*.conf") == ["here"]


def test_what_is_no_small_regular_file_is_not_read(tmp_path: Path) -> None:
    """A pipe would never end, and a huge file take all memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_text("x" * (MAX_BYTES + 1))
    (tmp_path / "bytes").write_bytes(b"\xff")
    names = ("pipe", "huge", "gone", ".", "nul\0")
    assert [read_bounded(f"{tmp_path}/{name}") for name in names] == [None] * 5
    assert read_bounded("/dev/zero") is None
    assert read_bounded(f"{tmp_path}/bytes") == "\N{REPLACEMENT CHARACTER}"
