"""What the pages of a DCGM exporter say of its GPUs over time, and of GPUs elsewhere."""

from __future__ import annotations

from math import isclose

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.sources import dcgmpage
from perfconsole.sources.exporters.cards import CardReader
from perfconsole.sources.exposition import PageParser
from tests.sources.enginepages import capture

HOST = Entity(Kind.HOST, "gpu-07")
LABELS = 'gpu="0",UUID="GPU-1",modelName="NVIDIA H100",Hostname="gpu-07"'


def page(**fields: float) -> bytes:
    """A page of one GPU with these fields."""
    return "".join(f"DCGM_FI_DEV_{name}{{{LABELS}}} {value}\n" for name, value in fields.items()).encode()


def shown(*pages: bytes, step_s: float = 30.0) -> dict[str, float]:
    """Numbers of GPU 0 after some pages."""
    reader, parser = CardReader(), PageParser(dcgmpage.wanted)
    for place, body in enumerate(pages):
        told = reader.read(parser.parse(body), place * step_s, HOST)
    return {s.key.indicator: s.value for s in told.samples if isinstance(s.value, float)}


@pytest.mark.parametrize(
    ("field", "indicator"),
    [
        ("POWER_VIOLATION", "gpu.throttle_power_cap"),
        ("CLOCKS_EVENT_REASON_SW_POWER_CAP_NS", "gpu.throttle_power_cap"),
        ("THERMAL_VIOLATION", "gpu.throttle_thermal_sw"),
        ("CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS", "gpu.throttle_thermal_sw"),
        ("CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS", "gpu.throttle_thermal_hw"),
        ("CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS", "gpu.throttle_power_brake"),
    ],
)
def test_nanoseconds_held_down_are_a_share_of_time(field: str, indicator: str) -> None:
    """15 s of 60; of less than half a minute nothing is said."""
    pages = [page(**{field: 1e12 + second * 5e8}) for second in (0, 30)]
    assert isclose(shown(*pages)[indicator], 0.5)
    assert indicator not in shown(pages[0])
    assert indicator not in shown(*pages, step_s=5.0)


def test_the_time_of_a_reason_goes_before_its_bit() -> None:
    """The bit is only what it was at the polls."""
    pages = [page(CLOCKS_EVENT_REASONS=4, POWER_VIOLATION=1e12 + n * 3e9) for n in range(2)]
    assert isclose(shown(*pages)["gpu.throttle_power_cap"], 0.1)
    assert shown(pages[0])["gpu.throttle_power_cap"] == 1.0


@pytest.mark.parametrize("field", ["NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "NVLINK_RECOVERY_ERROR_TOTAL"])
def test_recoveries_of_links_are_counted_from_the_first_page(field: str) -> None:
    """What there was before may be of any age."""
    assert shown(page(**{field: 3}), page(**{field: 5}))["gpu.nvlink_recoveries"] == 2.0
    assert "gpu.nvlink_recoveries" not in shown(page(**{field: 3}))


@pytest.mark.parametrize(("status", "state"), [(0, None), (1, 1.0), (2, 2.0), (3, 3.0), (4, 1.0), (5, None), (6, None)])
def test_the_fabric_manager_is_numbered_as_the_driver_does(status: int, state: float | None) -> None:
    """A card without fabric has none, nor one whose driver is too old to say."""
    assert shown(page(FABRIC_MANAGER_STATUS=status)).get("gpu.fabric_state") == state


def test_bytes_of_memory_go_before_whole_mebibytes() -> None:
    """Releases that write both write the same, rounded."""
    found = shown(page(FB_USED=1, FB_USED_BYTES=1_500_000, FB_CAPACITY_BYTES=8e10, MIG_MODE=1))
    assert (found["gpu.mem_used"], found["gpu.mem_total"], found["gpu.mig"]) == (1_500_000.0, 8e10, 1.0)


def test_a_gpu_elsewhere_carries_the_name_of_its_host() -> None:
    """GPU 0 of another machine is not GPU 0 here."""
    told = CardReader().read(
        PageParser(dcgmpage.wanted).parse(capture("dcgm/old_names.prom")), 0.0, HOST, elsewhere=True
    )
    gpus = (Entity(Kind.GPU, "gpu-07/0"), Entity(Kind.GPU, "gpu-07/1"))
    assert told.entities == gpus
    assert told.links == tuple(Link(Relation.HOST_HAS, HOST, gpu) for gpu in gpus)
    assert {s.key.entity for s in told.samples} == set(gpus)
