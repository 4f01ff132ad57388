"""`perfconsole flame PID|NAME` and `perfconsole flame open FILE`: the stacks of a process, and what they say."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentTypeError
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.actions.pyspy import Recording, find_tool
from perfconsole.actions.savedfiles import save_all
from perfconsole.clock import SystemClock
from perfconsole.commands.printing import safe, say, wants_color, write_lines
from perfconsole.commands.suspects import chosen_pid, list_suspects
from perfconsole.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, NotPermittedError, PerfconsoleError, UsageError
from perfconsole.model.flameplan import MOST_RATE, MOST_SECONDS, RATE, SECONDS, FlamePlan
from perfconsole.plainfile import read_plain
from perfconsole.sources.linux.sourcelines import SourceLines
from perfconsole.sources.linux.stackaccess import look_at, refusal, standing
from perfconsole.stacks.read import read_recording, recorded
from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import changes, flame_tree
from perfconsole.view.flamefiles import ENDINGS, flame_name, flame_texts
from perfconsole.view.stackreport import change_lines, changes_json, stacks_json, stacks_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from perfconsole.model.stack import Profile
    from perfconsole.model.stackreading import Change, StackReading

_LOOK_S = 0.1
_EARLY_S = 1.0
"""py-spy counts its seconds from its first sample to its last: a little less than asked for is all of it."""
_MOST_FILE = 256 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar="PID|NAME|open FILE [BEFORE]",
        help="a process by its number, or by a word of its command line or part (vllm, core, gateway); "
        "`open FILE` reads a recording, and compares it with another; nothing lists the processes",
    )
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help=f"how long to record (default {SECONDS:.0f})")
    parser.add_argument("--rate", type=_rate, default=RATE, help=f"samples a second (default {RATE})")
    parser.add_argument(
        "--native", action="store_true", help="frames of compiled code too; stops the process each time"
    )
    parser.add_argument("--gil", action="store_true", help="only threads that hold the interpreter lock")
    parser.add_argument("--subprocesses", action="store_true", help="the processes that it started too")
    parser.add_argument(
        "--no-idle", dest="idle", action="store_false", help="leave out threads that wait; hides what blocks"
    )
    parser.add_argument("--blocking", action="store_true", help="stop the process for each sample: exact, at its cost")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the files of the recording")
    parser.add_argument("--report", action="store_true", help="with open: print what it says, also on a terminal")
    parser.add_argument("--yes", action="store_true", help="stop the process for its samples without asking")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    match arguments.what:
        case []:
            return list_suspects(arguments)
        case ["open", file]:
            return _open(arguments, Path(file), None)
        case ["open", file, before]:
            return _open(arguments, Path(file), Path(before))
        case [word] if word != "open":
            return _record(arguments, word)
    raise UsageError("flame takes one process (PID or NAME), or `open FILE [BEFORE]`")


def _open(arguments: argparse.Namespace, path: Path, before: Path | None) -> int:
    profile, earlier = _read(path), _read(before) if before else None
    if not (arguments.json or arguments.report) and sys.stdin.isatty() and sys.stdout.isatty():
        _show(arguments, profile, earlier, path)
    changed = changes(profile, earlier) if earlier else ()
    _print(arguments, read_profile(profile, SourceLines().text), changed)
    return EXIT_OK


def _read(path: Path) -> Profile:
    try:
        return read_recording(read_plain(path, _MOST_FILE).decode("utf-8", "replace"))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def _show(arguments: argparse.Namespace, profile: Profile, earlier: Profile | None, path: Path) -> None:
    """The flame graph on the screen; the process ends inside."""
    from perfconsole.config import load  # noqa: PLC0415 - no part of the screen is needed elsewhere
    from perfconsole.tui.openfile import show_file  # noqa: PLC0415 - as above
    from perfconsole.tui.run import look_of, require_terminal  # noqa: PLC0415 - as above

    require_terminal(os.environ)
    dictionary = load(arguments.config, (), ()).dictionary
    title = f"{path}  {profile.samples} samples{', beside an earlier recording' if earlier else ''}"
    show_file(profile, title, SourceLines().text, look_of(arguments, dictionary, path.name), earlier)


def _record(arguments: argparse.Namespace, word: str) -> int:
    tool, clock = find_tool(), SystemClock()
    plan = FlamePlan(
        pid=chosen_pid(word),
        seconds=arguments.seconds,
        rate=arguments.rate,
        idle=arguments.idle,
        native=arguments.native,
        gil=arguments.gil,
        subprocesses=arguments.subprocesses,
        blocking=arguments.blocking,
    )
    subject = look_at(plan.pid)
    refused = refusal(subject, tool)
    if refused:
        raise (NotPermittedError if subject.state else UsageError)(refused.line())
    if plan.stops and not arguments.yes:
        raise UsageError(
            f"--native and --blocking stop process {plan.pid} for each sample"
            + (", and it has torch loaded, which such stops have frozen before" if subject.native_heavy else "")
            + "; add --yes to do it all the same"
        )
    recording = Recording(plan, tool, clock.now())
    interrupted = _wait(recording, clock, quiet=arguments.quiet)
    if alarm := standing(plan.pid, subject.state):
        say(alarm)
    profile = _profile(recording, plan)
    lines = SourceLines(f"/proc/{plan.pid}/root").text
    reading = read_profile(profile, lines)
    wall = clock.wall()
    texts = flame_texts(profile, reading, flame_tree(profile, lines), plan, subject.title, wall)
    code = _save(arguments, texts, flame_name(plan, wall))
    _print(arguments, reading)
    return EXIT_INTERRUPTED if interrupted else code


def _wait(recording: Recording, clock: SystemClock, *, quiet: bool) -> bool:
    """Until it has ended; Ctrl-C ends it early, and what was recorded until then counts. Whether it was ended so."""
    ticking = _ticker(recording.plan.seconds, quiet=quiet)
    interrupted = False
    try:
        while not recording.look(clock.now()):
            try:
                ticking(recording.took_s)
                clock.sleep(_LOOK_S)
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                recording.cancel()
    finally:
        recording.close()
        ticking(-1.0)
    return interrupted


def _ticker(seconds: float, *, quiet: bool) -> Callable[[float], None]:
    def tick(took_s: float) -> None:
        if quiet or not sys.stderr.isatty():
            return
        left = max(0.0, seconds - took_s)
        text = "" if took_s < 0 else f"perfconsole: recording, {left:.0f} s left, ctrl+c ends it early"
        sys.stderr.write(f"\r{text:64}" + ("\r" if took_s < 0 else ""))
        sys.stderr.flush()

    return tick


def _profile(recording: Recording, plan: FlamePlan) -> Profile:
    """The stacks that were recorded, with what is known of how."""
    trouble = recording.trouble()
    profile = recorded(recording.folded(), plan, recording.took_s, trouble, cancelled=recording.cancelled)
    if trouble:
        say(f"py-spy ended early: {trouble}")
    took_s = recording.took_s
    if took_s < plan.seconds - _EARLY_S and not recording.cancelled:
        say(f"the process ended after {took_s:.1f} of {plan.seconds:.0f} s; seen until then:")
    return profile


def _save(arguments: argparse.Namespace, texts: dict[str, str], name: str) -> int:
    try:
        path = save_all(texts, name, arguments.out, "flames")
    except PerfconsoleError as error:
        say(f"{error}; --out DIR takes another")
        return EXIT_USAGE
    if not arguments.quiet:
        say(f"saved {path} ({' '.join(ENDINGS)})")
    return EXIT_OK


def _print(arguments: argparse.Namespace, reading: StackReading, changed: Sequence[Change] = ()) -> None:
    if arguments.json:
        document = {**stacks_json(reading), **({"changed": changes_json(changed)} if changed else {})}
        sys.stdout.write(safe(json.dumps(document, allow_nan=False), ascii_only=False) + "\n")
        return
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    lines = (*stacks_lines(reading), *change_lines(changed))
    write_lines(lines, color=color, ascii_only=arguments.ascii)


def _seconds(text: str) -> float:
    return float(ceil(_within(text, "seconds", MOST_SECONDS)))  # py-spy counts whole ones


def _rate(text: str) -> int:
    return int(_within(text, "samples a second", MOST_RATE))


def _within(text: str, what: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= most:
        raise ArgumentTypeError(f"{text!r} is no number of {what} from 1 to {most:.0f}")
    return value
