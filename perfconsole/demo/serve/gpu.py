"""Answers in the place of NVML: one JSON line for each line on stdin, from the state that the engine core leaves."""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

from perfconsole.clock import SystemClock
from perfconsole.demo.model.gpu import IDLE_W, MEMORY_BYTES
from perfconsole.demo.serve.own import card_place

_IDLE_AFTER_S = 1.5
"""A state this old means that nothing computes: the core is stopped."""
_WAIT_S = 1.0


def answer(state: dict[str, Any] | None, now: float) -> dict[str, Any]:
    """The line for the state of now; without one there is no card yet."""
    if state is None:
        return {"gpus": [], "error": "the simulated GPU starts"}
    values = dict(state["values"])
    if now - state["t"] > _IDLE_AFTER_S:
        values |= {"gpu.utilization": 0.0, "gpu.power": IDLE_W}
    card = {
        "index": 0,
        "uuid": "GPU-simulated-0",
        "name": "Simulated GPU",
        "values": values,
        "missing": {"gpu.dram_active": "unsupported"},
        "processes": [{"pid": state["pid"], "memory": 0.92 * MEMORY_BYTES}],
    }
    return {"gpus": [card], "error": None}


def read_state(place: str) -> dict[str, Any] | None:
    """What the core said last; None before it has said anything."""
    raw = b""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_WAIT_S)
            line.connect(place)
            while chunk := line.recv(4096):
                raw += chunk
        found: dict[str, Any] = json.loads(raw)
    except (OSError, ValueError):
        return None
    return found


def main() -> None:
    """Until stdin ends; the argument is the port of the engine."""
    place, clock = card_place(int(sys.argv[1])), SystemClock()
    for _ in sys.stdin:
        sys.stdout.write(json.dumps(answer(read_state(place), clock.now())) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
