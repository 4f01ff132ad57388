"""The end of a probe: its values go to the findings, its files to the disk, its result onto the page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.savedfiles import save_all
from perfconsole.clock import SystemClock
from perfconsole.errors import PerfconsoleError
from perfconsole.model.probeview import ProbeView
from perfconsole.probing.asking import traffic_of
from perfconsole.probing.environment import environment_of
from perfconsole.probing.indicators import probe_batch
from perfconsole.probing.meaning import meaning
from perfconsole.probing.outcome import outcome
from perfconsole.probing.resultcodec import written
from perfconsole.sources.linux.machine import read_machine
from perfconsole.view.probefiles import probe_name, probe_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.probing.conductor import Conductor
    from perfconsole.tui.app import ConsoleApp
    from perfconsole.tui.probewish import Wish

_SAID_S = 15.0
_TICKS_S = 2.5
"""Until the findings have been judged with what was measured."""
KIND = "probes"


@dataclass(frozen=True, slots=True)
class Ended:
    """A probe that has ended."""

    conductor: Conductor
    wish: Wish
    began: float
    """Epoch seconds."""
    now: float
    """Monotonic seconds of its end."""
    before: Snapshot | None
    """The picture before its first request."""
    loaded: Snapshot | None
    """The last one under its load."""


def finish(app: ConsoleApp, ended: Ended, show: Callable[[ProbeView], None]) -> None:
    """Show the result at once, then what it means and where it lies."""
    wish, engine = ended.wish, ended.wish.engines()[0]
    machine = read_machine(Path("/"), {"client": os.getpid()})
    environment = environment_of(ended.loaded or ended.before, engine, machine)
    traffic = traffic_of(ended.before, engine).requests_per_s
    result = outcome(ended.conductor, environment, ended.began, ended.now, traffic)
    show(ProbeView.of(result))
    if result.indicators and wish.entities():
        clock = SystemClock()
        app.setting.feed.monitor.post(probe_batch(result.indicators, wish.entities(), clock.now(), clock.wall()))
    app.set_timer(_TICKS_S, lambda: _keep(app, result, show))


def _keep(app: ConsoleApp, result: ProbeResult, show: Callable[[ProbeView], None]) -> None:
    """Say what it means for the findings, and write the files on a thread."""
    said = meaning(app.setting.feed.newest)
    show(ProbeView.of(result, "", said))

    def work() -> str:
        texts = {".json": written(result), **probe_texts(result, said)}
        try:
            path = save_all(texts, probe_name(result), None, KIND)
        except PerfconsoleError as error:
            return str(error)
        where = f"{path} ({' '.join(texts)})"
        app.call_from_thread(show, ProbeView.of(result, where, said))
        return f"saved {path}"

    app.word.of_work(work, "probe files", _SAID_S)
