"""`perfconsole diagnose SITUATION.yaml ...`: judge figures written down, of an incident or of a live console."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole import __version__
from perfconsole.clock import SystemClock
from perfconsole.commands.printing import say, wants_color, write_lines
from perfconsole.commands.rulebook import told_rules
from perfconsole.commands.verdict import add_verdict_flags, code_of, open_at, standing_verdicts
from perfconsole.config import load
from perfconsole.core.score import scored, total
from perfconsole.core.situation import Chosen, History, judged, pertinent
from perfconsole.errors import EXIT_LIKELY, EXIT_OK, EXIT_POSSIBLE, EXIT_USAGE, PerfconsoleError, UsageError
from perfconsole.sources.situationfile import files_below, read_situations
from perfconsole.view.report_json import report
from perfconsole.view.report_text import situation_lines
from perfconsole.view.score import score_json, score_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from perfconsole.config import Config
    from perfconsole.model.rule import Rule
    from perfconsole.model.score import Scored
    from perfconsole.model.situation import Situation
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.view.report_text import Line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    parser.add_argument("path", nargs="+", type=Path, metavar="PATH", help="situation files, or folders of them")
    parser.add_argument(
        "--score", action="store_true", help="a table: was what each file expects named first, and was nothing else"
    )
    parser.add_argument(
        "--figures",
        choices=[str(c) for c in Chosen],
        default=str(Chosen.ALL),
        help="stated: only what was reported; all: what follows from it too (default)",
    )
    parser.add_argument(
        "--baseline",
        choices=[str(h) for h in History],
        default=str(History.GIVEN),
        help="healthy values to compare with: those of the file (default), only what histograms carry, none",
    )
    add_verdict_flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.engine or arguments.gateway or arguments.orchestrator:
        raise UsageError("diagnose judges files: leave targets out (`perfconsole check` watches them)")
    config = load(arguments.config, [], arguments.rules)
    rules, broken = told_rules(config)
    situations, unread = _situations(arguments, config)
    answer = _score if arguments.score else _report
    code = answer(arguments, config, rules, situations)
    return EXIT_USAGE if broken or unread else code


def _situations(arguments: argparse.Namespace, config: Config) -> tuple[list[Situation], bool]:
    """Every situation that can be read; whether some file could not."""
    found: list[Situation] = []
    unread = False
    for path in files_below(arguments.path):
        try:
            file = read_situations(path, config.dictionary)
        except PerfconsoleError as error:
            if arguments.path == [path]:
                raise
            say(str(error))
            unread = True
            continue
        for remark in file.remarks:
            say(remark)
        found += file.situations
    if not found:
        raise UsageError("no situation could be read; see the lines above")
    return found, unread


def _judged(arguments: argparse.Namespace, config: Config, rules: list[Rule], situation: Situation) -> Snapshot:
    chosen, history = Chosen(arguments.figures), History(arguments.baseline)
    snapshot, open_rules = judged(situation, rules, config.dictionary, chosen, history, SystemClock().wall())
    if snapshot.findings:
        return snapshot
    return replace(snapshot, undecided=(*snapshot.undecided, *pertinent(open_rules, rules, snapshot)))


def _score(arguments: argparse.Namespace, config: Config, rules: list[Rule], situations: list[Situation]) -> int:
    cases = list(_scored(arguments, config, rules, situations))
    if not cases:
        raise UsageError("no file says what it expects ('expect: {first: [...]}'), so nothing can be scored")
    score = total(cases)
    if arguments.json:
        _write_json(score_json(score, cases))
    else:
        _write(arguments, score_lines(score, cases))
    return EXIT_OK


def _scored(
    arguments: argparse.Namespace, config: Config, rules: list[Rule], situations: list[Situation]
) -> Iterator[Scored]:
    for situation in situations:
        if situation.expected is None:
            say(f"{situation.id}: does not say what it expects, so it is not scored")
            continue
        snapshot = _judged(arguments, config, rules, situation)
        yield scored(situation.id, situation.expected, snapshot.findings, snapshot.undecided)


def _write(arguments: argparse.Namespace, lines: Iterable[Line]) -> None:
    with suppress(BrokenPipeError):  # the reader of the pipe has left; the exit code is for somebody else
        write_lines(lines, color=wants_color(sys.stdout, no_color=arguments.no_color), ascii_only=arguments.ascii)


def _write_json(document: object) -> None:
    with suppress(BrokenPipeError):  # as above
        sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")


def _report(arguments: argparse.Namespace, config: Config, rules: list[Rule], situations: list[Situation]) -> int:
    clock = SystemClock()
    documents: list[dict[str, Any]] = []
    codes: list[int] = []
    for situation in situations:
        began = clock.now()
        snapshot = _judged(arguments, config, rules, situation)
        unsure = arguments.strict and open_at(snapshot, arguments.fail_on)
        codes.append(code_of(standing_verdicts(snapshot, arguments.fail_on), unsure=unsure))
        if arguments.json:
            document = report(snapshot, version=__version__, host="", took_s=clock.now() - began)
            documents.append({**document, "situation": situation.id})
        else:
            _write(arguments, situation_lines(snapshot, situation.id, situation.title))
    if arguments.json:
        _write_json(documents[0] if len(documents) == 1 else documents)
    return next((code for code in (EXIT_LIKELY, EXIT_POSSIBLE) if code in codes), EXIT_OK)
