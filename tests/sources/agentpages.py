"""Two pages, a minute apart, of an agent server that its team instrumented its own way, and the rows that read it."""

from __future__ import annotations

_PAGE = """\
# TYPE tasks_done_total counter
tasks_done_total{{status="ok",kind="agent"}} {ok}
tasks_done_total{{status="error",kind="agent"}} {errors}
tasks_done_total{{status="error",kind="cron"}} 90
# TYPE task_duration_ms histogram
task_duration_ms_bucket{{le="100"}} {fast}
task_duration_ms_bucket{{le="250"}} {slow}
task_duration_ms_bucket{{le="+Inf"}} {done}
task_duration_ms_sum {spent}
task_duration_ms_count {done}
# TYPE busy_percent gauge
busy_percent 37
# TYPE tasks_active gauge
tasks_active{{pool="a"}} 4
tasks_active{{pool="b"}} 2
# TYPE streams_active gauge
streams_active 5
# TYPE tasks_queue gauge
tasks_queue 5
# TYPE llm_call_seconds summary
llm_call_seconds_count {calls}
llm_call_seconds_sum {call_s}
# TYPE llm_tokens_total counter
llm_tokens_total {tokens}
# TYPE python_info gauge
python_info{{version="3.11"}} 1
"""
FIRST = _PAGE.format(ok=120, errors=7, fast=60, slow=120, done=127, spent=20000, calls=300, call_s=450, tokens=1000)
SECOND = _PAGE.format(ok=165, errors=12, fast=100, slow=170, done=177, spent=25500, calls=400, call_s=600, tokens=5000)
AGENT_MAP = """
"orchestration.requests" = { metric = "tasks_done_total", where = { kind = "agent" } }
"orchestration.errors" = { metric = "tasks_done_total", where = { status = "~err.*|5.." }, unless = { kind = "cron" } }
"orchestration.latency" = { metric = "task_duration_ms", unit = "ms" }
"orchestration.inflight" = ["tasks_active", { metric = "streams_active", part = "streams" }]
"orchestration.queue_depth" = "tasks_queue"
"orchestration.workers" = { metric = "busy_percent", unit = "%" }
"orchestration.llm_call_latency" = "llm_call_seconds"
"orchestration.llm_tokens" = "llm_tokens_total"
"""
