"""Values of placeholders in a command line for `sh -c`: they stay words, whatever they hold, or nothing is run.

A value may come from a target (a model's name, a path in a command line), so it must never become code. One that
consists of harmless characters is the same text inside and outside quotes and is put in as it is. Any other is quoted
as one word, which is right only where the rule's own text has no quote open; anywhere else the command is not run.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLACEHOLDER = re.compile(r"\{([a-z]+\.[a-z_]+)\}")
LISTS = frozenset(("engine.frontend_pid", "engine.core_pid", "engine.rank_pids"))
"""Placeholders whose value may be several words, process numbers with blanks between."""
_HARMLESS = re.compile(r"[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*")
_TOKEN = re.compile(rf"{PLACEHOLDER.pattern}|\\.|['\"]|[^\\'\"{{]+|.", re.DOTALL)
_NESTED = re.compile(r"\$[({']|`|<<|#")
"""Text in which what is open cannot be told by counting quotes."""


class UnquotableError(ValueError):
    """A value that cannot be put into the command line safely; the message names its placeholder."""


def script(template: str, lookup: Callable[[str], str | None]) -> str:
    """The command line with every placeholder filled; UnquotableError where that is not safe, or one is unknown."""
    simple = _NESTED.search(template) is None
    return "".join(_piece(text, name, lookup, simple=simple, quote=quote) for text, name, quote in _parts(template))


def _parts(template: str) -> Iterator[tuple[str, str | None, str]]:
    """Pieces of the template: text, name of a placeholder, and which quote is open there."""
    quote = ""
    for token in _TOKEN.finditer(template):
        text = token[0]
        yield text, token[1], quote
        if text in ("'", '"') and quote in ("", text):
            quote = "" if quote else text
        elif quote == "'" and text.endswith("\\'"):
            quote = ""  # inside single quotes a backslash is a character like any other


def _piece(text: str, name: str | None, lookup: Callable[[str], str | None], *, simple: bool, quote: str) -> str:
    if name is None:
        return text
    value = lookup(name)
    if value is None:
        raise UnquotableError(f"{name} is not known here")
    words = value.split(" ") if name in LISTS else [value]
    if all(map(harmless, words)):
        return value
    if name in LISTS or quote or not simple or not value.isprintable() or value.startswith("-"):
        raise UnquotableError(f"the value of {name} has characters that a shell could take for code")
    return shlex.quote(value)


def harmless(value: str) -> bool:
    """Means the same to a shell inside and outside quotes, and cannot be taken for an option."""
    return _HARMLESS.fullmatch(value) is not None
