"""Tests of the shipped rules together with the user's."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

from perfconsole.commands.rulebook import load_rules, user_folder
from tests.commands.running import BROKEN, perfconsole, recording, rule
from tests.diagnose.planted import FATAL, SOUND, UNUSABLE


def test_the_users_folder_is_below_xdg() -> None:
    """XDG_CONFIG_HOME first, then HOME; an empty variable counts as not set."""
    assert user_folder({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}) == Path("/x/perfconsole/rules")
    assert user_folder({"XDG_CONFIG_HOME": "", "HOME": "/h"}) == Path("/h/.config/perfconsole/rules")


def test_the_users_own_folder_is_read_unasked(tmp_path: Path) -> None:
    """Rules below the XDG folder count without a flag."""
    own = tmp_path / "xdg" / "perfconsole" / "rules"
    own.mkdir(parents=True)
    rule(own, "engine.up == 1")
    assert "mine" in [r.id for r in load_rules([])[0]]


def test_a_later_folder_wins(tmp_path: Path) -> None:
    """The same id in two folders: the one named last."""
    one = rule(tmp_path / "one", "engine.up == 1")
    two = rule(tmp_path / "two", "engine.up == 0")
    (mine,) = [r for r in load_rules([one, two])[0] if r.id == "mine"]
    assert [c.text for c in mine.when] == ["engine.up == 0"]


def test_a_broken_rule_costs_only_itself(tmp_path: Path) -> None:
    """The others are there, and the broken one is a problem with its place."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    rules, problems = load_rules([folder])
    assert "mine" in [r.id for r in rules]
    assert [str(p).split(": ")[0] for p in problems] == [f"{folder}/broken.yaml:1:1"]


def test_a_folder_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    """Named, not passed over."""
    assert [str(p).split(":")[0] for p in load_rules([tmp_path / "no"])[1]] == [str(tmp_path / "no")]


def planted_folder(folder: Path) -> Path:
    """A folder of rules each of which cannot be used, for one reason or another, and a good one."""
    rule(folder, "engine.up == 1")
    for mistake in (*FATAL, *UNUSABLE):
        (folder / f"{mistake.name}.yaml").write_text(mistake.text, encoding="utf-8")
    (folder / "latin.yaml").write_bytes("title: heiß".encode("latin-1"))
    (folder / "wide.yaml").write_bytes("id: wide".encode("utf-16"))
    (folder / "null.yaml").write_bytes(b"id: null\0")
    (folder / "empty.yaml").write_bytes(b"")
    (folder / "huge.yaml").write_bytes(b"# " + b"x" * 2_000_000)
    (folder / "deep.yaml").write_text("[" * 100_000, encoding="utf-8")
    (folder / "dashes.yaml").write_text("- " * 100_000, encoding="utf-8")
    (folder / "steps.yaml").write_text("\n".join(" " * n + "a:" for n in range(600)), encoding="utf-8")
    (folder / "bomb.yaml").write_text(BOMB, encoding="utf-8")
    (folder / "long.yaml").write_text(SOUND.replace("80ms", " + 1" * 20_000, 1), encoding="utf-8")
    (folder / "folder.yaml").mkdir()
    (folder / "dangling.yaml").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.yaml")
    return folder


BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijkl"))


def test_no_broken_file_costs_more_than_itself(tmp_path: Path) -> None:
    """Every one is named once with its place, and what is right is there."""
    folder = planted_folder(tmp_path / "rules")
    rules, problems = load_rules([folder])
    named = [str(p).partition(":")[0].rpartition("/")[2] for p in problems]
    # What is wrong in a case alone is no matter for a console, which reads none.
    in_cases = {"case-name", "unknown-state", "not-a-number", "not-a-series", "open-quote"}
    broken = {file.name for file in folder.iterdir()} - {"mine.yaml"} - {f"{name}.yaml" for name in in_cases}
    assert sorted(named) == sorted(broken)
    assert "mine" in [r.id for r in rules]
    assert all("\n" not in str(problem) for problem in problems)


def test_check_goes_on_beside_broken_rules(tmp_path: Path) -> None:
    """The report is whole, each broken one is a line on stderr, and the exit code says that a file needs mending."""
    folder = planted_folder(tmp_path / "rules")
    run = perfconsole("check", "--json", "--replay", recording(tmp_path), "--rules", folder)
    assert run.code == 2
    assert run.document["sources"]
    assert "huge.yaml:1:1: is larger than" in run.err


def test_the_list_goes_on_beside_broken_rules(tmp_path: Path) -> None:
    """Its good rule is in it."""
    run = perfconsole("rules", "list", "--rules", planted_folder(tmp_path / "rules"))
    assert run.code == 0
    assert " mine " in run.out
    assert "pipe.yaml:1:1: is no regular file" in run.err


def test_a_closed_folder_is_a_problem(tmp_path: Path) -> None:
    """What cannot be looked into is named; the rest of the folder is there."""
    folder = rule(tmp_path / "rules", "engine.up == 1")
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        readable = os.access(closed, os.R_OK)  # for root no folder is closed
        rules, problems = load_rules([folder])
    finally:
        closed.chmod(0o700)
    assert "mine" in [r.id for r in rules]
    assert [str(p).partition(" (")[0] for p in problems] == (
        [] if readable else [f"{closed}:1:1: this folder cannot be read"]
    )
