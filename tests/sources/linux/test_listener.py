"""Finding the engine behind a port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.listener import Nobody, Root, find_root, names_port, topmost
from perfconsole.sources.linux.sockets import Sockets, SocketWatch
from perfconsole.sources.roles import Roles
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PORT = 8000
VLLM = Roles("VLLM::APIServer", "VLLM::EngineCore", "VLLM::Worker", (r"vllm(\s|.*\s)serve",))
SERVE = ("python3", "/venv/bin/vllm", "serve", "m", "--port", "8000")
LISTEN = tcp_line("0100007F:1F40", "00000000:0000", "0A", 11, uid=1000)


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host where socket 11 listens and nobody holds it yet."""
    root = FakeRoot(tmp_path)
    root.process(1, 0, "init")
    root.sockets(LISTEN)
    return root


def _find(root: FakeRoot) -> Root | Nobody:
    return find_root(root.base, PORT, VLLM, _sockets(root))


def _sockets(root: FakeRoot) -> Sockets | Missing:
    return SocketWatch(root.base, PORT).read(0.0)


def test_the_launcher_that_listens_is_the_root(root: FakeRoot) -> None:
    """One API server: it is its own launcher."""
    root.process(10, 1, *SERVE)
    root.link("proc/10/fd/3", "socket:[11]")
    assert _find(root) == Root(10, 100, SERVE)


def test_the_launcher_above_a_titled_listener_is_the_root(root: FakeRoot) -> None:
    """Several API servers share the port below one launcher, which keeps its command line."""
    root.process(10, 1, *SERVE)
    root.process(11, 10, "VLLM::APIServer_0")
    root.link("proc/11/fd/3", "socket:[11]")
    assert _find(root) == Root(10, 100, SERVE)


def test_a_shell_around_the_launcher_is_not_the_root(root: FakeRoot) -> None:
    """Its time since start and its state are not the engine's."""
    root.process(5, 1, "/bin/bash", "-c", "vllm serve m --port 8000")
    root.process(10, 5, *SERVE)
    root.link("proc/10/fd/3", "socket:[11]")
    assert _find(root) == Root(10, 100, SERVE)


def test_a_titled_process_may_stand_between() -> None:
    """The search goes on above it, and ends at the first process that is neither."""
    argvs = {3: ("VLLM::APIServer_1",), 2: ("VLLM::Supervisor VLLM::APIServer",), 1: SERVE, 9: ("init",)}
    assert topmost(argvs, VLLM, 3, [2, 1, 9]) == (1, 1)
    assert topmost(argvs, VLLM, 3, [9, 1]) == (3, 3)


def test_nested_launchers_give_the_top_and_the_lowest_arguments() -> None:
    """A launcher that starts itself again passes the whole command line down."""
    argvs = {3: ("vllm", "serve", "b"), 2: ("vllm", "serve", "a"), 1: ("init",)}
    assert topmost(argvs, VLLM, 3, [2, 1]) == (2, 3)


def test_a_program_that_embeds_the_engine_is_accepted(root: FakeRoot) -> None:
    """Titled children say what it is."""
    root.process(10, 1, "python3", "mine.py")
    root.process(11, 10, "VLLM::EngineCore")
    root.link("proc/10/fd/3", "socket:[11]")
    assert _find(root) == Root(10, 100, ("python3", "mine.py"))


def test_an_unknown_listener_is_accepted_with_a_note(root: FakeRoot) -> None:
    """The figures are its own, and the console says that it does not know it."""
    root.process(10, 1, "python3", "mine.py")
    root.link("proc/10/fd/3", "socket:[11]")
    found = _find(root)
    assert isinstance(found, Root)
    assert found.note == "python3 (pid 10) listens on port 8000 and is no known launcher"


def test_a_forwarder_is_not_the_engine(root: FakeRoot) -> None:
    """A port published by a container engine is held by its proxy."""
    root.process(10, 1, "/usr/bin/docker-proxy", "-host-port", "8000")
    root.link("proc/10/fd/3", "socket:[11]")
    found = _find(root)
    assert isinstance(found, Nobody)
    assert found.reason is Missing.NOT_EXPORTED
    assert "docker-proxy (pid 10)" in found.note


def test_nobody_listening_is_not_exported(root: FakeRoot) -> None:
    """A remote engine has no process here."""
    root.sockets()
    note = "no process on this host listens on port 8000 (remote engine, container or another network namespace)"
    assert _find(root) == Nobody(Missing.NOT_EXPORTED, note)


def test_an_engine_that_loads_its_model_is_found_by_its_command_line(root: FakeRoot) -> None:
    """It listens only at the end of its start, minutes later; a core alone would look like a dead engine."""
    root.sockets()
    root.process(10, 1, *SERVE)
    for name in ("self", "10"):
        root.link(f"proc/{name}/ns/net", "net:[1]")
    found = _find(root)
    assert isinstance(found, Root)
    assert (found.pid, "nothing listens on it yet" in found.note) == (10, True)


def test_a_command_line_in_another_network_namespace_does_not_count(root: FakeRoot) -> None:
    """Each container has a port 8000 of its own."""
    root.sockets()
    root.process(10, 1, *SERVE)
    root.link("proc/self/ns/net", "net:[1]")
    root.link("proc/10/ns/net", "net:[2]")
    assert isinstance(_find(root), Nobody)


def test_a_listener_that_cannot_be_read_is_no_permission(root: FakeRoot) -> None:
    """The socket is there, its owner is not to be seen."""
    found = _find(root)
    assert isinstance(found, Nobody)
    assert found.reason is Missing.NO_PERMISSION


def test_an_engine_of_another_user_is_found_by_its_command_line(
    root: FakeRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Command lines are open to all; the user of the socket must be the same."""
    root.process(10, 1, *SERVE)
    root.put("proc/10/status", "Name:\tvllm\nUid:\t1000\t1000\t1000\t1000\n")
    monkeypatch.setattr(procfs, "list_names", _refuse_descriptors(procfs.list_names))
    found = _find(root)
    assert isinstance(found, Root)
    assert (found.pid, "cannot be read" in found.note) == (10, True)


def test_two_command_lines_with_the_port_are_none(root: FakeRoot) -> None:
    """Rather no engine than the wrong one."""
    for pid in (10, 20):
        root.process(pid, 1, *SERVE)
        root.put(f"proc/{pid}/status", "Uid:\t1000\t1000\t1000\t1000\n")
    assert isinstance(_find(root), Nobody)


def test_a_host_without_socket_tables_passes_the_reason(root: FakeRoot) -> None:
    """Nothing can be searched."""
    found = find_root(root.base, PORT, VLLM, Missing.NO_PERMISSION)
    assert isinstance(found, Nobody)
    assert found.reason is Missing.NO_PERMISSION


@pytest.mark.parametrize(
    ("word", "expected"), [("8000", True), ("--port=8000", True), ("0.0.0.0:8000", True), ("80001", False)]
)
def test_a_port_is_a_word_or_ends_one(word: str, expected: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """A longer number is another port."""
    assert names_port(("vllm", word), PORT) is expected


def _refuse_descriptors(real: Callable[[str], list[str] | Missing]) -> Callable[[str], list[str] | Missing]:
    return lambda path: Missing.NO_PERMISSION if path.endswith("/fd") else real(path)
