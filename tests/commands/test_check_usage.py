"""Tests of what a user can get wrong: each is one line on stderr, exit code 2, and never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands.running import START, perfconsole, recording

if TYPE_CHECKING:
    from pathlib import Path

anything = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(*arguments: object) -> str:
    """The one line of a run that must fail as usage."""
    run = perfconsole(*arguments)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1), run
    assert run.err.startswith("perfconsole: ")
    return run.err.removeprefix("perfconsole: ").rstrip("\n")


def configured(folder: Path, text: str) -> str:
    """The one line about a configuration, without its folder."""
    path = folder / "c.toml"
    path.write_text(text, encoding="utf-8")
    return refused("check", "--config", path).removeprefix(f"{folder}/")


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    """With the system's reason."""
    assert refused("check", "--replay", tmp_path / "no.gz").endswith("no.gz: cannot be read: No such file or directory")


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    """A folder in place of a file is a reading error like any other."""
    assert "cannot be read" in refused("check", "--replay", tmp_path)


@pytest.mark.parametrize("content", ["", "hello\n", "vllm:x 1\n", "# t now\nx 1\n"])
def test_what_is_no_recording_says_so(tmp_path: Path, content: str) -> None:
    """Empty, text, a bare page, a head without a time."""
    assert "series.prom" in refused("check", "--replay", recording(tmp_path, content))


def test_times_in_milliseconds_are_refused(tmp_path: Path) -> None:
    """A moment behind the year 9999 is no moment."""
    line = refused("check", "--replay", recording(tmp_path, f"# t {START}000000\nx 1\n"))
    assert "divide them by 1000" in line


def test_at_needs_a_replay() -> None:
    """The flag is not ignored."""
    assert refused("check", "--at", "5").startswith("--at goes with --replay")


@pytest.mark.parametrize("value", ["abc", "0", "-5", "nan", "inf", "1e9", "", "5h", "0.5"])
def test_a_time_that_cannot_be_is_refused(value: str) -> None:
    """The line quotes it and shows how times are written."""
    line = refused("check", f"--for={value}")
    assert f"{value!r} is no time from 1 s to 24 h" in line


@pytest.mark.parametrize(
    ("wrong", "near"), [("--jsn", "--json"), ("--fail-one", "--fail-on"), ("--engin=x", "--engine")]
)
def test_an_unknown_flag_names_the_nearest(wrong: str, near: str) -> None:
    """Flags of the command are known to the message."""
    assert f"did you mean {near}?" in refused("check", wrong)


@pytest.mark.parametrize("arguments", [["chekc"], ["--engine"], ["check", "--engine"], ["rules"], ["rules", "x"]])
def test_a_command_line_that_is_not_complete_is_one_line(arguments: list[str]) -> None:
    """No usage block, no traceback."""
    assert "--help" in refused(*arguments)


def test_a_severity_that_does_not_exist_is_refused() -> None:
    """With those that do."""
    assert "'critical'" in refused("check", "--fail-on", "fatal")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[[targt]]\nurl = 'x'\n", "c.toml:1:3: unknown table 'targt'; did you mean 'target'?"),
        ("[[target]]\nulr = 'x'\n", "c.toml:2:1: unknown key in [[target]] 'ulr'; did you mean 'url'?"),
        ("[rules]\n  foldrs = []\n", "c.toml:2:3: unknown key in [rules] 'foldrs'; did you mean 'folders'?"),
        ("[[target]]\nurl = 8000\n", "c.toml:2:1: url must be text in quotes"),
        ("[[target]]\nname = 'a'\n", 'c.toml:1:3: this [[target]] has no url; add url = "http://HOST:PORT"'),
        (
            "[[target]]\nname = 'a'\nurl = 'http://a'\n[[target]]\nname = 3\nurl = 'http://b'\n",
            "c.toml:5:1: name must be text in quotes",
        ),
        (
            "[[target]]\nurl = 'http://a'\n[[target]]\nname = 'b'\n",
            'c.toml:3:3: this [[target]] has no url; add url = "http://HOST:PORT"',
        ),
        ("[target]\nurl = 'x'\n", "c.toml:1:2: write [[target]] with two brackets, one table a target"),
        ("target = [1]\n", "c.toml:1:1: write [[target]] with two brackets, one table a target"),
        ("rules = 3\n", "c.toml:1:1: rules must be a table; write [rules]"),
        ("indicator = 'x'\n", "c.toml:1:1: indicator must be a table; write [indicator]"),
        ("[rules]\nfolders = 'x'\n", 'c.toml:2:1: folders must be a list of texts: folders = ["DIR"]'),
        ("[rules]\nfolders = [1]\n", 'c.toml:2:1: folders must be a list of texts: folders = ["DIR"]'),
        (
            "[[target]]\nurl = 'x'\nlayer = 'engin'\n",
            "c.toml:3:1: unknown layer 'engin'; known: gateway, orchestration, engine, hardware",
        ),
    ],
)
def test_a_mistake_in_the_configuration_has_its_place(tmp_path: Path, text: str, line: str) -> None:
    """FILE:LINE:COLUMN, what is wrong, what is known."""
    assert configured(tmp_path, text) == line


def test_bad_toml_has_its_place(tmp_path: Path) -> None:
    """The parser's place as FILE:LINE:COLUMN."""
    assert configured(tmp_path, "[[target]]\nurl = \n").startswith("c.toml:2:7: not valid TOML: ")


def test_an_unknown_indicator_names_the_nearest(tmp_path: Path) -> None:
    """At the place of its table."""
    line = configured(tmp_path, '\n[indicator."engine.ttfft.p95"]\nwarn = "> 2s"\n')
    assert line.startswith("c.toml:2:13: unknown indicator 'engine.ttfft.p95'; nearest: engine.ttft.p95")


def test_a_configuration_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """A tower of brackets ends in a line."""
    assert "nested too deeply" in configured(tmp_path, "x = " + "[" * 100_000)


@pytest.mark.parametrize("arguments", [["--config"], ["--engine", "h:1", "--config"]])
def test_a_configuration_that_is_missing_is_named(tmp_path: Path, arguments: list[str]) -> None:
    """A given file must exist."""
    assert "no.toml: cannot be read" in refused("check", *arguments, tmp_path / "no.toml")


@pytest.mark.parametrize("url", ["", "http://", "ftp://h", "h:99999", "http://h:8000?x=1", "a b", "::1", "8000"])
def test_url_nonsense_is_refused(url: str) -> None:
    """What is no address is not polled."""
    assert "not the URL of a target" in refused("check", "--engine", url)


@pytest.mark.parametrize(
    "pair", [("h:8000", "http://h:8000/metrics"), ("localhost:8000", "127.0.0.1:8000"), ("[::1]:80", "localhost")]
)
def test_one_target_named_twice_is_refused(pair: tuple[str, str]) -> None:
    """Also when it is written in two ways: both would fill one engine."""
    assert "name each target once" in refused("check", "--engine", pair[0], "--engine", pair[1])


def test_a_key_that_is_not_set_is_said_without_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target stands in the line; neither its password nor what may be a key in the wrong place does."""
    monkeypatch.delenv("THE_KEY", raising=False)
    line = configured(tmp_path, "[[target]]\nurl = 'http://me:hunter2@h:1'\ntoken_env = 'THE_KEY'\n")
    assert "token_env of http://***@h:1" in line
    assert "hunter2" not in line
    assert "THE_KEY" not in line


def test_a_key_in_the_place_of_its_variable_is_refused(tmp_path: Path) -> None:
    """What is no name of a variable is taken for the key, and not repeated."""
    line = configured(tmp_path, "[[target]]\nurl = 'h:1'\ntoken_env = 'sk-abc123'\n")
    assert "must be the name of a variable" in line
    assert "sk-abc123" not in line


def test_a_key_that_http_cannot_carry_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newline in the key is refused without the key."""
    monkeypatch.setenv("THE_KEY", "hunter2\n")
    assert "hunter2" not in configured(tmp_path, "[[target]]\nurl = 'h:1'\ntoken_env = 'THE_KEY'\n")


def test_a_url_without_its_flag_keeps_its_password_secret() -> None:
    """The message about a stray word hides what may be one."""
    assert "hunter2" not in refused("check", "http://me:hunter2@h:8000")


def test_a_name_too_long_for_the_system_is_one_line() -> None:
    """An error of the file system is told, not thrown."""
    assert "too long" in refused("check", "--config", "a" * 5000)


@given(st.binary(max_size=200))
@anything
def test_any_bytes_as_configuration_are_at_most_one_line(tmp_path: Path, content: bytes) -> None:
    """Garbage is refused in one line; `--replay` of nothing ends the run where the bytes happen to be good TOML."""
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    refused("check", "--config", path, "--replay", tmp_path / "no.gz")


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda b: b"# t 17.5 ms=3\n" + b)))
@anything
def test_any_bytes_as_recording_never_raise(tmp_path: Path, content: bytes) -> None:
    """One line and 2, or a report of a recording without a usable page."""
    path = tmp_path / "series.prom"
    path.write_bytes(content)
    run = perfconsole("check", "--replay", path, "--json")
    assert run.code in {2, 3}
    assert run.err.count("\n") == (run.code == 2)


@given(st.one_of(st.binary(max_size=200), st.text("idwhen:[]{}&*!|>'\"- \n#", max_size=60).map(str.encode)))
@anything
def test_any_bytes_as_rule_are_one_line(tmp_path: Path, content: bytes) -> None:
    """A garbage rule is skipped with its place; the run goes on."""
    folder = tmp_path / "rules"
    folder.mkdir(exist_ok=True)
    (folder / "g.yaml").write_bytes(content)
    run = perfconsole("check", "--replay", recording(tmp_path, f"# t {START} error=TimeoutError\n"), "--rules", folder)
    assert run.code == 2
    assert run.err.startswith(f"perfconsole: {folder}/g.yaml:")
    assert run.err.count("\n") == 1
