"""From a monitor to a running screen, and out again. Called once a process, from the main thread."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from perfconsole.clock import SystemClock
from perfconsole.errors import EXIT_OK, EXIT_USAGE, UsageError
from perfconsole.sources.probetarget import keyless_target
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.picture import Picture

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Mapping

    from rich.color import ColorSystem

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeorders import Target
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.tui.feed import Feed
    from perfconsole.tui.page import PageScreen
    from perfconsole.view.glyphs import Glyphs

_TRUE_COLOR = ("truecolor", "24bit")


@dataclass(frozen=True, slots=True)
class Look:
    """How pages are drawn, and what they say of where they come from."""

    dictionary: Dictionary
    host: str
    glyphs: Glyphs = UNICODE
    colors: ColorSystem | None = None
    utc_offset_s: float = 0.0
    banner: Callable[[float], str] | None = None
    """What a simulation plays at a moment (monotonic seconds); None for a real host."""
    farewell: list[Callable[[], object]] = field(default_factory=list)
    """What to end on leaving (children)."""
    address: Callable[[str], Target] = keyless_target
    """What a probe connects to at a URL, with the key that belongs there."""


def look_of(
    flags: Namespace,
    dictionary: Dictionary,
    host: str,
    banner: Callable[[float], str] | None = None,
    farewell: Iterable[Callable[[], object]] = (),
    address: Callable[[str], Target] = keyless_target,
) -> Look:
    """How to draw on this terminal, by the flags that all commands share and the environment."""
    return Look(
        dictionary=dictionary,
        host=host,
        glyphs=glyphs(os.environ, ascii_only=flags.ascii),
        colors=color_system(os.environ, no_color=flags.no_color),
        utc_offset_s=SystemClock().utc_offset_s(),
        banner=banner,
        farewell=list(farewell),
        address=address,
    )


def require_terminal(environment: Mapping[str, str]) -> None:
    """UsageError where no screen can be drawn."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("the live screen needs a terminal; `perfconsole check` prints a report instead")
    if environment.get("TERM", "dumb") == "dumb":
        raise UsageError("TERM=dumb cannot place a cursor; `perfconsole check` prints a report instead")


def color_system(environment: Mapping[str, str], *, no_color: bool) -> ColorSystem | None:
    """How many colours to use: none on request, else what the terminal says it has."""
    from rich.color import ColorSystem  # noqa: PLC0415 - rich only where a screen is drawn

    if no_color or environment.get("NO_COLOR"):
        return None
    if environment.get("COLORTERM", "").lower() in _TRUE_COLOR:
        return ColorSystem.TRUECOLOR
    return ColorSystem.EIGHT_BIT if "256" in environment.get("TERM", "") else ColorSystem.STANDARD


def glyphs(environment: Mapping[str, str], *, ascii_only: bool) -> Glyphs:
    """Plain ASCII on request, and where the locale does not say UTF-8: the terminal may show nothing else."""
    locale = next((v for n in ("LC_ALL", "LC_CTYPE", "LANG") if (v := environment.get(n))), "")
    return ASCII if ascii_only or "utf" not in locale.lower() else UNICODE


def watch(feed: Feed, look: Look, first: Callable[[], PageScreen] | None = None) -> NoReturn:
    """Show the screen until the person leaves; the process ends here. `first` is a page that nothing is watched for."""
    from perfconsole.tui.app import ConsoleApp  # noqa: PLC0415 - 0.2 s, while the first pages are on their way
    from perfconsole.tui.cells import Encoder  # noqa: PLC0415 - as above
    from perfconsole.tui.driver import driver_for  # noqa: PLC0415 - as above
    from perfconsole.tui.leaving import Leaving  # noqa: PLC0415 - as above
    from perfconsole.tui.setting import Setting  # noqa: PLC0415 - as above

    leaving = Leaving()
    leaving.farewell = look.farewell
    leaving.handle_signals()
    setting = Setting(
        feed=feed,
        picture=picture_maker(feed, look),
        encoder=Encoder(look.colors, ascii_only=look.glyphs is ASCII),
        palette="terminal" if look.colors is not None else "mono",
        leave=lambda: leaving.leave(*_farewell(feed)),
        fault=lambda text: leaving.leave(EXIT_USAGE, f"perfconsole: fault in perfconsole, please report it: {text}"),
        now=None if first else SystemClock().now,
        first=first,
        address=look.address,
        driver=driver_for(leaving),
        tmux="TMUX" in os.environ,
        utc_offset_s=look.utc_offset_s,
    )
    ConsoleApp(setting).run()
    leaving.leave(EXIT_OK)


def _farewell(feed: Feed) -> tuple[int, *tuple[str, ...]]:
    """Exit code and last words: what was wrong with the watching itself is said again where it stays."""
    words = [*feed.remarks, *([feed.fault] if feed.fault else [])]
    return (EXIT_USAGE if words else EXIT_OK, *(f"perfconsole: {word}" for word in words))


def picture_maker(feed: Feed, look: Look) -> Callable[[Snapshot], Picture]:
    """Pictures of snapshots, with histories from the monitor that made them."""
    started: list[float] = []

    def trail(end: float, name: str, entity: Entity, step_s: float, columns: int) -> tuple[float | None, ...]:
        return feed.monitor.visit(lambda session: session.trail(name, entity, end, step_s, columns))

    def make(snapshot: Snapshot) -> Picture:
        started.append(snapshot.t) if not started else None
        return Picture(
            snapshot,
            look.dictionary,
            trails=partial(trail, snapshot.t),
            glyphs=look.glyphs,
            simulated=look.banner is not None,
            banner=look.banner(snapshot.t) if look.banner else "",
            host=look.host,
            started=started[0],
            rules=feed.rules,
        )

    return make
