"""Known programs in containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.afar import Afar, AfarWatch, published
from perfconsole.sources.discovery.known import find_known
from tests.sources.discovery.building import program, programs
from tests.sources.discovery.hosts import Host
from tests.sources.fakeroot import tcp_line

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = find_known(programs(program(7, "vllm", "serve", "m"), program(8, "vllm", "serve", "n")))


def test_only_those_of_another_network_are_afar(tmp_path: Path) -> None:
    """With its address and the ports that can be reached there."""
    host = Host(tmp_path)
    host.contain(7, 8000)
    host.root.link("proc/8/ns/net", "net:[1]")
    table = host.root.path / "proc/7/net/tcp"
    table.write_text(table.read_text() + tcp_line("0100007F:1F41", "00000000:0000", "0A", 8))
    assert AfarWatch(host.root.base).look(KNOWN) == {7: Afar("172.17.0.2", frozenset({8000}))}


def test_published_ports_stand_on_the_command_line_of_the_proxy() -> None:
    """One process each; nonsense is none."""
    words = ("-host-ip", "0.0.0.0", "-host-port", "9000", "-container-ip", "172.17.0.2", "-container-port", "8000")
    table = programs(
        program(1, "/usr/bin/docker-proxy", *words), program(2, "/usr/bin/docker-proxy", "-host-port", "x")
    )
    assert published(table) == {("172.17.0.2", 8000): 9000}
