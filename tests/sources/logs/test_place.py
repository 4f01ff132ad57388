"""Tests of where the output of an engine goes."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.logs.place import Nowhere, Place, find_places, shown_path
from tests.sources.fakeroot import FakeRoot

CONTAINER = "4f" * 32


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """A host with one process."""
    fake = FakeRoot(tmp_path)
    fake.process(12, 1, "vllm", "serve")
    return fake


def nowhere(root: FakeRoot) -> Nowhere:
    """Why there is no file."""
    found = find_places(root.base, {12})
    assert isinstance(found, Nowhere), found
    return found


def outputs(root: FakeRoot, target: str, number: int = 1) -> None:
    """Lead a stream of the process there."""
    root.link(f"proc/12/fd/{number}", target)


def test_a_file_behind_stdout_is_found(root: FakeRoot) -> None:
    """Opened through the process, shown by its own path."""
    root.put("var/out.log", "x\n")
    outputs(root, f"{root.base}/var/out.log")
    outputs(root, f"{root.base}/var/out.log", 2)
    assert find_places(root.base, {12}) == (Place(f"{root.base}/proc/12/fd/1", f"{root.base}/var/out.log"),)


def test_stderr_may_go_to_another_file(root: FakeRoot) -> None:
    """Both are read, and those of all processes."""
    root.put("var/out.log")
    root.put("var/err.log")
    root.process(13, 12, "worker")
    outputs(root, f"{root.base}/var/out.log")
    outputs(root, f"{root.base}/var/err.log", 2)
    root.link("proc/13/fd/1", f"{root.base}/var/out.log")
    found = find_places(root.base, {12, 13})
    assert not isinstance(found, Nowhere)
    assert [place.shown.rpartition("/")[2] for place in found] == ["out.log", "err.log"]


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a terminal or device"])
def test_what_is_no_file_is_named(root: FakeRoot, tmp_path: Path, kind: str) -> None:
    """With what to do; nothing of it is opened."""
    end = tmp_path / "end"
    if kind == "a pipe":
        os.mkfifo(end)
    elif kind == "a socket":
        here = os.open(tmp_path, os.O_RDONLY)  # a socket's path may have a hundred characters at most
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{here}/end")
        os.close(here)
    outputs(root, "/dev/null" if kind.startswith("a terminal") else str(end))
    found = nowhere(root)
    assert found.reason is Missing.NOT_EXPORTED
    assert kind in found.words
    assert "--log FILE" in found.words


def test_a_service_that_writes_to_a_socket_has_its_lines_in_the_journal(root: FakeRoot, tmp_path: Path) -> None:
    """By its control group."""
    os.mkfifo(tmp_path / "end")
    outputs(root, str(tmp_path / "end"))
    root.put("proc/12/cgroup", "1:name=systemd:/\n0::/system.slice/vllm.service\n")
    assert nowhere(root).journal == "/system.slice/vllm.service"


def test_a_containers_log_is_found(root: FakeRoot, tmp_path: Path) -> None:
    """Where Docker writes it."""
    os.mkfifo(tmp_path / "end")
    outputs(root, str(tmp_path / "end"))
    root.put("proc/12/cgroup", f"0::/system.slice/docker-{CONTAINER}.scope\n")
    assert nowhere(root).journal == ""
    path = f"var/lib/docker/containers/{CONTAINER}/{CONTAINER}-json.log"
    root.put(path, "{}\n")
    assert find_places(root.base, {12}) == (Place(f"{root.base}/{path}", f"{root.base}/{path}"),)


def test_without_processes_there_is_nothing_to_look_at(root: FakeRoot) -> None:
    """They run elsewhere, or are another user's."""
    found = find_places(root.base, ())
    assert isinstance(found, Nowhere)
    assert "no process" in found.words


def test_a_deleted_file_is_shown_by_its_descriptor() -> None:
    """Its own path leads nowhere, and commands of checks must still find it."""
    with tempfile.NamedTemporaryFile() as file:
        pid, number = os.getpid(), file.fileno()
        link = f"/proc/{pid}/fd/{number}"
        assert shown_path(link, os.fstat(number)) == file.name
        Path(file.name).rename(f"{file.name}.gone")
        Path(f"{file.name}.gone").unlink()
        assert shown_path(link, os.fstat(number)) == link
        Path(file.name).touch()
        assert shown_path(link, os.fstat(number)) == link
