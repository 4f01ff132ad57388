"""`perfconsole probe [RECIPE] URL`: send load, step by step, and say what the endpoint can do; compare and list."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.probeplan import RECIPES
from perfconsole.probing.options import add_options

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags of this command, beside those that all share."""
    parser.add_argument(
        "what",
        nargs="*",
        metavar="[RECIPE] URL [URL2]",
        help=f"recipes: {', '.join(RECIPES)} (step-load by default); unix:/PATH is a socket; "
        "or `compare A.json B.json`, or `list`",
    )
    parser.add_argument("--token-env", metavar="VARIABLE", help="environment variable that holds the target's key")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON; a file there is replaced")
    parser.add_argument("--yes", action="store_true", help="start without asking; needed where there is no terminal")
    parser.add_argument(
        "--despite-traffic", action="store_true", help="also where real traffic waits, or fills the engine, already"
    )
    parser.add_argument(
        "--fail-on",
        metavar="METRIC:+N%",
        help="with compare: exit with 1 beyond it, e.g. ttft_p95:+10%%,output_tokens_per_s:-5%%",
    )
    add_options(parser)


def _refuse_load_options(arguments: argparse.Namespace, verb: str) -> None:
    """UsageError for an option of a probe, where nothing is sent."""
    parser = ArgumentParser(add_help=False)
    add_options(parser)
    usual = {**vars(parser.parse_args([])), "yes": False, "out": None, "despite_traffic": False, "token_env": None}
    given = next((name for name, value in usual.items() if getattr(arguments, name) != value), None)
    if given is not None:
        raise UsageError(f"--{given.replace('_', '-')} says nothing to `probe {verb}`, which sends nothing")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    match arguments.what:
        case ["compare", before, after]:
            _refuse_load_options(arguments, "compare")
            from perfconsole.commands.probekept import compare  # noqa: PLC0415 - nothing of a run is needed

            return compare(arguments, Path(before), Path(after))
        case ["compare", *_]:
            raise UsageError("compare takes two results: perfconsole probe compare A.json B.json")
        case ["list"]:
            _refuse_load_options(arguments, "list")
            from perfconsole.commands.probekept import list_kept  # noqa: PLC0415 - as above

            return list_kept(arguments)
        case ["list", *_]:
            raise UsageError("list takes nothing: perfconsole probe list")
    if arguments.fail_on is not None:
        raise UsageError("--fail-on goes with `probe compare A.json B.json`")
    from perfconsole.commands.probelive import run_probe  # noqa: PLC0415 - the monitor is not needed for a help text

    return run_probe(arguments)
