"""Which interfaces of a host elsewhere count."""

from __future__ import annotations

import pytest

from perfconsole.sources.exporters.carriers import carriers

HARDWARE = ["eth0", "eno1", "ens5f0np0", "enp1s0", "ib0", "p3p1", "em2", "wlan0", "eth12"]
MADE = ["lo", "veth9f", "docker0", "br-3f2a", "virbr0", "cni0", "flannel.1", "calia1b2", "bond0", "eth0.100", "tun0",
        "cilium_host", "lxc4f", "kube-ipvs0", "ifb1", "dummy0", "vxlan.calico", "wg0", "eth0@5"]  # fmt: skip


@pytest.mark.parametrize("name", HARDWARE)
def test_hardware_counts(name: str) -> None:
    """By its name."""
    assert carriers([name, *MADE], {}, {}) == [name]


@pytest.mark.parametrize("name", MADE)
def test_what_is_stacked_on_it_does_not(name: str) -> None:
    """Each packet counts once."""
    assert carriers(["eth0", name], {}, {}) == ["eth0"]


def test_one_that_stands_on_another_does_not_count() -> None:
    """Whatever it is called."""
    assert carriers(["eth0", "storage"], {"eth0": 2, "storage": 5}, {"eth0": 2, "storage": 2}) == ["eth0"]


def test_the_one_link_out_of_a_container_counts() -> None:
    """It stands on its far end, which cannot be seen."""
    assert carriers(["lo", "eth0"], {"eth0": 2}, {"eth0": 17}) == ["eth0"]
    assert carriers(["lo"], {}, {}) == []
