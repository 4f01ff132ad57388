"""Tests of `check` against loopback servers, healthy and sick, all polled in one run."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.clock import SystemClock
from perfconsole.commands.check import exit_code
from perfconsole.commands.running import Run
from perfconsole.core.timeline import Timeline
from perfconsole.model.snapshot import SourceState
from perfconsole.sources.engines import adapters
from tests.commands.running import Ran, perfconsole
from tests.sources.fetching import closed_port
from tests.sources.servers import Peer, Server, dripping, hung, raw, redirects
from tests.view.pictures import snapshot, source

if TYPE_CHECKING:
    from collections.abc import Iterator

LOAD = (Path(__file__).parents[1] / "captures" / "vllm" / "load.prom").read_bytes()
ANSWERS = {
    "/metrics": LOAD,
    "/health": b"",
    "/version": b'{"version": "0.32.0"}',
    "/v1/models": json.dumps({"data": [{"id": "tiny", "max_model_len": 1024}]}).encode(),
}
SECONDS = 7.0
"""Longer than the deadline of one request, which a hanging server uses up."""
KEY = "hunter2-of-the-team"


def engine(peer: Peer) -> None:
    """Answer as vLLM does."""
    while True:
        path = peer.request().split(" ")[1]
        body = ANSWERS.get(path)
        peer.page(body or b"", status="200 OK" if body is not None else "404 Not Found")


def flood(peer: Peer) -> None:
    """Send 1 GB without saying so before."""
    peer.request()
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    for _ in range(1024):
        peer.send(b"x 1\n" * 2**18)


SICK = {
    "hangs": hung(),
    "drips": dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", b"x 1\n"),
    "garbage": raw(b"\x00\xff\x1b[2J not http at all\r\n\r\n"),
    "circle": redirects({"/metrics": "/a", "/a": "/metrics"}),
    "flood": flood,
}


class Live:
    """One run against all of them."""

    def __init__(self, run: Ran, took_s: float, well: Server) -> None:
        self.run = run
        self.took_s = took_s
        self.well = well
        self.sources: dict[str, Any] = {s["name"]: s for s in run.document["sources"]}
        rows = run.document["indicators"]
        self.values = {i["name"]: i["value"] for i in rows if i["entity"] == "engine/well"}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Seven targets: one well, five sick, one where nothing listens."""
    folder = tmp_path_factory.mktemp("live")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder))
        patch.setenv("TEAM_KEY", KEY)
        well = stack.enter_context(Server(engine))
        servers = {name: stack.enter_context(Server(script)) for name, script in SICK.items()}
        urls = {name: f"http://me:swordfish@127.0.0.1:{s.port}" for name, s in servers.items()}
        tables = ["[discovery]\nenabled = false\n"]  # other tests have servers of their own on this host
        tables += [f'[[target]]\nname = "well"\nurl = "{well.url}"\ntoken_env = "TEAM_KEY"\n']
        tables += [f'[[target]]\nname = "{name}"\nurl = "{url}"\n' for name, url in urls.items()]
        tables += [f'[[target]]\nname = "refused"\nurl = "127.0.0.1:{closed_port()}"\n']
        config = folder / "c.toml"
        config.write_text("".join(tables), encoding="utf-8")
        clock = SystemClock()
        began = clock.now()
        run = perfconsole("check", "--for", f"{SECONDS:g}", "--config", config, "--json")
        yield Live(run, clock.now() - began, well)


def test_the_values_equal_the_page(live: Live) -> None:
    """Gauges and facts of the healthy engine, while five others are sick."""
    assert (live.values["engine.requests_running"], live.values["engine.requests_waiting"]) == (4.0, 0.0)
    assert live.values["engine.up"] == 1.0
    assert live.values["engine.max_model_len"] == 1024.0


def test_facts_come_from_the_info_routes(live: Live) -> None:
    """The version that the engine says, not one that is guessed."""
    facts = {(f["entity"], f["name"]): f["value"] for f in live.run.document["facts"]}
    assert facts["engine/well", "engine.version"] == "0.32.0"


def test_the_healthy_source_is_ok(live: Live) -> None:
    """Sick neighbours do not touch it."""
    assert (live.sources["well"]["state"], live.sources["well"]["reason"]) == ("ok", None)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hangs", "5"),
        ("drips", "5"),
        ("garbage", "HTTP"),
        ("circle", "redirects in a circle"),
        ("flood", "MiB"),
        ("refused", "connection refused"),
    ],
)
def test_a_sick_source_is_down_with_its_reason(live: Live, name: str, reason: str) -> None:
    """Every way of failing has words in `sources`."""
    assert live.sources[name]["state"] == "down"
    assert reason in live.sources[name]["reason"]


def test_each_trouble_is_said_once_on_stderr(live: Live) -> None:
    """One line a source, at the moment it appears."""
    named = [line.split(": ")[1] for line in live.run.err.splitlines()]
    assert sorted(n for n in named if n in live.sources and not n.endswith("processes")) == sorted([*SICK, "refused"])


def test_the_run_ends_in_its_time(live: Live) -> None:
    """No source that hangs makes it wait; 4 s of slack for cores that others use."""
    assert live.took_s < SECONDS + 4.0


def test_a_target_that_never_answered_gives_3(live: Live) -> None:
    """Six of them did not."""
    assert live.run.code == 3


def test_no_key_and_no_password_is_shown(live: Live) -> None:
    """The key went to the engine and nowhere else."""
    assert any(f"Bearer {KEY}" in request for request in live.well.requests)
    assert KEY not in live.run.out + live.run.err
    assert "swordfish" not in live.run.out + live.run.err


def test_the_console_asks_only_the_routes_of_the_adapter(live: Live) -> None:
    """Those of its own, and before it is known the pages of others: nothing that runs a generation."""
    pages = {path for adapter in adapters() for path in (adapter.metrics_path, *adapter.pages)}
    assert {request.split(" ")[1] for request in live.well.requests} <= set(ANSWERS) | pages


def test_a_healthy_engine_gives_no_exit_code_3() -> None:
    """One target that answers, text on stdout, nothing on stderr."""
    with Server(engine) as server:
        run = perfconsole("check", "--engine", server.url, "--for", "3", "--fail-on", "never")
    assert run.code == 0
    assert f"vllm:{server.port} 0.32.0 tiny" in run.out


def test_a_process_that_is_not_there_never_answered() -> None:
    """Said at once and in the report; the number is above what the kernel gives out."""
    run = perfconsole("check", "--orchestrator", "4194305", "--for", "2")
    assert run.code == 3
    assert "process 4194305: no process 4194305 on this host" in run.err
    assert "process 4194305 (orchestrator process) is down: no process 4194305 on this host" in " ".join(
        run.out.split()
    )


def test_a_gateway_that_is_down_at_the_end_gives_4() -> None:
    """The engine is well, and nobody reaches it by the way that was named."""
    down = source("g:1", kind="gateway page", state=SourceState.DOWN, reason="refused", silent_s=20.0)
    done = Run(snapshot(sources=(source(), down)), 0.0, 30.0, Timeline(), None, 2, never_answered=False)
    assert exit_code(done, (), fail_on="warn", strict=False) == 4


def test_no_target_gives_4_and_says_what_was_looked_for(tmp_path: Path) -> None:
    """The flag, the file, and the layer that nobody watches; what else runs on this host is not looked for."""
    config = tmp_path / "own.toml"
    config.write_text("[discovery]\nenabled = false\n")
    run = perfconsole("check", "--config", config, "--for", "1", "--fail-on", "never")
    assert run.code == 4
    assert "--engine" in run.err
    assert "own.toml" in run.err
    assert "not watched: no engine was named; give --engine URL" in run.out


def test_an_engine_that_has_not_answered_yet_is_not_called_unnamed() -> None:
    """A run shorter than the deadline of a request that hangs."""
    with Server(hung()) as server:
        run = perfconsole("check", "--engine", server.url, "--for", "1")
    assert run.code == 3
    assert "no engine was named" not in run.out
    assert f"No verdict on 127.0.0.1:{server.port}: nothing was heard from there" in run.out
    assert f"127.0.0.1:{server.port} (engine) has not answered yet" in run.out
