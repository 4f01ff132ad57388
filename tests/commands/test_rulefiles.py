"""Tests of rule files as a person names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.rulefiles import load_paths
from perfconsole.errors import UsageError
from tests.commands.running import BROKEN, rule

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_named_means_the_shipped_rules() -> None:
    """With their cases, and none of them broken."""
    rules, errors = load_paths(())
    assert errors == []
    assert all(r.cases for r in rules)


def test_files_and_folders_can_be_mixed(tmp_path: Path) -> None:
    """In the order given; a broken file is an error beside the others."""
    one = rule(tmp_path / "one", "engine.up == 1", name="a")
    (one / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    two = rule(tmp_path / "two", "engine.up == 1", name="b")
    rules, errors = load_paths([two / "b.yaml", one])
    assert [r.id for r in rules] == ["b", "a"]
    assert [e.place.file for e in errors] == [str(one / "broken.yaml")]


@pytest.mark.parametrize("name", ["note.txt", "empty"])
def test_what_holds_no_rule_is_refused(tmp_path: Path, name: str) -> None:
    """Zero rules would look like a pass."""
    (tmp_path / "note.txt").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError):
        load_paths([tmp_path / name])
