"""The page of the simulated agent is read by the table of what it plays."""

from __future__ import annotations

from perfconsole.demo.model.agentstats import AgentStats
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.orchestrators.fastapi import ADAPTER
from tests.sources.exposed import mapped, parts
from tests.sources.test_genai import observed

AGENT = Entity(Kind.ORCHESTRATOR, "agent")


def test_calls_tools_and_tokens_are_read_back() -> None:
    """By the names that a real agent has."""
    stats = AgentStats()
    stats.call(1.5, 300, 40)
    stats.call(0.5, 500, 60)
    stats.tool(0.3)
    found = mapped(ADAPTER, stats.part(1.7e9).encode(), AGENT)
    assert observed(found, "orchestration.llm_call_latency", total=True) == 2.0
    assert observed(found, "orchestration.tool_call_time") == 1
    assert parts(found, "orchestration.llm_tokens") == [800.0, 100.0]


def test_before_the_first_call_there_is_nothing() -> None:
    """As exporters of such names begin."""
    assert AgentStats().part(1.7e9) == ""
