"""A probe as a check writes it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.errors import UsageError
from perfconsole.probing.planning import plan_of
from perfconsole.probing.written import read_written

URL = "http://127.0.0.1:8000"


def _words(text: str) -> list[str]:
    return shlex.split(f"perfconsole probe {text}")


def test_recipe_urls_and_options() -> None:
    """As the command itself reads them; without a recipe it is a step load."""
    recipe, urls, options = read_written(_words(f"through-and-around {URL} {URL}/b --steps 1,8,32"))
    assert (recipe, urls, options.concurrency) == ("through-and-around", (URL, f"{URL}/b"), (1, 8, 32))
    assert read_written(_words(URL))[:2] == ("step-load", (URL,))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "not a command"),
        (["guidellm", "benchmark"], "not a command"),
        (_words(""), "needs one URL"),
        (_words(f"step-load {URL} --steps x"), "no whole number"),
        (_words(f"step-load {URL} --nonsense"), "--nonsense"),
        (_words(f"knee {URL}"), "no such recipe"),
        (_words(f"through-and-around {URL}"), "then that of the engine"),
        (_words(f"step-load {URL} --conc 4"), "--conc"),
    ],
)
def test_what_cannot_be_read(words: list[str], said: str) -> None:
    """Is said in words, and ends nothing."""
    with pytest.raises(UsageError, match=said):
        read_written(words)


@given(st.lists(st.text(max_size=12), max_size=5))
def test_whatever_stands_there(words: list[str]) -> None:
    """It is read, or refused in words."""
    try:
        recipe, urls, _ = read_written(["perfconsole", "probe", *words])
    except UsageError:
        return
    assert recipe
    assert urls


def test_every_probe_of_the_shipped_rules_is_a_plan() -> None:
    """Whatever URLs stand in the braces."""
    checks = [check for rule in load_folder(shipped_folder(), cases=False)[0] for check in rule.checks]
    texts = [check.text for check in checks if check.kind == "probe"]
    assert len(texts) > 10
    for text in texts:
        filled = text.replace("{engine.url}", URL).replace("{gateway.url}", "http://127.0.0.1:4000")
        recipe, urls, options = read_written(shlex.split(filled))
        assert plan_of(recipe, urls, options, 1).steps, text
