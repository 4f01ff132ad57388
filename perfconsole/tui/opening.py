"""What opens what: rows, keys of the footer, commands of the palette. Pages are imported when they are first opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import SystemCommand

from perfconsole.tui.grid import Grid
from perfconsole.tui.themes import THEMES
from perfconsole.view.picture import KINDS, LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.page import PageScreen
    from perfconsole.view.canvas import Target

_KEY_NAMES = {"?": "question_mark", "+": "plus", "-": "minus", "/": "slash", "esc": "escape"}
"""Textual's names of the keys that the footer shows by their sign."""


def follow(app: ConsoleApp, target: Target) -> None:
    """Open what a row stands for. A page of the same kind takes the place of the one on display."""
    page = _page(target)
    if page is None:
        return
    if type(page) is not type(app.screen):
        app.push_screen(page)
    elif target[0] in ("layer", "indicator"):
        app.switch_screen(page)
    elif target[0] == "finding":
        app.push_screen(page)


def _page(target: Target) -> PageScreen | None:
    from perfconsole.tui.finding import FindingPage  # noqa: PLC0415 - not before the first page
    from perfconsole.tui.help import HelpPage  # noqa: PLC0415 - as above
    from perfconsole.tui.layer import LayerPage  # noqa: PLC0415 - as above
    from perfconsole.tui.rule import RulePage  # noqa: PLC0415 - as above
    from perfconsole.tui.unseen import UnseenPage  # noqa: PLC0415 - as above

    match target:
        case ("layer", layer):
            return LayerPage(layer)
        case ("finding", rule, entity):
            return FindingPage(rule, entity)
        case ("indicator", _, entity):
            kind = entity.partition("/")[0]
            owner = next((name for name, kinds in KINDS.items() if kind in kinds), None)
            return LayerPage(owner, target) if owner else None
        case ("rule", rule) | ("undecided", rule, *_):
            return RulePage(rule)
        case ("unseen",):
            return UnseenPage()
        case ("help",):
            return HelpPage()
        case ("flame" | "dump" | "probe", *_):
            return _action_page(target)
    return None


def _action_page(target: Target) -> PageScreen:
    if target[0] == "probe":
        from perfconsole.tui.probe import ProbePage  # noqa: PLC0415 - as above

        return ProbePage()
    if target[0] == "dump":
        from perfconsole.tui.dump import DumpPage  # noqa: PLC0415 - as above

        return DumpPage()
    from perfconsole.tui.flame import FlamePage  # noqa: PLC0415 - as above

    return FlamePage()


def back(app: ConsoleApp) -> None:
    """One page back; the main page stays."""
    if len(app.screen_stack) > 1:
        app.pop_screen()


async def press(app: ConsoleApp, key: str) -> None:
    """A key of the footer was pressed with the mouse: do what it does on the page on display."""
    active = app.screen.active_bindings.get(_KEY_NAMES.get(key, key))
    if active is not None:
        await app.run_action(active.binding.action, active.node)


def restyle(app: ConsoleApp, theme: str) -> None:
    """Another theme, for all pages that are open."""
    app.palette = theme
    for screen in app.screen_stack:
        for grid in screen.query(Grid):
            grid.restyle(theme)


def commands(app: ConsoleApp) -> Iterable[SystemCommand]:
    """What ctrl+p offers."""
    for layer in LAYERS:
        yield SystemCommand(f"Layer: {layer}", "Every indicator of it", lambda name=layer: follow(app, ("layer", name)))
    yield SystemCommand(
        "Not seen", "What cannot be seen, and which source would tell", lambda: follow(app, ("unseen",))
    )
    for name in THEMES:
        yield SystemCommand(f"Theme: {name}", "Colours of the screen", lambda n=name: restyle(app, n))
    yield SystemCommand("Write this moment", "A file for a colleague or a bug report", app.action_write)
    yield SystemCommand("Pause", "Let the screen stand still, or go on", app.action_pause)
    yield SystemCommand("Poll less often", "+", lambda: app.action_pace(1))
    yield SystemCommand("Poll more often", "-", lambda: app.action_pace(-1))
    yield SystemCommand("Help", "Keys and words", lambda: follow(app, ("help",)))
    yield SystemCommand("Quit", "q", app.action_leave)
