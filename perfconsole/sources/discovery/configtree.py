"""Values of a configuration that came as JSON, YAML or TOML, read without trust. Pure; bounded; never raises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from perfconsole.sources.discovery.yamltext import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_KEY = re.compile(r"[^\w\"' \t.-]+")
_MAX_DOTS = 256
"""Of one key in TOML: the parser takes 9 s for 30,000."""
_MAX_VALUES = 50_000
"""Values of one tree that are looked at: aliases let a short text make a tree that has no end."""


def load_tree(text: str) -> dict[Any, Any] | None:
    """The mapping of a JSON or YAML text; None for anything else."""
    if text.lstrip()[:1] != "{":
        return load_yaml(text)
    import json  # noqa: PLC0415 - few hosts have one

    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return load_yaml(text)
    return document if isinstance(document, dict) else None


def load_toml(text: str) -> dict[str, Any] | None:
    """The table of a TOML text; None for anything else."""
    import tomllib  # noqa: PLC0415 - few hosts have one

    if any(chunk.count(".") > _MAX_DOTS for chunk in _NO_KEY.split(text)):
        return None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def at(tree: object, *path: str) -> object:
    """What is at the path, None for nothing. Upper and lower case and `_` make no difference, as programs differ."""
    for step in path:
        if not isinstance(tree, dict):
            return None
        wanted = _plain(step)
        tree = next((value for key, value in tree.items() if isinstance(key, str) and _plain(key) == wanted), None)
    return tree


def text_at(tree: object, *path: str) -> str:
    """The text there, empty for none."""
    found = at(tree, *path)
    return found if isinstance(found, str) else ""


def list_at(tree: object, *path: str) -> list[Any]:
    """The list there, empty for none; what stands alone is a list of one."""
    found = at(tree, *path)
    return found if isinstance(found, list) else [] if found is None else [found]


def table_at(tree: object, *path: str) -> dict[str, Any]:
    """The mapping there with the names that are texts, empty for none."""
    found = at(tree, *path)
    return {key: value for key, value in found.items() if isinstance(key, str)} if isinstance(found, dict) else {}


def below(tree: object) -> Iterator[tuple[str, object]]:
    """Every value below with the key that it has, each container once; what is in a list has the key of the list."""
    stack: list[tuple[str, object]] = [("", tree)]
    seen: set[int] = set()
    left = _MAX_VALUES
    while stack and left:
        key, value = stack.pop()
        left -= 1
        if isinstance(value, dict | list):
            if id(value) in seen:
                continue
            seen.add(id(value))
            inner = value.items() if isinstance(value, dict) else ((key, each) for each in value)
            stack += reversed([(str(name), each) for name, each in inner])
        yield key, value


def _plain(key: str) -> str:
    return key.replace("_", "").lower()
