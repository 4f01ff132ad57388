"""Tests of what becomes of a recording: figures for the session, files on the disk, the graph on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.flameplan import FlamePlan
from perfconsole.tui import recorded
from perfconsole.tui.recorded import show_recording
from tests.actions.stackwords import LOOP
from tests.tui.screens import Screen, play
from tests.tui.stacking import keyed, saved, settled
from tests.view.pictures import ENGINE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

    from perfconsole.actions.pyspy import Recording

PLAN = FlamePlan(99999999)


@dataclass(frozen=True)
class HandRecording:
    """One that has ended."""

    text: str = LOOP
    failed: str | None = None
    plan: FlamePlan = PLAN
    took_s: float = 10.0
    cancelled: bool = False

    def trouble(self) -> str | None:
        """Why it failed."""
        return self.failed

    def folded(self) -> str:
        """Its stacks."""
        return self.text


def show(screen: Screen, recording: HandRecording, entity: Entity | None = None) -> str:
    """What the page that recorded would say."""
    about = (Entity(Kind.PROCESS, str(PLAN.pid)),) if entity is None else (entity,)
    return show_recording(screen.app, cast("Recording", recording), about)


def played(*recordings: HandRecording, entity: Entity | None = None) -> tuple[Screen, str]:
    """The application after these recordings, and what the page that recorded the last one would say."""
    screen = Screen()
    said: list[str] = []

    async def run(pilot: Pilot[None]) -> None:
        said.extend(show(screen, recording, entity) for recording in recordings)
        await saved(pilot)
        screen.shown = screen.text

    play(screen, run)
    return screen, said[-1]


def test_its_graph_is_opened() -> None:
    """With the process in the title, and nothing to complain of."""
    screen, said = played(HandRecording())
    assert said == ""
    assert "process 99999999" in screen.shown
    assert "▏handle 40%" in screen.shown


def test_its_files_are_kept_in_the_state_folder(tmp_path: Path) -> None:
    """The header says where."""
    screen, _ = played(HandRecording())
    folder = tmp_path / "state" / "perfconsole" / "flames"
    assert len(list(folder.iterdir())) == 4
    assert f"saved: {folder}"[:60] in screen.shown


def test_files_that_could_not_be_kept_are_a_word_and_no_more(tmp_path: Path) -> None:
    """The graph is there all the same."""
    (tmp_path / "state").touch()
    screen, _ = played(HandRecording())
    assert "nothing was saved in" in screen.shown
    assert "▏handle 40%" in screen.shown


def test_a_fault_while_saving_is_a_word_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a thread that has ended."""

    def broken(*_: object) -> Path:
        raise RuntimeError("boom")

    monkeypatch.setattr(recorded, "save_all", broken)
    screen, _ = played(HandRecording())
    assert "fault in perfconsole, please report it: RuntimeError: boom" in screen.shown


def test_its_figures_are_about_what_the_finding_speaks_of() -> None:
    """They confirm or refute it."""
    screen, _ = played(HandRecording(), entity=ENGINE)
    (batch,) = screen.feed.monitor.posted
    shares = {sample.key.indicator: sample.value for sample in batch.samples}
    assert batch.entities == (ENGINE,)
    assert shares["profile.blocked_loop_ratio"] == 0.4


def test_a_few_samples_decide_nothing() -> None:
    """A recording that was ended at once would refute by chance."""
    few = "".join(line.rpartition(" ")[0] + " 1\n" for line in LOOP.splitlines())
    screen, _ = played(HandRecording(few), entity=ENGINE)
    assert screen.feed.monitor.posted == []


def test_one_that_was_cut_short_is_shown_with_the_reason() -> None:
    """Half a recording is better than none."""
    screen, said = played(HandRecording(failed="it was killed"))
    assert said == "py-spy ended early: it was killed"
    assert "▏handle 40%" in screen.shown


def test_one_without_a_sample_opens_nothing() -> None:
    """It says why."""
    screen, said = played(HandRecording(""))
    assert said == "no sample of process 99999999 in 10 s: it may have ended, or it runs no Python code"
    assert "▏" not in screen.shown
    assert screen.feed.monitor.posted == []


def test_a_second_one_can_be_compared_with_the_first() -> None:
    """Where a callback blocked, another one does now."""
    screen = Screen()

    async def script(pilot: Pilot[None]) -> None:
        show(screen, HandRecording(LOOP.replace("handle", "earlier")))
        show(screen, HandRecording())
        await settled(pilot)
        await keyed(pilot, "c")
        assert "handle +40%" in screen.text
        assert "earlier -40%" in screen.text
        await saved(pilot)

    play(screen, script)


def test_only_the_last_few_are_kept() -> None:
    """A session may last for days."""
    screen, _ = played(*(HandRecording(took_s=float(second)) for second in range(6)))
    assert [profile.seconds for profile in screen.app.recordings] == [2.0, 3.0, 4.0, 5.0]
