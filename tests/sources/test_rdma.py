"""Errors and traffic of RDMA ports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.session import Session
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.rdma import RdmaSource, has_ports
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

HOST = Entity(Kind.HOST, "gpu-07")


def port(root: FakeRoot, name: str = "mlx5_0/1", **counters: int) -> None:
    """Write counters of a port as the kernel shows them: a number and a line end each."""
    device, _, number = name.partition("/")
    for counter, value in counters.items():
        root.put(f"sys/class/infiniband/{device}/ports/{number}/counters/{counter}", f"{value}\n")


def read(source: RdmaSource, now: float = 0.0) -> dict[tuple[str, str], object]:
    """Values of one poll by indicator and port."""
    (batch,) = source.poll(now, 1000.0 + now)
    return {(s.key.indicator, dict(s.key.labels)["port"]): s.value for s in batch.samples}


def test_errors_of_a_link_are_summed(tmp_path: Path) -> None:
    """What a sound link counts too, as symbol errors and discards, is none of them."""
    root = FakeRoot(tmp_path)
    port(root, link_downed=2, link_error_recovery=1, port_rcv_errors=4, symbol_error=900, port_xmit_discards=70)
    assert read(RdmaSource(tmp_path, "gpu-07")) == {("net.rdma_errors", "mlx5_0/1"): 7.0}


def test_each_port_counts_for_itself(tmp_path: Path) -> None:
    """A port that goes away takes its own errors with it, and no rate comes of that."""
    root = FakeRoot(tmp_path)
    port(root, "mlx5_0/1", link_downed=3)
    port(root, "mlx5_1/1", link_downed=0)
    port(root, "mlx5_1/2", link_downed=5)
    assert read(RdmaSource(tmp_path, "gpu-07")) == {
        ("net.rdma_errors", "mlx5_0/1"): 3.0,
        ("net.rdma_errors", "mlx5_1/1"): 0.0,
        ("net.rdma_errors", "mlx5_1/2"): 5.0,
    }


def test_data_is_counted_in_words_of_four_bytes(tmp_path: Path) -> None:
    """Both directions, as a rate between two polls."""
    root = FakeRoot(tmp_path)
    source = RdmaSource(tmp_path, "gpu-07")
    port(root, port_rcv_data=1000, port_xmit_data=500)
    assert read(source, 0.0) == {}
    port(root, port_rcv_data=3000, port_xmit_data=1000)
    assert read(source, 10.0) == {("net.rdma", "mlx5_0/1"): 1000.0}


@pytest.mark.parametrize("text", ["", "N/A (no PMA)\n", "nan\n"])
def test_a_counter_that_is_no_number_is_left_out(tmp_path: Path, text: str) -> None:
    """Cards without a performance agent say so in words."""
    root = FakeRoot(tmp_path)
    root.put("sys/class/infiniband/mlx5_0/ports/1/counters/link_downed", text)
    assert read(RdmaSource(tmp_path, "gpu-07")) == {}


def test_a_host_without_rdma_has_no_source(tmp_path: Path) -> None:
    """No folder and an empty one; a device is enough."""
    root = FakeRoot(tmp_path)
    assert not has_ports(tmp_path)
    root.folder("sys/class/infiniband")
    assert not has_ports(tmp_path)
    root.folder("sys/class/infiniband/mlx5_0")
    assert has_ports(tmp_path)
    assert read(RdmaSource(tmp_path, "gpu-07")) == {}


def test_errors_of_all_ports_are_one_count_of_the_host(tmp_path: Path) -> None:
    """A session adds them up."""
    root, session = FakeRoot(tmp_path), Session([])
    port(root, "mlx5_0/1", link_downed=3)
    port(root, "mlx5_1/1", link_downed=4)
    source = RdmaSource(tmp_path, "gpu-07")
    (batch,) = source.poll(0.0, 1000.0)
    session.apply(replace(batch, took_s=0.001))
    shown = {i.name: i.value for i in session.tick(0.0, 1000.0).indicators if i.entity == HOST}
    assert shown["net.rdma_errors"] == 7.0


def test_breaking_it_off_does_nothing(tmp_path: Path) -> None:
    """Files of the kernel have no time-out."""
    source = RdmaSource(tmp_path, "gpu-07")
    source.interrupt()
    source.close()
    assert source.poll(0.0, 1000.0)[0].error is None
