"""Golden pages: what recorded moments look like, row by row with their SGR codes (`cat` shows them).

PERFCONSOLE_UPDATE_SNAPSHOTS=1 writes them anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from perfconsole.view.canvas import width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from tests.tui.golden import (
    ADMISSION_CAP,
    KV_PRESSURE,
    LOOKS,
    SGR,
    SIZES,
    Moment,
    bare,
    drawn,
    painted,
    picture_of,
    screens,
)

FOLDER = Path(__file__).parent / "snapshots"
_UPDATE = "PERFCONSOLE_UPDATE_SNAPSHOTS"
_COLOUR = re.compile(r"[34]\d|9\d|10[0-7]")


class Golden(NamedTuple):
    """One page at one size."""

    page: str
    size: tuple[int, int]
    moment: Moment = ADMISSION_CAP
    glyphs: Glyphs = UNICODE
    prefix: str = ""

    @property
    def name(self) -> str:
        """`main-80x24`."""
        columns, height = self.size
        return f"{self.prefix}{self.page}-{columns}x{height}"

    def path(self, look: str) -> Path:
        """Where it lies."""
        return FOLDER / f"{self.name}-{look}.ansi"

    def text(self, look: str) -> str:
        """What it looks like now."""
        picture = picture_of(self.moment, self.glyphs)
        return painted(drawn(screens(picture)[self.page], picture, self.size), LOOKS[look], self.size)


PAGES = [
    *(Golden(page, size) for page in ("main", "finding", "engine", "board") for size in SIZES),
    *(Golden("main", size, KV_PRESSURE, prefix="kv-") for size in SIZES[:2]),
    *(Golden(f"probe-{state}", size) for state in ("question", "running", "done") for size in SIZES[:2]),
    Golden("probe-done", (80, 24), glyphs=ASCII, prefix="ascii-"),
    Golden("main", (80, 24), glyphs=ASCII, prefix="ascii-"),
]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("golden", PAGES, ids=lambda g: g.name)
def test_a_page_looks_as_recorded(golden: Golden, look: str) -> None:
    """Every character and every SGR code."""
    path, text = golden.path(look), golden.text(look)
    if os.environ.get(_UPDATE) == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("golden", PAGES, ids=lambda g: g.name)
def test_colour_and_no_colour_say_the_same(golden: Golden) -> None:
    """Nothing is told by colour alone, and nothing is left out without it."""
    assert bare(golden.text("colour")) == bare(golden.text("mono"))


@pytest.mark.parametrize("golden", PAGES, ids=lambda g: g.name)
def test_no_colour_means_none(golden: Golden) -> None:
    """Attributes alone: no foreground, no background."""
    codes = [code for sgr in SGR.findall(golden.path("mono").read_text(encoding="utf-8")) for code in sgr.split(";")]
    assert [code for code in codes if _COLOUR.fullmatch(code)] == []


@pytest.mark.parametrize("golden", PAGES, ids=lambda g: g.name)
def test_a_page_fills_its_screen_exactly(golden: Golden) -> None:
    """Rows and columns, frame included."""
    picture = picture_of(golden.moment, golden.glyphs)
    page = drawn(screens(picture)[golden.page], picture, golden.size)
    assert (len(page.rows), {width(r) for r in page.rows}) == (golden.size[1], {golden.size[0]})


def test_ascii_is_ascii() -> None:
    """Where the terminal may show nothing else."""
    assert all(g.text("colour").isascii() for g in PAGES if g.glyphs is ASCII)


def test_every_file_belongs_to_a_page() -> None:
    """A golden file that nothing compares would only look like a promise."""
    wanted = {g.path(look) for g in PAGES for look in LOOKS}
    assert set(FOLDER.glob("*")) == wanted
