"""What becomes of a recording: its figures go to the session, its files to the disk, its graph onto the screen."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.actions.savedfiles import save_all
from perfconsole.clock import SystemClock
from perfconsole.errors import PerfconsoleError
from perfconsole.sources.linux.sourcelines import SourceLines
from perfconsole.sources.linux.stackaccess import look_at
from perfconsole.stacks.indicators import ENOUGH, profile_batch
from perfconsole.stacks.read import recorded
from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import culprit, flame_tree, functions
from perfconsole.tui.flamegraph import FlameGraphPage
from perfconsole.view.flamefiles import ENDINGS, flame_name, flame_texts
from perfconsole.view.flamegraph import Flame
from perfconsole.view.flamepage import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.actions.pyspy import Recording
    from perfconsole.model.entity import Entity
    from perfconsole.tui.app import ConsoleApp

_SAID_S = 15.0
_KEPT = 4
"""Recordings of this session that a newer one can be compared with."""


def show_recording(app: ConsoleApp, recording: Recording, about: Sequence[Entity]) -> str:
    """Read it, hand it on and open its page; why there is nothing to show, empty where there is.

    `about` is what its figures speak of. Those of a few samples speak of nothing: they would refute by chance.
    """
    plan, trouble = recording.plan, recording.trouble()
    try:
        profile = recorded(recording.folded(), plan, recording.took_s, trouble, cancelled=recording.cancelled)
    except PerfconsoleError as error:
        return str(error)
    lines = SourceLines(f"/proc/{plan.pid}/root").text
    reading, tree = read_profile(profile, lines), flame_tree(profile, lines)
    clock = SystemClock()
    if reading.samples >= ENOUGH:
        app.setting.feed.monitor.post(profile_batch(reading.shares, plan.pid, about, clock.now(), clock.wall()))
    subject = look_at(plan.pid)
    title = f"process {plan.pid}  {subject.title}"
    shown = Shown(title, reading, Flame.of(tree, culprit(tree, reading)), tuple(functions(tree)))
    app.push_screen(FlameGraphPage(shown, profile, lines, app.recordings[-1] if app.recordings else None))
    app.recordings[:] = [*app.recordings[1 - _KEPT :], profile]
    texts = flame_texts(profile, reading, tree, plan, subject.title, clock.wall())
    threading.Thread(
        target=_save, args=(app, texts, flame_name(plan, clock.wall())), name="saving stacks", daemon=True
    ).start()
    return f"py-spy ended early: {trouble}" if trouble else ""


def _save(app: ConsoleApp, texts: dict[str, str], name: str) -> None:
    try:
        words = f"saved: {save_all(texts, name, None, 'flames')} ({' '.join(ENDINGS)})"
    except PerfconsoleError as error:
        words = str(error)
    except Exception as error:  # noqa: BLE001 - a thread that ends without a word would leave people waiting
        words = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"
    with suppress(RuntimeError):  # the screen is gone
        app.call_from_thread(app.word.say, words, _SAID_S)
