"""Tests of the table for llama.cpp: captured pages, a page of an older build, the slots beside it, and /props."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.engines.llamacpp import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.flags import with_defaults
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.otherpages.converters import convert
from perfconsole.sources.whosepage import joined
from tests.sources.enginepages import capture, folded, histogram
from tests.sources.exposed import Exposed

ENGINE = Entity(Kind.ENGINE, "vllm:8000")  # the name that the helpers of captured pages look for
LIVE = (("counted", "live"),)
PROPS = {
    "default_generation_settings": {"n_ctx": 1024, "params": {"seed": 1}},
    "total_slots": 4,
    "model_alias": "tiny",
    "model_path": "/home/somebody/tiny.gguf",
    "build_info": "b10434-7e4c0a9",
    "is_sleeping": False,
}


def values(*pages: bytes) -> dict[str, float]:
    """Sum of the parts of each plain indicator of the page and of the slots beside it."""
    first, *beside = pages
    page = joined(PageParser().parse(first), *(convert("llamacpp-slots", body) for body in beside))
    samples = PageMapper(ADAPTER, DEFAULT).map(page, ENGINE).samples
    names = {s.key.indicator for s in samples if isinstance(s.value, float)}
    return {name: sum(folded(samples, name).values()) for name in names}


@pytest.mark.parametrize("name", ["llamacpp/load.prom", "llamacpp/queued.prom"])
def test_numbers_of_captured_pages_are_those_on_the_page(name: str) -> None:
    """Read by prometheus_client; live output is decode calls times busy slots a call."""
    page, found = Exposed(capture(name)), values(capture(name))
    calls, slots = page.total("llamacpp:n_decode_total"), page.total("llamacpp:n_busy_slots_per_decode")
    assert found["engine.requests_running"] == page.total("llamacpp:requests_processing")
    assert found["engine.requests_waiting"] == page.total("llamacpp:requests_deferred")
    assert found["engine.prompt_tokens"] == page.total("llamacpp:prompt_tokens_total")
    assert found["engine.generation_tokens"] == page.total("llamacpp:tokens_predicted_total")
    assert found["engine.generation_rate"] == pytest.approx(calls * slots)
    assert found["engine.step_time"] == calls
    assert "engine.kv_cache_usage" not in found


def test_what_was_looked_up_is_what_was_cached_and_what_was_computed() -> None:
    """349 tokens from the cache and 1213 computed."""
    page = PageParser().parse(capture("llamacpp/load.prom"))
    parts = folded(PageMapper(ADAPTER, DEFAULT).map(page, ENGINE).samples, "engine.prefix_cache_hit_ratio")
    looked_up = sum(v for labels, v in parts.items() if ("part", "looked-up") in labels)
    assert (parts[(("part", "hit"),)], looked_up) == (349.0, 1562.0)


def test_the_time_per_token_is_a_mean_of_all_tokens() -> None:
    """Seconds by tokens, and no distribution."""
    page = PageParser().parse(capture("llamacpp/load.prom"))
    found = histogram(PageMapper(ADAPTER, DEFAULT).map(page, ENGINE).samples, "engine.tpot")
    assert found is not None
    assert (found.count, found.total) == (837.0, 37.3942)


def test_the_slots_tell_the_use_of_the_cache() -> None:
    """95 + 169 + 175 + 156 of 4096 tokens."""
    found = values(capture("llamacpp/load.prom"), capture("llamacpp_slots/load.json"))
    assert found["engine.kv_cache_usage"] == pytest.approx(595 / 4096)


def test_an_older_build_states_the_use_itself() -> None:
    """Until May 2025 the page has it, and it stands before the slots."""
    found = values(capture("llamacpp_old/b4000.prom"), capture("llamacpp_slots/load.json"))
    assert found["engine.kv_cache_usage"] == 0.4375
    assert found["engine.generation_rate"] == 6500.0


def test_without_a_page_the_slots_tell_who_is_served() -> None:
    """A server without --metrics still has them."""
    page = convert("llamacpp-slots", capture("llamacpp_slots/load.json"))
    samples = PageMapper(ADAPTER, DEFAULT).map(page, ENGINE).samples
    assert folded(samples, "engine.requests_running") == {(): 4.0}


def test_the_facts_of_props() -> None:
    """The cap is the number of slots, and each has a part of the context."""
    facts = read_info(ADAPTER, {"/props": PROPS, "/v1/models": {"data": [{"id": "other"}]}})
    numbers = {name: (value, tag) for name, value, tag in facts.samples}
    assert facts.version == "b10434-7e4c0a9"
    assert dict(facts.texts)["engine.model"] == "tiny"
    assert numbers["engine.max_num_seqs"] == (4.0, (("origin", "server-info"),))
    assert numbers["engine.max_model_len"][0] == 1024.0
    assert numbers["engine.kv_cache_capacity"][0] == 4096.0
    assert numbers["engine.asleep"][0] == 0.0


def test_flags_of_a_command_line() -> None:
    """Short names, and a number that leaves the choice to the server."""
    stated = {n: v for n, v, _ in with_defaults(ADAPTER, ["llama-server", "-c", "8192", "-np", "-1", "-b", "512"])}
    assert stated["engine.context_length"] == 8192.0
    assert stated["engine.max_batched_tokens"] == 512.0
    assert "engine.max_num_seqs" not in stated


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("/opt/llama.cpp/build/bin/llama-server -m x.gguf --metrics", True),
        ("llama-server-vulkan -m x.gguf", True),
        ("/venv/bin/python3 /venv/bin/llama-server-vulkan -m x.gguf", True),
        ("llama-cli -m x.gguf", False),
        ("grep llama-server", False),
    ],
)
def test_command_lines_that_start_it(command: str, known: bool) -> None:  # noqa: FBT001 - a row of the table
    """Its tools are no servers."""
    assert ADAPTER.processes.launches(tuple(command.split())) is known


def test_the_one_process_is_the_core() -> None:
    """Its busiest thread decodes; what speaks HTTP in it is never the limit by itself."""
    assert ADAPTER.processes.titled("/opt/bin/llama-server -m x.gguf") == "core"
