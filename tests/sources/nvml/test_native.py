"""Tests of reading numbers and lists out of the library's memory."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.nvml import native
from perfconsole.sources.nvml.native import FieldCall, ListCall, NVMLError

if TYPE_CHECKING:
    import ctypes

ROW = struct.Struct("=I4xQ")


@pytest.mark.parametrize(
    ("kind", "member", "value"),
    [(0, "dVal", 1.5), (1, "uiVal", 7), (2, "ulVal", 2**40), (3, "ullVal", 2**63), (4, "sllVal", -9), (5, "siVal", -3)],
)
def test_a_field_has_the_member_of_its_type(kind: int, member: str, value: float) -> None:
    """As pynvml lays the union out; what other members would show does not matter."""
    union = pynvml.c_nvmlValue_t()
    union.ullVal = 0xFFFFFFFFFFFFFFFF if kind != 0 else 0
    setattr(union, member, value)
    (raw,) = struct.unpack("=Q", bytes(union))
    assert native._number(kind, raw) == value


def test_fields_are_laid_out_as_pynvml_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Number and scope go in, code and value come out."""
    seen: list[tuple[int, int]] = []

    def ask(_handle: object, count: ctypes.c_int, values: ctypes.Array[ctypes.Structure]) -> int:
        seen.extend((row.fieldId, row.scopeId) for row in values)
        values[0].valueType, values[0].nvmlReturn, values[0].value.ullVal = 3, 0, 12
        values[1].nvmlReturn = 3
        assert count.value == 2
        return 0

    monkeypatch.setattr(native, "function", lambda _name: ask)
    assert FieldCall([(138, 7), (82, 0)])(None) == {(138, 7): (0, 12), (82, 0): (3, 0)}
    assert seen == [(138, 7), (82, 0)]


@given(st.lists(st.integers(0, 2**32 - 1), max_size=300))
def test_a_list_of_any_length_comes_whole(numbers: list[int]) -> None:
    """Tried again with more room where it must be."""

    def fill(buffer: ctypes.Array[ctypes.c_char], count: object) -> int:
        there: ctypes.c_uint = count._obj  # type: ignore[attr-defined]  # what byref refers to
        room, there.value = there.value, len(numbers)
        if room < len(numbers):
            return 7
        for i, number in enumerate(numbers):
            ROW.pack_into(buffer, i * ROW.size, number, i)
        return 0

    assert ListCall(ROW)(fill) == [(number, i) for i, number in enumerate(numbers)]


def test_a_list_that_never_fits_is_an_error() -> None:
    """It does not grow for ever."""
    with pytest.raises(NVMLError):
        ListCall(ROW)(lambda _buffer, _count: 7)
