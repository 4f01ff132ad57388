"""Tests of the table for TGI and LoRAX, on pages written from the catalogue."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.engines.tgi import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.mapping.mapper import PageMapper
from tests.sources.enginepages import capture, folded, histogram
from tests.sources.exposed import Exposed

ENGINE = Entity(Kind.ENGINE, "vllm:8000")  # the name that the helpers of captured pages look for
APART = (("in_finished", "no"),)
both = pytest.mark.parametrize(("name", "fork"), [("tgi/load.prom", "tgi"), ("tgi_lorax/load.prom", "lorax")])


def parts(name: str, indicator: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Plain values of one indicator by tag."""
    return folded(PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(capture(name)), ENGINE).samples, indicator)


@both
@pytest.mark.parametrize(
    ("indicator", "expected"),
    [
        ("engine.requests_running", {(): 12.0}),
        ("engine.requests_waiting", {(): 7.0}),
        ("engine.requests_finished", {(): 1500.0}),
        ("engine.requests_failed", {APART: 7.0}),
        ("engine.requests_aborted", {APART: 12.0}),
        ("engine.requests_rejected", {(): 40.0}),
        ("engine.generation_tokens", {(("counted", "at-finish"),): 192000.0}),
    ],
)
def test_both_forks_say_the_same_under_their_names(
    name: str, fork: str, indicator: str, expected: dict[tuple[tuple[str, str], ...], float]
) -> None:
    """A failure is told by its label: a refusal, a caller that left, a mistake of the caller, or the server's."""
    assert Exposed(capture(name)).has(f"{fork}_batch_current_size")
    assert parts(name, indicator) == expected


@both
def test_live_output_is_one_token_a_step_and_request_and_those_that_were_guessed(name: str, fork: str) -> None:
    """Tokens are counted as they happen though the count of generated ones waits for the end."""
    page = Exposed(capture(name))
    live = page.total(f"{fork}_request_skipped_tokens_count") + page.total(f"{fork}_request_skipped_tokens_sum")
    assert sum(parts(name, "engine.generation_rate").values()) == live


@both
def test_distributions_are_in_seconds(name: str, fork: str) -> None:
    """Sum and count are those of the page."""
    page = Exposed(capture(name))
    samples = PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(capture(name)), ENGINE).samples
    for indicator, metric in (
        ("engine.e2e", "request_duration"),
        ("engine.queue_time", "request_queue_duration"),
        ("engine.tpot", "request_mean_time_per_token_duration"),
        ("engine.output_length", "request_generated_tokens"),
    ):
        found = histogram(samples, indicator)
        assert found is not None
        assert found.count == page.total(f"{fork}_{metric}_count")
        assert found.total == pytest.approx(page.total(f"{fork}_{metric}_sum"))


def test_only_decode_steps_are_gaps_between_tokens() -> None:
    """A prefill is none."""
    samples = PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(capture("tgi/load.prom")), ENGINE).samples
    found = histogram(samples, "engine.itl")
    assert found is not None
    assert found.count == 24000.0


def test_the_batch_takes_its_share_of_the_tokens() -> None:
    """15,000 of 20,000; LoRAX does not state the whole on its page."""
    assert parts("tgi/load.prom", "engine.kv_cache_usage") == {(): 0.75}
    assert parts("tgi_lorax/load.prom", "engine.kv_cache_usage") == {}


def test_a_server_that_guesses_no_tokens_has_no_acceptance() -> None:
    """The sum stands at 0, which would look like guesses that are all rejected."""
    accepted = (("part", "accepted"),)
    assert accepted in parts("tgi/load.prom", "engine.spec_accept_ratio")
    assert accepted not in parts("tgi_lorax/load.prom", "engine.spec_accept_ratio")


def test_nothing_is_there_before_it_happens() -> None:
    """A fresh server has no count of requests, so that its errors are not 0 yet."""
    assert parts("tgi/fresh.prom", "engine.requests_failed") == {}
    assert parts("tgi/fresh.prom", "engine.kv_cache_capacity") == {(): 20000.0}


def test_what_admission_allows_is_not_the_cap_of_the_batch() -> None:
    """`max_concurrent_requests` counts those that wait too."""
    info = {"model_id": "m", "version": "3.3.4", "max_concurrent_requests": 128, "max_total_tokens": 4096}
    facts = read_info(ADAPTER, {"/info": info})
    numbers = {name: value for name, value, _ in facts.samples}
    assert facts.version == "3.3.4"
    assert numbers["engine.max_model_len"] == 4096.0
    assert "engine.max_num_seqs" not in numbers


@pytest.mark.parametrize("program", ["text-generation-launcher", "/usr/local/bin/lorax-launcher"])
def test_command_lines_that_start_it(program: str) -> None:
    """Of both forks."""
    assert ADAPTER.processes.launches((program, "--model-id", "m"))
