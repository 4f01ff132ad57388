"""Tests of the live screen as a command: what it refuses, and the whole of it on a pseudo-terminal."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from perfconsole.cli import main
from perfconsole.view.units import shown
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.sources.engineserver import Routes
from tests.sources.servers import Server
from tests.tui.ptys import console

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.ptys import Console

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")
GAUGES = {
    "run": "engine.requests_running",
    "wait": "engine.requests_waiting",
    "KV": "engine.kv_cache_usage",
}


def url(server: Server) -> str:
    """Where the server listens."""
    return f"http://127.0.0.1:{server.port}"


def says(running: Console, pattern: str) -> bool:
    """Some row of the screen has the pattern."""
    return re.search(pattern, running.screen(), re.MULTILINE) is not None


def test_without_a_terminal_it_says_what_to_use_instead(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and the code for a wrong use."""
    assert main([]) == 2
    assert "perfconsole check" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "terminal", "word"),
    [((), "dumb", "TERM=dumb"), (("--json",), "xterm", "--json"), (("--engine", "ftp://x"), "xterm", "ftp")],
)
def test_what_cannot_be_is_refused_before_the_screen_is_touched(
    arguments: tuple[str, ...], terminal: str, word: str
) -> None:
    """One line, code 2, and no mode of the terminal was set."""
    with console(*arguments, environment={"TERM": terminal}) as running:
        assert running.ended(20.0)
        assert running.code == 2
        assert word in running.text()
        assert b"\x1b[?1049h" not in running.output


def test_numbers_on_the_screen_are_those_of_check(capsys: pytest.CaptureFixture[str]) -> None:
    """The same page gives the same gauges to both, rounded for reading."""
    with Server(Routes().script) as server:
        assert main(["check", "--engine", url(server), "--for", "2", "--json"]) in (0, 1, 4)
        document = json.loads(capsys.readouterr().out)
        values = {i["name"]: shown(i["value"], i["unit"]) for i in document["indicators"] if i["value"] is not None}
        with console("--engine", url(server)) as running:
            running.until(lambda: "run " in running.screen(), what="run")
            screen = running.screen()
            for label, name in GAUGES.items():
                if name in values:
                    assert f"{label} {values[name]}" in screen


def test_an_engine_that_goes_is_down_with_its_reason_and_no_number_is_zero() -> None:
    """What nobody reads any more is not shown at all."""
    with ExitStack() as stack:
        server = stack.enter_context(Server(Routes().script))
        running = stack.enter_context(console("--engine", url(server)))
        running.until(lambda: "run " in running.screen(), what="run")
        server.__exit__(None, None, None)
        running.until(lambda: says(running, rf"^ vllm:{server.port}  down"), what="down")
        assert "run 0" not in running.screen()


def test_a_rule_that_cannot_be_used_is_said_on_the_screen_and_on_leaving(tmp_path: Path) -> None:
    """With its file, and the screen works all the same."""
    (tmp_path / "broken.yaml").write_text("id: broken\ntitle: x\n", encoding="utf-8")
    with console("--rules", str(tmp_path)) as running:
        running.until(lambda: "broken.yaml" in running.screen(), what="the rule")
        before = len(running.output)
        running.send("q")
        assert running.ended(5.0)
        assert b"broken.yaml" in running.output[before:]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"NO_COLOR": "1", "COLORTERM": "truecolor"}])
def test_no_colour_means_none(environment: dict[str, str]) -> None:
    """Not a single sequence that sets one, greys included."""
    with console(environment=environment) as running:
        running.until(lambda: "HARDWARE" in running.screen(), what="the page")
        running.send("4")
        running.until(lambda: "host/" in running.screen() or "cpu_utilization" in running.screen(), what="the layer")
        assert COLOUR.search(running.output.decode()) is None


@pytest.mark.parametrize(
    ("arguments", "environment"), [(("--ascii",), {}), ((), {"LANG": "C", "LC_ALL": "C"})], ids=["flag", "locale"]
)
def test_ascii_means_ascii(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    """On request, and where the locale says nothing of UTF-8."""
    with console(*arguments, environment=environment) as running:
        running.until(lambda: "HARDWARE" in running.screen(), what="the page")
        for key in "4?u":
            running.send(key)
            running.read(0.3)
        assert running.output.isascii()


def test_sixteen_colours_are_all_that_a_plain_terminal_gets() -> None:
    """No palette of 256 and no true colour where TERM says nothing of them."""
    with console(environment={"TERM": "xterm", "COLORTERM": ""}) as running:
        running.until(lambda: "HARDWARE" in running.screen(), what="the page")
        assert b"38;2;" not in running.output
        assert b"38;5;" not in running.output


def test_the_key_of_a_target_goes_with_a_probe(tmp_path: Path) -> None:
    """By the name that the screen has for it, not only by that of the configuration."""
    with ExactServer(Settings(key="hunter2")) as server:
        config = tmp_path / "config.toml"
        config.write_text(f'[[target]]\nurl = "http://localhost:{server.port}"\ntoken_env = "MY_KEY"\n')
        with console("--config", str(config), environment={"MY_KEY": "hunter2"}) as running:
            running.until(lambda: "HARDWARE" in running.screen(), what="the page")
            running.send("p")
            running.until(lambda: "model exact" in running.screen(), what="the model")
            assert "hunter2" not in running.text()
