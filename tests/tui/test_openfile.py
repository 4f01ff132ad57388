"""A recording from a file on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.tui import openfile
from perfconsole.tui.flamegraph import FlameGraphPage
from perfconsole.tui.openfile import show_file
from perfconsole.tui.run import Look
from tests.stacks.building import CALLBACK, folded, profile, unread

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from perfconsole.tui.feed import Feed
    from perfconsole.tui.page import PageScreen


def test_the_graph_is_ready_before_what_the_stacks_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file is on the screen first; nothing is watched behind it."""
    seen: list[tuple[Feed, PageScreen]] = []

    def watch(feed: Feed, _look: Look, first: Callable[[], PageScreen]) -> None:
        seen.append((feed, first()))

    monkeypatch.setattr(openfile, "watch", watch)
    show: Callable[..., object] = show_file  # it never returns, but to a test
    show(profile(folded((CALLBACK, 3))), "a.folded", unread, Look(DEFAULT, "a.folded"))
    ((feed, page),) = seen
    assert feed.newest is not None
    assert isinstance(page, FlameGraphPage)
    assert page.shown.reading is None
    assert page.shown.flame.root.total == 3
