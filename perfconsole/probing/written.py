"""A probe as a check of a rule writes it: `perfconsole probe step-load URL --steps 1,4,16`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, NoReturn

from perfconsole.errors import UsageError
from perfconsole.probing.options import add_options
from perfconsole.probing.planning import recipe_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

_COMMAND = ("perfconsole", "probe")


class _Parser(ArgumentParser):
    """Says what is wrong instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def read_written(words: Sequence[str]) -> tuple[str, tuple[str, ...], Namespace]:
    """Recipe, URLs and options of the command; UsageError for one that is none."""
    if tuple(words[:2]) != _COMMAND:
        raise UsageError("not a command of perfconsole probe")
    parser = _Parser(prog="perfconsole probe", add_help=False, allow_abbrev=False)
    parser.add_argument("what", nargs="*")
    add_options(parser)
    options = parser.parse_args(list(words[2:]))
    return (*recipe_of(options.what), options)
