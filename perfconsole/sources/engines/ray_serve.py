"""Ray Serve's vLLM: the names of vLLM as Ray writes them, on the page of a node's metrics agent.

Traps kept in mind: Ray puts `ray_` in front, and since 2.5x an underscore where vLLM has a colon; a counter that vLLM's
code calls by its name without `_total` has it on the page of newer agents and lacks it on that of older ones. Labels of
Ray stand beside vLLM's own (ReplicaId, WorkerId, SessionName, NodeAddress), and the page has every replica of its node:
counts are summed over replicas and the KV use is their mean. A replica is no data-parallel rank, so that ranks are
left out. Ray starts the replicas: no command line of its says that one of them is vLLM. What Ray Serve says of its
requests is another layer.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.sources.adapter import Adapter, Operand
from perfconsole.sources.engines import vllm
from perfconsole.sources.roles import Roles

_ROWS = tuple(
    row for row in vllm.METRICS if row.metric.startswith("vllm:") and not row.indicator.startswith("engine.rank_")
)

METRICS = tuple(
    replace(
        row,
        metric=spelled + row.metric.removeprefix("vllm:").removesuffix(gone),
        times=Operand(spelled + row.times.metric.removeprefix("vllm:").removesuffix(gone)) if row.times else None,
        over=Operand(spelled + row.over.metric.removeprefix("vllm:").removesuffix(gone)) if row.over else None,
        zero_with=spelled + row.zero_with.removeprefix("vllm:").removesuffix(gone) if row.zero_with else "",
        since="",
        until="",
        optional=True,
    )
    for row in _ROWS
    for spelled in ("ray_vllm_", "ray_vllm:")
    for gone in ("", "_total")
    if not gone or row.metric.endswith(gone)
)

ADAPTER = Adapter(
    name="ray-serve",
    title="vLLM under Ray Serve",
    prefixes=("ray_vllm_", "ray_vllm:"),
    requires_label="model_name",
    metrics=METRICS,
    label_facts=tuple(
        replace(fact, metric=spelled + fact.metric.removeprefix("vllm:"))
        for fact in vllm.ADAPTER.label_facts
        for spelled in ("ray_vllm_", "ray_vllm:")
    ),
    processes=Roles(frontend=r"^ray::ServeReplica:", worker=r"^ray::(?:RayWorkerWrapper|WorkerWrap)\b"),
    page_port=8080,
    page_flags=("--metrics-export-port",),
    default_port=8000,
    unexported=("engine.http_inflight", "engine.max_num_seqs", "engine.rank_kv_cache_usage", "engine.rank_running"),
)
