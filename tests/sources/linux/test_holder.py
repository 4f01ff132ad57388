"""Tests of finding the first process of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.sample import Missing
from perfconsole.sources.linux.holder import by_number, by_port
from perfconsole.sources.linux.listener import Nobody, Root
from perfconsole.sources.linux.sockets import SocketWatch
from tests.sources.fakeroot import FakeRoot, tcp_line

if TYPE_CHECKING:
    from pathlib import Path

LISTEN = tcp_line("0100007F:2328", "00000000:0000", "0A", 11)


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host where process 10 holds port 9000, and its worker 11 with it."""
    root = FakeRoot(tmp_path)
    root.process(1, 0, "init")
    root.process(10, 1, "python", "agent.py")
    root.process(11, 10, "python", "agent.py")
    root.link("proc/10/fd/3", "socket:[11]")
    root.link("proc/11/fd/3", "socket:[11]")
    root.sockets(LISTEN)
    return root


def found(root: FakeRoot) -> Root | Nobody:
    """Who holds port 9000."""
    return by_port(root.base, 9000)(SocketWatch(root.base, 9000).read(0.0))


def test_the_topmost_holder_is_the_first_process(root: FakeRoot) -> None:
    """Workers inherit the socket."""
    assert found(root) == Root(10, 100, ("python", "agent.py"))


def test_a_forwarder_is_passed_over(root: FakeRoot) -> None:
    """It holds the port for a process elsewhere."""
    root.process(10, 1, "/usr/bin/docker-proxy")
    root.process(11, 1, "/usr/bin/docker-proxy")
    assert isinstance(found(root), Nobody)


def test_nobody_listening_is_not_exported(root: FakeRoot) -> None:
    """With words for a person."""
    root.sockets()
    nobody = found(root)
    assert isinstance(nobody, Nobody)
    assert (nobody.reason, "listens on port 9000" in nobody.note) == (Missing.NOT_EXPORTED, True)


def test_a_holder_that_cannot_be_read_is_no_permission(root: FakeRoot) -> None:
    """A socket of nobody that is to be seen."""
    root.sockets(tcp_line("0100007F:2328", "00000000:0000", "0A", 99))
    nobody = found(root)
    assert isinstance(nobody, Nobody)
    assert nobody.reason is Missing.NO_PERMISSION


def test_sockets_that_cannot_be_read_pass_the_reason(root: FakeRoot) -> None:
    """As it is."""
    nobody = by_port(root.base, 9000)(Missing.NO_PERMISSION)
    assert isinstance(nobody, Nobody)
    assert nobody.reason is Missing.NO_PERMISSION


def test_a_number_finds_its_process(root: FakeRoot) -> None:
    """Whatever it listens on."""
    assert by_number(root.base, 11)(Missing.UNSUPPORTED) == Root(11, 100, ("python", "agent.py"))


def test_a_number_of_nobody_is_said(root: FakeRoot) -> None:
    """It may be a typing error."""
    nobody = by_number(root.base, 77)(Missing.UNSUPPORTED)
    assert isinstance(nobody, Nobody)
    assert nobody.note == "no process 77 on this host"


def test_a_number_that_was_given_anew_is_another_process(root: FakeRoot) -> None:
    """What it stood for has ended."""
    find = by_number(root.base, 11)
    root.process(11, 1, "bash", start=500)
    assert isinstance(find(Missing.UNSUPPORTED), Nobody)
