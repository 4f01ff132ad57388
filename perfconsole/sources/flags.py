"""What a command line states about an engine, by the flag table of its adapter. The command line itself stays here."""

from __future__ import annotations

import json
import re
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.sources.adapter import Adapter, Flag, Pairs

_HUMAN = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([kmgtKMGT]?)")

Stated = tuple[str, float, "Pairs"]
"""Indicator, number in base units, tag of the part."""


def stated(adapter: Adapter, argv: Sequence[str]) -> tuple[Stated, ...]:
    """Facts that the flags state; of a repeated flag the last one holds, as command-line parsers do."""
    found: dict[tuple[str, Pairs], float] = {}
    for name, value in _options(argv):
        for flag in adapter.flags:
            if name in flag.names:
                found.pop((flag.indicator, flag.tag), None)
                number = _number_of(flag, value)
                if number is not None:
                    found[flag.indicator, flag.tag] = number
    return tuple((indicator, number, tag) for (indicator, tag), number in found.items())


def with_defaults(adapter: Adapter, argv: Sequence[str]) -> tuple[Stated, ...]:
    """Facts of a command line: what its flags state, and the defaults of every release that no flag speaks of.

    A flag speaks even when its value cannot be read, and by a part of it too (`--speculative-config.method`).
    """
    given = {name.partition(".")[0] for name, _ in _options(argv)}
    spoken = {flag.indicator for flag in adapter.flags if given & set(flag.names)}
    shared = ((d.indicator, d.value, d.tag) for d in adapter.defaults if not d.until and d.indicator not in spoken)
    return (*stated(adapter, argv), *shared)


def has_flag(argv: Sequence[str], name: str) -> bool:
    """The switch stands on the command line."""
    return any(option == name for option, _ in _options(argv))


def _options(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(flag with dashes, value): `--a=b`, `--a b` and a bare `--a`; underscores count as dashes."""
    for word, following in zip(argv, [*argv[1:], ""], strict=False):
        if not word.startswith("-") or _NUMBER.fullmatch(word):
            continue
        name, equals, value = word.partition("=")
        bare = following.startswith("--")
        yield name.replace("_", "-"), value if equals else "" if bare else following


def _number_of(flag: Flag, text: str) -> float | None:
    if flag.value is not None:
        return 1.0 - flag.value if text.lower() == "false" else flag.value
    if flag.path:
        text = _inside(text, flag.path)
    match = _NUMBER.fullmatch(text.strip())
    number = float(match[1]) * _HUMAN.get(match[2], 1.0) * flag.scale if match else -1.0
    return number if 0 <= number < inf else None  # -1 stands for "choose it yourself"


def _inside(text: str, path: str) -> str:
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    return str(document.get(path, "")) if isinstance(document, dict) else ""
