"""Layer orchestration: routers between gateway and engine, agent servers, workers.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import COUNTER, DERIVED, GAUGE, HISTOGRAM, STATE, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.ORCHESTRATOR, owner="application")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("orchestration.up", STATE, "0/1", "proc, live",
        "process alive, start time unchanged", note="a restart is an event", fold=Fold.MIN),
    row("orchestration.health_time", GAUGE, "s", "poll",
        "time the health route (or the cheapest route known) took to answer the console",
        warn="> 500ms", note="proposal"),
    row("orchestration.requests", COUNTER, "requests", "live", "requests, runs or tasks finished"),
    row("orchestration.errors", COUNTER, "requests", "live",
        "requests, runs or tasks that failed", note="more than 1% of orchestration.requests; proposal"),
    row("orchestration.latency", HISTOGRAM, "s", "live", "duration of a request, run or task"),
    row("orchestration.queue_time", HISTOGRAM, "s", "live", "wait for a worker or replica"),
    row("orchestration.queue_depth", GAUGE, "requests", "live",
        "waiting for a worker or slot", note="rising for 5 min; proposal"),
    row("orchestration.inflight", GAUGE, "requests", "live", "requests, runs or tasks being executed"),
    row("orchestration.connections", GAUGE, "count", "proc",
        "connections that its processes hold to watched engines and gateways of this host"),
    row("orchestration.workers", GAUGE, "ratio", "live",
        "busy / total worker slots", warn="> 90%", note="when held for 5 min; proposal"),
    row("orchestration.llm_calls", COUNTER, "requests", "live",
        "model calls, where no duration of them tells their number"),
    row("orchestration.llm_call_latency", HISTOGRAM, "s", "live", "model calls seen from this side"),
    row("orchestration.llm_ttft", HISTOGRAM, "s", "live", "first streamed chunk seen from this side"),
    row("orchestration.llm_tokens", COUNTER, "tokens", "live", "tokens of the model calls, summed"),
    row("orchestration.llm_prompt_length", HISTOGRAM, "tokens", "live", "prompt tokens of one model call"),
    row("orchestration.tool_call_time", HISTOGRAM, "s", "live", "one tool call of an agent"),
    row("orchestration.retrieval_time", HISTOGRAM, "s", "live", "one retrieval (search, vector store, rerank)"),
    row("orchestration.context_build_time", HISTOGRAM, "s", "live", "building the prompt of one call"),
    row("orchestration.llm_calls_per_task", DERIVED, "ratio", "live",
        "model calls one task takes, by its own count, else by the gateways it calls, else by arrivals at the engines; "
        "ratio = d(model calls) / (d(requests) + share of d(inflight)) over 5 min, the share a half unless the polls "
        "tell better; missing below 5 tasks, and while others are active behind the same gateway or engine, or "
        "programs that nobody watches call it",
        note="above 2 times its baseline; proposal"),
    row("orchestration.tokens_per_task", DERIVED, "tokens", "live",
        "tokens of all model calls of one task; tokens = d(llm_tokens) / (d(requests) + share of d(inflight)) over 5 "
        "min; missing below 5 tasks",
        note="above 2 times its baseline; proposal", fold=Fold.MEAN),
    row("orchestration.tool_calls_per_task", DERIVED, "ratio", "live",
        "tool calls one task takes; ratio = d(tool_call_time) / (d(requests) + share of d(inflight)) over 5 min; "
        "missing below 5 tasks"),
    row("orchestration.retrievals_per_task", DERIVED, "ratio", "live",
        "retrievals one task takes; ratio = d(retrieval_time) / (d(requests) + share of d(inflight)) over 5 min; "
        "missing below 5 tasks"),
    row("orchestration.context_builds_per_task", DERIVED, "ratio", "live",
        "prompts one task builds; ratio = d(context_build_time) / (d(requests) + share of d(inflight)) over 5 min; "
        "missing below 5 tasks"),
    row("orchestration.context_growth", DERIVED, "ratio", "live",
        "how much longer the long prompts are than the short ones, which are the late and the early calls of a "
        "conversation: each call carries what came before; tasks of unlike kinds spread them too; ratio = p90 / p10 of "
        "llm_prompt_length over 5 min, of engine.prompt_length where only this orchestrator calls the engines; missing "
        "below 20 calls"),
    row("orchestration.loop_delay", HISTOGRAM, "s", "live",
        "delay of the event loop at one look of its own monitor"),
    row("orchestration.loop_lag", GAUGE, "s", "live",
        "worst event-loop scheduling delay in the window, or p99 of loop_delay over 10 s",
        warn="> 50ms", note="proposal; Dynamo counts 5 ms as a stall"),
    row("orchestration.gc", COUNTER, "events", "live", "garbage collections, oldest generation"),
    row("orchestration.process_cpu", GAUGE, "cores", "proc, live",
        "busiest process or thread of the orchestrator",
        warn=">= 0.9", note="when held for 30 s; proposal", fold=Fold.MAX),
)
# fmt: on
