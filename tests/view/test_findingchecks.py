"""Tests of the checks on the page of a finding."""

from __future__ import annotations

import pytest

from perfconsole.model.finding import CheckResult, FindingCheck
from perfconsole.view.canvas import plain_text
from perfconsole.view.findingchecks import check_blocks, check_command, chosen_check, hint, pid_of, probes_here
from perfconsole.view.glyphs import ASCII
from perfconsole.view.scrolling import Paper
from tests.view.pictures import finding

LOOK = FindingCheck("look", "the cap", None, "low", "high", None)
RUN = FindingCheck("run", "ps -p '1 2'", ("ps", "-p", "1 2"), "x", "y", CheckResult.REFUTED)
SHELL = FindingCheck("run", "tail log | grep x", None, "x", "y", None)
OPEN = FindingCheck("run", "ps -p <engine.pids>", None, "x", "y", None)
FLAME = FindingCheck("flame", "py-spy record -p 1", ("py-spy", "record", "-p", "1"), "x", "y", None)
PROBE = FindingCheck("probe", "perfconsole probe knee URL", ("perfconsole", "probe", "knee", "URL"), "x", "y", None)


def lines(*checks: FindingCheck) -> list[str]:
    """Rows of the checks."""
    rows = [r for b in check_blocks(finding(checks=checks), Paper(100, ASCII)) for r in b.rows]
    return [" ".join(line.split()) for line in plain_text(rows).split("\n")]


@pytest.mark.parametrize(
    ("check", "command"),
    [
        (RUN, "ps -p '1 2'"),
        (SHELL, "tail log | grep x"),
        (LOOK, None),
        (PROBE, "perfconsole probe knee URL"),
        (OPEN, None),
        (FindingCheck("run", "", (), "x", "y", None), None),
        (FindingCheck("run", "echo '<a.b>'", ("echo", "<a.b>"), "x", "y", None), "echo '<a.b>'"),
        (FindingCheck("run", "echo \x1b\n", None, "x", "y", None), "echo \\x1b\\x0a"),
    ],
)
def test_only_a_whole_command_is_copied(check: FindingCheck, command: str | None) -> None:
    """Nothing with a blank in it, and nothing that acts on the terminal."""
    assert check_command(finding(checks=(check,)), 0) == command


@pytest.mark.parametrize("number", [-1, 1])
def test_a_check_that_is_not_there_has_no_command(number: int) -> None:
    """The finding may have changed since it was drawn."""
    assert check_command(finding(checks=(RUN,)), number) is None


def test_enter_means_the_selected_check_or_else_the_first() -> None:
    """A finding without checks has none."""
    of = finding(checks=(PROBE, LOOK, RUN))
    assert chosen_check(of, ("check", "2")) == 2
    assert chosen_check(of, ("part", "cause")) == 0
    assert chosen_check(of, ("check", "7")) == 0
    assert chosen_check(finding(), None) is None


def test_the_first_check_is_called_so_and_has_its_signs() -> None:
    """With what confirms and what refutes it, and what the values say already."""
    assert lines(RUN, LOOK) == [
        "first check run: ps -p '1 2'",
        "refuted already, by the values now",
        "confirms: x",
        "refutes: y",
        "then look: the cap",
        "confirms: low",
        "refutes: high",
    ]


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (SHELL, "read it before you paste it"),
        (OPEN, "to fill in by hand, not known here: engine.pids"),
        (FLAME, "enter does it here, after one more key; it needs the right to trace"),
        (PROBE, "enter does it here, after one more key; it sends load"),
    ],
)
def test_what_to_know_before_it_is_run_stands_below(check: FindingCheck, words: str) -> None:
    """A person under pressure pastes what is offered."""
    assert any(words in line for line in lines(check))


@pytest.mark.parametrize(
    ("check", "here"),
    [
        (PROBE, True),
        (FindingCheck("probe", "guidellm benchmark", ("guidellm", "benchmark"), "x", "y", None), False),
        (FindingCheck("probe", "perfconsole probe <gateway.url>", None, "x", "y", None), False),
        (FindingCheck("run", "perfconsole probe URL", ("perfconsole", "probe", "URL"), "x", "y", None), False),
    ],
)
def test_only_a_whole_probe_of_ours_is_sent_from_here(check: FindingCheck, *, here: bool) -> None:
    """Another one is not promised."""
    assert probes_here(check) is here
    assert any("it sends load" in line for line in lines(check)) is here


def test_the_hint_is_one_row_that_opens_the_first_check() -> None:
    """No check gives none."""
    block = hint(finding(checks=(PROBE, RUN)), Paper(30, ASCII))
    assert block is not None
    assert len(block.rows) == 1
    assert block.hits[0].target == ("check", "0")
    assert hint(finding(checks=()), Paper(30, ASCII)) is None


@pytest.mark.parametrize(
    ("line", "pid"),
    [
        ("py-spy record --idle -p 4312 -d 20 -f raw -o gateway.folded", 4312),
        ("py-spy dump --pid 4312; sleep 1; py-spy dump --pid 4312", 4312),
        ("py-spy dump --pid=4312", 4312),
        ("for p in 4312 4313 4314; do py-spy dump --pid $p; done", 4312),
        ("for i in 1 2 3 4 5; do py-spy dump --pid 4312; sleep 1; done", 4312),
        ("for i in 1 2 3 4 5; do py-spy dump --pid <gateway.pid>; sleep 1; done", None),
        ("for p in <engine.core_pid> 4313; do py-spy dump --pid $p; done", None),
        ("py-spy dump --pid <engine.core_pid>", None),
        ("the stacks of the core", None),
    ],
)
def test_the_process_of_a_check_is_the_first_that_it_names(line: str, pid: int | None) -> None:
    """A number that only counts is none, and a blank is not guessed."""
    assert pid_of(FindingCheck("dump", line, None, "x", "y", None)) == pid
