"""Rows for the work of an agent by the GenAI conventions of OpenTelemetry, as they stand on a page of Prometheus.

Any service may have them beside names of its own, so every table of a service that is likely to takes them in.
Conventions from 1.27 to those of 2026. Traps kept in mind: dots become underscores and the unit a suffix, which some
exporters leave out, and a unit in braces ({token}) has none; one histogram holds model calls, tools, embeddings and
whole agents, told apart by the name of the operation alone; newer exporters write every label on every series, so that
`error_type` is there and empty; cached and reasoning tokens are parts of input and output and not more of them;
`gen_ai_server_*` is what a server of models says of itself and is not read here.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Metric

OPERATIONS = (
    "gen_ai_client_operation_duration_seconds",
    "gen_ai_client_operation_duration",
    "gen_ai_client_operation_duration_s",  # exporters for Python up to 0.45b0
    "gen_ai_client_operation_seconds",  # Spring AI
    "gen_ai_client_inference_duration_seconds",
)
"""Names of the histogram that holds every kind of operation."""
_ASIDE = (
    "embeddings?|rerank|retriev.*|search.*|execute_tool|fetch_response|plan|.*memory.*"
    "|(?:create|invoke)_(?:agent|workflow)"
)
_NO_MODEL = (("gen_ai_operation_name", f"~{_ASIDE}"),)
"""What is no model call; a name that nobody has thought of is taken for one."""
_TOOL = (("gen_ai_operation_name", "execute_tool"),)
_MCP = (("mcp_method_name", "tools/call"),)
_RETRIEVAL = (("gen_ai_operation_name", "~retriev.*|search.*|rerank"),)
_FIRST = (
    "gen_ai_client_operation_time_to_first_chunk_seconds",
    "gen_ai_client_operation_time_to_first_chunk",
    "gen_ai_client_time_to_first_token_seconds",
)
_TOKENS = ("gen_ai_client_token_usage", "gen_ai_client_token_usage_token", "gen_ai_client_token_usage_tokens")
_COUNTED = tuple(name + ending for name in _TOKENS for ending in ("_sum", "_total"))
"""A histogram, or a counter where an SDK counts no more than that."""
_IN = (("gen_ai_token_type", "~input|prompt"),)
_OUT = (("gen_ai_token_type", "~output|completion"),)
_READ = (("part", "input"),)
_WRITTEN = (("part", "output"),)

AGENT = (
    *(Metric("orchestration.llm_call_latency", name, unless=_NO_MODEL, optional=True) for name in OPERATIONS),
    *(Metric("orchestration.llm_ttft", name, optional=True) for name in _FIRST),
    *(
        Metric("orchestration.llm_tokens", name, where=which, unless=_NO_MODEL, tag=tag, optional=True)
        for which, tag in ((_IN, _READ), (_OUT, _WRITTEN))
        for name in _COUNTED
    ),
    Metric("orchestration.llm_tokens", "gen_ai_client_inference_usage_input_tokens_total", tag=_READ, optional=True),
    Metric(
        "orchestration.llm_tokens", "gen_ai_client_inference_usage_output_tokens_total", tag=_WRITTEN, optional=True
    ),
    *(Metric("orchestration.llm_prompt_length", n, where=_IN, unless=_NO_MODEL, optional=True) for n in _TOKENS),
    Metric("orchestration.llm_prompt_length", "gen_ai_client_inference_operation_input_tokens", optional=True),
    Metric("orchestration.tool_call_time", "gen_ai_execute_tool_duration_seconds", optional=True),
    Metric("orchestration.tool_call_time", "gen_ai_execute_tool_duration", optional=True),
    *(Metric("orchestration.tool_call_time", name, where=_TOOL, optional=True) for name in OPERATIONS),
    Metric("orchestration.tool_call_time", "mcp_client_operation_duration_seconds", where=_MCP, optional=True),
    *(Metric("orchestration.retrieval_time", name, where=_RETRIEVAL, optional=True) for name in OPERATIONS),
)
