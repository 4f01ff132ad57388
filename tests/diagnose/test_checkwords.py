"""What is wrong with the checks of a rule, at the word that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.checks import PLACEHOLDERS, RECIPES
from perfconsole.diagnose.checkwords import of_checks
from tests.diagnose.judging import rule

if TYPE_CHECKING:
    from perfconsole.diagnose.problem import Problem

ANSWERS = {"confirms": "see: it", "refutes": "see: that"}


def problems(scope: str = "engine", **check: object) -> list[Problem]:
    """What is wrong with one check."""
    return list(of_checks(rule("slow", scope=scope, checks=[{**ANSWERS, **check}])))


def codes(scope: str = "engine", **check: object) -> list[str]:
    """Its codes."""
    return [problem.code for problem in problems(scope, **check)]


def word_at(text: str, found: Problem, **check: object) -> str:
    """What stands in the command from the place of the problem on; `check` is the rest of it."""
    written = rule("slow", checks=[{**ANSWERS, **check, "command": text}])
    return text[found.place.column - written.at("checks", 0, "command").column :]


def test_a_rule_without_a_check_is_told() -> None:
    """Nobody could confirm its finding."""
    assert [p.code for p in of_checks(rule("slow"))] == ["no-check"]


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "look", "what": "the log in {engine.log}"},
        {"kind": "run", "command": "tail -5 {engine.log}"},
        {"kind": "flame", "command": "py-spy record --idle -p {engine.core_pid}"},
        {"kind": "dump", "command": "py-spy dump -p {engine.core_pid}"},
        {"kind": "probe", "recipe": "step-load", "command": "perfconsole probe step-load {engine.url}"},
        {"kind": "probe", "command": "perfconsole probe step-load {engine.url}"},
    ],
)
def test_a_sound_check_of_each_kind_is_clean(check: dict[str, str]) -> None:
    """So that what follows is the mistake and nothing else."""
    assert codes("engine", **check) == []


def test_an_unknown_placeholder_is_answered_with_the_nearest() -> None:
    """At the name within its braces."""
    [problem] = problems(kind="run", command="tail {engine.lgo}")
    assert problem.code == "unknown-placeholder"
    assert "'engine.log'" in problem.message
    assert word_at("tail {engine.lgo}", problem, kind="run") == "engine.lgo}"


def test_a_placeholder_is_looked_for_in_words_too() -> None:
    """What to look at is filled like a command."""
    assert codes(kind="look", what="the {engine.lgo}") == ["unknown-placeholder"]


def test_each_wrong_placeholder_is_told() -> None:
    """Not only the first."""
    assert codes(kind="run", command="tail {engine.a} {engine.log} {engine.b}") == ["unknown-placeholder"] * 2


@pytest.mark.parametrize("text", ["curl -w %{http_code} {engine.url}/health", "awk '{print $2}' {engine.log}"])
def test_braces_of_a_tool_are_no_placeholder(text: str) -> None:
    """The formats of curl and the blocks of awk stand in braces of their own."""
    assert codes(kind="run", command=text) == []


@pytest.mark.parametrize(
    ("scope", "name", "fills"),
    [
        ("engine", "gpu.index", True),
        ("engine", "orchestration.pid", True),
        ("gpu", "engine.port", True),
        ("process", "gpu.index", False),
        ("gpu", "process.pid", False),
        ("gateway", "orchestration.pid", False),
    ],
)
def test_a_placeholder_needs_something_that_belongs_to_the_scope(scope: str, name: str, *, fills: bool) -> None:
    """Of what does not, nothing would ever fill it."""
    assert codes(scope, kind="run", command=f"echo {{{name}}}") == ([] if fills else ["foreign-placeholder"])


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_every_placeholder_can_be_judged(name: str) -> None:
    """Each names a layer that is known, and the host has them all."""
    assert codes("host", kind="run", command=f"echo {{{name}}}") == []


def test_a_command_that_acts_is_told() -> None:
    """At the word that does."""
    [problem] = problems(kind="run", command="ps aux | xargs kill")
    assert word_at("ps aux | xargs kill", problem, kind="run") == "kill"


def test_words_are_no_command() -> None:
    """A look may tell of a kill."""
    assert codes(kind="look", what="whether something ran rm -rf or kill") == []


def test_a_flame_check_is_a_profile() -> None:
    """Anything else has no stacks to read."""
    assert codes(kind="flame", command="perf top -p {engine.core_pid}") == ["not-a-profile"]


@pytest.mark.parametrize("text", ["py-spy record -p {engine.core_pid}", "py-spy record -p 1 -o x--idle"])
def test_a_profile_without_idle_threads_is_told_at_record(text: str) -> None:
    """A thread that blocks would be left out; a part of another word is not the flag."""
    [problem] = problems(kind="flame", command=text)
    assert problem.code == "flame-without-idle"
    assert word_at(text, problem, kind="flame").startswith("record")


def test_a_probe_check_runs_a_probe() -> None:
    """The message says how it starts, with the recipe named."""
    [problem] = problems(kind="probe", recipe="step-load", command="curl {engine.url}")
    assert (problem.code, "'perfconsole probe step-load'" in problem.message) == ("not-a-probe", True)


def test_the_command_of_a_probe_runs_the_recipe_named() -> None:
    """Told at the recipe of the command."""
    text = "perfconsole probe repeat-prompt {engine.url}"
    [problem] = problems(kind="probe", recipe="step-load", command=text)
    assert problem.code == "not-a-probe"
    assert word_at(text, problem, kind="probe", recipe="step-load").startswith("repeat-prompt")


def test_an_unknown_recipe_is_told_once() -> None:
    """At the key where it has one, else in the command; with all that there are."""
    by_key = problems(kind="probe", recipe="step-laod", command="perfconsole probe step-laod {engine.url}")
    by_word = problems(kind="probe", command="perfconsole probe step-laod {engine.url}")
    assert [p.code for p in (*by_key, *by_word)] == ["unknown-recipe"] * 2
    assert by_key[0].message == by_word[0].message
    assert all(recipe in by_key[0].message for recipe in RECIPES)
    assert by_key[0].place != by_word[0].place


@pytest.mark.parametrize("sign", ["see: it", "engine.x > 1"])
def test_one_answer_does_not_confirm_and_refute(sign: str) -> None:
    """Told at what refutes."""
    [problem] = problems(kind="look", what="it", confirms=sign, refutes=sign)
    assert problem.code == "same-answer"


def test_a_condition_is_the_same_however_it_is_spaced() -> None:
    """It is compared as it is read."""
    assert codes(kind="look", what="it", confirms="engine.x > 1", refutes="engine.x>1") == ["same-answer"]


def test_each_check_is_told_at_its_own_place() -> None:
    """The second one is not told at the first."""
    sound = {**ANSWERS, "kind": "look", "what": "it"}
    wrong = {**ANSWERS, "kind": "look", "what": "the {engine.lgo}"}
    of = rule("slow", checks=[sound, wrong])
    [problem] = of_checks(of)
    assert problem.place == of.at("checks", 1, "what", column=len("the {") + 1)
