"""Tests of the flame graph as a screen: keys and mouse change what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import culprit, flame_tree, functions
from perfconsole.tui.flamegraph import FlameGraphPage
from perfconsole.tui.grid import Grid
from perfconsole.view.flamegraph import Flame
from perfconsole.view.flamepage import Shown
from tests.actions.stackwords import LOOP, SLEEPS
from tests.stacks.building import SELECT, folded, profile, unread
from tests.tui.stacking import keyed, opened, settled

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from perfconsole.model.stack import Profile
    from tests.tui.screens import Screen

BOTH = profile(LOOP, folded(("work (/srv/app/job.py:3)", 50), thread="thread (8): jobs"))
EARLIER = profile(folded((SELECT, 90), (SLEEPS, 10)))


def page(earlier: Profile | None = None) -> FlameGraphPage:
    """The page of a recording of two threads."""
    tree = flame_tree(BOTH, unread)
    reading = read_profile(BOTH, unread)
    shown = Shown("process 7", reading, Flame.of(tree, culprit(tree, reading)), tuple(functions(tree)))
    return FlameGraphPage(shown, BOTH, unread, earlier)


def after(*keys: str) -> tuple[str, FlameGraphPage]:
    """What is on display after some keys, and the page."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, *keys)
        screen.shown = screen.text

    return opened(graph, script).shown, graph


def test_it_opens_at_what_blocks() -> None:
    """The thread fills the width, the verdict stands above."""
    text, graph = after()
    assert graph.shown.flame.at[-1].name == "wait"
    assert "40% lock: handle /srv/app/main.py:40" in text
    assert "▏thread (7): MainThread 100%" in text


def test_enter_zooms_in_and_backspace_out() -> None:
    """The box under the cursor fills the width; then its caller does."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "enter")
        assert "▏!wait 40%" in screen.text
        assert "▏thread (7)" not in screen.text
        await keyed(pilot, "backspace")
        assert "▏handle 40%" in screen.text

    opened(graph, script)
    assert graph.shown.flame.focus[-1].name == "handle"


def test_arrows_and_letters_move_the_cursor() -> None:
    """The row below the graph says where it is."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "up")
        assert "handle  /srv/app/main.py:40" in screen.text
        await keyed(pilot, "j")
        assert "wait  /usr/lib/python3.11/threading.py:320" in screen.text

    opened(page(), script)


def test_tab_goes_from_thread_to_thread_and_back_to_the_whole() -> None:
    """The largest first; shift+tab goes back."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "tab")
        assert "▏thread (8): jobs 100%" in screen.text
        assert "MainThread" not in screen.text
        await keyed(pilot, "tab")
        assert "▏all 100%" in screen.text
        await keyed(pilot, "shift+tab")
        assert "▏thread (8): jobs 100%" in screen.text

    opened(page(), script)


def test_a_word_is_searched_while_it_is_typed() -> None:
    """Letters are letters then, also those that are keys."""
    text, _ = after("slash", "j", "o", "b")
    assert "search 'job': 33.3% of the samples pass through it" in text


def test_i_turns_the_graph_over_and_back() -> None:
    """Innermost functions below the whole; back, the cursor is where it was."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "i")
        assert "INVERTED" in screen.text
        assert {node.name for node in graph.shown.flame.root.ordered()} == {"select", "wait", "work"}
        await keyed(pilot, "i")
        assert "INVERTED" not in screen.text

    opened(graph, script)
    assert graph.shown.flame.at[-1].name == "wait"


def test_c_shows_what_changed_since_the_recording_before() -> None:
    """And c again the recording alone."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "c")
        assert "before 15.0%" in screen.text
        assert "!wait +25%" in screen.text
        await keyed(pilot, "c")
        assert "before 15.0%" not in screen.text

    opened(page(earlier=EARLIER), script)


def test_without_an_earlier_recording_c_says_so() -> None:
    """And changes nothing."""
    text, graph = after("c")
    assert "there is no earlier recording in this session to compare with" in text
    assert not graph.shown.flame.compared


def test_a_key_of_the_footer_acts_once() -> None:
    """Pressed with the mouse as on the keyboard."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await pilot.click(offset=(screen.rows[-1].index("i invert"), len(screen.rows) - 1))
        await settled(pilot)
        assert "INVERTED" in screen.text

    opened(graph, script)
    assert graph.shown.inverted


def test_a_press_on_a_box_moves_the_cursor_to_it_and_another_zooms() -> None:
    """Wherever in the box."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        y = next(y for y, line in enumerate(screen.rows) if "▏handle" in line)
        place = (screen.rows[y].index("▏handle") + 2, y)
        await pilot.click(offset=place)
        await settled(pilot)
        assert graph.shown.flame.at[-1].name == "handle"
        assert "▏handle" in screen.rows[y]
        await pilot.click(offset=place)
        await settled(pilot)

    opened(graph, script)
    assert graph.shown.flame.focus[-1].name == "handle"


def test_the_wheel_goes_inwards_and_outwards() -> None:
    """One box a turn."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        grid = screen.app.screen.query_one(Grid)
        grid.post_message(Grid.Rolled(-3))
        await settled(pilot)
        assert graph.shown.flame.at[-1].name == "handle"
        grid.post_message(Grid.Rolled(3))
        await settled(pilot)

    opened(graph, script)
    assert graph.shown.flame.at[-1].name == "wait"


def test_escape_clears_the_search_and_then_leaves() -> None:
    """Back to the page before."""
    graph = page()

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await keyed(pilot, "slash", "j", "enter", "escape")
        assert screen.app.screen is graph
        assert graph.shown.flame.word == ""
        await keyed(pilot, "escape")
        assert screen.app.screen is not graph

    opened(graph, script)


def test_behind_a_file_is_the_shell() -> None:
    """Escape leaves where nothing else is open; a search is cleared first."""
    left: list[bool] = []

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        screen.app.action_leave = lambda: left.append(True)  # type: ignore[method-assign]  # a hand's fake
        screen.app._screen_stacks[screen.app.current_mode] = [screen.app.screen]
        await keyed(pilot, "escape")
        assert left == [True]

    opened(page(), script)
