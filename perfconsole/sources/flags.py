"""What a command line states about an engine, by the flag table of its adapter. The command line itself stays here."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.sources.adapter import Adapter, Flag, Pairs

_HUMAN = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)([kmgtKMGT]?)")

Stated = tuple[str, float, "Pairs"]
"""Indicator, number in base units, tag of the part."""


def stated(adapter: Adapter, argv: Sequence[str]) -> tuple[Stated, ...]:
    """Facts that the flags state; of a repeated flag the last one holds, as command-line parsers do."""
    given = list(_options(argv))
    found: dict[tuple[str, Pairs], float] = {}
    for flag in adapter.flags:
        values = [value for name, value in given if name in flag.names]
        number = _number_of(flag, values[-1]) if values else None
        if number is not None:
            found[flag.indicator, flag.tag] = number
    return tuple((indicator, number, tag) for (indicator, tag), number in found.items())


def has_flag(argv: Sequence[str], name: str) -> bool:
    """The switch stands on the command line."""
    return any(option == name for option, _ in _options(argv))


def _options(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(flag with dashes, value): `--a=b`, `--a b` and a bare `--a`; underscores count as dashes."""
    for word, following in zip(argv, [*argv[1:], ""], strict=True):
        if not word.startswith("-") or _NUMBER.fullmatch(word):
            continue
        name, equals, value = word.partition("=")
        bare = following.startswith("--")
        yield name.replace("_", "-"), value if equals else "" if bare else following


def _number_of(flag: Flag, text: str) -> float | None:
    if flag.value is not None:
        return flag.value
    if flag.path:
        text = _inside(text, flag.path)
    match = _NUMBER.fullmatch(text.strip())
    return float(match[1]) * _HUMAN.get(match[2], 1.0) * flag.scale if match else None


def _inside(text: str, path: str) -> str:
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    return str(document.get(path, "")) if isinstance(document, dict) else ""
