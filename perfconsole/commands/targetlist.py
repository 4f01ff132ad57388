"""`perfconsole targets list`: what is watched on this host, by name or because it was found, and what was not taken."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from perfconsole.clock import SystemClock
from perfconsole.commands.lognames import add_log
from perfconsole.commands.printing import progress, wants_color, write_lines
from perfconsole.commands.running import seconds_of
from perfconsole.commands.watching import Watching
from perfconsole.config import load_flags
from perfconsole.core.session import Session
from perfconsole.errors import EXIT_NEVER_ANSWERED, EXIT_OK, EXIT_POSSIBLE
from perfconsole.model.entity import Kind
from perfconsole.view.layers import health_of, unheard
from perfconsole.view.targetlist import Listed, listed_json, listed_lines

if TYPE_CHECKING:
    import argparse

    from perfconsole.model.snapshot import Snapshot, SourceHealth
    from perfconsole.sources.directory import Member

LOOK_S = 6.0
"""A service that says nothing of itself is known by connections that it holds in two looks, 2 s apart."""
_LAYERS = {Kind.GATEWAY: "gateway", Kind.ORCHESTRATOR: "orchestration", Kind.ENGINE: "engine"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    add_log(parser)
    parser.add_argument(
        "--for",
        dest="seconds",
        type=seconds_of,
        default=LOOK_S,
        metavar="SECONDS",
        help=f"how long to look (default {LOOK_S:.0f} s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Look for a while and list; returns the exit code."""
    watching = Watching(load_flags(arguments))
    snapshot = _look(watching, arguments)
    listed = [_listed(member, snapshot) for member in watching.directory.members()]
    listed.sort(key=lambda each: (tuple(_LAYERS.values()).index(each.layer), each.name))
    notes = [note for source in snapshot.sources if source.kind == "discovery" for note in source.notes]
    if arguments.json:
        sys.stdout.write(json.dumps([listed_json(each) for each in listed]) + "\n")
    else:
        color = wants_color(sys.stdout, no_color=arguments.no_color)
        write_lines(listed_lines(listed, notes), color=color, ascii_only=arguments.ascii)
    if not watching.named.isdisjoint(unheard(snapshot)):
        return EXIT_NEVER_ANSWERED
    return EXIT_OK if listed else EXIT_POSSIBLE


def _look(watching: Watching, arguments: argparse.Namespace) -> Snapshot:
    """The last picture of so many seconds; nothing is judged."""
    from perfconsole.monitor import Monitor  # noqa: PLC0415 - threads are not needed to print a help text

    clock = SystemClock()
    start = clock.now()
    last: list[Snapshot] = []

    def on_snapshot(snapshot: Snapshot) -> None:
        progress(snapshot.t - start, arguments.seconds, quiet=arguments.quiet)
        last[:] = [snapshot]

    monitor = Monitor(Session(None), [*watching.pages, *watching.processes(), *watching.discovery()], clock)
    watching.attach(monitor)
    monitor.run(arguments.seconds, on_snapshot)
    return last[0]


def _listed(member: Member, snapshot: Snapshot) -> Listed:
    entity = member.entity()
    source = next((s for s in snapshot.sources if s.name == member.source and s.kind != "health route"), None)
    state, reason = _state(member, snapshot, source)
    links = tuple(str(link.child) for link in snapshot.links if link.parent == entity and link.child.kind in _LAYERS)
    return Listed(
        name=entity.name,
        layer=_LAYERS[entity.kind],
        adapter=member.adapter() or None,
        url=member.url or None,
        pid=min(member.pids, default=None),
        links=links,
        state=state,
        reason=reason,
        log=next((f.value for f in snapshot.facts if f.name == "engine.log" and f.entity == entity), None),
    )


def _state(member: Member, snapshot: Snapshot, source: SourceHealth | None) -> tuple[str, str]:
    """How its page answers (for one without a page its health), and what there is to say of it."""
    if source is None:
        return "absent", "not asked yet"
    route = health_of(snapshot, source)
    shown = route if route is not None and source.state != "ok" and route.state == "ok" else source
    words = shown.reason or "; ".join(source.notes) or member.how
    return str(shown.state), words
