"""What importing loads: the core nothing from outside the standard library, a help text nothing heavy."""

from __future__ import annotations

import json
import subprocess  # noqa: TID251 - a clean interpreter is the only way to see what an import loads
import sys

import pytest

HEAVY = {"textual", "httpx", "httpcore", "yaml", "psutil", "rich", "pynvml"}
LOADED = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
HELP = """
import sys
from perfconsole.cli import main
try:
    main({argv!r})
except SystemExit as leaving:
    assert not leaving.code, leaving.code
else:
    raise AssertionError("a help text ends the program")
print()
"""


def loaded(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after some code and did not have before."""
    before, after = (_names(part) for part in ("", code))
    return after - before


def _names(code: str) -> set[str]:
    command = [sys.executable, "-c", f"{code}\n{LOADED}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - our own code
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", ["core.session", "core.cases", "core.timeline", "diagnose.judge", "model.snapshot"])
def test_the_core_loads_nothing_from_outside(module: str) -> None:
    """The standard library and the package itself are all it takes."""
    found = loaded(f"import perfconsole.{module}")
    assert "perfconsole" in found
    assert {n for n in found if not n.startswith("_")} - sys.stdlib_module_names - {"perfconsole"} == set()


def test_the_load_process_loads_little() -> None:
    """It is to send its first request in a tenth of a second: no HTTP library, no argument parser."""
    found = loaded("import perfconsole.load.__main__")
    assert {n for n in found if not n.startswith("_")} - sys.stdlib_module_names - {"perfconsole"} == set()
    assert found.isdisjoint({"asyncio", "argparse", "http", "urllib", "subprocess", "logging", "multiprocessing"})


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["watch", "--help"],
        ["check", "--help"],
        ["demo", "--help"],
        ["rules", "--help"],
        ["baseline", "--help"],
        ["probe", "--help"],
    ],
    ids=" ".join,
)
def test_a_help_text_loads_nothing_heavy(argv: list[str]) -> None:
    """No screen, no HTTP, no YAML, no process library for a few lines of text."""
    found = loaded(HELP.format(argv=argv))
    assert "argparse" in found
    assert found & HEAVY == set()


def test_the_test_itself_would_see_a_heavy_module() -> None:
    """A module from outside shows up where it is imported."""
    assert loaded("import yaml") & HEAVY == {"yaml"}
