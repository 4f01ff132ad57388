"""Python processes whose stacks can be asked for, in a list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from perfconsole.view.report_text import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.suspect import Suspect

_OTHER = "other"
_INTERPRETER = re.compile(r"^/\S*/(?=\S)")
_PROGRAM = re.compile(r"^(\S+ )/\S*/s?bin/(?=\S)")


def suspect_words(suspect: Suspect) -> str:
    """`4312 engine vllm core`."""
    return " ".join(word for word in (str(suspect.pid), suspect.layer, suspect.kind, suspect.role) if word)


def suspects_json(found: Iterable[Suspect]) -> dict[str, Any]:
    """The list for scripts."""
    return {
        "schema": 1,
        "processes": [
            {
                "pid": s.pid,
                "layer": s.layer or None,
                "kind": s.kind or None,
                "role": s.role or None,
                "title": s.title,
                "cpu": None if s.cpu is None else round(s.cpu, 2),
                "threads": s.threads,
                "python": s.python or None,
            }
            for s in found
        ],
    }


HEADS = f"{'PID':>7}  {'LAYER':13} {'PART':9} {'CPU':>5} {'THREADS':>7} {'PYTHON':6} COMMAND"
INDENT = HEADS.index("COMMAND")


def suspect_row(suspect: Suspect) -> str:
    """One process in the columns of HEADS."""
    cpu = "-" if suspect.cpu is None else f"{suspect.cpu:.2f}"
    part = suspect.role or suspect.kind or "-"
    place = f"{suspect.pid:7}  {suspect.layer or _OTHER:13} {part:9}"
    return f"{place} {cpu:>5} {suspect.threads:7} {suspect.python or '-':6} {_short(suspect.title)}"


def _short(title: str) -> str:
    """Without the folders of the interpreter and of an installed program: they fill a column and tell nothing."""
    return _PROGRAM.sub(r"\1", _INTERPRETER.sub("", title))


def suspect_lines(found: Iterable[Suspect], command: str) -> Iterator[Line]:
    """The list for people, and what to do with it."""
    every = list(found)
    if not every:
        yield Line("no Python process is to be seen here; processes of other users may need sudo")
        return
    yield Line(HEADS, "head")
    for suspect in every:
        yield Line(suspect_row(suspect), indent=INDENT)
    yield Line("")
    yield Line(f"perfconsole {command} PID takes one of them; it must be yours, or use sudo", "dim")
