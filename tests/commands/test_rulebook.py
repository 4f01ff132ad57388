"""Tests of the shipped rules together with the user's."""

from __future__ import annotations

from pathlib import Path

from perfconsole.commands.rulebook import load_rules, user_folder
from tests.commands.running import BROKEN, rule


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
