"""Copies through the terminal itself (OSC 52), which works over ssh, where no clipboard program would."""

from __future__ import annotations

import unicodedata
from base64 import b64encode

MOST_BYTES = 74_994
"""Longest text: terminals take 100,000 bytes in all, and base64 makes four of three."""


def osc52(text: str, tmux: bool) -> str:  # noqa: FBT001 - where the terminal is, said once by the caller
    """The sequence that puts a text on the clipboard; empty when there is nothing to copy or it is too long.

    Half a command may do something else than the whole, so nothing is cut. tmux passes it on when its option
    allow-passthrough is on.
    """
    payload = cleaned(text).encode("utf-8")
    if not payload or len(payload) > MOST_BYTES:
        return ""
    sequence = f"\x1b]52;c;{b64encode(payload).decode('ascii')}\x07"
    if not tmux:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def cleaned(text: str) -> str:
    """The text without control characters and direction marks; a line break or tab becomes a blank.

    A shell runs what is pasted up to a line break, so no text from a target may bring one.
    """
    return "".join(" " if c in "\n\t" else c for c in text.replace("\r\n", "\n") if c in "\n\t" or _harmless(c))


def _harmless(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
