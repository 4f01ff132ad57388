"""Tests of the table of Ollama: what the list of loaded models says, and that nothing else is made up."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.engines.ollama import ADAPTER
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.roles import Role
from perfconsole.sources.targetpage import TargetPage
from tests.sources.enginepages import ENGINE, capture, poll
from tests.sources.engines.reading import mapped, values


def test_bytes_on_the_device_stand_for_layers() -> None:
    """24 of 30 GB of two models."""
    assert values(ADAPTER, "ollama/two.json", "engine.layers_on_gpu") == {(): 0.8}
    assert values(ADAPTER, "ollama/two.json", "engine.cpu_offload") == {(): 6e9}
    assert values(ADAPTER, "ollama/two.json", "engine.context_length") == {(): 8192.0}


def test_a_loaded_model_is_awake_and_ready() -> None:
    """And wholly on the device here."""
    assert values(ADAPTER, "ollama/old.json", "engine.asleep") == {(): 0.0}
    assert values(ADAPTER, "ollama/old.json", "engine.ready") == {(): 1.0}
    assert values(ADAPTER, "ollama/old.json", "engine.layers_on_gpu") == {(): 1.0}


def test_no_loaded_model_is_sleep() -> None:
    """Whether it would be ready is not known before the next request: no start is measured by it."""
    assert values(ADAPTER, "ollama/none.json", "engine.asleep") == {(): 1.0}
    assert values(ADAPTER, "ollama/none.json", "engine.ready") == {}
    assert values(ADAPTER, "ollama/none.json", "engine.layers_on_gpu") == {}


@pytest.mark.parametrize("indicator", ["engine.ttft", "engine.requests_running", "engine.kv_cache_usage"])
def test_what_only_an_answer_says_is_not_exported(indicator: str) -> None:
    """Missing for good, and not 0."""
    assert Absence(indicator, ENGINE, Missing.NOT_EXPORTED) in mapped(ADAPTER, "ollama/two.json").absences


def test_it_is_known_by_its_list() -> None:
    """Nothing else has such a page."""
    target = TargetPage("x", adapters_of("engine"), DEFAULT)
    assert target.batch(poll(capture("ollama/two.json"))).error is None
    assert target.adapter is ADAPTER


def test_facts_come_from_routes_that_load_nothing() -> None:
    """Its release, and the model that was used last."""
    facts = read_info(ADAPTER, {"/api/version": {"version": "0.12.6"}, "/api/ps": {"models": [{"name": "qwen3:32b"}]}})
    assert (facts.version, dict(facts.texts)["engine.model"]) == ("0.12.6", "qwen3:32b")
    assert {fact.route for fact in ADAPTER.info_facts} == {"/api/version", "/api/ps"}


def test_its_runners_are_workers() -> None:
    """One process for each loaded model."""
    assert ADAPTER.processes.titled("/usr/local/bin/ollama serve") is Role.FRONTEND
    assert ADAPTER.processes.titled("/usr/bin/ollama runner --model /m --port 41234") is Role.WORKER
