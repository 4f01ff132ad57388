"""YAML of a configuration file as plain values. Pure; what is no YAML is None.

The parser in C reads 60 kB in 90 ms, the one in Python in 400 ms, so callers bound the text. Importing yaml takes
20 ms: it waits for the first file.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

_MERGE = "tag:yaml.org,2002:merge"
_MAX_MERGES = 8
_MAX_ENTRIES = 10_000
_MAX_DEPTH = 100
"""The parser in C goes down by recursion without a limit: 60,000 brackets end the whole process."""


def load_yaml(text: str) -> dict[Any, Any] | None:
    """The mapping at the top of the text; None for anything else. Aliases are shared values, not copies."""
    import yaml  # noqa: PLC0415 - see above

    try:
        document = None if _too_deep(text) else yaml.load(text, _loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError, TypeError, AttributeError):
        return None  # the last two: tags that stand on what they do not fit
    return document if isinstance(document, dict) else None


def _too_deep(text: str) -> bool:
    import yaml  # noqa: PLC0415 - see above

    depth = 0
    for event in yaml.parse(text, _loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return False


@cache
def _loader() -> type[yaml.SafeLoader]:
    """The safe loader, with merges (`<<`) that cannot multiply: five lines of them make millions of entries."""
    import yaml  # noqa: PLC0415 - see above

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """One that bounds merges."""

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            merges = [value for key, value in node.value if key.tag == _MERGE]
            if len(merges) > _MAX_MERGES or any(isinstance(value, yaml.SequenceNode) for value in merges):
                node.value = [(key, value) for key, value in node.value if key.tag != _MERGE]
            super().flatten_mapping(node)
            if len(node.value) > _MAX_ENTRIES:
                raise yaml.YAMLError

    return Loader
