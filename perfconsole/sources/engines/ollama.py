"""Ollama: it has no page of metrics, so that /api/ps, its list of loaded models, is read as one.

Traps kept in mind: a model is loaded by a request and unloaded after some idle minutes, so that none loaded is sleep
and no fault; whether it is ready then is not known before the next request. /api/ps loads nothing; asking for an
answer would. Bytes on the device below those in all mean layers on the CPU: the ratio of these bytes stands for that
of the layers, over all loaded models together. What a request took stands in its own answer, which only its caller
sees: queues, latencies, tokens and KV use are not to be had. Each loaded model has a runner process of its own.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, InfoFact, Metric, Operand
from perfconsole.sources.roles import Roles, program

_LOADED = "ollama_loaded_models"

METRICS = (
    Metric("engine.ready", _LOADED, over=Operand(_LOADED)),
    Metric("engine.asleep", _LOADED, ceiling=1.0, scale=-1.0, offset=1.0),
    Metric("engine.layers_on_gpu", "ollama_model_vram_bytes", over=Operand("ollama_model_size_bytes"), ceiling=1.0),
    Metric("engine.cpu_offload", "ollama_host_bytes"),
    Metric("engine.context_length", "ollama_context_length", since="0.9", optional=True),
)

ADAPTER = Adapter(
    name="ollama",
    title="Ollama",
    prefixes=("ollama_",),
    metrics_path="/api/ps",
    health_path="/api/version",
    version_route="/api/version",
    metrics=METRICS,
    info_facts=(
        InfoFact("engine.version", "/api/version", "version"),
        InfoFact("engine.model", "/api/ps", "models.0.name"),
    ),
    processes=Roles(
        frontend=r"(^|/)ollama\s+serve\b",
        worker=r"(^|/)ollama\s+runner\b|ollama_llama_server",
        launcher=(program(r"ollama\s+serve\b"),),
    ),
    converter="ollama-models",
    port_flags=(),
    default_port=11434,
    unexported=(
        "engine.http_inflight",
        "engine.kv_cache_capacity",
        "engine.max_num_seqs",
        "engine.prefix_cache_hit_ratio",
        "engine.spec_accept_ratio",
    ),
)
