"""A screen with a cursor over the items of its page, moved by keys, wheel and mouse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from perfconsole.tui.opening import back, follow, press
from perfconsole.view.canvas import Cursor

if TYPE_CHECKING:
    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.grid import Grid
    from perfconsole.view.canvas import Target

_AROUND = 5
"""Rows around the text (header, banner, title, footer) and one that is seen twice."""


class CursorScreen(Screen[None]):
    """Moves a cursor that follows what it stands on. Subclasses draw."""

    app: ConsoleApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "leaf(1)", show=False),
        Binding("pageup,ctrl+b", "leaf(-1)", show=False),
        Binding("home,g", "move(-100000)", show=False),
        Binding("end,G", "move(100000)", show=False),
        Binding("tab,right,l", "part(1)", show=False),
        Binding("shift+tab,left,h", "part(-1)", show=False),
        Binding("enter", "open", show=False),
        Binding("escape", "back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.cursor = Cursor()
        self.items: tuple[Target, ...] = ()
        self.lines: tuple[int, ...] = ()
        """Row of each item in a text that scrolls."""

    def draw(self) -> None:
        """Show the page as it is now."""
        raise NotImplementedError

    def opens(self, target: Target) -> None:
        """Follow what was chosen."""
        follow(self.app, target)

    def on(self) -> Target | None:
        """What the cursor stands on."""
        return self.items[self.cursor.place(self.items)] if self.items else None

    async def on_grid_pressed(self, message: Grid.Pressed) -> None:
        """A press chooses; on what is chosen already, or pressed twice, it opens. Keys of the footer act at once."""
        if message.target[0] == "key":
            await press(self.app, message.target[1])
        elif message.target in self.items and self.on() != message.target and not message.twice:
            self.cursor = replace(self.cursor, target=message.target)
            self.draw()
        else:
            self.opens(message.target)

    def on_grid_rolled(self, message: Grid.Rolled) -> None:
        """The wheel moves the cursor, and the page with it."""
        self.action_move(message.rows)

    def action_move(self, rows: int) -> None:
        """Move the cursor over the items."""
        if self.items:
            place = max(0, min(self.cursor.place(self.items) + rows, len(self.items) - 1))
            self.cursor = replace(self.cursor, target=self.items[place], index=place)
            self.draw()

    def action_leaf(self, step: int) -> None:
        """A screenful further, or ten items of a list; in a text no row is passed over unseen."""
        if not self.lines:
            self.action_move(10 * step)
            return
        place = self.cursor.place(self.items)
        most = self.lines[place] + step * max(1, self.app.size.height - _AROUND)
        ahead = [i for i, y in enumerate(self.lines) if (y <= most if step > 0 else y >= most)]
        goal = (ahead[-1] if step > 0 else ahead[0]) if ahead else place
        self.action_move(goal - place if goal != place else step)

    def action_part(self, step: int) -> None:
        """The next group of items, by what they open."""
        if not self.items:
            return
        place = self.cursor.place(self.items)
        groups = [i for i, item in enumerate(self.items) if i == 0 or item[0] != self.items[i - 1][0]]
        current = max(i for i, start in enumerate(groups) if start <= place)
        self.action_move(groups[(current + step) % len(groups)] - place)

    def action_open(self) -> None:
        """Open what the cursor stands on."""
        target = self.on()
        if target is not None:
            self.opens(target)

    def action_back(self) -> None:
        """One page back."""
        back(self.app)
