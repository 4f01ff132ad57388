"""From what is known of an entity to who it is, as far as its healthy figures depend on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.profile import Identity
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.profile import Setting
    from perfconsole.model.snapshot import Snapshot

PROFILED = (Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.ENGINE, Kind.GPU, Kind.HOST)
"""Kinds whose figures outlive the console; a process has another number after each start."""
CAP, ORIGIN = "engine.max_num_seqs", "engine.max_num_seqs_origin"
STATED = ("argv", "server-info")
"""Origins of a cap that is configuration; a plateau is what the load made of it."""
SETTINGS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ENGINE: (
        CAP,
        "engine.max_batched_tokens",
        "engine.chunked_prefill",
        "engine.max_model_len",
        "engine.tensor_parallel",
        "engine.data_parallel",
        "engine.gpu_memory_fraction",
        "engine.cpu_offload",
        "engine.kv_connector",
        "engine.prefill_only",
        "engine.spec_tokens",
        "engine.lora_slots",
    ),
    Kind.GATEWAY: ("gateway.max_retries", "gateway.request_timeout"),
    Kind.GPU: ("gpu.mem_total", "gpu.mig"),
    Kind.HOST: ("host.cores",),
}
GPU_NAMES = "gpu.name"
_LAYERS = {Kind.ORCHESTRATOR: "orchestration"}
"""Prefix of the names of a kind where it is not the kind itself."""


def identities(snapshot: Snapshot) -> dict[Entity, Identity]:
    """Who each entity is, of those that profiles are saved for."""
    texts: dict[Entity, dict[str, str]] = {}
    for fact in snapshot.facts:
        texts.setdefault(fact.entity, {})[fact.name] = fact.value
    numbers: dict[Entity, dict[str, float]] = {}
    for i in snapshot.indicators:
        if i.name in SETTINGS.get(i.entity.kind, ()) and not isinstance(i.value, Missing):
            numbers.setdefault(i.entity, {})[i.name] = i.value
    return {
        e: identity_of(e, texts.get(e, {}), numbers.get(e, {}), _cards(snapshot, e, texts))
        for e in snapshot.entities
        if e.kind in PROFILED
    }


def identity_of(
    entity: Entity, texts: Mapping[str, str], numbers: Mapping[str, float], cards: Iterable[str] = ()
) -> Identity:
    """Identity from the facts in words, the numeric facts, and the product names of the cards that it uses."""
    layer = _LAYERS.get(entity.kind, str(entity.kind))
    model = texts.get("gpu.name" if entity.kind is Kind.GPU else f"{layer}.model", "")
    adapter = texts.get(f"{layer}.adapter", "") or _adapter(entity)
    build = texts.get(f"{layer}.version", "")
    return Identity(entity.kind, adapter, model, build, _settings(texts, numbers, cards), entity.name)


def _adapter(entity: Entity) -> str:
    """`vllm` of `vllm:8000` and `vllm@gpu-07:8000`; empty where a person chose the name, or it is an address."""
    if entity.kind is not Kind.ENGINE:
        return ""
    program, mark, _ = entity.name.replace("@", ":", 1).partition(":")
    return program if mark and program.isidentifier() and program != "localhost" else ""


def _settings(texts: Mapping[str, str], numbers: Mapping[str, float], cards: Iterable[str]) -> tuple[Setting, ...]:
    stated: dict[str, float | str] = {
        name: value for name, value in numbers.items() if name != CAP or texts.get(ORIGIN) in STATED
    }
    names = sorted(set(cards))
    if names:
        stated[GPU_NAMES] = " + ".join(names)
    return tuple(sorted(stated.items()))


def _cards(snapshot: Snapshot, engine: Entity, texts: Mapping[Entity, Mapping[str, str]]) -> list[str]:
    if engine.kind is not Kind.ENGINE:
        return []
    used = (k.child for k in snapshot.links if k.relation is Relation.ENGINE_USES_GPU and k.parent == engine)
    return [name for gpu in used if (name := texts.get(gpu, {}).get(GPU_NAMES, ""))]
