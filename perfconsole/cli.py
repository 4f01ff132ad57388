"""The command tree, and the only place where the process ends. A command is imported only when it is chosen."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from perfconsole import __version__, garbage
from perfconsole.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_USAGE, PerfconsoleError, exit_code_for

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMANDS = {
    "watch": "the live screen; what `perfconsole` alone does",
    "demo": "the live screen over a simulated host that plays incidents: needs no GPU and no engine",
    "check": "watch for a while (or replay a recording), say what is wrong, exit with a code for scripts",
    "diagnose": "judge figures written down: a situation file of an incident, or one that the live screen wrote",
    "rules": "list, show, lint, test and document the rules of the symptom table; say why one is silent",
    "baseline": "save what healthy figures of an engine are, list and show what is saved",
    "flame": "record the stacks of a Python process for some seconds, and say what blocks in them",
    "dump": "take the stacks of a process, or of all processes of an engine, at this moment",
    "probe": "send load step by step: what the endpoint can do, and where its knee is; compare and list results",
    "targets": "list what is watched; read one metrics page and say what it fills",
}
_WITH_ACTIONS = ("rules", "baseline", "targets")
"""Commands whose actions take the shared flags."""


class _Parser(argparse.ArgumentParser):
    """argparse with one clear line for an error, naming the nearest known flag or command."""

    def error(self, message: str) -> NoReturn:
        raise _UsageExit(self.prog, message, sorted(_options(self)))


def _options(parser: argparse.ArgumentParser) -> set[str]:
    """Flags of a parser and of the commands below it: argparse lets the topmost one complain about an unknown flag."""
    found = set(parser._option_string_actions)  # noqa: SLF001 - argparse has no public list of its flags
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            found.update(option for below in action.choices.values() for option in _options(below))
    return found


class _UsageExit(Exception):  # noqa: N818 - not an error of the program: a way out of argparse
    def __init__(self, prog: str, message: str, options: list[str]) -> None:
        super().__init__(message)
        import difflib  # noqa: PLC0415 - 5 ms that only a mistake has to pay

        word = message.rpartition(": ")[2].split(" ")[0].partition("=")[0]
        near = difflib.get_close_matches(word, options, n=1, cutoff=0.7) if word.startswith("-") else []
        hint = f"; did you mean {near[0]}?" if near else ""
        # A URL that lost its flag may hold a password.
        shown = re.sub(r"(\w+://)?[^\s']*@", r"\1***@", message)
        self.line = f"{shown}{hint} (see `{prog} --help`)"


def _shared() -> _Parser:
    """Flags that all commands share."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--engine",
        action="append",
        default=[],
        metavar="URL",
        help="an engine to watch, e.g. http://127.0.0.1:8000 (repeatable)",
    )
    parser.add_argument(
        "--gateway",
        action="append",
        default=[],
        metavar="URL",
        help="a gateway in front of the engines, e.g. http://127.0.0.1:4000 (repeatable)",
    )
    parser.add_argument(
        "--orchestrator",
        action="append",
        default=[],
        metavar="URL|PID",
        help="an agent server or router that calls the engines, by URL or process number (repeatable)",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="TOML file with targets, marks and owners")
    parser.add_argument(
        "--rules", action="append", type=Path, default=[], metavar="DIR", help="folder of your own rules (repeatable)"
    )
    parser.add_argument("--version", action="version", version=f"perfconsole {__version__}")
    parser.add_argument("--json", action="store_true", help="one JSON document for scripts instead of text")
    parser.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR works too)")
    parser.add_argument("--ascii", action="store_true", help="plain ASCII only")
    parser.add_argument("-q", "--quiet", action="store_true", help="nothing on stderr but errors")
    parser.add_argument("-v", "--verbose", action="store_true", help="more of the same: every indicator, every place")
    return parser


def build_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The command tree; only the command that `argv` names has its flags, so only its module is imported."""
    parser = _Parser(
        prog="perfconsole",
        description="Says what is wrong with LLM serving on this host, why, and what to check first.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"perfconsole {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    chosen = next((word for word in argv if not word.startswith("-")), "")
    for name, text in _COMMANDS.items():
        shared = _shared()
        if name in _WITH_ACTIONS:
            command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        else:
            command = commands.add_parser(name, parents=[shared], help=text, description=text, allow_abbrev=False)
        if name == chosen:
            module = import_module(f"perfconsole.commands.{name}")
            module.add_arguments(command, shared) if name in _WITH_ACTIONS else module.add_arguments(command)
    return parser


def _with_command(argv: Sequence[str]) -> list[str]:
    """Flags alone, or nothing, mean the live screen."""
    own = ("-h", "--help", "--version")
    return list(argv) if argv and (not argv[0].startswith("-") or argv[0] in own) else ["watch", *argv]


def main(argv: Sequence[str]) -> int:
    """Run the program on these arguments; returns the exit code."""
    argv = _with_command(argv)
    try:
        arguments = build_parser(argv).parse_args(argv)
        code: int = import_module(f"perfconsole.commands.{arguments.command}").run(arguments)
    except _UsageExit as usage:
        chosen = next((word for word in argv if word in _COMMANDS), "")
        return _fail(
            usage.line.replace("`perfconsole --help`", f"`perfconsole {chosen} --help`".replace("  ", " ")), EXIT_USAGE
        )
    except PerfconsoleError as error:
        return _fail(str(error), exit_code_for(error))
    except OSError as error:
        if not error.filename:
            raise  # the output: run() knows what to do
        return _fail(f"{error.filename}: {error.strerror or error}", EXIT_USAGE)
    return code


def _fail(line: str, code: int) -> int:
    from perfconsole.view.plain import plain  # noqa: PLC0415 - only an error needs it

    sys.stderr.write(f"perfconsole: {plain(line)}\n")
    return code


def _terminated(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)


def _prepare_streams() -> None:
    """Streams that are closed swallow what is written; one that cannot carry a character writes its escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - it stays open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def run() -> NoReturn:
    """Entry point of the `perfconsole` script."""
    garbage.wait()
    signal.signal(signal.SIGTERM, _terminated)
    _prepare_streams()
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else EXIT_USAGE
        with suppress(OSError):
            sys.stdout.flush()  # the text of --help; _exit would drop it
    except BrokenPipeError:
        code = 0  # the reader of the pipe has left
    except OSError as error:
        code = _fail(f"the output: {error.strerror or error}", EXIT_USAGE)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not look like a finding (exit code 1) to a script
        code = _fail(f"fault in perfconsole, please report it: {type(error).__name__}: {error}", EXIT_USAGE)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)  # never waits for a source that hangs in a system call
