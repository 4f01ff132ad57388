"""Lengths of HTTP chunks as they are written, read once each."""

from __future__ import annotations

_MOST = 4_096
"""Kept; a server writes a few hundred."""


class _Lengths(dict[bytes, int]):
    """Lengths of chunks as they are written, read once."""

    def __missing__(self, text: bytes) -> int:
        """-1 for what is no length."""
        try:
            length = int(text, 16) if text.isalnum() else -1
        except ValueError:
            length = -1
        if len(self) < _MOST:
            self[text] = length
        return length


LENGTHS = _Lengths()
