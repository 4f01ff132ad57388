"""`perfconsole dump PID|NAME`: the stacks of this moment, of a process or of all processes of its engine."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from perfconsole.actions.dumping import Dumping
from perfconsole.actions.pyspy import find_tool
from perfconsole.clock import SystemClock
from perfconsole.commands.printing import safe, wants_color, write_lines
from perfconsole.commands.suspects import chosen_pid, list_suspects, suspects
from perfconsole.errors import EXIT_OK, NotPermittedError, UsageError
from perfconsole.sources.linux.dumped import dumped, family
from perfconsole.sources.linux.stackaccess import look_at, refusal
from perfconsole.sources.linux.tree import read_parents
from perfconsole.view.dumpreport import dump_json, dump_lines

if TYPE_CHECKING:
    import argparse

    from perfconsole.model.suspect import Suspect

_LOOK_S = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    parser.add_argument(
        "what", nargs="?", metavar="PID|NAME", help="a process, by its number or a word; nothing lists the processes"
    )
    parser.add_argument("--alone", action="store_true", help="this process only, not all of its engine")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.what is None:
        return list_suspects(arguments)
    tool, clock = find_tool(), SystemClock()
    pid = chosen_pid(arguments.what, engines=not arguments.alone)
    subject = look_at(pid)
    refused = refusal(subject, tool)
    if refused:
        raise (NotPermittedError if subject.state else UsageError)(refused.line())
    members = _members(pid, alone=arguments.alone)
    dumping = Dumping([m.pid for m in members], tool, clock.now())
    try:
        while not dumping.look(clock.now()):
            clock.sleep(_LOOK_S)
    finally:
        dumping.close()
    reading = dumped(members, dumping.given)
    if all(p.trouble for p in reading.processes):
        raise NotPermittedError(f"py-spy could not read process {pid}: {reading.processes[0].trouble}")
    if arguments.json:
        sys.stdout.write(safe(json.dumps(dump_json(reading), allow_nan=False), ascii_only=False) + "\n")
        return EXIT_OK
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(dump_lines(reading, every=arguments.verbose), color=color, ascii_only=arguments.ascii)
    return EXIT_OK


def _members(pid: int, *, alone: bool) -> tuple[Suspect, ...]:
    found = suspects()
    members = tuple(s for s in found if s.pid == pid) if alone else family(found, pid, read_parents(""))
    if not members:
        raise UsageError(f"process {pid} is no Python process that can be seen here; `perfconsole dump` lists them")
    return members
