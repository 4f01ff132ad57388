"""What YAML configuration files say: upstreams of LiteLLM, the port of an engine. Pure; keeps only URLs and ports.

Slow (some 30 kB in a second), so callers bound the text. Importing yaml takes 20 ms: it waits for the first file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.sources.discovery.weblink import base_urls

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_PORT = 65535
_MERGE = "tag:yaml.org,2002:merge"
_MAX_MERGES = 8
_MAX_ENTRIES = 10_000


def litellm_upstreams(text: str) -> tuple[str, ...] | None:
    """Base URL of each model of a LiteLLM proxy; None for what is no YAML. Names of variables are no URLs."""
    document = _load(text)
    return None if document is None else base_urls(_bases(document))


def port_in(text: str) -> int:
    """The `port` at the top of the file of an engine; 0 when there is none."""
    document = _load(text)
    port = document.get("port") if document else 0
    return port if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= _MAX_PORT else 0


def _load(text: str) -> dict[Any, Any] | None:
    import yaml  # noqa: PLC0415 - see above

    class Loader(yaml.SafeLoader):
        """The safe loader, with merges (`<<`) that cannot multiply: five lines of them make millions of entries."""

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            merges = [value for key, value in node.value if key.tag == _MERGE]
            if len(merges) > _MAX_MERGES or any(isinstance(value, yaml.SequenceNode) for value in merges):
                node.value = [(key, value) for key, value in node.value if key.tag != _MERGE]
            super().flatten_mapping(node)
            if len(node.value) > _MAX_ENTRIES:
                raise yaml.YAMLError

    try:
        document = yaml.load(text, Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        return None
    return document if isinstance(document, dict) else None


def _bases(document: dict[Any, Any]) -> Iterator[str]:
    models = document.get("model_list")
    for model in models if isinstance(models, list) else ():
        params = model.get("litellm_params") if isinstance(model, dict) else None
        if isinstance(params, dict):
            yield from (value for key in ("api_base", "base_url") if isinstance(value := params.get(key), str))
