"""Checks of a finding: placeholders, the command without a shell, and what is known already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.checks import PLACEHOLDERS, fill, filled
from perfconsole.model.finding import CheckResult, FindingCheck
from perfconsole.model.rule import Check, Condition
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, PLACE, Told, condition, evaluator

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity

KNOWN = {"engine.url": "http://h:1", "engine.core_pid": "42", "engine.log": "/var/log/my engine.log"}
SEE = "see: it"


def known(name: str, entity: Entity) -> str | None:
    """Value of a placeholder of the engine."""
    return KNOWN.get(name) if entity == ENGINE else None


def check(
    text: str, kind: str = "run", *, confirms: Condition | str = SEE, refutes: Condition | str = SEE, **values: float
) -> FindingCheck:
    """The check filled for the engine; `x=2.0` is the value of engine.x."""
    reader = Told(0.0, {f"engine.{name}": value for name, value in values.items()})
    return filled(Check(kind, text, None, confirms, refutes, PLACE), ENGINE, known, evaluator(reader))


def run_check(text: str, *, shell: bool = True) -> FindingCheck:
    """A check of kind run, of a rule that may hand it to a shell or may not."""
    of = Check("run", text, None, SEE, SEE, PLACE, shell)
    return filled(of, ENGINE, known, evaluator(Told()))


def test_a_command_that_only_reads_is_run_word_by_word() -> None:
    """Without a shell, whatever its values hold."""
    found = run_check("tail -5 {engine.log}")
    assert (found.runs, found.refused) == (("tail", "-5", "/var/log/my engine.log"), "")


def test_a_line_that_needs_a_shell_gets_one_with_its_values_quoted() -> None:
    """One argument: the whole line."""
    found = run_check("grep -i error {engine.log} | tail -5")
    assert found.runs == ("sh", "-c", "grep -i error '/var/log/my engine.log' | tail -5")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kill {engine.core_pid}", "kill is not on the list of commands that only read"),
        ("ps | xargs kill", "xargs is not on the list of commands that only read"),
        ("ps -p {engine.pids}", "engine.pids is not known here"),
        ("grep x '{engine.log}' | tail", "the value of engine.log has characters that a shell could take for code"),
    ],
)
def test_what_is_not_run_says_why(text: str, why: str) -> None:
    """It is shown and copied all the same."""
    found = run_check(text)
    assert (found.runs, found.refused) == (None, why)


def test_a_rule_of_somebodys_own_gets_a_shell_only_when_it_says_so() -> None:
    """A line of words without signs of a shell needs none."""
    assert run_check("ps | wc -l", shell=False).refused == "it needs a shell, and its rule does not say `shell: true`"
    assert run_check("ps -p 1", shell=False).runs == ("ps", "-p", "1")


@pytest.mark.parametrize("kind", ["look", "flame", "dump", "probe"])
def test_only_checks_of_kind_run_are_run(kind: str) -> None:
    """Others are shown, or copied."""
    found = check("ps", kind)
    assert (found.runs, found.refused) == (None, "")


def test_placeholders_are_filled_in_text_and_command() -> None:
    """What the screen shows is what would run."""
    found = check("py-spy dump --pid {engine.core_pid}")
    assert (found.text, found.argv) == ("py-spy dump --pid 42", ("py-spy", "dump", "--pid", "42"))


def test_an_open_placeholder_is_bracketed_and_gives_no_command() -> None:
    """Nothing runs with a hole in it."""
    found = check("ps -p {engine.pids}")
    assert (found.text, found.argv) == ("ps -p <engine.pids>", None)


def test_one_open_placeholder_among_known_ones_is_enough() -> None:
    """Incomplete as a whole, with what is known filled in."""
    assert fill("{engine.url} {engine.pids} {engine.core_pid}", ENGINE, known) == ("http://h:1 <engine.pids> 42", False)


@pytest.mark.parametrize("text", ["a; b", "a | b", "a && b", "a > b", "a $X", "a `b`", "ls *.x", "ls ~", "a\nb"])
def test_what_needs_a_shell_has_no_command(text: str) -> None:
    """It is shown to be typed, never run in parts."""
    assert check(text).argv is None


def test_quotes_hold_words_together() -> None:
    """A command is split as a shell would."""
    assert check("grep 'open files' x").argv == ("grep", "open files", "x")


def test_a_quote_that_is_never_closed_gives_no_command() -> None:
    """A slip in a rule does not end the tick."""
    assert check("echo it's").argv is None


def test_a_value_stays_one_argument() -> None:
    """A path with a space is one path."""
    assert check("tail -5 {engine.log}").argv == ("tail", "-5", "/var/log/my engine.log")


@pytest.mark.parametrize("value", ["it's", "x --output /tmp/y", '"'])
def test_a_value_from_outside_cannot_add_arguments(value: str) -> None:
    """Whatever a page calls its model, the command has the words of the rule."""
    found = filled(
        Check("run", "ps -p {engine.model}", None, SEE, SEE, PLACE), ENGINE, lambda *_: value, evaluator(Told())
    )
    assert found.argv == ("ps", "-p", value)


@pytest.mark.parametrize("value", ["1; reboot", "http://h/?a=1&b=2", "$(x)"])
def test_no_shell_reads_a_value(value: str) -> None:
    """The command goes to the program word by word, so a value means only itself."""
    found = filled(
        Check("run", "ps -p {engine.model}", None, SEE, SEE, PLACE), ENGINE, lambda *_: value, evaluator(Told())
    )
    assert found.argv == ("ps", "-p", value)


def test_something_to_look_at_is_no_command() -> None:
    """A look has text alone."""
    found = check("the log {engine.log}", "look")
    assert (found.text, found.argv) == ("the log /var/log/my engine.log", None)


@pytest.mark.parametrize("kind", ["run", "flame", "dump", "probe"])
def test_all_other_kinds_have_a_command(kind: str) -> None:
    """Each of them can be started."""
    assert check("perfconsole probe {engine.url}", kind).argv == ("perfconsole", "probe", "http://h:1")


@pytest.mark.parametrize(
    ("x", "expected"), [(5.0, CheckResult.CONFIRMED), (0.0, CheckResult.REFUTED), (2.0, None), (Missing.NEVER, None)]
)
def test_the_values_at_hand_may_answer_a_check(x: float, expected: CheckResult | None) -> None:
    """Confirmed, refuted, or neither while the values lie between or are missing."""
    found = check("it", "look", confirms=condition("engine.x > 3"), refutes=condition("engine.x < 1"), x=x)
    assert found.result is expected


def test_a_sign_to_look_for_decides_nothing() -> None:
    """Words are for people, and are kept."""
    found = check("it", "look", confirms="see: this", refutes="see: that")
    assert (found.confirms, found.refutes, found.result) == ("see: this", "see: that", None)


def test_an_expected_condition_is_shown_as_written() -> None:
    """The report quotes the rule."""
    assert check("it", "look", confirms=condition("engine.x > 3")).confirms == "engine.x > 3"


def test_an_expectation_whose_hold_is_open_decides_nothing() -> None:
    """What would confirm if it lasted has not confirmed."""
    assert check("it", "look", confirms=condition("engine.x > 3 for 60s"), x=5.0).result is None


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        (frozenset({"engine.x"}), None),
        (frozenset({"engine.x", "engine.y"}), None),
        (frozenset({"engine.y"}), CheckResult.CONFIRMED),
        (frozenset[str](), CheckResult.CONFIRMED),
    ],
)
def test_a_check_that_reads_what_the_rule_read_answers_nothing(
    reads: frozenset[str], expected: CheckResult | None
) -> None:
    """A finding does not confirm itself."""
    of = Check("look", "it", None, condition("engine.x > 3"), SEE, PLACE)
    assert filled(of, ENGINE, known, evaluator(Told(0.0, {"engine.x": 5.0})), reads).result is expected


def test_one_value_beyond_those_of_the_rule_makes_an_answer() -> None:
    """What the rule did not read is evidence, also beside what it read."""
    of = Check("look", "it", None, SEE, condition("engine.x > 3 and engine.y > 3"), PLACE)
    reader = Told(0.0, {"engine.x": 5.0, "engine.y": 5.0})
    assert filled(of, ENGINE, known, evaluator(reader), frozenset({"engine.x"})).result is CheckResult.REFUTED


def test_what_an_action_measured_is_told_from_what_everybody_sees() -> None:
    """A share of a profile is a measurement; a queue is not."""
    both: dict[str | tuple[str, Entity], float | Missing] = {"engine.x": 5.0, "profile.gc_ratio": 0.5}
    seen, measured = (
        filled(Check("flame", "it", None, condition(text), SEE, PLACE), ENGINE, known, evaluator(Told(0.0, both)))
        for text in ("engine.x > 3", "profile.gc_ratio > 20%")
    )
    assert (seen.result, seen.measured) == (CheckResult.CONFIRMED, False)
    assert (measured.result, measured.measured) == (CheckResult.CONFIRMED, True)


def test_a_measurement_that_says_the_opposite_confirms_nothing() -> None:
    """The other branch holds, by what everybody sees."""
    of = Check("run", "it", None, condition("engine.x > 1 or profile.gc_ratio > 20%"), SEE, PLACE)
    found = filled(of, ENGINE, known, evaluator(Told(0.0, {"engine.x": 2.0, "profile.gc_ratio": 0.01})))
    assert (found.result, found.measured) == (CheckResult.CONFIRMED, False)


def test_a_measurement_answers_even_where_the_rule_read_it_too() -> None:
    """The probe that a rule may read is what its check sends."""
    of = Check("probe", "it", None, condition("engine.x > 3 * probe.ttft.mean"), SEE, PLACE)
    reader = Told(0.0, {"engine.x": 5.0, "probe.ttft.mean": 1.0})
    found = filled(of, ENGINE, known, evaluator(reader), frozenset({"engine.x", "probe.ttft.mean"}))
    assert found.result is CheckResult.CONFIRMED


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_every_placeholder_can_be_filled(name: str) -> None:
    """The pattern that fills finds each name that the list allows."""
    assert fill(f"a {{{name}}}", ENGINE, lambda asked, _: asked.upper()) == (f"a {name.upper()}", True)
