"""Tests of the rows for the work of an agent, on the pages of several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Histogram
from perfconsole.sources.orchestrators import fastapi, langgraph, opentelemetry, starlette
from tests.sources.enginepages import capture
from tests.sources.exposed import Exposed, mapped, parts

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.mapping.mapper import Mapped

AGENT = Entity(Kind.ORCHESTRATOR, "127.0.0.1:9000")
TABLES = (fastapi.ADAPTER, langgraph.ADAPTER, opentelemetry.ADAPTER, starlette.ADAPTER)
LOAD = capture("opentelemetry/load.prom")
AGENTS = capture("opentelemetry/agents.prom")
OPERATION = "gen_ai_client_operation_duration_seconds_count"
CALL = "gen_ai_client_operation_duration_seconds"


def observed(page: Mapped, indicator: str, *, total: bool = False) -> float:
    """Observations of a histogram over its parts, or their sum."""
    found = [s.value for s in page.samples if s.key.indicator == indicator]
    return sum((h.total if total else h.count) for h in found if isinstance(h, Histogram))


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_each_kind_of_operation_is_its_own_indicator(table: Adapter) -> None:
    """Of one histogram, by the name of the operation."""
    found, there = mapped(table, LOAD, AGENT), Exposed(LOAD)
    names = {"llm_call_latency": "chat", "tool_call_time": "execute_tool", "retrieval_time": "retrieval"}
    counted = {n: observed(found, f"orchestration.{n}") for n in names}
    assert counted == {n: there.total(OPERATION, gen_ai_operation_name=o) for n, o in names.items()}
    assert min(counted.values()) > 0


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_tokens_are_those_of_model_calls(table: Adapter) -> None:
    """Embeddings have tokens too."""
    found, there = mapped(table, LOAD, AGENT), Exposed(LOAD)
    expected = there.total("gen_ai_client_token_usage_sum", gen_ai_operation_name="chat")
    assert sum(parts(found, "orchestration.llm_tokens")) == expected > 0
    assert observed(found, "orchestration.llm_prompt_length", total=True) == there.total(
        "gen_ai_client_token_usage_sum", gen_ai_operation_name="chat", gen_ai_token_type="input"
    )


def test_newer_conventions_have_metrics_of_their_own() -> None:
    """For tools, tokens, and the prompts of each call."""
    found, there = mapped(opentelemetry.ADAPTER, AGENTS, AGENT), Exposed(AGENTS)
    usage = "gen_ai_client_inference_usage"
    tokens = [there.total(f"{usage}_{way}_tokens_total") for way in ("input", "output")]
    assert parts(found, "orchestration.llm_tokens") == tokens
    tools = there.total("gen_ai_execute_tool_duration_seconds_count")
    assert observed(found, "orchestration.tool_call_time") == tools > 0
    assert observed(found, "orchestration.llm_prompt_length", total=True) == tokens[0]


def test_first_chunks_are_seen_from_this_side() -> None:
    """Once a call."""
    found = mapped(opentelemetry.ADAPTER, LOAD, AGENT)
    assert observed(found, "orchestration.llm_ttft") == observed(found, "orchestration.llm_call_latency")


@pytest.mark.parametrize("name", ["gen_ai_client_operation_duration", "gen_ai_client_operation_seconds"])
def test_a_unit_may_be_left_out(name: str) -> None:
    """Exporters differ."""
    page = LOAD.replace(CALL.encode(), name.encode())
    assert observed(mapped(fastapi.ADAPTER, page, AGENT), "orchestration.llm_call_latency") > 0


@pytest.mark.parametrize(
    ("name", "ending", "read"), [("input", "_token_sum", 7.0), ("prompt", "_total", 7.0), ("cache_read", "_sum", 0.0)]
)
def test_spellings_of_tokens(name: str, ending: str, read: float) -> None:
    """Units in the name, counters, and older words; what is a part of the input does not count again."""
    page = f'gen_ai_client_token_usage{ending}{{gen_ai_operation_name="chat",gen_ai_token_type="{name}"}} 7\n'
    assert sum(parts(mapped(fastapi.ADAPTER, page.encode(), AGENT), "orchestration.llm_tokens")) == read


def test_a_call_of_a_tool_server_is_a_tool_call() -> None:
    """By the conventions for MCP; other calls to it are none."""
    page = "".join(
        f'mcp_client_operation_duration_seconds_{end}{{mcp_method_name="{method}"{more}}} 5\n'
        for method in ("tools/call", "tools/list")
        for end, more in (("bucket", ',le="+Inf"'), ("count", ""), ("sum", ""))
    )
    assert observed(mapped(opentelemetry.ADAPTER, page.encode(), AGENT), "orchestration.tool_call_time") == 5
