"""`perfconsole baseline save|show|list`: healthy figures of an engine and of what stands around it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole import __version__
from perfconsole.commands.lognames import add_log
from perfconsole.commands.printing import say, wants_color, write_lines
from perfconsole.commands.profilefiles import checked_name, folder, load_profiles, save_profile
from perfconsole.commands.running import add_length, add_replay
from perfconsole.errors import EXIT_LIKELY, EXIT_NEVER_ANSWERED, EXIT_OK, EXIT_POSSIBLE, UsageError
from perfconsole.model.profile import Profile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from perfconsole.commands.running import Run
    from perfconsole.core.healthystretch import HealthyStretch
    from perfconsole.core.session import Session
    from perfconsole.model.entity import Entity
    from perfconsole.model.finding import Finding
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.view.report_text import Line

USUAL, QUIET = "usual", "quiet"
"""Names of profiles that were given none: of watched traffic, and of a probe, so that neither replaces the other."""
_WATCHES = ("seconds", "replay", "at", "engine", "gateway", "orchestrator", "log", "force")
"""Flags of watching, by the names of their values."""
MIN_REQUESTS = 20
"""Below this many ended requests a p95 is the figure of one request."""


def add_arguments(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """Actions with their arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    words = "keep the figures of what is well: watched for a while, or of a probe"
    save = actions.add_parser("save", parents=[shared], help=words, description=words)
    add_length(save)
    add_log(save)
    add_replay(save)
    save.add_argument(
        "--probe",
        type=Path,
        metavar="RESULT.json",
        help="watch nothing: keep the step with one request at a time of a result of `perfconsole probe --out`",
    )
    save.add_argument(
        "--name",
        metavar="NAME",
        help=f"what to call it (default: {USUAL}, of a probe {QUIET}); the same name is replaced",
    )
    save.add_argument(
        "--force", action="store_true", help="save although a finding stands; it is noted wherever the figures are used"
    )
    show = actions.add_parser("show", parents=[shared], help="every figure of a saved profile, with its unit")
    show.add_argument("name", metavar="NAME", help="its name, as in the list; those of all entities that share it")
    actions.add_parser("list", parents=[shared], help="one line each: name, whose, model, build, when, how long")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; returns the exit code."""
    match arguments.action:
        case "save":
            return _save(arguments)
        case "show":
            return _show(arguments)
        case _:
            return _list(arguments)


def _known() -> tuple[tuple[Path, Profile], ...]:
    shelf = load_profiles()
    for problem in shelf.problems:
        say(problem)
    return shelf.profiles


def _list(arguments: argparse.Namespace) -> int:
    from perfconsole.view.baselinereport import list_lines  # noqa: PLC0415 - not needed for a help text

    known = _known()
    if arguments.json:
        return _print_json([{**_document(profile, figures=False), "file": str(path)} for path, profile in known])
    if not known:
        say(f"no baseline in {folder()}; `perfconsole baseline save --for 30m` keeps one while all is well")
    else:
        _print(arguments, list_lines([profile for _, profile in known]))
    return EXIT_OK


def _show(arguments: argparse.Namespace) -> int:
    from perfconsole.view.baselinereport import show_lines  # noqa: PLC0415 - not needed for a help text

    known = _known()
    chosen = [(path, profile) for path, profile in known if profile.name == arguments.name]
    if not chosen:
        names = ", ".join(dict.fromkeys(profile.name for _, profile in known)) or "none is saved yet"
        raise UsageError(f"no baseline is called {arguments.name!r} (known: {names})")
    if arguments.json:
        return _print_json([{**_document(profile), "file": str(path)} for path, profile in chosen])
    _print(arguments, (line for _, profile in chosen for line in show_lines(profile)))
    return EXIT_OK


def _document(profile: Profile, *, figures: bool = True) -> dict[str, object]:
    from perfconsole.core.profilecodec import encode  # noqa: PLC0415 - only where JSON is wanted

    document = encode(profile)
    return document if figures else {key: value for key, value in document.items() if key != "values"}


def _print_json(document: object) -> int:
    sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
    return EXIT_OK


def _print(arguments: argparse.Namespace, lines: Iterable[Line]) -> None:
    write_lines(lines, color=wants_color(sys.stdout, no_color=arguments.no_color), ascii_only=arguments.ascii)


def _save(arguments: argparse.Namespace) -> int:
    return _watch(arguments) if arguments.probe is None else _take(arguments)


def _take(arguments: argparse.Namespace) -> int:
    """Save what a probe measured of an engine that nobody else used."""
    from perfconsole.commands.probekept import read_result  # noqa: PLC0415 - not needed for a help text
    from perfconsole.model.dictionary import DEFAULT  # noqa: PLC0415 - as above
    from perfconsole.probing.quiet import quiet_profile  # noqa: PLC0415 - as above

    wrong = [name for name in _WATCHES if getattr(arguments, name)]
    if wrong:
        flag = "--for" if wrong[0] == "seconds" else f"--{wrong[0]}"
        raise UsageError(f"--probe takes what was measured, and watches nothing: leave {flag} out")
    name = checked_name(arguments.name or QUIET)
    try:
        profile = quiet_profile(read_result(arguments.probe), name, __version__, DEFAULT.unit)
    except ValueError as error:
        raise UsageError(f"{arguments.probe}: {error}") from None
    return _say_saved(arguments, [profile])


def _watch(arguments: argparse.Namespace) -> int:
    from perfconsole.commands.rulebook import told_rules  # noqa: PLC0415 - not needed for a help text
    from perfconsole.commands.running import refuse_mixed, run_flags  # noqa: PLC0415 - as above
    from perfconsole.config import load_flags  # noqa: PLC0415 - as above
    from perfconsole.core.healthystretch import HealthyStretch  # noqa: PLC0415 - as above
    from perfconsole.core.trouble import troubling  # noqa: PLC0415 - as above

    name = checked_name(arguments.name or USUAL)
    refuse_mixed(arguments)
    config = load_flags(arguments)
    rules, _ = told_rules(config)
    folds: list[HealthyStretch] = []

    def follow(session: Session, snapshot: Snapshot) -> None:
        if not folds:
            folds.append(HealthyStretch(config.dictionary, session.grown, every=arguments.force))
        folds[0].add(snapshot)

    done = run_flags(arguments, config, rules, follow=follow)
    folds[0].finish()
    if done.ended is not None:
        say("nothing was saved")
        return done.ended
    found = troubling(done.snapshot.findings)
    if found and not arguments.force:
        return _refuse(found)
    return _keep(arguments, done, folds[0], name, found)


def _refuse(found: Iterable[Finding]) -> int:
    """What is wrong makes no yardstick."""
    words = "; ".join(f"{f.rule} on {f.entity}" for f in found if not f.explained_by)
    say(f"nothing was saved, this is not healthy: {words} (`perfconsole check` says why; --force saves all the same)")
    return EXIT_LIKELY


def _keep(arguments: argparse.Namespace, done: Run, fold: HealthyStretch, name: str, found: list[Finding]) -> int:
    """Save each entity that carried requests, and the host and cards around them."""
    profiles, lacking = made_profiles(done.snapshot, fold, name, tuple(sorted({f.rule for f in found})))
    for line in lacking:
        say(line)
    if not profiles:
        say("nothing was saved")
        return EXIT_NEVER_ANSWERED if done.never_answered else EXIT_POSSIBLE
    return _say_saved(arguments, profiles)


def _say_saved(arguments: argparse.Namespace, profiles: Iterable[Profile]) -> int:
    saved = [(save_profile(profile), profile) for profile in profiles]
    if arguments.json:
        return _print_json([{**_document(profile), "file": str(path)} for path, profile in saved])
    from perfconsole.view.baselinereport import saved_lines  # noqa: PLC0415 - not needed for a help text

    _print(arguments, (line for path, profile in saved for line in saved_lines(profile, str(path))))
    return EXIT_OK


def made_profiles(
    snapshot: Snapshot, fold: HealthyStretch, name: str, despite: tuple[str, ...]
) -> tuple[list[Profile], list[str]]:
    """Profiles of what was well and busy enough, and a line for each that was not.

    Host and cards have no requests of their own: their figures count where something that has some is saved.
    """
    from perfconsole.core.identity import identities  # noqa: PLC0415 - not needed for a help text

    made: dict[bool, list[Profile]] = {True: [], False: []}
    lacking = []
    for entity, who in identities(snapshot).items():
        seen = fold.seen(entity)
        lack = _lack(entity, seen.healthy_s, seen.requests)
        if lack:
            lacking.append(lack)
        elif seen.values:
            made[seen.requests is not None].append(
                Profile(
                    name=name,
                    identity=who,
                    values=seen.values,
                    healthy_s=seen.healthy_s,
                    requests=seen.requests,
                    wall=snapshot.wall,
                    host=_host(),
                    tool=__version__,
                    despite=despite,
                )
            )
    return ([*made[True], *made[False]] if made[True] else []), lacking or _nobody(made[True])


def _nobody(busy: list[Profile]) -> list[str]:
    return [] if busy else ["neither an engine nor a gateway was seen: name one with --engine URL"]


def _lack(entity: Entity, healthy_s: float, requests: float | None) -> str:
    """Why an entity makes no yardstick; empty when it does."""
    if healthy_s <= 0:
        return f"{entity} is left out: it had no minute without trouble"
    if requests is not None and requests < MIN_REQUESTS:
        need = f"it takes {MIN_REQUESTS}: watch longer (--for 30m), or while there is load"
        return f"{entity} is left out: {requests:.0f} requests ended in {healthy_s:.0f} s, {need}"
    return ""


def _host() -> str:
    from perfconsole.commands.sourcing import host_name  # noqa: PLC0415 - not needed for a help text

    return host_name()
