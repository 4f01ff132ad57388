"""Tests of choosing a Python process on the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.suspect import Suspect
from perfconsole.sources.linux.pythons import Pythons
from perfconsole.tui import suspects
from perfconsole.tui.dump import DumpPage
from perfconsole.tui.suspects import SuspectPage
from tests.actions.sleepers import beside
from tests.tui.stacking import keyed, opened, seen
from tests.view.pictures import ENGINE

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.tui.screens import Screen

CORE = Suspect(99999998, "engine", "core", "vllm", "VLLM::EngineCore", None, 40, "3.11")
PROXY = Suspect(99999999, "gateway", "", "litellm", "litellm --port 4000", None, 9, "3.11")


@pytest.fixture(autouse=True)
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with two of them, of which neither can be read; their CPU is known at the second look."""
    looks: list[float] = []

    def look(_self: Pythons, now: float) -> tuple[Suspect, ...]:
        looks.append(now)
        return (PROXY, replace(CORE, cpu=0.97 if len(looks) > 1 else None))

    monkeypatch.setattr(Pythons, "look", look)
    monkeypatch.setattr(suspects, "_APART_S", 0.05)
    beside(tmp_path, monkeypatch, "")


def test_a_second_look_tells_how_much_cpu_they_use() -> None:
    """It is what they used since the first one."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        assert "litellm --port 4000" in await seen(pilot, screen, " 0.97 ")

    opened(DumpPage(), script)


def test_the_cursor_begins_on_the_process_that_was_asked_for() -> None:
    """Keys move it; why that process cannot be read follows it."""
    page = DumpPage(CORE.pid)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        text = await seen(pilot, screen, "not possible")
        assert f"process {CORE.pid} does not exist here" in text
        await keyed(pilot, "k")
        assert f"process {PROXY.pid} does not exist here" in screen.text

    opened(page, script)
    assert page.pid() == PROXY.pid


def test_a_process_that_is_not_in_the_list_is_said_to_be_missing() -> None:
    """The finding may have named one that has ended since."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "process 4 is not there, or is no Python process")

    opened(DumpPage(4), script)


def test_a_press_chooses_a_process() -> None:
    """It does not take its stacks yet."""
    page = DumpPage()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "VLLM::EngineCore")
        y = next(y for y, line in enumerate(screen.rows) if "VLLM::EngineCore" in line)
        await pilot.click(offset=(10, y))
        await pilot.pause()
        assert "STACKS OF WHICH PROCESS?" in screen.text

    opened(page, script)
    assert page.pid() == CORE.pid


def test_without_a_process_nothing_is_under_the_cursor() -> None:
    """Before the list is there."""
    assert SuspectPage(7).pid() is None


def test_without_py_spy_that_is_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for once a process, not at every drawing."""
    (tmp_path / "bin" / "py-spy").unlink()
    page = SuspectPage()
    assert "pip install py-spy" in page.refused(7)
    monkeypatch.setattr(suspects, "find_tool", lambda: pytest.fail("asked again"))
    assert "pip install py-spy" in page.refused(7)


def test_what_is_found_answers_the_finding_only_for_the_process_that_it_named() -> None:
    """Another one under the cursor speaks for itself."""
    page = DumpPage(CORE.pid, ENGINE)

    async def script(_pilot: Pilot[None], _screen: Screen) -> None:
        assert page.about(CORE.pid) == (ENGINE,)
        assert page.about(PROXY.pid) == (Entity(Kind.PROCESS, str(PROXY.pid)),)
        assert DumpPage(None, ENGINE).about(PROXY.pid) == (ENGINE,)

    opened(page, script)
