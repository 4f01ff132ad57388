"""Tests of merging flags and files into one configuration; its error lines are tested with `check`."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.config import Target, load, load_flags, parse, user_file
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT

AGENTS = """
[[target]]
name = "agents"
layer = "orchestration"
url = "http://127.0.0.1:9000"
metrics = "http://127.0.0.1:9001/metrics"
health = "/ready"
calls = ["http://127.0.0.1:8000"]

[target.metrics_map]
"orchestration.requests" = "tasks_done_total"
"orchestration.latency" = { metric = "task_duration_ms", unit = "ms" }
"""


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
    flags = Namespace(config=path, engine=["e:1"], gateway=[], orchestrator=["7"], rules=[Path("r")], log=["/l"])
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


def test_targets_are_looked_for_unless_the_file_says_no(folder: Path) -> None:
    """By default a console finds what runs beside it."""
    off = written(folder / "c.toml", "[discovery]\nenabled = false\n")
    assert (load(None, [], []).discover, load(off, [], []).discover) == (True, False)


def test_a_service_of_ones_own_is_mapped_in_the_file(folder: Path) -> None:
    """With its page, what it calls, and the rows of its adapter."""
    path = written(folder / "c.toml", AGENTS)
    (target,) = load(path, [], []).targets
    assert (target.name, target.page_url) == ("agents", "http://127.0.0.1:9001/metrics")
    assert target.upstreams == ("http://127.0.0.1:8000",)
    assert target.adapter is not None
    assert [m.indicator for m in target.adapter.metrics] == ["orchestration.requests", "orchestration.latency"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[discovery]\nenabld = true\n", "c.toml:2:1: unknown key in [discovery] 'enabld'; did you mean 'enabled'?"),
        ("[discovery]\nenabled = 'no'\n", "c.toml:2:1: enabled must be true or false"),
        (
            "[[target]]\nurl = 'h:1'\n[[target]]\nurl = 'http://'\n",
            "c.toml:4:1: not the URL of a target: http://: no host in it",
        ),
        (f"[rules]\nfolders = {'1' * 5000}\n", "c.toml: not valid TOML: a number of too many digits"),
        ("discovery = false\n", "c.toml:1:1: discovery must be a table; write [discovery]"),
        (
            "[[target]]\nurl = 'a:1'\nname = 'a'\n[[target]]\nurl = 'b:1'\nname = 'a'\n",
            "c.toml:6:1: 'a' names another [[target]] too; name each once",
        ),
        (
            "[[target]]\nurl = 'a:1'\n[[target]]\nurl = 'b:1'\n[target.metrics_map]\n'gateway.ttft' = 'e'\n",
            "c.toml:6:1: gateway.ttft belongs to the gateway layer; this target is engine: map it at one of that layer",
        ),
        (
            '[[target]]\nurl = "a:1"\n[target.metrics_map]\n"engine.ttft" = { metric = "t", unit = "MB" }\n',
            "c.toml:4:33: engine.ttft is in s, and 'MB' is not; known: s, ms, us, \N{MICRO SIGN}s, ns, min, h",
        ),
    ],
)
def test_a_mistake_has_its_place(folder: Path, text: str, line: str) -> None:
    """FILE:LINE:COLUMN of the key itself, in whichever table it stands."""
    with pytest.raises(UsageError) as refused:
        load(written(folder / "c.toml", text), [], [])
    assert str(refused.value).removeprefix(f"{folder}/") == line


def test_a_long_value_leaves_the_line_short(folder: Path) -> None:
    """With its place, what is wrong, and what would be right."""
    path = written(folder / "c.toml", f"[[target]]\nurl = 'h:1'\nlayer = '{'x' * 9000}'\n")
    with pytest.raises(UsageError, match=r"c\.toml:3:1: unknown layer 'xxx.* \.\.\. .*known: gateway") as refused:
        load(path, [], [])
    assert len(str(refused.value)) < 500 + len(str(path))


@given(st.text("[]={}\"'.#\n targetrulesindicator1", max_size=80))
@settings(max_examples=100)
def test_any_text_is_parsed_or_refused_in_one_line(text: str) -> None:
    """Nothing but UsageError comes out."""
    try:
        parse(text, "c.toml")
    except UsageError as error:
        assert str(error).startswith("c.toml")  # noqa: PT017 - most texts are refused, some are good


LINES = st.sampled_from(
    [
        "[[target]]",
        'url = "h:1"',
        'layer = "orchestration"',
        'metrics = "/m"',
        "metrics = 3",
        'adapter = "fastapi"',
        'calls = ["h:1", 2]',
        "[target.metrics_map]",
        '"orchestration.requests" = "x"',
        '"engine.ttft" = { metric = "t", unit = "ms" }',
        '"orchestration.latency" = { metric = "t", where = { a = "~[" } }',
        '[target.metrics_map."orchestration.errors"]',
        'metric = "e"',
        "where.status = '5..'",
    ]
)


@given(st.lists(LINES, max_size=8))
@settings(max_examples=200)
def test_any_mapping_loads_or_is_refused_in_one_line(lines: list[str]) -> None:
    """With its place where it has one."""
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "c.toml", "\n".join(lines))
        try:
            load(path, [], [])
        except UsageError as error:
            assert re.match(rf"{re.escape(str(path))}:\d+:\d+: [^\n]+$", str(error))  # noqa: PT017 - some are good


def test_whoever_names_a_target_by_flag_is_not_given_others(folder: Path) -> None:
    """Unless the file asks for it; targets of a file are watched beside what is found."""
    asked = written(folder / "c.toml", "[discovery]\nenabled = true\n[[target]]\nurl = 'http://h:1'\n")
    assert (load(None, ["h:1"], []).discover, load(asked, ["h:2"], []).discover) == (False, True)
    assert load(written(folder / "d.toml", "[[target]]\nurl = 'http://h:1'\n"), [], []).discover
