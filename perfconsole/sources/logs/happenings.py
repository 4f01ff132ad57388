"""What engines write when something goes wrong or is compiled while they serve: one literal table. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

OOM = "engine.oom_events"
COMPILE = "engine.compile_lines"
RPC = "engine.rpc_timeouts"
PEER = "engine.peer_disconnects"
EVENTS = (OOM, COMPILE, RPC, PEER)


@dataclass(frozen=True, slots=True)
class Happening:
    """How one event is written; lines of one `kind` that come together are one event."""

    indicator: str
    gate: bytes
    pattern: re.Pattern[str]


HAPPENINGS: tuple[Happening, ...] = (
    Happening(
        COMPILE, b"JIT compilation during inference", re.compile(r"\w+(?: kernel)? JIT compilation during inference")
    ),
    Happening(
        COMPILE, b"TileLang begins to compile", re.compile(r"\[TileLang:[^\]]*\] .{0,40}TileLang begins to compile")
    ),
    Happening(COMPILE, b"DeepGEMM JIT", re.compile(r"(?:Entering DeepGEMM JIT|Try DeepGEMM JIT Compiling)")),
    Happening(COMPILE, b"torch.compile t", re.compile(r"torch\.compile (?:takes|took) ")),
    Happening(COMPILE, b"Compiling a graph", re.compile(r"Compiling a graph for ")),
    Happening(COMPILE, b"graph compilation takes", re.compile(r"graph compilation takes ")),
    Happening(COMPILE, b"Autotuning process starts", re.compile(r"\[Auto[tT]uner\]: Autotuning process starts")),
    Happening(COMPILE, b"Loading JIT ops", re.compile(r"(?:flashinfer\.jit: )?Loading JIT ops")),
    Happening(COMPILE, b"AUTOTUNE ", re.compile(r"AUTOTUNE \w+\(")),
    Happening(COMPILE, b"Triton autotuning for function", re.compile(r"Triton autotuning for function ")),
    Happening(COMPILE, b"Recompiling function", re.compile(r"(?:\[__recompiles\] )?Recompiling function ")),
    Happening(COMPILE, b"torch._dynamo hit config", re.compile(r"torch\._dynamo hit config\.\w*limit")),
    Happening(RPC, b"RPC call to ", re.compile(r"(?:TimeoutError: )?RPC call to \w+ timed out")),
    Happening(RPC, b"atchdog timeout", re.compile(r"(?:\w+ )?[wW]atchdog timeout \(")),
    Happening(RPC, b"Watchdog caught collective", re.compile(r"Watchdog caught collective operation timeout")),
    Happening(RPC, b"RayChannelTimeoutError", re.compile(r"[\w.]*RayChannelTimeoutError: ")),
    Happening(PEER, b"Losing connection with", re.compile(r"Losing connection with (?:prefill|decode) instance")),
    Happening(PEER, b"instance could be dead", re.compile(r".{0,400}KVTransferError\(.{0,80}instance could be dead")),
    Happening(
        PEER,
        b"it might be dead",
        re.compile(r".{0,400}KVTransferError\(.{0,80}from prefill instance, it might be dead"),
    ),
    Happening(
        PEER, b"NIXL_ERR_REMOTE_DISCONNECT", re.compile(r"[\w.]*nixlRemoteDisconnectError: NIXL_ERR_REMOTE_DISCONNECT")
    ),
)
OOM_GATE = b"out of memory"
TALK = re.compile(r"Received request |Receive: obj=|Finish: obj=|Generated response |(?<!\w)[Pp]rompt['\"]?[:=]")
"""Lines that repeat what a caller sent, who may write anything."""
