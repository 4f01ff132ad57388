"""Ollama's /api/ps, the models that are loaded now, as series: it has no page of metrics, and this route loads nothing.

Of several models each has its own bytes, those in host memory are added up, and the context is the smallest one, since
that is where a prompt is cut first.
"""

from __future__ import annotations

from typing import NamedTuple

from perfconsole.sources.exposition import Page, PageError, RawSeries
from perfconsole.sources.otherpages.jsonpage import document

_REFUSED = "it is no list of the loaded models of Ollama"
_LARGEST = 2**63 - 1
"""Ollama writes these numbers from 64 bits."""


class _Loaded(NamedTuple):
    """One loaded model: bytes in all, bytes on the device, tokens of context (None before 0.9)."""

    name: str
    size: int
    vram: int
    context: int | None


def loaded_models(body: bytes) -> Page:
    """Series of the loaded models, one of none being no fault; PageError for any other JSON."""
    models = [_loaded(entry) for entry in _entries(body)]
    pairs = [(RawSeries("ollama_loaded_models", ()), float(len(models)))]
    for model in models:
        labels = (("model", model.name),)
        pairs += [
            (RawSeries("ollama_model_size_bytes", labels), float(model.size)),
            (RawSeries("ollama_model_vram_bytes", labels), float(model.vram)),
        ]
    pairs.append((RawSeries("ollama_host_bytes", ()), float(sum(max(0, m.size - m.vram) for m in models))))
    contexts = [model.context for model in models if model.context]
    if contexts:
        pairs.append((RawSeries("ollama_context_length", ()), float(min(contexts))))
    series, values = [s for s, _ in pairs], [v for _, v in pairs]
    return Page(series, values, {s.name: "gauge" for s in series}, {})


def _entries(body: bytes) -> list[object]:
    listed = document(body, _REFUSED)
    if not isinstance(listed, dict) or "models" not in listed:
        raise PageError(_REFUSED)
    models = listed["models"]
    if models is not None and not isinstance(models, list):
        raise PageError(_REFUSED)
    return models or []


def _loaded(entry: object) -> _Loaded:
    if not isinstance(entry, dict):
        raise PageError(_REFUSED)
    name = entry.get("name")
    if not isinstance(name, str):
        raise PageError(f"{_REFUSED}: a model has no name")
    context = entry.get("context_length")
    return _Loaded(
        name, _bytes(entry.get("size")), _bytes(entry.get("size_vram")), None if context is None else _bytes(context)
    )


def _bytes(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise PageError(f"{_REFUSED}: a size is no number of 64 bits")
    return value
