"""Reading command lines: flags and their values, the script behind an interpreter, a short name. Pure.

A command line may hold keys: only ports, URLs, paths and short names ever leave this package.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perfconsole.sources.web.failure import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PYTHON = re.compile(r"(python|pypy)[\d.]*[dt]?")
_TAKES_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_NAME_CHARACTERS = 32
_MAX_PORT = 65535

Argv = tuple[str, ...]


def basename(path: str) -> str:
    """Last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def is_python(path: str) -> bool:
    """Whether the path of a program is that of a Python interpreter."""
    return bool(_PYTHON.fullmatch(basename(path)))


def unwrapped(argv: Argv) -> Argv:
    """Split a title that holds a whole command line in one word: `nginx: master process nginx -c FILE`."""
    if len(argv) != 1 or " " not in argv[0]:
        return argv
    _, mark, command = argv[0].partition("master process ")
    if not mark:
        return argv
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quote without its end
        return tuple(command.split())


def script(argv: Argv) -> Argv:
    """The program that runs and its arguments, without the interpreter: `-m` gives the module, `-c` the flag itself."""
    if not argv or not is_python(argv[0]):
        return argv
    rest = list(argv[1:])
    while rest and rest[0].startswith("-") and rest[0] != "-c":
        word = rest.pop(0)
        if word == "-m":
            break
        if word in _TAKES_VALUE and rest:
            rest.pop(0)
    return tuple(rest) or argv[:1]


def short_name(argv: Argv) -> str:
    """The program in a word or two, printable: `app.py`, `uvicorn`, `nginx`; never an argument."""
    rest = script(argv)
    if not rest:
        return ""
    if rest[0] == "-c":
        return basename(argv[0])
    first = rest[0].partition(": ")[0].split(" ")[0] or rest[0][:1]
    return printable(basename(first)[:_NAME_CHARACTERS])


def values_of(argv: Argv, names: Collection[str]) -> tuple[str, ...]:
    """All values of the flags: `--a=x`, `--a x`, and the further words up to the next flag; `_` counts as `-`."""
    wanted = {_dashed(name) for name in names}
    return tuple(value for name, value in _pairs(argv) if name in wanted and value)


def value_of(argv: Argv, names: Collection[str]) -> str:
    """The value that counts, which is the last one; empty when there is none."""
    wanted = {_dashed(name) for name in names}
    firsts = [
        value if equals else following
        for word, following in zip(argv, [*argv[1:], ""], strict=False)
        for name, equals, value in (word.partition("="),)
        if _dashed(name) in wanted and (equals or not following.startswith("-"))
    ]
    return firsts[-1] if firsts else ""


def port_of(argv: Argv, names: Collection[str]) -> int:
    """The port that the flags name; 0 when they name none or something else."""
    text = value_of(argv, names)
    return int(text) if text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= _MAX_PORT else 0


def has_word(argv: Argv, names: Collection[str]) -> bool:
    """Whether one of the words stands on the command line."""
    return any(word in names for word in argv)


def _pairs(argv: Argv) -> Iterator[tuple[str, str]]:
    """Each value with the flag that it follows."""
    flag = ""
    for word in argv:
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            flag = _dashed(name)
            if equals:
                yield flag, value
                flag = ""
        elif flag:
            yield flag, word


def _dashed(name: str) -> str:
    return name.replace("_", "-")
