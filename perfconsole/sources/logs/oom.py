"""Sizes in the message of a device out of memory, in all wordings of torch since 1.13 and of llama.cpp. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIZE = r"(\d+(?:\.\d+)?) ?(bytes|[KMGT]i?B)"
_UNITS = {"bytes": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_HEAD = re.compile(
    r"(?:RuntimeError: |[\w.]*OutOfMemoryError: )*"
    r"(?:(?:CUDA|HIP|XPU|MPS|NPU) out of memory|CUDA error: out of memory|HIP error: out of memory"
    r"|cudaMalloc failed: out of memory|ggml_backend_cuda_buffer_type_alloc_buffer: allocating)"
    r"|(?:[\w.]*(?:OutOfMemoryError|AcceleratorError)): .{0,40}out of memory"
    r"|Capture \w*\s?[cC][uU][dD][aA] graph failed: CUDA out of memory"
    r"|(?:ggml_cuda_\w+|CUDA error|ggml_backend_\w+):? .{0,120}\bout of memory\b"
)
"""How such a message begins: the words alone may stand in any prompt that a server logs."""
_ASKED = re.compile(rf"Tried to allocate {_SIZE}|allocating {_SIZE} on device")
_FREE = re.compile(rf"of which {_SIZE} is free|; {_SIZE} free;|{_SIZE} free;")
_UNALLOCATED = re.compile(rf"(?:and|, ) ?{_SIZE} is reserved by PyTorch but unallocated")
_ALLOCATED = re.compile(rf"{_SIZE} already allocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by PyTorch")


@dataclass(frozen=True, slots=True)
class Oom:
    """One device out of memory, in bytes; None for what the message does not say."""

    request: float | None = None
    free: float | None = None
    reserved_free: float | None = None


def read_oom(message: str) -> Oom | None:
    """The sizes in a message, None when it is no out-of-memory error of a device."""
    if _HEAD.match(message) is None or (" allocating " in message and "out of memory" not in message):
        return None
    return Oom(_bytes(_ASKED, message), _bytes(_FREE, message), _reserved_free(message))


def _reserved_free(message: str) -> float | None:
    """What torch holds and does not use: said since 2.0, before that the difference of two figures."""
    said = _bytes(_UNALLOCATED, message)
    if said is not None:
        return said
    reserved, allocated = _bytes(_RESERVED, message), _bytes(_ALLOCATED, message)
    return None if reserved is None or allocated is None else max(0.0, reserved - allocated)


def _bytes(pattern: re.Pattern[str], message: str) -> float | None:
    match = pattern.search(message)
    words = [word for word in match.groups() if word is not None] if match else []
    return float(words[0]) * (_UNITS.get(words[1]) or _UNITS[words[1][0]]) if words else None
