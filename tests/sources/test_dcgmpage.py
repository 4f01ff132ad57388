"""Tests of the page of a DCGM exporter: both generations of names, units, blanks, instances and shared GPUs."""

from __future__ import annotations

import re
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.sources.dcgmpage import FIELDS, Card, cards, ratio_scale, values, wanted
from perfconsole.sources.exposition import Page, PageParser, RawSeries
from tests.sources.enginepages import capture

BUSY = {
    "gpu.utilization": 0.97,
    "gpu.engine_active": 0.981234,
    "gpu.sm_active": 0.8712,
    "gpu.sm_occupancy": 0.31,
    "gpu.tensor_active": 0.2145,
    "gpu.dram_active": 0.6421,
    "gpu.mem_busy": 0.41,
    "gpu.mem_used": 72876 * 2.0**20,
    "gpu.mem_total": (72876 + 8123 + 560) * 2.0**20,
    "gpu.power": 612.338,
    "gpu.power_limit": 700.0,
    "gpu.temperature": 54.0,
    "gpu.mem_temperature": 61.0,
    "gpu.sm_clock": 1.98e9,
    "gpu.clock_ratio": 1.0,
    "gpu.ecc_uncorrected": 0.0,
    "gpu.remapped_rows": 0.0,
    "gpu.remap_failed": 0.0,
    "gpu.pcie_rx": 402118321.0,
    "gpu.pcie_tx": 218340123.0,
    "gpu.pcie_replays": 7.0,
    "gpu.nvlink_rx": 23110021888.0,
    "gpu.nvlink_tx": 23118321001.0,
    "gpu.nvlink_crc": 12.0,
    "gpu.energy": 138249198.597,
}
"""The busy one of the two GPUs, worked out by hand."""


def page(text: bytes | str) -> Page:
    """A page as the source parses it."""
    return PageParser(wanted).parse(text if isinstance(text, bytes) else text.encode())


def read(text: bytes | str) -> list[dict[str, float]]:
    """Indicators of each card of a page that nobody has seen before."""
    found, _ = cards(page(text))
    return [values(card, ratio_scale(found, None)) for card in found]


@pytest.mark.parametrize("name", ["old_names", "new_names"])
def test_both_generations_of_names_say_the_same(name: str) -> None:
    """In the units of the dictionary."""
    busy = read(capture(f"dcgm/{name}.prom"))[0]
    assert busy.keys() == BUSY.keys()
    assert [n for n in BUSY if not isclose(busy[n], BUSY[n])] == []


@pytest.mark.parametrize("name", ["old_names", "new_names"])
def test_the_idle_card_is_told_apart(name: str) -> None:
    """Its memory does not tell its temperature, and its rows were remapped for both kinds of error."""
    idle = read(capture(f"dcgm/{name}.prom"))[1]
    assert "gpu.mem_temperature" not in idle
    names = ("gpu.utilization", "gpu.engine_active", "gpu.ecc_uncorrected", "gpu.remapped_rows")
    assert [idle[n] for n in names] == [0.0, 0.0, 2.0, 3.0]


@pytest.mark.parametrize("row", FIELDS, ids=lambda row: row.indicator)
def test_every_field_fills_an_indicator_of_a_gpu(row: object) -> None:
    """A table cannot invent a name."""
    entry = DEFAULT.find(getattr(row, "indicator", ""))
    assert entry is not None
    assert entry.scope is Kind.GPU


@pytest.mark.parametrize(
    "blank",
    ["9223372036854775794", "2147483632", "2147483647", "140737488355328", "140737488355334.000000", "NaN", "-1"],
)
def test_a_blank_is_no_value(blank: str) -> None:
    """Not found, not supported, not permitted: three types have four such numbers each."""
    assert read(f'DCGM_FI_DEV_POWER_USAGE{{gpu="0"}} {blank}\n') == [{}]


@pytest.mark.parametrize("number", ["0", "2147483631", "2147483648", "9.2e17"])
def test_large_counts_are_values(number: str) -> None:
    """Next to a blank is none."""
    assert read(f'DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{gpu="0"}} {number}\n') == [{"gpu.pcie_replays": float(number)}]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("97", "1"), [0.97, 0.01]),
        (("0.97", "1"), [0.97, 1.0]),
        (("0", "1"), [0.0, None]),
        (("0", "0"), [0.0, 0.0]),
    ],
)
def test_the_unit_of_the_renamed_utilisation_is_seen_in_its_values(
    texts: tuple[str, str], expected: list[float | None]
) -> None:
    """Percent in one release, a ratio in the next: 1 alone may be 1% or all of it and is left out."""
    lines = "".join(f'DCGM_FI_DEV_GPU_UTIL_RATIO{{gpu="{gpu}"}} {text}\n' for gpu, text in enumerate(texts))
    assert [card.get("gpu.utilization") for card in read(lines)] == expected


def test_the_unit_is_remembered() -> None:
    """A page of nothing but 1 is read as the one before."""
    found = [Card("0", "", "", {"DCGM_FI_DEV_GPU_UTIL_RATIO": 1.0})]
    assert [ratio_scale(found, before) for before in (None, 0.01, 1.0)] == [None, 0.01, 1.0]


def test_instances_are_no_cards() -> None:
    """The split card is left out and said to be there."""
    found, split = cards(page(capture("dcgm/mig.prom")))
    assert ([card.number for card in found], split) == (["1"], True)


def test_a_card_of_several_pods_counts_once() -> None:
    """Time-slicing repeats each of its series for every pod."""
    line = 'DCGM_FI_DEV_{}_REMAPPED_ROWS{{gpu="0",UUID="GPU-1",pod="{}"}} 2\n'
    text = "".join(line.format(kind, pod) for kind in ("UNCORRECTABLE", "CORRECTABLE") for pod in ("a", "b"))
    assert read(text) == [{"gpu.remapped_rows": 4.0}]


@pytest.mark.parametrize("name", ["MEMORY_TEMP", "MEMORY_TEMP_CELSIUS"])
def test_memory_without_a_sensor_is_not_at_0_degrees(name: str) -> None:
    """An L4 or a T4 says 0; the card itself may be as cold as that."""
    text = f'DCGM_FI_DEV_{name}{{gpu="0",UUID="GPU-1"}} 0\nDCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="GPU-1"}} 0\n'
    assert read(text) == [{"gpu.temperature": 0.0}]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_what_each_pod_uses_is_not_what_the_card_does(order: tuple[int, int, int]) -> None:
    """dcgm-exporter 4.8.2 on shared GPUs: the series without a pod is the card's, wherever it stands."""
    line = 'DCGM_FI_DEV_{}{{gpu="0",UUID="GPU-1"{}}} {}\n'
    lines = [
        line.format("GPU_UTIL", "", 80) + line.format("FB_USED", "", 3000),
        line.format("GPU_UTIL", ',pod="a",vgpu="0"', 50) + line.format("FB_USED", ',pod="a",vgpu="0"', 2000),
        line.format("GPU_UTIL", ',pod="b",vgpu="1"', 0) + line.format("FB_USED", ',pod="b",vgpu="1"', 900),
    ]
    found = read("".join(lines[i] for i in order))
    assert [(row["gpu.utilization"], row["gpu.mem_used"]) for row in found] == [(0.8, 3000 * 2.0**20)]


def test_memory_in_all_is_said_or_added_up() -> None:
    """The sum needs what is used and what is free at least."""
    one = '{gpu="0"} 1\n'
    lines = {n: f"DCGM_FI_DEV_FB_{n}{one}" for n in ("USED", "FREE", "RESERVED")}
    assert "gpu.mem_total" not in read(lines["USED"])[0]
    assert read(lines["USED"] + lines["FREE"])[0]["gpu.mem_total"] == 2 * 2.0**20
    assert read("".join(lines.values()) + 'DCGM_FI_DEV_FB_TOTAL{gpu="0"} 5\n')[0]["gpu.mem_total"] == 5 * 2.0**20


def test_counted_xids_are_kept_by_number() -> None:
    """The line of a card without any has number 0, and still says that somebody counts."""
    found, _ = cards(page(capture("dcgm/xid_counts.prom")))
    assert [card.xid_counts for card in found] == [{}, {94: 2.0, 31: 1.0}]


def test_without_counts_there_is_the_last_one() -> None:
    """0 is none so far."""
    found, _ = cards(page(capture("dcgm/old_names.prom")))
    assert [(card.xid_counts, card.xid_last) for card in found] == [(None, 0), (None, 94)]


@given(st.lists(st.tuples(st.sampled_from(["gpu", "UUID", "xid", "GPU_I_ID", "x"]), st.text(max_size=8)), max_size=5))
def test_no_label_makes_it_fail(labels: list[tuple[str, str]]) -> None:
    """They come from elsewhere."""
    names = ("DCGM_EXP_XID_ERRORS_COUNT", "DCGM_FI_DEV_GPU_TEMP")
    found, _ = cards(Page([RawSeries(name, tuple(labels)) for name in names], [1.0, 2.0], {}, {}))
    assert all(values(card, None) == {"gpu.temperature": 2.0} for card in found)


def test_every_name_on_the_hand_made_pages_is_one_of_dcgm() -> None:
    """No page of ours teaches a name that is misspelt in one place only."""
    read_names = {name for row in FIELDS for names in row.names for name in names}
    on_pages = set(re.findall(rb"(?m)^(DCGM_\w+)\{", capture("dcgm/old_names.prom") + capture("dcgm/new_names.prom")))
    unread = {name.decode().split("_", 3)[3] for name in on_pages} - {n.split("_", 3)[3] for n in read_names}
    assert unread == {
        "MAX_SM_CLOCK",
        "MEM_CLOCK",
        "CLOCK_THROTTLE_REASONS",
        "CLOCKS_EVENT_REASONS",
        "XID_ERRORS",
        "XID_ERROR",
        "FB_FREE",
        "FB_RESERVED",
        "GPU_UTIL_RATIO",
        "NVLINK_BANDWIDTH_TOTAL",
        "NVLINK_THROUGHPUT_TOTAL",
        "VGPU_LICENSE_STATUS",
    }
