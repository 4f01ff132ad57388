"""The words of `perfconsole probe`."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import pytest

from perfconsole.cli import main
from perfconsole.model.probeplan import RECIPES
from tests.commands.running import perfconsole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "step-load needs one URL"),
        (("compare", "a.json"), "compare takes two results"),
        (("list", "x"), "list takes nothing"),
        (("list", "--yes"), "--yes says nothing to `probe list`"),
        (("compare", "a.json", "b.json", "--requests-per-step", "3"), "--requests-per-step says nothing"),
        (("step-laod", "h:1"), "no such recipe: 'step-laod'"),
        (("through-and-around", "h:1"), "the URL of the gateway"),
        (("h:1", "--fail-on", "ttft_p95:+1%"), "--fail-on goes with"),
        (("h:1", "--concurrency", "0"), "--concurrency"),
        (("h:1", "--rate", "1", "--burst", "2"), "two kinds of load"),
        (("unix:/run/none",), "name one with --model"),
        (("ftp://h",), "unknown scheme"),
        (("h:1", "--replay", "/nonexistent"), "/nonexistent"),
        (("h:1", "--token-env", "NOT_SET_HERE"), "is not set"),
        (("through-and-around", "localhost:1", "localhost:1"), "are one target"),
    ],
)
def test_wrong_words(words: tuple[str, ...], said: str) -> None:
    """One line that names what is wrong, and the code for it."""
    run = perfconsole("probe", *words, *(() if words[:1] in (("compare",), ("list",)) else ("--yes",)))
    assert (run.code, run.out) == (2, "")
    assert said in run.err
    assert run.err.count("\n") == 1


def test_help() -> None:
    """Every recipe and both actions are in it, with what happens to a file that is there."""
    with redirect_stdout(StringIO()) as out, pytest.raises(SystemExit):
        main(["probe", "--help"])
    text = " ".join(out.getvalue().split())
    assert all(recipe in text for recipe in RECIPES)
    assert "compare A.json B.json" in text
    assert "a file there is replaced" in text
