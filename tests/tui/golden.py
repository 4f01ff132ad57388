"""Pages of recorded moments as a terminal would show them: the same bytes on every machine and at every time."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.color import ColorSystem
from rich.segment import Segment

from perfconsole.core.session import Session
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.probeask import Change, ProbeAsk, Traffic, Worst
from perfconsole.model.probeview import ProbeView
from perfconsole.sources.catalogue import shelves
from perfconsole.sources.recorded import Replay
from perfconsole.tui.cells import Encoder
from perfconsole.tui.finding import FindingPage
from perfconsole.tui.layer import LayerPage
from perfconsole.tui.live import LivePage
from perfconsole.tui.painter import Painter
from perfconsole.tui.probe import ProbePage
from perfconsole.tui.probewish import Wish
from perfconsole.tui.themes import style
from perfconsole.view.canvas import Cursor
from perfconsole.view.findingspanel import finding_target
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.header import Mode, frame_rows, framed
from perfconsole.view.picture import Picture
from tests.tui.terminals import Terminal
from tests.view.probes import QUEUE_BOUND, URL, plan, running

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.keys import Keys
    from perfconsole.tui.page import PageScreen
    from perfconsole.view.canvas import Page
    from perfconsole.view.glyphs import Glyphs

ROOT = Path(__file__).parents[2]
SGR = re.compile(r"\x1b\[([\d;]*)m")


class Moment(NamedTuple):
    """A second of a recording."""

    recording: str
    second: int


ADMISSION_CAP = Moment("docs/examples/admission-cap", 90)
"""Requests wait for a slot while memory is free; late first tokens stand below it."""
KV_PRESSURE = Moment("tests/captures/vllm_kv", 60)
"""Requests are evicted and recomputed; three symptoms stand below it."""


class Look(NamedTuple):
    """Colours of a terminal, and the theme that goes with them."""

    theme: str
    colors: ColorSystem | None


LOOKS = {"colour": Look("terminal", ColorSystem.STANDARD), "mono": Look("mono", None)}
SIZES = ((80, 24), (120, 40), (200, 60))
_MODE = Mode(utc_offset_s=0.0)


@lru_cache(maxsize=1)
def shipped() -> tuple[Rule, ...]:
    """The rules that come with the program."""
    return tuple(load_folder(shipped_folder(), cases=False)[0])


@lru_cache(maxsize=2)
def replayed(moment: Moment) -> tuple[Session, Snapshot]:
    """The session and the snapshot at that second, judged by the shipped rules at every second before."""
    replay = Replay(ROOT / moment.recording / "series.prom.gz", shelves(), DEFAULT)
    session = Session(shipped(), DEFAULT)
    batches = [b for pair in replay.batches() for b in pair]
    snapshot = None
    for second in range(moment.second + 1):
        while batches and batches[0].t <= second:
            session.apply(batches.pop(0))
        snapshot = session.tick(float(second), replay.start + second)
    assert snapshot is not None
    return session, snapshot


def picture_of(moment: Moment, glyphs: Glyphs = UNICODE) -> Picture:
    """What the pages are drawn from, with histories and a host of fixed name."""
    session, snapshot = replayed(moment)

    def trails(name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:
        return session.trail(name, entity, snapshot.t, step_s, columns)

    return Picture(snapshot, DEFAULT, trails, glyphs, source="replay", host="gpu-07", rules=shipped())


def screens(picture: Picture) -> dict[str, PageScreen]:
    """The pages by name: the main page, the first finding, all of the engine, its board of latencies, and a probe."""
    _, rule, entity = finding_target(picture.snapshot.findings[0])
    board = LayerPage("engine")
    board.cursor = Cursor(tab=2)
    return {
        "main": LivePage(),
        "finding": FindingPage(rule, entity),
        "engine": LayerPage("engine"),
        "board": board,
        "probe-question": ProbePage(HandWish()),
        "probe-running": _probe(running()),
        "probe-done": _probe(ProbeView.of(QUEUE_BOUND, "/home/me/probes/probe-1 (.json)", "Requests wait: confirmed")),
    }


class HandWish(Wish):
    """What somebody could want, whatever is watched."""

    def ask(self) -> ProbeAsk:
        """A question with all that one can have."""
        changes = (Change("t", "target", URL), Change("s", "scenario", "short-chat"), Change("n", "loads", "1 to 64"))
        traffic = Traffic(12.3, 9.0, 0.0, 0.41)
        warnings = ("9 requests of others run there now: they share what it has with the probe",)
        asked = plan(1, 2, 4, 8, 16, 32, 64)
        return ProbeAsk(asked, Worst(482, 61_696, 61_696, 135.0), traffic, warnings=warnings, changes=changes)

    def keys(self) -> Keys:
        """As long as all can be changed."""
        return tuple((change.key, change.name) for change in self.ask().changes)


def _probe(view: ProbeView) -> ProbePage:
    page = ProbePage()
    page.view = view
    return page


def drawn(screen: PageScreen, picture: Picture, size: tuple[int, int]) -> Page:
    """The whole page as the screen puts it together."""
    columns, height = size
    body = screen.body(picture, columns, height - frame_rows(picture))
    return framed(body, picture, _MODE, screen.keys(), size)


def painted(page: Page, look: Look, size: tuple[int, int]) -> str:
    """Its rows with their SGR codes, as they stand on a terminal once everything was sent."""
    encoder, painter, terminal = Encoder(look.colors), Painter(*size), Terminal(*size)
    for y, spans in enumerate(page.rows):
        painter.put(y, 0, encoder.cells(Segment(s.text, style(look.theme, s.style)) for s in spans))
    while painter.pending:
        terminal.feed(painter.take(4096))
    return "".join(f"{_line(cells)}\n" for cells in terminal.cells)


def _line(cells: list[tuple[str, str]]) -> str:
    runs = ((sgr, "".join(c for c, _ in run)) for sgr, run in groupby(cells, key=lambda cell: cell[1]))
    return "".join(f"\x1b[{sgr}m{text}\x1b[m" if sgr else text for sgr, text in runs).rstrip(" ")


def bare(text: str) -> str:
    """Without its SGR codes and the blanks at the ends of rows, which may have had one."""
    return "\n".join(line.rstrip() for line in SGR.sub("", text).split("\n"))
