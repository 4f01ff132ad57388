"""Tests of recording from its page: nothing before enter, progress while it runs, its graph at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.run import living
from perfconsole.tui.flame import FlamePage
from perfconsole.tui.flamegraph import FlameGraphPage
from tests.actions.sleepers import beside
from tests.actions.stackwords import KILLED, ON_CTRL_C, RECORDS
from tests.tui.screens import Screen, press
from tests.tui.stacking import keyed, look_soon, opened, saved, seen

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often."""
    look_soon(monkeypatch)


def others(pid: int) -> list[int]:
    """Programs that still run, beside the process of the test."""
    return [child.pid for child in living() if child.pid != pid and not child.wait(2.0)]


def test_the_page_says_what_enter_would_run(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the process that the finding named, and why it asks; nothing runs yet."""
    beside(tmp_path, monkeypatch, RECORDS)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        text = await seen(pilot, screen, "runs ")
        assert f"py-spy record --pid {pid} --duration 10 --rate 50" in " ".join(text.split())
        assert "asked by      Loop blocked" in text
        assert others(pid) == []

    opened(FlamePage(pid, why="Loop blocked"), script)


def test_enter_records_with_progress_and_opens_the_graph(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which stands at what blocks."""
    go = tmp_path / "go"
    beside(tmp_path, monkeypatch, f"while not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n{RECORDS}")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "enter")
        assert " s left" in await seen(pilot, screen, f"RECORDING process {pid}")
        assert "esc end it and show" in screen.rows[-1]
        go.touch()
        text = await seen(pilot, screen, "▏handle 40%")
        assert isinstance(screen.app.screen, FlameGraphPage)
        assert f"process {pid}" in text
        await saved(pilot)
        assert "saved: " in screen.rows[0]

    opened(FlamePage(pid), script)


def test_escape_ends_the_recording_and_shows_what_there_is(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was ended, not given up."""
    ready = tmp_path / "ready"
    beside(tmp_path, monkeypatch, f"{ON_CTRL_C}open({str(ready)!r}, 'w')\ntime.sleep(30)")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "enter")
        while not ready.exists():
            await pilot.pause(0.01)
        await keyed(pilot, "escape")
        await seen(pilot, screen, "▏handle 40%")
        await saved(pilot)

    opened(FlamePage(pid), script)


def test_leaving_the_console_ends_the_recording(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it runs on."""
    beside(tmp_path, monkeypatch, "time.sleep(30)")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "enter")
        await seen(pilot, screen, "RECORDING")

    opened(FlamePage(pid), script)
    assert others(pid) == []


def test_native_frames_want_a_yes(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stop the process: enter asks, and only y does it."""
    beside(tmp_path, monkeypatch, RECORDS)
    page = FlamePage(pid)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "y", "n", "y", "enter")
        assert "press y to stop the process" in screen.text
        assert "y yes, stop it" in screen.rows[-1]
        assert page.recording is None
        await keyed(pilot, "y")
        await seen(pilot, screen, "▏handle 40%")
        await saved(pilot)

    opened(page, script)


def test_escape_takes_the_question_back(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the page stays; y means nothing then."""
    beside(tmp_path, monkeypatch, RECORDS)
    page = FlamePage(pid)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "n", "enter", "escape", "y")
        assert "press y" not in screen.text
        assert "FLAME GRAPH OF WHICH PROCESS?" in screen.text
        assert page.recording is None

    opened(page, script)


@pytest.mark.parametrize(
    ("keys", "words"),
    [(("s",), "--duration 20"), (("s",) * 5, "--duration 10"), (("n",), "--native"), (("i",), "--gil")],
)
def test_keys_change_what_will_be_run(
    keys: tuple[str, ...], words: str, pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command on the page is the one that enter runs."""
    beside(tmp_path, monkeypatch, RECORDS)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, *keys)
        assert words in screen.text

    opened(FlamePage(pid), script)


def test_where_it_is_not_possible_enter_does_nothing(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says why, and what helps."""
    beside(tmp_path, monkeypatch, None)
    page = FlamePage(pid)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        assert "pip install py-spy" in await seen(pilot, screen, "not possible")
        await keyed(pilot, "enter")
        assert page.recording is None
        assert "RECORDING" not in screen.text

    opened(page, script)


def test_a_recording_that_failed_says_so_on_the_page(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be begun again at once."""
    beside(tmp_path, monkeypatch, KILLED)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "runs ")
        await keyed(pilot, "enter")
        await seen(pilot, screen, f"py-spy could not record process {pid}: it was killed")
        assert "enter record" in screen.rows[-1]

    opened(FlamePage(pid), script)


def test_f_opens_it_from_any_page() -> None:
    """The list of processes comes by itself."""
    assert "FLAME GRAPH OF WHICH PROCESS?" in press("f").shown
