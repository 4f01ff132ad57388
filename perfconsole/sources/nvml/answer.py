"""The answer to one question of the console: what is known of each GPU now, and what is not, with reasons.

Runs on the thread that never calls the driver; it must never wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.model.sample import Missing
from perfconsole.sources.nvml.belonging import FOREIGN
from perfconsole.sources.nvml.fleet import COUNT, INIT
from perfconsole.sources.nvml.reading import Reading, weightier
from perfconsole.sources.nvml.roster import OPEN
from perfconsole.sources.nvml.rounds import SHUN, SYSTEM
from perfconsole.sources.nvml.shared import PEER_FILLS
from perfconsole.sources.nvml.words import LOST, NO_GPU, code_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.clock import Clock
    from perfconsole.sources.nvml.device import Device
    from perfconsole.sources.nvml.fleet import Fleet
    from perfconsole.sources.nvml.rounds import Rounds
    from perfconsole.sources.nvml.slot import Slot

_BY_CONSOLE = (*PEER_FILLS, FOREIGN)
_ALIVE_S = 5.0
"""A GPU of which no question was answered for as long is not up."""
_MOST_NOTES = 8


def compose(fleet: Fleet, rounds: Rounds, clock: Clock) -> dict[str, Any]:
    """The document of the protocol."""
    now = clock.now()
    stuck = {key: now - since for key, since in rounds.stuck().items()}
    devices = sorted(fleet.roster.all(), key=lambda device: device.index)
    faults = [f"GPU {gpu}: {call}: {text}" for (gpu, call), text in tuple(rounds.faults.items())]
    avoided = rounds.avoided()
    faults += [f"NVML: {call} hangs on several GPUs and is not asked of the others" for call in sorted(avoided)]
    notes, error = _whole(fleet, rounds, now, stuck)
    deaf = fleet.deafness(now)
    if deaf and not error:
        notes = [*notes, f"NVML: {deaf}; Xids are not heard of"]
    return {
        "gpus": [
            _View(d, fleet.roster.slots[d.index], now, _hung(stuck, d.index), avoided).entry(heard=not deaf)
            for d in devices
        ],
        "notes": [*notes, *faults[:_MOST_NOTES]],
        "error": error,
    }


def _whole(
    fleet: Fleet, rounds: Rounds, now: float, stuck: Mapping[tuple[int, str], float]
) -> tuple[list[str], str | None]:
    """Remarks about the driver as a whole, and its failure."""
    if rounds.whole:
        calls = "; ".join(_hangs(key, age) for key, age in stuck.items())
        return [], f"the NVIDIA driver hangs as a whole: {calls}"
    if fleet.failure is not None:
        return ([], fleet.failure.text) if fleet.failure.fault else ([fleet.failure.text], None)
    if not fleet.running:
        at = rounds.waiting()
        since = f"{INIT} has not returned for {now - at[1]:.0f} s" if at else "it has not been asked yet"
        return [], f"NVML is starting: {since}"
    notes = [_hangs(key, age) for key, age in stuck.items() if key[0] == SYSTEM or key[1] == OPEN]
    if fleet.trouble:
        return notes, fleet.trouble
    if fleet.roster.count == 0 and not fleet.roster.devices:
        notes.append(NO_GPU)
    elif not fleet.roster.devices:
        return notes, f"NVML is starting: {COUNT} has not returned yet" if not notes else notes[0]
    return notes, None


def _hung(stuck: Mapping[tuple[int, str], float], index: int) -> dict[str, float]:
    return {call: age for (gpu, call), age in stuck.items() if gpu == index and call != OPEN}


def _hangs(key: tuple[int, str], age: float) -> str:
    where = "NVML" if key[0] == SYSTEM else f"GPU {key[0]}"
    return f"{where}: {key[1]} has not returned for {age:.0f} s"


class _View:
    """What is said of one GPU at one moment."""

    def __init__(
        self, device: Device, slots: tuple[Slot, ...], now: float, hung: Mapping[str, float], avoided: frozenset[str]
    ) -> None:
        self.device = device
        self.hung = hung
        """Calls that have not returned, with the seconds since when."""
        self.silent = avoided | hung.keys()
        """Calls of which no answer is given."""
        self.now = now
        self.slots = slots
        self.down = self._why_down()
        """What follows its name where NVML does not answer for it; empty where it does."""
        begun = float("-inf") if device.trouble is None else device.round_t
        since = float("inf") if device.gone or len(hung) >= SHUN else begun
        self.readings = [None if s.question.call in self.silent else s.reading(now, since) for s in slots]

    def _why_down(self) -> str:
        device = self.device
        if device.gone:
            return device.gone
        if device.trouble is not None:
            return device.trouble[1]
        if len(self.hung) >= SHUN:
            return f"does not answer: {len(self.hung)} calls for it hang in the driver"
        since = self.now - _ALIVE_S
        if any(s.answered(since) for s in self.slots) or not any(s.failing(since) for s in self.slots):
            return ""
        return "answers none of the questions about it"

    def entry(self, *, heard: bool) -> dict[str, Any]:
        """Its part of the document; `heard`: events of the driver come."""
        device = self.device
        good = [reading for reading in self.readings if reading is not None]
        xids = device.xids.reading(self.now, heard=heard) if device.xids else Reading()
        values, missing = self._values()
        values |= xids.values
        missing |= xids.missing
        self._mark_loss(values)
        self._say_up(values, missing)
        processes = next((r.processes for r in good if r.processes is not None), None)
        return {
            "index": device.index,
            "uuid": device.uuid,
            "name": device.name,
            "values": values,
            "missing": {name: reason for name, reason in missing.items() if name not in values},
            "facts": {name: text for reading in (*good, xids) for name, text in reading.facts.items()},
            "processes": None if processes is None else [{"pid": p.pid, "memory": p.memory} for p in processes],
            "peers": {str(other): status for reading in good for other, status in reading.peers.items()},
            "notes": [f"GPU {device.index}{text}" for text in self._remarks(good, xids)],
        }

    def _values(self) -> tuple[dict[str, float], dict[str, Missing]]:
        values: dict[str, float] = {}
        missing: dict[str, Missing] = {}
        for slot, reading in zip(self.slots, self.readings, strict=True):
            for name in slot.question.fills:
                if reading is not None and name in reading.values:
                    values.setdefault(name, reading.values[name])
                elif name not in values and (reading is None or name not in _BY_CONSOLE):
                    missing[name] = weightier(missing.get(name), self._reason(slot, name))
        return values, missing

    def _reason(self, slot: Slot, name: str) -> Missing:
        reason = slot.reason(name, self.now)
        if self.device.forbidden:
            return Missing.NO_PERMISSION
        broken = bool(self.down) or slot.question.call in self.silent
        return Missing.SOURCE_DOWN if broken and reason is not Missing.UNSUPPORTED else reason

    def _mark_loss(self, values: dict[str, float]) -> None:
        """A card that fell off the bus counts among the lost ones also without an Xid."""
        if self.device.vanished or self.down == LOST[15]:
            values["gpu.xid_lost"] = max(1.0, values.get("gpu.xid_lost", 0.0))

    def _say_up(self, values: dict[str, float], missing: dict[str, Missing]) -> None:
        if self.device.forbidden:
            missing["gpu.up"] = Missing.NO_PERMISSION
        elif self.down:
            values["gpu.up"] = 0.0
        elif any(slot.answered(self.now - _ALIVE_S) for slot in self.slots):
            values["gpu.up"] = 1.0
        else:
            asked = any(slot.asked for slot in self.slots)
            missing["gpu.up"] = Missing.SOURCE_DOWN if asked else Missing.WARMING_UP

    def _remarks(self, good: list[Reading], xids: Reading) -> list[str]:
        """Each to follow the name of the GPU."""
        found = [f" {self.down}"] if self.down else []
        found += [f": {call} has not returned for {age:.0f} s" for call, age in self.hung.items()]
        if not self.down:
            bad = (s for s, reading in zip(self.slots, self.readings, strict=True) if reading is None and s.broken)
            found += [f": {slot.question.call} failed: {code_words(slot.code)}" for slot in bad]
        texts = (text for reading in (*good, xids) for text in reading.notes)
        return [*found, *(f": {text}" for text in texts)]
