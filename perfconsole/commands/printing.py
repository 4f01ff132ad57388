"""The way out to a terminal or a pipe: harmless text, colour only where wanted, plain ASCII on request."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

from perfconsole.view.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.view.report_text import Line

_SGR = {"critical": "1;31", "warn": "33", "info": "36", "head": "1", "dim": "2"}
_WIDE = str.maketrans({"\N{DEGREE SIGN}": "deg ", "\N{MICRO SIGN}": "u", "\N{HORIZONTAL ELLIPSIS}": "..."})


def wants_color(out: TextIO, *, no_color: bool) -> bool:
    """Colour on a terminal, unless a flag, NO_COLOR or TERM=dumb says no."""
    refused = no_color or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return out.isatty() and not refused


def safe(text: str, *, ascii_only: bool) -> str:
    """Text that a terminal can show and never obeys."""
    shown = plain(text)
    return shown.translate(_WIDE).encode("ascii", "backslashreplace").decode() if ascii_only else shown


def write_lines(lines: Iterable[Line], *, color: bool, ascii_only: bool) -> None:
    """Write the report to stdout, wrapped to the terminal (100 columns into a pipe)."""
    width = max(60, min(160, shutil.get_terminal_size((100, 24)).columns))
    for line in lines:
        text = safe(line.text, ascii_only=ascii_only)
        code = _SGR.get(line.style) if color else None
        for piece in wrapped(text, width, line.indent):
            sys.stdout.write(f"\x1b[{code}m{piece}\x1b[0m\n" if code else f"{piece}\n")
    sys.stdout.flush()


def wrapped(text: str, width: int, indent: int) -> list[str]:
    """The text cut at blanks to fit the width; what goes on starts at the indent. Runs of blanks stay as they are.

    A run of blanks parts what belongs together: it is cut there where one stands in the last third of the line.
    """
    pieces = [text]
    while len(pieces[-1]) > width:
        last = pieces[-1]
        cut = last.rfind("  ", max(indent + 1, 2 * width // 3), width + 1)
        if cut < 0:
            cut = last.rfind(" ", indent + 1, width + 1)
        if cut < 0:
            cut = last.find(" ", width)  # one word wider than the terminal wraps by itself
        if cut < 0 or not last[cut:].strip():
            break
        pieces[-1:] = [last[:cut].rstrip(), " " * indent + last[cut:].lstrip()]
    return pieces


def progress(seconds: float, whole: float, *, quiet: bool) -> None:
    """A line that counts on a terminal while a run goes on, and wipes itself at its end."""
    if quiet or not sys.stderr.isatty():
        return
    over = seconds >= whole - 0.5
    text = "" if over else f"perfconsole: watching, {seconds:.0f} of {whole:.0f} s"
    sys.stderr.write(f"\r{text:40}" + ("\r" if over else ""))
    sys.stderr.flush()


def say(text: str) -> None:
    """One line for the person, on stderr."""
    sys.stderr.write(f"perfconsole: {plain(text)}\n")
    sys.stderr.flush()
