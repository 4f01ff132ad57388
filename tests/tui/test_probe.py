"""Tests of the page of a probe: it asks first, shows what runs, and ends with any key."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.tui.probe import ProbePage
from perfconsole.tui.probewish import Wish
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.sources.servers import Peer, Server
from tests.tui.probing import command, kept, load_processes, play_load, target, watched
from tests.tui.screens import Screen, press
from tests.tui.stacking import keyed, opened, seen
from tests.view.pictures import indicator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.pilot import Pilot


RUNS, STOPPED = "any key stops it", "PROBE STOPPED before its end"


@pytest.fixture(name="server")
def _server() -> Iterator[Server]:
    """A target of one model, which is sent nothing."""
    with target("m") as made:
        yield made


def checked(url: str, *options: str) -> ProbePage:
    """The page that a check opens."""
    return ProbePage(Wish(command(url, *options)))


def test_it_asks_before_anything_is_sent(server: Server) -> None:
    """Where to, at which cost, and which key starts it; the target is asked for its models, once."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        text = await seen(pilot, screen, "enter starts it")
        assert f"sends to      {server.url}  model m, chat" in text
        assert "at worst" in text
        assert "esc back  enter start  s scenario  n loads" in screen.rows[-1]
        await keyed(pilot, "s", "n", "s")
        assert "1, 4, 16 at a time" in screen.text
        assert "long-conversation" in screen.text

    opened(ProbePage(), script, Screen(watched(server.url)))
    asked = [text.split()[:2] for text in server.requests]
    assert asked.count(["GET", "/v1/models"]) == 1
    assert {method for method, _ in asked} == {"GET"}  # a look at the ports of this host may read its page meanwhile
    assert load_processes() == []


def test_enter_starts_it_and_its_result_stays(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves at the end, and where its files lie."""
    play_load(monkeypatch)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        text = await seen(pilot, screen, "PROBE DONE")
        assert "output tokens/s" in text
        assert "tab next chart  p another" in screen.rows[-1]
        await kept(pilot)
        assert "saved /" in screen.rows[0]

    opened(checked(server.url), script, Screen(watched(server.url)))
    assert load_processes() == []


@pytest.mark.parametrize("key", ["x", "q", "escape", "tab", "enter", "3", "ctrl+p", "ctrl+q", "ctrl+z"])
def test_any_key_ends_it(key: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is a command then, not even of the application; what was measured stays on the page."""
    play_load(monkeypatch, "silent")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, RUNS)
        assert "any key stop it" in screen.rows[-1]
        await keyed(pilot, key)
        text = await seen(pilot, screen, STOPPED)
        assert "stopped by a key" in text
        await kept(pilot)

    screen = opened(checked(server.url), script, Screen(watched(server.url)))
    assert screen.left == []
    assert load_processes() == []


def test_the_words_of_the_footer_end_it_too(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed with the mouse; nothing else on the page does."""
    play_load(monkeypatch, "silent")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, RUNS)
        await pilot.click(offset=(5, 5))
        await pilot.pause()
        assert RUNS in screen.text
        await pilot.click(offset=(screen.rows[-1].index("any key"), len(screen.rows) - 1))
        await seen(pilot, screen, STOPPED)
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_a_press_on_the_text_sends_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody wanted this window in front; only enter, or its word in the footer, is a yes."""
    play_load(monkeypatch)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        for row in (2, 2, 4, 4):
            await pilot.click(offset=(5, row))
            await pilot.pause()
        assert "nothing was sent yet" in screen.text
        await pilot.click(offset=(screen.rows[-1].index("enter start"), len(screen.rows) - 1))
        await seen(pilot, screen, "PROBE DONE")
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_leaving_the_console_ends_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it runs on; ctrl+c is the way out even then."""
    play_load(monkeypatch, "silent")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, RUNS)
        await keyed(pilot, "ctrl+c")
        assert screen.left == ["left"]

    opened(checked(server.url), script, Screen(watched(server.url)))
    assert load_processes() == []


def test_another_one_behind_the_first(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks again, and does not take what the first one left in the engine's numbers for traffic of others."""
    play_load(monkeypatch)
    traffic = (indicator("engine.request_rate", 4.0),)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        assert "4 requests/s" in await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, "PROBE DONE")
        await keyed(pilot, "p")
        text = await seen(pilot, screen, "enter starts it")
        assert "traffic now   not known: the probe before this one still counts" in text
        await kept(pilot)
        assert "nothing was sent yet" in screen.text
        await keyed(pilot, "enter")
        await seen(pilot, screen, "PROBE DONE")
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url, indicators=traffic)))
    assert len(server.requests) == 1


def test_nobody_watches_any_more(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load on an engine whose numbers nobody sees is ended."""
    play_load(monkeypatch, "silent")

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, RUNS)
        screen.feed.fault = "it broke"
        assert "nobody watches the engine any more: it broke" in await seen(pilot, screen, STOPPED)
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_a_screen_that_stands_still_does_not_hide_others(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """What speaks against it is taken from the newest picture, not from the one on display."""
    play_load(monkeypatch)
    busy = (indicator("engine.requests_waiting", 7.0), indicator("engine.max_num_seqs", 32.0))
    page = checked(server.url)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "space")
        screen.feed.put(watched(server.url, indicators=busy, seq=2))
        await pilot.pause()
        await keyed(pilot, "enter")
        assert "7 requests of others wait already" in await seen(pilot, screen, "not possible")
        assert page.lead is None

    opened(page, script, Screen(watched(server.url)))


def test_it_fits_whatever_the_size_becomes(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it asks, while it runs and when it has ended."""
    play_load(monkeypatch, "silent")

    async def resized(pilot: Pilot[None], screen: Screen, words: str) -> None:
        for size in ((80, 24), (40, 10), (120, 40)):
            await pilot.resize_terminal(*size)
            await seen(pilot, screen, words)
            while len(screen.rows) != size[1] or max(map(len, screen.rows)) > size[0]:
                await pilot.pause(0.01)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await resized(pilot, screen, "SEND THIS LOAD?")
        await keyed(pilot, "enter")
        await resized(pilot, screen, "any key stop")
        await keyed(pilot, "x")
        await resized(pilot, screen, "PROBE STOPPED")
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_tab_brings_the_next_chart(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it has ended."""
    play_load(monkeypatch)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, "PROBE DONE")
        await keyed(pilot, "tab")
        heading = next(row for row in screen.rows if "ITL p50 | p99" in row)
        assert heading.index("TTFT") < heading.index("ITL") < heading.index("output")
        await kept(pilot)

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_a_target_that_does_not_answer_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that still starts, say; nothing is sent to one of which no model is known."""
    play_load(monkeypatch)
    with target("m") as gone:
        url = gone.url

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        text = await seen(pilot, screen, "not possible")
        assert "refused" in text
        assert "r ask again" in screen.rows[-1]
        await keyed(pilot, "enter", "r")
        assert "refused" in await seen(pilot, screen, "not possible")
        await kept(pilot)

    opened(checked(url), script, Screen(watched(url)))
    assert load_processes() == []


def test_a_page_that_is_left_while_its_target_is_asked() -> None:
    """Nothing can be started before it has answered; its answer comes to nobody, and nothing breaks."""
    go = threading.Event()

    def answer(peer: Peer) -> None:
        peer.request()
        go.wait(10.0)
        peer.page(b"{}")

    page = ProbePage()
    with Server(answer) as slow:

        async def script(pilot: Pilot[None], screen: Screen) -> None:
            assert "starts it" not in await seen(pilot, screen, "PROBE: one moment, the target is asked for its models")
            await keyed(pilot, "enter")
            assert page.lead is None
            await keyed(pilot, "escape")
            go.set()
            await kept(pilot)
            assert "ENGINE" in screen.text

        opened(page, script, Screen(watched(slow.url)))


def test_a_page_that_is_left_before_its_files_are_written(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written all the same."""
    play_load(monkeypatch)

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "enter starts it")
        await keyed(pilot, "enter")
        await seen(pilot, screen, "PROBE DONE")
        await keyed(pilot, "escape")
        await kept(pilot)
        assert "saved /" in screen.rows[0]

    opened(checked(server.url), script, Screen(watched(server.url)))


def test_p_opens_it_and_says_where_nothing_is_watched() -> None:
    """From any page; what helps is named."""
    text = press("p").shown
    assert "PROBE: not possible here" in text
    assert "nothing is watched that could be probed: name it with --engine URL or --gateway URL" in text
    assert "enter start" not in text


def test_a_target_that_is_found_later_is_offered(server: Server) -> None:
    """The page was open already."""

    async def script(pilot: Pilot[None], screen: Screen) -> None:
        await seen(pilot, screen, "nothing is watched")
        screen.feed.put(replace(watched(server.url), seq=2))
        assert server.url in await seen(pilot, screen, "enter starts it")

    opened(ProbePage(), script, Screen())


def test_a_real_load_from_the_question_to_a_key() -> None:
    """Its curves grow while it runs; after the key nothing is left open at the server."""
    with ExactServer(Settings(slots=8, itl_ms=2.0, prefill_ms=10.0)) as server:
        page = checked(server.url, "--concurrency", "2,8,1", "--requests-per-step", "32", "--output-tokens", "16")

        async def script(pilot: Pilot[None], screen: Screen) -> None:
            await seen(pilot, screen, "model exact")
            await keyed(pilot, "enter")
            await seen(pilot, screen, "step 3 of 3: 1 at a time")
            assert page.view is not None
            first, second = page.view.steps
            assert (first.requests, second.requests) == (32, 32)
            assert (second.output_tokens_per_s or 0.0) > (first.output_tokens_per_s or 0.0)
            await keyed(pilot, "x")
            await seen(pilot, screen, STOPPED)
            assert server.settled()
            await kept(pilot)

        opened(page, script, Screen(watched(server.url)))
        assert len(server.truths()) > 64
    assert load_processes() == []
