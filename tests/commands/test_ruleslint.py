"""Mistakes in rules as a terminal and a script get them."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import pytest

from tests.commands.running import perfconsole

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
id: mine
title: T
layer: engine
scope: engine
severity: warn
class: memory
cause: C
confidence: low
checks: [{kind: look, what: it, confirms: 'see: it', refutes: 'see: that'}]
cases:
  - {interval: 5s, series: {engine.kv_cache_usage: 1x3}, expect: {at: 5s, state: firing}}
  - {interval: 5s, series: {engine.kv_cache_usage: 0x3}, expect: {at: 5s, state: silent}}
  - {interval: 5s, series: {engine.kv_cache_usage: _x3}, expect: {at: 5s, state: undecided}}
"""
SOUND = 'when: ["engine.kv_cache_usage > 90%"]\n'


def written(folder: Path, when: str = SOUND) -> Path:
    """A rule file of engine scope whose last line is this."""
    path = folder / "mine.yaml"
    path.write_text(HEAD + when, encoding="utf-8")
    return path


def shown(path: Path) -> tuple[str, str, str]:
    """The one mistake: its place, the line and the caret."""
    ran = perfconsole("rules", "lint", path)
    assert ran.code == 2
    place, line, caret = ran.out.splitlines()
    return place, line, caret


def under_caret(line: str, caret: str) -> str:
    """What stands in the line from the column of the caret on, wide characters taking two columns."""
    columns = "".join(c * (2 if unicodedata.east_asian_width(c) in "WF" else 1) for c in line)
    assert caret.strip() == "^"
    return columns[caret.index("^") :]


def test_a_sound_rule_is_counted(tmp_path: Path) -> None:
    """One line and 0."""
    ran = perfconsole("rules", "lint", written(tmp_path))
    assert (ran.code, ran.out) == (0, "1 rule, no problem\n")


@pytest.mark.parametrize(
    "when",
    [
        '"when": [engine.kv_cache_usage > 90%, "engine.owm > 1"]\n',
        '"when":\t[engine.kv_cache_usage > 90%, "engine.owm > 1"]\n',
        '"when": [\tengine.kv_cache_usage > 90%,\t\t"engine.owm > 1"]\n',
    ],
)
def test_the_caret_stands_below_the_word_behind_tabs(tmp_path: Path, when: str) -> None:
    """The line is shown with its tabs opened, and the caret counts their columns."""
    place, line, caret = shown(written(tmp_path, when))
    assert place.endswith("[unknown-indicator]")
    assert "\t" not in line
    assert under_caret(line, caret).startswith("engine.owm > 1")


def test_the_caret_stands_below_the_word_behind_wide_characters(tmp_path: Path) -> None:
    """A terminal gives each of them two columns."""
    path = written(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("what: it", "what: 待ち行列").replace("'see: that'", "engine.owm > 1"), encoding="utf-8"
    )
    place, line, caret = shown(path)
    assert place.endswith("[unknown-indicator]")
    assert under_caret(line, caret).startswith("engine.owm > 1")


def test_mistakes_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Whatever found them: a reader goes down the file once."""
    path = written(
        tmp_path, 'when: ["engine.owm > 1", "engine.kv_cache_usage > 90%", "engine.own > 1"]\nexplains: [nobody]\n'
    )
    path.write_text(path.read_text(encoding="utf-8").replace("layer: engine", "layer: gpu"), encoding="utf-8")
    found = json.loads(perfconsole("rules", "lint", "--json", path).out)
    places = [(problem["line"], problem["column"]) for problem in found]
    assert len(places) > 2
    assert places == sorted(places)


def test_a_file_that_cannot_be_decoded_is_told_without_its_line(tmp_path: Path) -> None:
    """One line, and exit code 2."""
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"id: \xff\xfe\n")
    ran = perfconsole("rules", "lint", path)
    assert (ran.code, ran.out.count("\n")) == (2, 1)
    assert ran.out.startswith(f"{path}:")


def test_a_missing_key_is_told_without_a_caret_below_nothing(tmp_path: Path) -> None:
    """Every caret has a line with something in it above."""
    path = tmp_path / "mine.yaml"
    path.write_text("\nid: mine\n", encoding="utf-8")
    lines = perfconsole("rules", "lint", path).out.splitlines()
    carets = [i for i, line in enumerate(lines) if line.strip() == "^"]
    assert all(lines[i - 1].strip() for i in carets)


def test_json_of_a_sound_rule_is_an_empty_list(tmp_path: Path) -> None:
    """A script reads the same form whatever is found."""
    ran = perfconsole("rules", "lint", "--json", written(tmp_path))
    assert (ran.code, json.loads(ran.out)) == (0, [])


def test_json_tells_place_code_and_message(tmp_path: Path) -> None:
    """An editor jumps there."""
    path = written(tmp_path, 'when: ["engine.kv_cache_usage > 90%", "engine.owm > 1"]\n')
    [problem] = json.loads(perfconsole("rules", "lint", "--json", path).out)
    assert (problem["file"], problem["line"], problem["column"]) == (str(path), 14, 40)
    assert problem["code"] == "unknown-indicator"
    assert "engine.owm" in problem["message"]
