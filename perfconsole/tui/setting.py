"""What the application needs from outside, put together once: feed, drawing, colours, and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.probetarget import keyless_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.driver import Driver

    from perfconsole.model.probeorders import Target
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.cells import Encoder
    from perfconsole.tui.feed import Feed
    from perfconsole.tui.page import PageScreen
    from perfconsole.view.picture import Picture


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything around the application."""

    feed: Feed
    picture: Callable[[Snapshot], Picture]
    encoder: Encoder
    palette: str
    """Theme to begin with."""
    leave: Callable[[], None]
    fault: Callable[[str], None]
    """Ends with these words about a fault of ours."""
    driver: type[Driver] | None = None
    """None lets Textual choose: a test without a terminal."""
    now: Callable[[], float] | None = None
    """Monotonic seconds, to tell how old the newest picture is; None asks for no such watch (a test)."""
    first: Callable[[], PageScreen] | None = None
    """Page to begin with, where nothing is watched; None for the main page."""
    address: Callable[[str], Target] = keyless_target
    """What a probe connects to at a URL, with the key that belongs there."""
    tmux: bool = False
    utc_offset_s: float = 0.0
