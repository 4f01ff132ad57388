"""The flame graph as a screen: move among boxes, zoom, search, turn it over, compare with an earlier recording."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from perfconsole.model.flametree import Node, Shade
from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import culprit, flame_tree, functions, matching, turned_over
from perfconsole.tui.keys import EVERYWHERE, Keys
from perfconsole.tui.page import PageScreen
from perfconsole.view.flamegraph import Flame, boxes, moved, pressed, unzoomed, zoomed
from perfconsole.view.flamepage import Shown, flame_page, graph_size, taken_rows

if TYPE_CHECKING:
    from perfconsole.model.stack import Profile
    from perfconsole.stacks.doing import Source
    from perfconsole.tui.grid import Grid
    from perfconsole.view.canvas import Page, Target
    from perfconsole.view.picture import Picture


class FlameGraphPage(PageScreen):
    """One recording."""

    filters = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "step('down')", show=False),
        Binding("up,k", "step('up')", show=False),
        Binding("right,l", "step('right')", show=False),
        Binding("left,h", "step('left')", show=False),
        Binding("tab", "thread(1)", show=False),
        Binding("shift+tab", "thread(-1)", show=False),
        Binding("enter", "zoom(1)", show=False),
        Binding("backspace", "zoom(-1)", show=False),
        Binding("i", "invert", show=False),
        Binding("c", "compare", show=False),
    ]

    def __init__(self, shown: Shown, profile: Profile, source: Source, earlier: Profile | None = None) -> None:
        super().__init__()
        self.shown = shown
        self._profile = profile
        self._source = source
        self._earlier = earlier
        self._reading = False
        self._turned: Node | None = None
        """The graph turned over beforehand."""
        self._upright: Flame | None = None
        """The graph as it was before it was turned over."""

    def body(self, picture: Picture, width: int, height: int) -> Page:
        """The page; a word that is typed is searched at once, and what is not read yet is read behind the drawing."""
        if self.shown.reading is None and not self._reading:
            self._reading = True
            self.call_after_refresh(self._read)
        if self.cursor.filter != self.shown.flame.word:
            self._search(self.cursor.filter)
        return flame_page(self.shown, width, height, picture.glyphs)

    def _read(self) -> None:
        """What the stacks say; the cursor goes to what blocks, unless somebody has moved it.

        A file so large that this waits is turned over here too, with what a first drawing of it works out.
        """
        reading, flame = read_profile(self._profile, self._source), self.shown.flame
        if flame.at == flame.focus == (flame.root,):
            flame = Flame.of(flame.root, culprit(flame.root, reading), compared=flame.compared)
        self.shown = replace(self.shown, reading=reading, flame=flame)
        self._turned = turned_over(flame.root)
        columns, rows = self._columns()
        boxes(Flame.of(self._turned), columns, rows + 1)
        self.draw()

    def keys(self) -> Keys:
        """What moves it."""
        return (
            ("esc", "back"),
            ("enter", "zoom"),
            ("bksp", "out"),
            ("/", "search"),
            ("tab", "thread"),
            ("i", "upright" if self.shown.inverted else "invert"),
            ("c", "compare"),
            *EVERYWHERE,
        )

    def _search(self, word: str) -> None:
        flame = self.shown.flame
        found, share = matching(flame.root, word)
        self.shown = replace(self.shown, flame=replace(flame, word=word, found=found, share=share))

    def _draw(self, flame: Flame) -> None:
        self.shown = replace(self.shown, flame=flame)
        self.draw()

    def _columns(self) -> tuple[int, int]:
        """Columns and rows of the graph as it was drawn last."""
        picture = self.app.picture
        width, height = self.app.size
        if picture is None:
            return width, height
        return graph_size(width, height - 2, taken_rows(self.shown, width, picture.glyphs))

    def action_step(self, way: str) -> None:
        """The next box that way."""
        self._draw(moved(self.shown.flame, way, self._columns()[0]))

    def action_zoom(self, inwards: int) -> None:
        """The box under the cursor fills the width; or the one around what does."""
        self._draw((zoomed if inwards > 0 else unzoomed)(self.shown.flame))

    def action_thread(self, step: int) -> None:
        """The next process or thread fills the width; behind the last one the whole does."""
        flame = self.shown.flame
        groups = [(flame.root,), *_groups((flame.root,))]
        here = next((i for i, path in enumerate(groups) if path == flame.focus), 0)
        path = groups[(here + step) % len(groups)]
        self._draw(replace(flame, focus=path, at=path))

    def action_invert(self) -> None:
        """Innermost functions on top, and back."""
        if self._upright is not None:
            flame, self._upright = self._upright, None
        else:
            self._upright = self.shown.flame
            root = self.shown.flame.root
            ready = self._turned is not None and self._turned.paths.functions is root.paths.functions
            flame = Flame.of(self._turned if self._turned is not None and ready else turned_over(root))
        self.shown = replace(self.shown, flame=flame, inverted=self._upright is not None)
        self.draw()

    def action_compare(self) -> None:
        """Beside the recording that was looked at before, and back."""
        if self._earlier is None:
            self.app.word.say("there is no earlier recording in this session to compare with")
            return
        before = None if self.shown.flame.compared else self._earlier
        tree = flame_tree(self._profile, self._source, before=before)
        self._upright = None
        at = culprit(tree, self.shown.reading) if self.shown.reading else ()
        flame = Flame.of(tree, at, compared=before is not None)
        self.shown = replace(self.shown, flame=flame, table=tuple(functions(tree)), inverted=False)
        self.draw()

    def action_back(self) -> None:
        """Clear the search first; a file is all that there is, so behind it is the shell."""
        if self.cursor.filter or len(self.app.screen_stack) > 1:
            super().action_back()
        else:
            self.app.action_leave()

    def opens(self, target: Target) -> None:
        """A press puts the cursor on a box, a second one zooms."""
        if target[0] == "box":
            self._draw(pressed(self.shown.flame, int(target[1]), *self._columns()))

    def on_grid_rolled(self, message: Grid.Rolled) -> None:
        """The wheel goes inwards and outwards."""
        self.action_step("down" if message.rows > 0 else "up")


def _groups(path: tuple[Node, ...]) -> list[tuple[Node, ...]]:
    """Paths to processes and threads, in the order in which they are drawn."""
    found: list[tuple[Node, ...]] = []
    for child in path[-1].ordered():
        if child.shade is Shade.GROUP:
            below = (*path, child)
            found += [below, *_groups(below)]
    return found
