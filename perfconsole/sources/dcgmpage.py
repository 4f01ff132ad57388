"""What the page of a DCGM exporter says of each GPU, in the units of the dictionary. Pure; knows no host and no time.

Traps kept in mind: DCGM 4.6 renamed most fields and exporters may write either name; utilisation is in percent, what
the profiling fields say is a ratio, memory is in MiB, energy in mJ, clocks in MHz; GPU_UTIL_RATIO is percent in 4.6 and
a ratio from 4.7 on; numbers close to the largest of their type mean that there is none; one GPU shared by several pods
stands there once for each, and from 4.8.2 on with what each of them uses beside what the card does, which names no pod;
figures of a MIG instance are not those of its card. Not read: NVLINK_BANDWIDTH_TOTAL and
its later name, whose unit differs from release to release, and the fields of single lanes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.sources.exposition import Page, RawSeries

PREFIXES = ("DCGM_FI_", "DCGM_EXP_")
ENGINE_ACTIVE = "gpu.engine_active"
_BLANKS = ((2.0**31 - 16, 2.0**31 - 1), (2.0**47, 2.0**47 + 15), (2.0**63 - 1024, float("inf")))
"""Blank values of 32-bit, floating-point and 64-bit fields: not found, not supported, not permitted."""
_MEMORY_TEMPS = ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_MEMORY_TEMP_CELSIUS")
"""0 on cards whose memory has no sensor."""
_INSTANCE = "GPU_I_ID"
_XID_COUNTS = "DCGM_EXP_XID_ERRORS_COUNT"
_XID_LAST = ("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR")
_UTIL_RATIO = "DCGM_FI_DEV_GPU_UTIL_RATIO"
_REASONS = ("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS")
_MIB = 2.0**20

_DEV = "DCGM_FI_DEV_"
_PROF = "DCGM_FI_PROF_"


@dataclass(frozen=True, slots=True)
class Field:
    """One indicator: the sum of some fields, each under the first of its names that the page has."""

    indicator: str
    names: tuple[tuple[str, ...], ...]
    scale: float = 1.0


def _field(indicator: str, *names: str, scale: float = 1.0) -> Field:
    return Field(indicator, (names,), scale)


FIELDS = (
    _field("gpu.utilization", _DEV + "GPU_UTIL", scale=0.01),
    _field(ENGINE_ACTIVE, _PROF + "GR_ENGINE_ACTIVE", _PROF + "GR_ENGINE_UTIL_RATIO"),
    _field("gpu.sm_active", _PROF + "SM_ACTIVE", _PROF + "SM_UTIL_RATIO"),
    _field("gpu.sm_occupancy", _PROF + "SM_OCCUPANCY", _PROF + "SM_OCCUPANCY_RATIO"),
    _field("gpu.tensor_active", _PROF + "PIPE_TENSOR_ACTIVE", _PROF + "TENSOR_UTIL_RATIO"),
    _field("gpu.dram_active", _PROF + "DRAM_ACTIVE", _PROF + "DRAM_UTIL_RATIO"),
    _field("gpu.mem_busy", _DEV + "MEM_COPY_UTIL", scale=0.01),
    _field("gpu.mem_used", _DEV + "FB_USED", scale=_MIB),
    _field("gpu.mem_used", _DEV + "FB_USED_BYTES"),
    _field("gpu.mem_total", _DEV + "FB_CAPACITY_BYTES"),
    _field("gpu.power", _DEV + "POWER_USAGE", _DEV + "BOARD_POWER_WATTS"),
    _field(
        "gpu.power_limit",
        _DEV + "ENFORCED_POWER_LIMIT",
        _DEV + "BOARD_POWER_LIMIT_ENFORCED_WATTS",
        _DEV + "POWER_MGMT_LIMIT",
        _DEV + "BOARD_POWER_LIMIT_REQUESTED_WATTS",
    ),
    _field("gpu.temperature", _DEV + "GPU_TEMP", _DEV + "GPU_TEMP_CELSIUS"),
    _field("gpu.mem_temperature", *_MEMORY_TEMPS),
    _field("gpu.temp_margin", _DEV + "GPU_TEMP_LIMIT", _DEV + "GPU_TEMP_MARGIN_CELSIUS"),
    _field("gpu.fan", _DEV + "FAN_SPEED", scale=0.01),
    _field("gpu.sm_clock", _DEV + "SM_CLOCK", scale=1e6),
    _field("gpu.ecc_uncorrected", _DEV + "ECC_DBE_VOL_TOTAL"),
    Field(
        "gpu.remapped_rows",
        (
            (_DEV + "UNCORRECTABLE_REMAPPED_ROWS", _DEV + "ROW_REMAP_UNCORRECTABLE_TOTAL"),
            (_DEV + "CORRECTABLE_REMAPPED_ROWS", _DEV + "ROW_REMAP_CORRECTABLE_TOTAL"),
        ),
    ),
    _field("gpu.remap_pending", _DEV + "ROW_REMAP_PENDING"),
    _field("gpu.remap_failed", _DEV + "ROW_REMAP_FAILURE", _DEV + "ROW_REMAP_FAILED"),
    _field("gpu.pcie_rx", _PROF + "PCIE_RX_BYTES"),
    _field("gpu.pcie_tx", _PROF + "PCIE_TX_BYTES"),
    _field("gpu.pcie_replays", _DEV + "PCIE_REPLAY_COUNTER", _DEV + "PCIE_REPLAY_TOTAL"),
    _field("gpu.pcie_width", _DEV + "PCIE_LINK_WIDTH"),
    _field("gpu.pcie_width_max", _DEV + "PCIE_MAX_LINK_WIDTH"),
    _field("gpu.pcie_gen", _DEV + "PCIE_LINK_GEN"),
    _field("gpu.nvlink_rx", _PROF + "NVLINK_RX_BYTES"),
    _field("gpu.nvlink_tx", _PROF + "NVLINK_TX_BYTES"),
    Field(
        "gpu.nvlink_crc",
        tuple(
            (f"{_DEV}NVLINK_{kind}_ERROR_COUNT_TOTAL", f"{_DEV}NVLINK_{kind}_ERROR_TOTAL")
            for kind in ("CRC_FLIT", "CRC_DATA", "REPLAY")
        ),
    ),
    _field("gpu.mig", _DEV + "MIG_MODE"),
    _field("gpu.energy", _DEV + "TOTAL_ENERGY_CONSUMPTION", scale=1e-3),
    _field("gpu.recovery_action", _DEV + "GPU_RECOVERY_ACTION"),
)
"""Old name first: exporters up to 4.8 still write it."""
_NS = "CLOCKS_EVENT_REASON_"
HELD_NS = {
    "gpu.throttle_power_cap": (_DEV + _NS + "SW_POWER_CAP_NS", _DEV + "POWER_VIOLATION"),
    "gpu.throttle_thermal_sw": (_DEV + _NS + "SW_THERM_SLOWDOWN_NS", _DEV + "THERMAL_VIOLATION"),
    "gpu.throttle_thermal_hw": (_DEV + _NS + "HW_THERM_SLOWDOWN_NS",),
    "gpu.throttle_power_brake": (_DEV + _NS + "HW_POWER_BRAKE_SLOWDOWN_NS",),
}
"""Nanoseconds that the clocks were held down for a reason. A thermal violation may be of either kind: the milder one is
said."""
RECOVERIES = (
    _DEV + "NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
    _DEV + "NVLINK_RECOVERY_ERROR_TOTAL",
    _DEV + "NVLINK_RECOVERY_TOTAL",
)
_FABRIC = _DEV + "FABRIC_MANAGER_STATUS"
_FABRIC_STATES = (1.0, 2.0, 3.0)
"""Not started, in progress, completed: as NVML numbers them. 0 is a card without fabric."""
_FABRIC_FAILED = 4.0
"""NVML has no number of its own for it: what failed to start is not started."""
_POD_LABELS = ("pod", "exported_pod", "pod_name", "container", "exported_container", "container_name")
"""Whom the exporter says that a GPU is lent to, as it or a scraper in front of it writes it."""
_MEMORY = (_DEV + "FB_USED", _DEV + "FB_FREE", _DEV + "FB_RESERVED")
_READ = frozenset(
    {
        *(name for row in FIELDS for names in row.names for name in names),
        *_MEMORY,
        *_REASONS,
        *_XID_LAST,
        *RECOVERIES,
        *(name for names in HELD_NS.values() for name in names),
        _FABRIC,
        _DEV + "FB_TOTAL",
        _DEV + "MAX_SM_CLOCK",
        _UTIL_RATIO,
        _XID_COUNTS,
    }
)


@dataclass(slots=True)
class Card:
    """One GPU on one page: its fields as they stand there."""

    number: str
    """Label `gpu`: DCGM's own number of it."""
    uuid: str
    model: str
    fields: dict[str, float] = field(default_factory=dict)
    pods: set[str] = field(default_factory=set)
    """Names of the pods and containers that it is lent to."""
    shares: set[str] = field(default_factory=set)
    """Fields of which only a series that names a pod was there yet."""
    xid_counts: dict[int, float] | None = None
    """Xids in the exporter's window (5 min unless set otherwise); None where it does not count them."""

    def first(self, *names: str) -> float | None:
        """The first of the fields that the page has."""
        return next((self.fields[name] for name in names if name in self.fields), None)

    @property
    def xid_last(self) -> int | None:
        """The last Xid since the exporter began, 0 for none; it does not say when that was."""
        last = self.first(*_XID_LAST)
        return None if last is None else int(last)

    @property
    def reasons(self) -> int | None:
        """Bits that say why its clocks are held down."""
        bits = self.first(*_REASONS)
        return None if bits is None else int(bits)


def wanted(name: str) -> bool:
    """The sample name is worth parsing."""
    return name.startswith(PREFIXES)


def cards(page: Page) -> tuple[list[Card], bool]:
    """Each whole GPU of a page, and whether there were figures of MIG instances, which are left out."""
    found: dict[str, Card] = {}
    split = False
    for series, value in zip(page.series, page.values, strict=True):
        if series.name not in _READ:
            continue
        labels = dict(series.labels)
        if labels.get(_INSTANCE):
            split = True
            continue
        number, uuid = labels.get("gpu", ""), _uuid(labels)
        card = found.setdefault(uuid or number, Card(number, uuid, labels.get("modelName", "")))
        card.pods.update(_pods(labels))
        _note(card, series, labels, value)
    return list(found.values()), split


def _note(card: Card, series: RawSeries, labels: dict[str, str], value: float) -> None:
    """Keep a value of a card unless it is a blank; of a field that stands there twice the first one.

    One that names no pod goes before those that do: it is the card's, where theirs may be what each of them uses.
    """
    if not isfinite(value) or value < 0 or any(low <= value <= high for low, high in _BLANKS):
        return
    if series.name in _MEMORY_TEMPS and not value:
        return
    if series.name == _XID_COUNTS:
        counts = card.xid_counts = card.xid_counts or {}
        xid = labels.get("xid", "")
        if xid.isascii() and xid.isdecimal() and len(xid) <= 6 and int(xid):
            counts.setdefault(int(xid), value)
    elif series.name not in card.fields:
        card.fields[series.name] = value
        card.shares.update([series.name] if _pods(labels) else ())
    elif series.name in card.shares and not _pods(labels):
        card.fields[series.name] = value
        card.shares.discard(series.name)


def _pods(labels: dict[str, str]) -> list[str]:
    return [labels[name] for name in _POD_LABELS if labels.get(name)]


def values(card: Card, ratio_scale: float | None) -> dict[str, float]:
    """Indicators of a card. `ratio_scale` is what a unit of GPU_UTIL_RATIO is, None while nothing has shown it."""
    found = {row.indicator: total for row in FIELDS if (total := _total(row, card)) is not None}
    util = card.fields.get(_UTIL_RATIO)
    if util is not None and (ratio_scale is not None or not util):
        found.setdefault("gpu.utilization", util * (ratio_scale or 0.0))
    state = card.fields.get(_FABRIC)
    if state in _FABRIC_STATES or state == _FABRIC_FAILED:
        found["gpu.fabric_state"] = _FABRIC_STATES[0] if state == _FABRIC_FAILED else state
    total = card.fields.get(_DEV + "FB_TOTAL")
    parts = [card.fields[name] for name in _MEMORY if name in card.fields]
    if total is None and _MEMORY[0] in card.fields and _MEMORY[1] in card.fields:
        total = sum(parts)
    if total:
        found["gpu.mem_total"] = total * _MIB
    clock, fastest = card.fields.get(_DEV + "SM_CLOCK"), card.fields.get(_DEV + "MAX_SM_CLOCK")
    if clock is not None and fastest:
        found["gpu.clock_ratio"] = clock / fastest
    return found


def ratio_scale(found: list[Card], before: float | None) -> float | None:
    """What a unit of GPU_UTIL_RATIO is by the values seen: more than 1 must be percent, a fraction a ratio.

    0 and 1 may be either; then what was known before holds.
    """
    utils = [card.fields[_UTIL_RATIO] for card in found if _UTIL_RATIO in card.fields]
    if any(util > 1 for util in utils):
        return 0.01
    return 1.0 if any(util % 1 for util in utils) else before


def _total(row: Field, card: Card) -> float | None:
    parts = [part for names in row.names if (part := card.first(*names)) is not None]
    return sum(parts) * row.scale if parts else None


def _uuid(labels: dict[str, str]) -> str:
    return next((labels[name] for name in ("UUID", "uuid", "gpu_uuid") if labels.get(name)), "")
