"""Tests of merging flags and files into one configuration; its error lines are tested with `check`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.config import Target, load, load_flags, parse, user_file
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for configuration, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "perfconsole").mkdir()
    return tmp_path / "perfconsole"


def written(path: Path, text: str) -> Path:
    """The file with this text."""
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_given_is_an_empty_configuration(folder: Path) -> None:
    """No file, no flag: no target, shipped marks."""
    config = load(None, [], [])
    assert folder.is_dir()
    assert (config.targets, config.rule_folders, config.dictionary) == ((), (), DEFAULT)


def test_targets_of_the_file_come_before_flags(folder: Path) -> None:
    """Both are watched."""
    path = written(folder / "c.toml", '[[target]]\nurl = "a:1"\nname = "a"\ntoken_env = "K"\n')
    assert load(path, ["b:2"], []).targets == (Target("engine", "a:1", "a", "K"), Target("engine", "b:2"))


def test_flags_name_targets_of_every_layer(folder: Path) -> None:
    """In the order in which a request travels."""
    assert folder.is_dir()
    config = load(None, ["e:1"], [], gateways=["g:1"], orchestrators=["o:1", "4312"])
    assert [(t.layer, t.url) for t in config.targets] == [
        ("gateway", "g:1"),
        ("orchestration", "o:1"),
        ("orchestration", "4312"),
        ("engine", "e:1"),
    ]


def test_the_shared_flags_are_all_it_takes(folder: Path) -> None:
    """As argparse leaves them."""
    path = written(folder / "c.toml", '[[target]]\nlayer = "gateway"\nurl = "g:1"\n')
    flags = Namespace(config=path, engine=["e:1"], gateway=[], orchestrator=["7"], rules=[Path("r")])
    config = load_flags(flags)
    assert [t.layer for t in config.targets] == ["gateway", "orchestration", "engine"]
    assert config.rule_folders == (Path("r"),)


def test_the_users_own_file_is_read_unasked(folder: Path) -> None:
    """And not when another is named."""
    written(folder / "config.toml", '[[target]]\nurl = "own:1"\n')
    other = written(folder / "other.toml", "")
    assert [t.url for t in load(None, [], []).targets] == ["own:1"]
    assert load(other, [], []).targets == ()


def test_rule_folders_of_file_and_flags_are_joined(folder: Path) -> None:
    """Flags last, so that they win."""
    path = written(folder / "c.toml", '[rules]\nfolders = ["a"]\n')
    assert load(path, [], [Path("b")]).rule_folders == (Path("a"), Path("b"))


def test_a_team_sets_its_own_marks(folder: Path) -> None:
    """In the dictionary of this configuration only."""
    path = written(folder / "c.toml", '[indicator."engine.ttft"]\nowner = "us"\n')
    entry = load(path, [], []).dictionary.find("engine.ttft")
    default = DEFAULT.find("engine.ttft")
    assert entry is not None
    assert default is not None
    assert (entry.owner, default.owner != "us") == ("us", True)


def test_a_byte_order_mark_is_no_mistake(folder: Path) -> None:
    """As editors on other systems write it."""
    (folder / "c.toml").write_bytes(b"\xef\xbb\xbf[rules]\nfolders = []\n")
    assert load(folder / "c.toml", [], []).rule_folders == ()


def test_the_users_file_is_below_xdg() -> None:
    """XDG_CONFIG_HOME first, then HOME."""
    assert user_file({"XDG_CONFIG_HOME": "/x"}) == Path("/x/perfconsole/config.toml")
    assert user_file({"HOME": "/h"}) == Path("/h/.config/perfconsole/config.toml")


@given(st.text("[]={}\"'.#\n targetrulesindicator1", max_size=80))
@settings(max_examples=100)
def test_any_text_is_parsed_or_refused_in_one_line(text: str) -> None:
    """Nothing but UsageError comes out."""
    try:
        parse(text, "c.toml")
    except UsageError as error:
        assert str(error).startswith("c.toml")  # noqa: PT017 - most texts are refused, some are good
