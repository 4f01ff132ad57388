"""A recording from a file on the screen: the flame graph alone, with nothing watched behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from perfconsole.clock import SystemClock
from perfconsole.core.session import Session
from perfconsole.monitor import Monitor
from perfconsole.stacks.tree import flame_tree, functions
from perfconsole.tui.feed import Feed
from perfconsole.tui.flamegraph import FlameGraphPage
from perfconsole.tui.run import watch
from perfconsole.view.flamegraph import Flame
from perfconsole.view.flamepage import Shown

if TYPE_CHECKING:
    from perfconsole.model.stack import Profile
    from perfconsole.stacks.doing import Source
    from perfconsole.tui.run import Look


def show_file(profile: Profile, title: str, source: Source, look: Look, earlier: Profile | None = None) -> NoReturn:
    """Show it until the person leaves, beside an earlier one if there is one; the process ends here.

    What the stacks say comes after the first drawing.
    """
    clock = SystemClock()
    session = Session((), look.dictionary)
    feed = Feed(Monitor(session, (), clock))
    feed.newest = session.tick(clock.now(), clock.wall())
    tree = flame_tree(profile, source, before=earlier)
    shown = Shown(title, None, Flame.of(tree, compared=earlier is not None), tuple(functions(tree)))
    watch(feed, look, lambda: FlameGraphPage(shown, profile, source, earlier))
