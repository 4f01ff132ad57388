"""What YAML files of engines and of LiteLLM say: the port, upstreams. Pure; keeps only URLs and ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.sources.discovery.weblink import base_urls
from perfconsole.sources.discovery.yamltext import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_PORT = 65535


def litellm_upstreams(text: str) -> tuple[str, ...] | None:
    """Base URL of each model of a LiteLLM proxy; None for what is no YAML. Names of variables are no URLs."""
    document = load_yaml(text)
    return None if document is None else base_urls(_bases(document))


def port_in(text: str) -> int:
    """The `port` at the top of the file of an engine; 0 when there is none."""
    document = load_yaml(text)
    port = document.get("port") if document else 0
    return port if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= _MAX_PORT else 0


def _bases(document: dict[Any, Any]) -> Iterator[str]:
    models = document.get("model_list")
    for model in models if isinstance(models, list) else ():
        params = model.get("litellm_params") if isinstance(model, dict) else None
        if isinstance(params, dict):
            yield from (value for key in ("api_base", "base_url") if isinstance(value := params.get(key), str))
