"""Tests of `rules list|show|lint|test`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perfconsole.cli import main
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from tests.commands.running import BROKEN, perfconsole, rule
from tests.diagnose.planted import FATAL, SOUND, UNUSABLE, WRONG

if TYPE_CHECKING:
    from pathlib import Path


def test_the_list_has_one_line_a_rule() -> None:
    """Every shipped rule once, in the order of the table."""
    run = perfconsole("rules", "list")
    shipped = [r.id for r in load_folder(shipped_folder())[0]]
    assert (run.code, [line.split()[1] for line in run.out.splitlines()]) == (0, shipped)


def test_the_list_as_json_has_the_same_rules() -> None:
    """Five keys a rule."""
    first = json.loads(perfconsole("rules", "list", "--json").out)[0]
    assert sorted(first) == ["id", "row", "scope", "severity", "title"]


def test_the_list_in_ascii_is_ascii(tmp_path: Path) -> None:
    """Titles of the user's own rules too."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    text = (folder / "mine.yaml").read_text(encoding="utf-8").replace("My own", "heiß")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    assert perfconsole("rules", "list", "--rules", folder, "--ascii").out.isascii()


def test_show_tells_the_conditions_and_the_file() -> None:
    """As text."""
    run = perfconsole("rules", "show", "admission-cap")
    assert run.code == 0
    assert "engine.requests_waiting > 0" in run.out
    assert "admission-cap.yaml:1:1" in run.out


def test_show_as_json_has_the_conditions_as_written() -> None:
    """A document of one rule."""
    shown = json.loads(perfconsole("rules", "show", "preemption-storm", "--json").out)
    assert shown["id"] == "preemption-storm"
    assert "engine.preemption_ratio > 5%" in shown["when"]


def test_an_unknown_rule_is_one_line() -> None:
    """Exit code 2, and where all of them are listed."""
    run = perfconsole("rules", "show", "no-such")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("action", ["lint", "test"])
def test_the_shipped_rules_pass(action: str) -> None:
    """No problem, and every case holds."""
    run = perfconsole("rules", action)
    assert (run.code, run.err, run.out.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("action", ["lint", "test"])
def test_a_broken_file_gives_its_place_and_2(tmp_path: Path, action: str) -> None:
    """FILE:LINE:COLUMN on stdout, as it is the result."""
    (tmp_path / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    run = perfconsole("rules", action, tmp_path)
    assert run.code == 2
    assert run.out.startswith(f"{tmp_path}/broken.yaml:1:1: ")


def test_a_single_file_can_be_named(tmp_path: Path) -> None:
    """Its neighbours are not looked at."""
    folder = rule(tmp_path, "engine.up == 1")
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    assert perfconsole("rules", "test", folder / "mine.yaml").out == "1 rules, 0 of 0 cases hold\n"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    """Zero rules would look like a pass."""
    (tmp_path / "rule.txt").write_text("x", encoding="utf-8")
    assert perfconsole("rules", "lint", tmp_path / "rule.txt").code == 2


def test_a_case_that_fails_gives_2(tmp_path: Path) -> None:
    """With the rule's name and what it said instead."""
    text = (shipped_folder() / "engine" / "preemption-storm.yaml").read_text(encoding="utf-8")
    (tmp_path / "preemption-storm.yaml").write_text(text.replace("state: firing", "state: silent"), encoding="utf-8")
    run = perfconsole("rules", "test", tmp_path)
    assert run.code == 2
    assert "preemption-storm: " in run.out


def test_lint_as_json_is_a_list() -> None:
    """Empty when nothing is wrong."""
    assert json.loads(perfconsole("rules", "lint", "--json").out) == []


def test_rules_without_an_action_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """One line."""
    assert main(["rules"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_lint_shows_the_line_and_a_caret(tmp_path: Path) -> None:
    """FILE:LINE:COLUMN and the code, then the line with its tab opened, then the caret below the very word."""
    folder = rule(tmp_path, "engine.up == 1")
    text = (
        (folder / "mine.yaml").read_text(encoding="utf-8").replace('"when": ["', '"when":\t["engine.ttft.p95 > 80%", "')
    )
    (folder / "mine.yaml").write_text(text.replace(', "when"', ',\n"when"'), encoding="utf-8")
    lines = perfconsole("rules", "lint", folder / "mine.yaml").out.splitlines()
    place = next(i for i, line in enumerate(lines) if line.endswith("[unit-mismatch]"))
    assert lines[place].startswith(f"{folder}/mine.yaml:2:29: engine.ttft.p95 is in seconds, 80% is a share")
    assert lines[place + 1].startswith('  "when": ["engine.ttft.p95 > 80%"')
    assert lines[place + 2] == "  " + " " * 28 + "^"
    assert lines[place + 1][len(lines[place + 2]) - 1 :].startswith("80%")


def test_lint_of_one_file_knows_the_shipped_rules(tmp_path: Path) -> None:
    """`explains` may name them, and a slip is answered with the nearest."""
    (tmp_path / "planted.yaml").write_text(SOUND.replace("queue-growing", "queue-groving"), encoding="utf-8")
    [problem] = json.loads(perfconsole("rules", "lint", "--json", tmp_path / "planted.yaml").out)
    assert (problem["code"], problem["line"], problem["column"]) == ("unknown-rule", 17, 23)
    assert "did you mean 'queue-growing'?" in problem["message"]


def test_lint_finds_every_planted_mistake(tmp_path: Path) -> None:
    """The same places through the command as through the function."""
    planted = [*FATAL, *UNUSABLE, *WRONG]
    for number, mistake in enumerate(planted):
        text = mistake.text.replace("row: S990\n", f"row: P{number}\n")  # a row each, so that none is taken
        (tmp_path / f"{mistake.name}.yaml").write_text(text, encoding="utf-8")
    run = perfconsole("rules", "lint", "--json", tmp_path)
    problems = json.loads(run.out)
    places = {(p["file"].rpartition("/")[2], p["line"], p["column"]) for p in problems}
    assert [m.name for m in planted if (f"{m.name}.yaml", *m.place) not in places] == []
    assert {tuple(sorted(p)) for p in problems} == {("code", "column", "file", "line", "message")}
    assert run.code == 2


def test_the_cases_as_json() -> None:
    """How many there are, and each that does not hold."""
    run = perfconsole("rules", "test", "--json", shipped_folder() / "client")
    found = json.loads(run.out)
    assert (run.code, found["rules"], found["wrong"], found["cases"] > 10) == (0, 2, [], True)
