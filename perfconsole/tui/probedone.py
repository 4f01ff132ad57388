"""The end of a probe: its values go to the findings, its files to the disk, its result onto the page."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.savedfiles import save_all
from perfconsole.clock import SystemClock
from perfconsole.errors import PerfconsoleError
from perfconsole.model.probeview import ProbeView
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
    from perfconsole.tui.feed import Feed
    from perfconsole.tui.probewish import Begun

_SAID_S = 15.0
_JUDGED_S = 2.5
"""Until the findings have been judged with what was measured."""
_PAUSE_S = 0.05
_JSON = ".json"
KIND = "probes"


@dataclass(frozen=True, slots=True)
class Ended:
    """A probe that has ended."""

    conductor: Conductor
    begun: Begun
    wall: float
    """Epoch seconds of its beginning."""
    now: float
    """Monotonic seconds of its end."""
    loaded: Snapshot | None
    """The last picture under its load."""


def finish(app: ConsoleApp, ended: Ended, show: Callable[[ProbeView], None]) -> None:
    """Show the result at once, then what it means and where it lies. Whoever leaves at once finds its numbers kept."""
    begun, lead, feed = ended.begun, ended.begun.lead, app.setting.feed
    before = feed.newest
    machine = read_machine(Path("/"), {"client": os.getpid()})
    environment = environment_of(ended.loaded or lead.before, lead.engines[0], machine)
    result = outcome(ended.conductor, environment, ended.wall, ended.now, begun.traffic_per_s)
    show(ProbeView.of(result))
    if result.indicators and begun.entities:
        clock = SystemClock()
        feed.monitor.post(probe_batch(result.indicators, begun.entities, clock.now(), clock.wall()))

    def work() -> str:
        view, words = _kept(result, lambda: _judged(feed, before))
        with suppress(RuntimeError):  # the screen is gone
            app.call_from_thread(show, view)
        return words

    app.word.of_work(work, "probe files", _SAID_S)


def _kept(result: ProbeResult, judged: Callable[[], str]) -> tuple[ProbeView, str]:
    """Write the numbers at once, and the reports once it is known what they mean; the page, and words of it."""
    where = trouble = ""
    try:
        path = save_all({_JSON: written(result)}, probe_name(result), None, KIND)
        where = f"{path}{_JSON}"
        said = judged()
        reports = probe_texts(result, said)
        save_all(reports, path.name, path.parent, KIND)
        where = f"{path} ({' '.join((_JSON, *reports))})"
    except PerfconsoleError as error:
        said, trouble = judged(), str(error)
    view = ProbeView.of(result, where, said)
    return (replace(view, notes=(*view.notes, trouble)), trouble) if trouble else (view, f"saved {path}")


def _judged(feed: Feed, before: Snapshot | None) -> str:
    """What it means for the findings that wait for a probe, once they have been judged with what was measured."""
    clock = SystemClock()
    until = clock.now() + _JUDGED_S
    while _asked_for(before) and clock.now() < until and not _is_later(feed.newest, before):
        clock.sleep(_PAUSE_S)
    return meaning(feed.newest)


def _is_later(newest: Snapshot | None, before: Snapshot | None) -> bool:
    """By two pictures: the first may have been under way when the values came."""
    return newest is not None and (before is None or newest.seq >= before.seq + 2)


def _asked_for(snapshot: Snapshot | None) -> bool:
    """A finding waits for a probe."""
    return snapshot is not None and any(check.kind == "probe" for f in snapshot.findings for check in f.checks)
