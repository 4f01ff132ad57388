"""NVML's codes and bits in words for an engineer. Must never call NVML: asking it for a text may hang too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perfconsole.model.sample import Missing

UNINITIALIZED, NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND, INSUFFICIENT_SIZE = 1, 3, 4, 6, 7
DRIVER_NOT_LOADED, TIMEOUT, LIBRARY_NOT_FOUND, FUNCTION_NOT_FOUND = 9, 10, 12, 13
NOT_READY = 27
LOST = {15: "is lost: it has fallen off the bus or stopped answering", 16: "needs a reset before it can be used again"}
"""What follows the name of the GPU."""
UNSUPPORTED = frozenset({NOT_SUPPORTED, FUNCTION_NOT_FOUND, 25, 26})
"""Also a structure of a version that this driver does not know, and what it no longer has."""
FIELD_UNSUPPORTED = UNSUPPORTED | {2}
"""A driver calls the number of a field that it does not know an invalid argument."""
NO_SAMPLE = frozenset({NOT_FOUND, 21})
FATAL = frozenset({UNINITIALIZED, DRIVER_NOT_LOADED, 17, 18})
"""The driver went away under the library: only a new process gets it back."""

_CODES = {
    1: "NVML is not initialised",
    2: "invalid argument",
    3: "not supported",
    4: "no permission",
    6: "not found",
    7: "more data than there was room for",
    8: "the external power cables of the card are not attached",
    9: "the driver is not loaded",
    10: "time-out",
    11: "the kernel detected an interrupt problem of the card",
    12: "library not found",
    13: "the driver has no such function",
    14: "the infoROM of the card is corrupted",
    15: "the GPU is lost",
    16: "the GPU requires a reset",
    17: "the operating system blocked the request",
    18: "library and kernel module differ in version",
    19: "in use",
    20: "out of memory",
    21: "no data",
    23: "out of resources",
    27: "not ready",
    28: "GPU not found",
    29: "the GPU is in an invalid state",
    999: "unknown error inside the driver",
}
_HELD = (
    (0x40, "heat (hardware)"),
    (0x20, "heat (software)"),
    (0x80, "power brake"),
    (0x8, "slowdown (hardware)"),
    (0x4, "power cap"),
    (0x2, "application clocks"),
    (0x10, "sync boost"),
    (0x100, "display clock"),
)
_ABSENT = {
    LIBRARY_NOT_FOUND: "no NVIDIA driver on this host: libnvidia-ml.so.1 is not found; install the driver, or let its "
    "libraries into this container",
    DRIVER_NOT_LOADED: "the NVIDIA driver is not loaded: its library is here, its kernel module is not; where there "
    "are NVIDIA GPUs, load it with modprobe nvidia and look into dmesg",
}
_REFUSED = {
    NO_PERMISSION: "no permission to use the NVIDIA driver: this user, or this container, must be let read and write "
    "/dev/nvidiactl and /dev/nvidia*",
    18: "the NVIDIA library and the loaded kernel module differ in version: the driver was updated while it was "
    "loaded; reload its modules or reboot this host",
    FUNCTION_NOT_FOUND: "the NVIDIA driver of this host is too old: its library has no nvmlInit_v2; update it",
    8: "NVML does not start: the external power cables of a card are not attached",
}
NO_GPU = (
    "the NVIDIA driver runs and has no GPU: none is fitted, or none is let into this container; "
    "compare nvidia-smi and NVIDIA_VISIBLE_DEVICES"
)
_NVIDIA, _DISPLAY = "0x10de", ("0x0300", "0x0302")


@dataclass(frozen=True, slots=True)
class StartFailure:
    """Why NVML cannot be used here, in one line."""

    text: str
    fault: bool
    """Something is broken; else there is just no NVIDIA GPU to be watched."""


def code_words(code: int) -> str:
    """`unknown error inside the driver (NVML code 999)`."""
    return f"{_CODES.get(code, 'an error that perfconsole does not know')} (NVML code {code})"


def held_by(bits: int) -> str:
    """What holds the clocks back, in words; `nothing` for no reason or an idle card."""
    return ", ".join(word for bit, word in _HELD if bits & bit) or "nothing"


def reason_of(code: int) -> Missing:
    """Why a value is not there after an error with this code."""
    if code in UNSUPPORTED:
        return Missing.UNSUPPORTED
    if code == NO_PERMISSION:
        return Missing.NO_PERMISSION
    return Missing.NEVER if code in NO_SAMPLE else Missing.SOURCE_DOWN


def start_failure(code: int, root: Path = Path("/")) -> StartFailure:
    """What a failed start means; a driver that is not loaded is a fault only where there are cards for it."""
    if code == DRIVER_NOT_LOADED and (cards := _cards(root)):
        many = "an NVIDIA GPU" if cards == 1 else f"{cards} NVIDIA GPUs"
        text = (
            f"the NVIDIA driver is not loaded, and this host has {many}; load it with modprobe nvidia, look into dmesg"
        )
        return StartFailure(text, fault=True)
    if code in _ABSENT:
        return StartFailure(_ABSENT[code], fault=False)
    return StartFailure(_REFUSED.get(code) or f"NVML does not start: {code_words(code)}", fault=True)


def _cards(root: Path) -> int:
    """NVIDIA display controllers on the PCI bus, as the kernel lists them."""
    found = 0
    for place in root.glob("sys/bus/pci/devices/*"):
        try:
            vendor, sort = ((place / name).read_text(encoding="ascii").strip() for name in ("vendor", "class"))
        except (OSError, ValueError):
            continue
        found += vendor == _NVIDIA and sort.startswith(_DISPLAY)
    return found
