"""When Python looks for garbage: not while it loads, and never again in what was loaded."""

from __future__ import annotations

import gc


def wait() -> None:
    """Look for none: what a start allocates stays, and looking costs a tenth of the time to the first page."""
    gc.disable()


def settle() -> None:
    """From here on look for garbage, but not in what is there already."""
    gc.freeze()
    gc.enable()
