"""Calls of the NVML library that pynvml makes in a way that does not do here; everything else goes through pynvml.

Three things it does not have: lists of processes from drivers before `_v2` and `_v3`, lists in one call instead of
two, and fields without a new array of structures for each call (16 GPUs would pay for 160 of them a second). A buffer
belongs to one GPU and one call: a call that hangs may still write into it long after.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types

from perfconsole.sources.nvml.reading import Process
from perfconsole.sources.nvml.words import FUNCTION_NOT_FOUND, INSUFFICIENT_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NVMLError = pynvml.NVMLError
EVERY_LINK = 0xFFFFFFFF
"""Scope of a field that asks for the sum over all links of the card."""

_ROOM = 64
"""Entries of a list at first; a list that is longer makes the next one twice as long."""
_MOST_ROOM = 1 << 14
_NOT_AVAILABLE = 2**64 - 1
_PROCESS = struct.Struct("=I4xQII")
_PROCESS_V1 = struct.Struct("=I4xQ")
_LISTS = (("_v3", _PROCESS), ("_v2", _PROCESS), ("", _PROCESS_V1))
_SAMPLE = struct.Struct("=I4xQIIII")
_FIELD = struct.Struct("=IIqqIIQ")
_DOUBLE, _UINT, _LONG, _INT, _USHORT = 0, 1, 4, 5, 6


def function(name: str) -> Callable[..., int]:
    """A function of the loaded library; NVMLError with code 13 where it has none of this name."""
    found: Callable[..., int] = pynvml._nvmlGetFunctionPointer(name)  # noqa: SLF001 - pynvml's own cache of them
    return found


def check(code: int) -> None:
    """NVMLError for any code but success."""
    if code:
        raise NVMLError(code)


def start() -> None:
    """Start NVML, also in a library from before nvmlInitWithFlags; NVMLError when it does not start."""
    try:
        pynvml.nvmlInit()
    except NVMLError as error:
        if error.value != FUNCTION_NOT_FOUND:
            raise
        check(function("nvmlInit_v2")())


class ListCall:
    """A function that fills an array: tried with a buffer that is kept, then with a larger one where it must be."""

    def __init__(self, row: struct.Struct) -> None:
        self._row = row
        self._count = ctypes.c_uint()
        self._room = _ROOM
        self._buffer = ctypes.create_string_buffer(row.size * _ROOM)

    def __call__(self, call: Callable[[Any, Any], int]) -> list[tuple[int, ...]]:
        """Rows of the list; `call` is given the buffer and a reference to the count."""
        code = self._once(call)
        while code == INSUFFICIENT_SIZE and self._room < _MOST_ROOM:
            self._room = min(_MOST_ROOM, max(self._room * 2, self._count.value + 8))
            self._buffer = ctypes.create_string_buffer(self._row.size * self._room)
            code = self._once(call)
        check(code)
        end = min(self._count.value, self._room) * self._row.size
        return list(self._row.iter_unpack(memoryview(self._buffer)[:end]))

    def _once(self, call: Callable[[Any, Any], int]) -> int:
        self._count.value = self._room
        return call(self._buffer, ctypes.byref(self._count))


class ProcessList:
    """Compute processes of one GPU by the newest function that the driver has."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls = {suffix: ListCall(row) for suffix, row in _LISTS}

    def __call__(self, handle: object) -> tuple[Process, ...]:
        """NVMLError when none of the functions is there, or the first that is there fails."""
        for suffix, call in self._calls.items():
            try:
                ask = function(self._name + suffix)
            except NVMLError:
                continue
            rows = call(lambda buffer, count, ask=ask: ask(handle, count, buffer))  # type: ignore[misc]  # one call
            return tuple(Process(pid, None if used == _NOT_AVAILABLE else used) for pid, used, *_ in rows if pid)
        raise NVMLError(FUNCTION_NOT_FOUND)


class ProcessShares:
    """SM share of the processes of one GPU."""

    def __init__(self) -> None:
        self._call = ListCall(_SAMPLE)

    def __call__(self, handle: object, since_us: int) -> dict[int, int]:
        """PID -> percent of the newest sample after a moment (microseconds since 1970); NVMLError 6 for no sample."""
        ask = function("nvmlDeviceGetProcessUtilization")
        rows = self._call(lambda buffer, count: ask(handle, buffer, count, ctypes.c_ulonglong(since_us)))
        return {pid: sm for pid, _, sm, *_ in sorted(rows, key=lambda row: row[1]) if pid}


class FieldCall:
    """One question for several fields. A field is a number and a scope (a link, or 0)."""

    def __init__(self, fields: Sequence[tuple[int, int]]) -> None:
        self.fields = tuple(fields)
        self._values = (pynvml.c_nvmlFieldValue_t * len(self.fields))()
        for value, (number, scope) in zip(self._values, self.fields, strict=True):
            value.fieldId, value.scopeId = number, scope

    def __call__(self, handle: object) -> dict[tuple[int, int], tuple[int, float]]:
        """Field -> NVML code and value; NVMLError when the whole question failed."""
        ask = function("nvmlDeviceGetFieldValues")
        check(ask(handle, ctypes.c_int(len(self.fields)), self._values))
        rows = _FIELD.iter_unpack(self._values)
        return {
            field: (code, _number(kind, raw))
            for field, (_, _, _, _, kind, code, raw) in zip(self.fields, rows, strict=True)
        }


def _number(kind: int, raw: int) -> float:
    """The member of the union that its type names."""
    if kind == _DOUBLE:
        value: float = struct.unpack("=d", struct.pack("=Q", raw))[0]
        return value
    if kind == _UINT:
        return raw & 0xFFFFFFFF
    if kind == _USHORT:
        return raw & 0xFFFF
    if kind in (_INT, _LONG):
        bits = 32 if kind == _INT else 64
        low = raw & ((1 << bits) - 1)
        return low - (1 << bits) if low >> (bits - 1) else low
    return raw
