"""The Python processes that `flame` and `dump` may be asked for: listed, or one chosen by its number or a word."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.commands.printing import wants_color, write_lines
from perfconsole.errors import EXIT_OK, UsageError
from perfconsole.sources.linux.pythons import Pythons, matching
from perfconsole.view.suspects import suspect_lines, suspect_words, suspects_json

if TYPE_CHECKING:
    import argparse

    from perfconsole.model.suspect import Suspect

_APART_S = 0.3
"""Between the two looks that tell CPU: thirty ticks of the kernel's clock."""


def suspects() -> tuple[Suspect, ...]:
    """All of them, with what CPU they use now."""
    clock, pythons = SystemClock(), Pythons(me=os.getpid())
    pythons.look(clock.now())
    clock.sleep(_APART_S)
    return pythons.look(clock.now())


def list_suspects(arguments: argparse.Namespace) -> int:
    """Print them; returns the exit code."""
    found = suspects()
    if arguments.json:
        sys.stdout.write(json.dumps(suspects_json(found)) + "\n")
        return EXIT_OK
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(suspect_lines(found, arguments.command), color=color, ascii_only=arguments.ascii)
    return EXIT_OK


def chosen_pid(word: str, *, engines: bool = False) -> int:
    """Number of the process that a number or a word names; UsageError for none or several.

    `engines` lets a word name an engine: the first of its processes is chosen.
    """
    if word.isdecimal():
        return int(word)
    found = matching(suspects(), word)
    heads = [s for s in found if s.role in ("", "frontend")] if engines else []
    if len(found) == 1 or len(heads) == 1:
        return (heads or list(found))[0].pid
    if not found:
        raise UsageError(f"no Python process here has {word!r} in its command line; `perfconsole flame` lists them")
    names = ", ".join(suspect_words(s) for s in found[:6])
    raise UsageError(f"{word!r} names {len(found)} processes: {names}; take one by its number")
