"""`perfconsole`, also `perfconsole watch`: the live screen."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from perfconsole.actions.run import end_all
from perfconsole.clock import SystemClock
from perfconsole.commands.lognames import add_log
from perfconsole.commands.profilefiles import load_profiles
from perfconsole.commands.sourcing import host_name
from perfconsole.commands.watching import Watching
from perfconsole.config import load_flags
from perfconsole.core.session import Session
from perfconsole.errors import UsageError
from perfconsole.tui.feed import Feed
from perfconsole.tui.run import look_of, require_terminal, watch

if TYPE_CHECKING:
    import argparse

    from perfconsole.config import Config
    from perfconsole.model.probeorders import Target
    from perfconsole.model.rule import Rule

_END_S = 0.3
"""How long the GPU helper may take to end when the screen is left; one stuck in the driver is left behind."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    add_log(parser)
    parser.epilog = "Keys: ? on the screen lists them."


def run(arguments: argparse.Namespace) -> int:
    """Open the screen; the process ends inside."""
    if arguments.json:
        raise UsageError("--json goes with `perfconsole check`: the live screen prints nothing")
    require_terminal(os.environ)
    from perfconsole.monitor import Monitor  # noqa: PLC0415 - threads are not needed to print a help text

    config = load_flags(arguments)
    watching = Watching(config)
    watching.start_gpus()
    shelf = load_profiles()
    session = Session(None, config.dictionary, profiles=shelf.known)
    feed = Feed(Monitor(session, watching.pages, SystemClock()))
    watching.attach(feed.monitor)
    # Pages are on their way while the screen is being loaded.
    feed.start(lambda: (_rules(config, feed, shelf.problems), [*watching.local(), *watching.discovery()]))
    look = look_of(
        arguments,
        config.dictionary,
        host_name(),
        farewell=[partial(end_all, _END_S)],
        address=partial(_address, config),
    )
    watch(feed, look)


def _address(config: Config, url: str) -> Target:
    """What a probe connects to at a URL of the screen."""
    from perfconsole.commands.probeaim import address_at  # noqa: PLC0415 - not before the first probe

    return address_at(url, config)


def _rules(config: Config, feed: Feed, problems: tuple[str, ...]) -> list[Rule]:
    from perfconsole.commands.rulebook import load_rules, skipped  # noqa: PLC0415 - 70 ms that the first numbers need not wait for

    rules, broken = load_rules(config.rule_folders, config.dictionary)
    feed.rules = tuple(rules)
    feed.remarks = [*map(skipped, broken), *problems]
    return rules
