"""Tests of `targets probe` on the pages of exporters of hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.config import load
from tests.commands.running import CAPTURES, perfconsole
from tests.sources.servers import Server, pages

if TYPE_CHECKING:
    from pathlib import Path

NODE, LATER = (CAPTURES / "node_exporter" / f"{name}.prom" for name in ("gpu_host", "gpu_host_5s_later"))
GPUS = CAPTURES / "dcgm" / "new_names.prom"


def test_the_page_of_a_host_says_what_it_fills() -> None:
    """And what takes a second page."""
    ran = perfconsole("targets", "probe", NODE)
    assert (ran.code, ran.err) == (0, "")
    assert "adapter    node (node_exporter), layer hardware, version 1.8.2" in ran.out
    assert "host.mem_available_ratio             25%" in ran.out


def test_two_pages_of_a_host_give_its_rates() -> None:
    """As they would be seen live."""
    document = perfconsole("targets", "probe", LATER, "--previous", NODE, "--at", "5", "--json").document
    shown = {i["name"]: i["value"] for i in document["indicators"]}
    assert (shown["host.psi_io"], shown["net.rx"], shown["host.cpu_busiest_core"]) == (0.5, 2e8, 1.0)


def test_the_page_of_gpus_says_what_it_fills() -> None:
    """Each card under its number."""
    document = perfconsole("targets", "probe", GPUS, "--json").document
    assert (document["adapter"], document["layer"]) == ("dcgm", "hardware")
    assert {"name": "gpu.power", "entity": "gpu/0", "value": 612.338, "unit": "W"} in document["indicators"]


def test_a_live_page_ends_with_a_table_that_loads() -> None:
    """So that it may be watched."""
    with Server(pages(NODE.read_bytes())) as server:
        out = perfconsole("targets", "probe", server.url).out
    assert f'url = "{server.url}/metrics"' in out


def test_the_table_is_a_target(tmp_path: Path) -> None:
    """One of the hardware."""
    out = perfconsole("targets", "probe", NODE).out
    file = tmp_path / "c.toml"
    file.write_text(out[out.index("[[target]]") :])
    (target,) = load(file, [], []).targets
    assert (target.layer, target.url) == ("hardware", "http://127.0.0.1:9100/metrics")
