"""What becomes of a recording: its figures go to the session, its files to the disk, its graph onto the screen."""

from __future__ import annotations

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
    wall = clock.wall()

    def save() -> str:
        # A tree of its own: the one on the screen works itself out where somebody looks, on another thread.
        texts = flame_texts(profile, reading, flame_tree(profile, lines), plan, subject.title, wall)
        return f"saved: {save_all(texts, flame_name(plan, wall), None, 'flames')} ({' '.join(ENDINGS)})"

    app.word.of_work(save, "saving stacks", _SAID_S)
    return f"py-spy ended early: {trouble}" if trouble else ""
