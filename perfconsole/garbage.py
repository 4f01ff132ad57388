"""When Python looks for garbage: not while it loads, and never again in what was loaded."""

from __future__ import annotations

import gc

_SELDOM = 50_000
"""New containers until the youngest are looked at. A tick makes thousands that live until the next one, and next to
none in circles: at Python's 700 a tenth of the time of a large watch goes into looking."""


def wait() -> None:
    """Look for none: what a start allocates stays, and looking costs a tenth of the time to the first page."""
    gc.disable()


def settle() -> None:
    """From here on look for garbage, but not in what is there already."""
    gc.freeze()
    gc.set_threshold(_SELDOM, 20, 100)
    gc.enable()
