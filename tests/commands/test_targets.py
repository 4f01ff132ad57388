"""Tests of `targets probe`: from a URL, a file or standard input to a report, a document, and a table that loads."""

from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.config import load
from perfconsole.errors import EXIT_NEVER_ANSWERED
from tests.commands.running import CAPTURES, perfconsole
from tests.sources.agentpages import AGENT_MAP, FIRST, SECOND
from tests.sources.servers import Peer, Server, pages

if TYPE_CHECKING:
    from pathlib import Path

LITELLM = CAPTURES / "litellm" / "after_errors.prom"
KEYS = ["schema", "adapter", "layer", "version", "indicators", "missing", "unmapped"]


def saved(folder: Path, text: str, name: str = "page.prom") -> Path:
    """A file with this page."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def configured(folder: Path, url: str, **keys: str) -> Path:
    """A configuration that maps the page of the agents at this URL."""
    more = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    table = f'[[target]]\nname = "agents"\nlayer = "orchestration"\nurl = "{url}"\n{more}[target.metrics_map]\n'
    return saved(folder, table + AGENT_MAP, "c.toml")


def stub(out: str) -> str:
    """The table that a report ends with."""
    return out[out.index("[[target]]") :]


def test_a_saved_page_is_reported_for_people() -> None:
    """Who took it, what it fills, what is missing, what is left, and a table to start from."""
    ran = perfconsole("targets", "probe", LITELLM)
    assert (ran.code, ran.err) == (0, "")
    assert "adapter    litellm (LiteLLM), layer gateway" in ran.out
    heads = [line.split()[0] for line in ran.out.splitlines() if line[:1].isupper()]
    assert heads == ["FILLS", "MISSING", "UNMAPPED", "STUB"]


def test_the_document_has_exactly_its_keys() -> None:
    """And the values of the page."""
    ran = perfconsole("targets", "probe", LITELLM, "--json")
    document = ran.document
    assert (ran.code, list(document)) == (0, KEYS)
    assert document["schema"] == 1
    assert {"name": "gateway.requests", "entity": "gateway/litellm", "value": 96.0, "unit": "requests"} in document[
        "indicators"
    ]
    assert {"name": "gateway.latency.p95", "reason": "warming-up"} in document["missing"]
    assert "litellm_spend_metric_total" in document["unmapped"]
    assert not [n for n in document["unmapped"] if n.startswith(("python_", "process_")) or n.endswith("_created")]


def test_nobody_knowing_a_page_is_null_and_no_fault(tmp_path: Path) -> None:
    """The series are there all the same."""
    document = perfconsole("targets", "probe", saved(tmp_path, "x_total 1\n"), "--json").document
    assert [document[key] for key in KEYS[1:]] == [None, None, None, [], [], ["x_total"]]


def test_a_packed_page_and_standard_input_are_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both with the same result as the file."""
    packed = tmp_path / "page.prom.gz"
    packed.write_bytes(gzip.compress(LITELLM.read_bytes()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LITELLM.read_bytes())))
    plain = perfconsole("targets", "probe", LITELLM, "--json")
    assert perfconsole("targets", "probe", packed, "--json").document == plain.document
    assert perfconsole("targets", "probe", "-", "--json").document == plain.document


def test_a_url_is_fetched_and_its_page_found() -> None:
    """Below the base URL, with or without its scheme."""
    with Server(pages(LITELLM.read_bytes())) as server:
        whole = perfconsole("targets", "probe", server.url, "--json")
        short = perfconsole("targets", "probe", server.url.removeprefix("http://"), "--json")
    assert (whole.code, whole.document["adapter"]) == (0, "litellm")
    assert short.document == whole.document


@pytest.mark.parametrize(
    ("answer", "version"), [(b'{"version": "0.31.0"}', "0.31.0"), (b"<html>", None), (b'{"version": {}}', None)]
)
def test_a_live_engine_is_asked_for_its_version(answer: bytes, version: str | None) -> None:
    """Its page does not say it."""
    page = (CAPTURES / "vllm" / "load.prom").read_bytes()

    def script(peer: Peer) -> None:
        while True:
            peer.page(answer if peer.request().startswith("GET /version ") else page)

    with Server(script) as server:
        document = perfconsole("targets", "probe", server.url, "--json").document
    assert (document["adapter"], document["version"]) == ("vllm", version)


def test_a_url_that_does_not_answer_is_3() -> None:
    """One line on stderr, nothing on stdout."""
    with Server(pages(b"")) as server:
        url = server.url
    ran = perfconsole("targets", "probe", url)
    assert (ran.code, ran.out, ran.err.count("\n")) == (EXIT_NEVER_ANSWERED, "", 1)
    assert "connection refused" in ran.err


def test_a_server_without_a_page_is_3() -> None:
    """With the paths that were tried."""
    with Server(pages(b"<html>")) as server:
        ran = perfconsole("targets", "probe", server.url)
    assert (ran.code, ran.out, ran.err.count("\n")) == (EXIT_NEVER_ANSWERED, "", 1)
    assert "no page of metrics at /metrics (no metrics page: line 1: no metric name: '<html>')" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["me:hunter2@h"], "***@h: no such file (and a URL is written http://HOST:PORT)"),
        (["no.prom"], "no.prom: no such file (and a URL is written http://HOST:PORT)"),
        (["ftp://h/x"], "unknown scheme 'ftp'"),
        ([LITELLM, "--previous", LITELLM], "--previous FILE and --at SECONDS go together"),
        ([LITELLM, "--at", "5"], "--previous FILE and --at SECONDS go together"),
        ([LITELLM, "--previous", "no.prom", "--at", "5"], "no.prom: cannot be read"),
        ([LITELLM, "--previous", LITELLM, "--at", "0"], "is no time"),
        ([LITELLM, "--layer", "engin"], "invalid choice: 'engin'"),
        ([], "required: URL|FILE"),
    ],
)
def test_a_mistake_is_one_line_and_2(arguments: list[object], said: str) -> None:
    """What, where, what to do."""
    ran = perfconsole("targets", "probe", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err


def test_a_file_that_is_no_page_is_2(tmp_path: Path) -> None:
    """With its first fault."""
    ran = perfconsole("targets", "probe", saved(tmp_path, "<html>\n"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no page of metrics: line 1" in ran.err


def test_a_mapping_of_the_configuration_is_tried_on_a_file(tmp_path: Path) -> None:
    """With two pages a minute apart, by hand: 45 good and 5 bad tasks, 4,000 tokens."""
    config = configured(tmp_path, "http://h:9000")
    first, second = saved(tmp_path, FIRST, "a"), saved(tmp_path, SECOND, "b")
    ran = perfconsole("targets", "probe", second, "--previous", first, "--at", "60", "--config", config, "--json")
    found = {i["name"]: i["value"] for i in ran.document["indicators"]}
    assert (ran.code, ran.document["adapter"], ran.document["layer"]) == (0, "agents", "orchestration")
    assert found["orchestration.requests"] == 177.0
    assert found["orchestration.tokens_per_task"] == pytest.approx(80.0)
    assert found["orchestration.latency.mean"] == pytest.approx(0.11)


def test_one_number_in_place_of_a_histogram_is_said_with_what_to_write(tmp_path: Path) -> None:
    """It is on the page, and yet nothing can be read of it; named as a mean it is."""
    page = saved(tmp_path, "wait_ms 250\njobs 3\n", "p")
    table = '[[target]]\nname = "agents"\nlayer = "orchestration"\nurl = "http://h:9000"\n[target.metrics_map]\n'
    table += '"orchestration.inflight" = "jobs"\n'
    row = '"orchestration.queue_time%s" = { metric = "wait_ms", unit = "ms" }\n'
    whole, part = saved(tmp_path, table + row % "", "whole.toml"), saved(tmp_path, table + row % ".mean", "part.toml")
    said = " ".join(perfconsole("targets", "probe", page, "--config", whole).out.split())
    assert "wait_ms is one number: name what it is, orchestration.queue_time.p95 or .mean" in said
    ran = perfconsole("targets", "probe", page, "--config", part, "--json")
    found = {i["name"]: i["value"] for i in ran.document["indicators"]}
    assert found == {"orchestration.inflight": 3.0, "orchestration.queue_time.mean": 0.25}


def test_the_mapping_of_a_target_is_used_at_its_url(tmp_path: Path) -> None:
    """Where its page is by the configuration, with the entity that it will have."""

    def script(peer: Peer) -> None:
        while True:
            own = peer.request().startswith("GET /internal ")
            peer.page(FIRST.encode() if own else b"none", status="200 OK" if own else "404 Not Found")

    with Server(script) as server:
        config = configured(tmp_path, server.url.replace("127.0.0.1", "localhost"), metrics="/internal")
        ran = perfconsole("targets", "probe", server.url, "--config", config, "--json")
    assert ran.document["adapter"] == "agents"
    assert {i["entity"] for i in ran.document["indicators"]} == {"orchestrator/agents"}


def test_a_gateway_that_forwards_every_path_is_not_taken_for_its_engine(tmp_path: Path) -> None:
    """Its layer stands in the configuration, and its own page beside that of the engine."""

    def script(peer: Peer) -> None:
        while True:
            own = peer.request().split(" ")[1] == "/nginx_status"
            peer.page((CAPTURES / ("nginx/load.txt" if own else "vllm/load.prom")).read_bytes())

    with Server(script) as server:
        config = saved(tmp_path, f'[[target]]\nlayer = "gateway"\nurl = "{server.url}"\n', "c.toml")
        ran = perfconsole("targets", "probe", server.url, "--config", config, "--json")
    assert (ran.document["adapter"], ran.document["layer"]) == ("nginx", "gateway")


def test_the_key_of_a_target_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the variable that the configuration names, to its own place only."""
    monkeypatch.setenv("AGENTS_KEY", "s3cret")
    with Server(pages(FIRST.encode())) as server, Server(pages(FIRST.encode())) as other:
        config = configured(tmp_path, server.url, token_env="AGENTS_KEY")
        ran = perfconsole("targets", "probe", server.url, "--config", config)
        perfconsole("targets", "probe", other.url, "--config", config)
        assert "Authorization: Bearer s3cret" in server.requests[0]
        assert not any("s3cret" in request for request in other.requests)
    assert "s3cret" not in ran.out + ran.err


@pytest.mark.parametrize(
    "capture", sorted(str(path.relative_to(CAPTURES)) for path in CAPTURES.rglob("*.prom") if "series" not in path.name)
)
def test_the_table_of_every_captured_page_loads_as_it_is(tmp_path: Path, capture: str) -> None:
    """And can be probed with at once."""
    text = stub(perfconsole("targets", "probe", CAPTURES / capture).out)
    path = saved(tmp_path, text, "c.toml")
    assert len(load(path, [], []).targets) == 1
    assert perfconsole("targets", "probe", CAPTURES / capture, "--config", path).code == 0


def test_the_table_of_an_own_page_fills_the_layer(tmp_path: Path) -> None:
    """Copied from the report, it reads the page that it was guessed from."""
    with Server(pages(FIRST.encode())) as server:
        text = stub(perfconsole("targets", "probe", server.url).out)
        path = saved(tmp_path, text, "c.toml")
        ran = perfconsole("targets", "probe", server.url, "--config", path, "--json")
    assert load(path, [], []).targets[0].url == server.url
    found = {i["name"] for i in ran.document["indicators"]}
    assert {"orchestration.requests", "orchestration.errors", "orchestration.queue_depth"} <= found


def test_text_of_a_page_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    """Escapes in names of labels and series are harmless."""
    path = saved(tmp_path, '{"x\x1b[31mred", "l\u202eabel"="v"} 1\n')
    ran = perfconsole("targets", "probe", path)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert stub(ran.out).isprintable() or all(line.isprintable() for line in stub(ran.out).splitlines())


def test_ascii_is_ascii(tmp_path: Path) -> None:
    """Whatever the page holds."""
    path = saved(tmp_path, '{"hei\xdf", "l"="v"} 1\n')
    assert perfconsole("targets", "probe", path, "--ascii").out.isascii()
