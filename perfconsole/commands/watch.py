"""`perfconsole`, also `perfconsole watch`: the live screen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.commands.printing import say
from perfconsole.commands.rulebook import load_rules
from perfconsole.commands.watching import build_sources, host_name
from perfconsole.config import load_flags
from perfconsole.core.session import Session
from perfconsole.errors import UsageError
from perfconsole.tui.run import Look, color_system, glyphs, require_terminal, watch

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No flags beside those that all commands share."""
    parser.epilog = "Keys: ? on the screen lists them."


def run(arguments: argparse.Namespace) -> int:
    """Open the screen; the process ends inside."""
    if arguments.json:
        raise UsageError("--json goes with `perfconsole check`: the live screen prints nothing")
    require_terminal(os.environ)
    from perfconsole.monitor import Monitor  # noqa: PLC0415 - threads are not needed to print a help text
    from perfconsole.tui.feed import Feed  # noqa: PLC0415 - as above

    config = load_flags(arguments)
    rules, broken = load_rules(config.rule_folders, config.dictionary)
    for problem in broken:
        say(f"{problem} (this rule is skipped)")
    clock = SystemClock()
    feed = Feed(Monitor(Session(rules, config.dictionary), build_sources(config), clock))
    feed.start()  # pages are on their way while the screen is still being loaded
    look = Look(
        dictionary=config.dictionary,
        host=host_name(),
        glyphs=glyphs(os.environ, ascii_only=arguments.ascii),
        colors=color_system(os.environ, no_color=arguments.no_color),
        utc_offset_s=clock.utc_offset_s(),
    )
    watch(feed, look)
