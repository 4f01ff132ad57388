"""Tests of filling placeholders into a command line of a shell: text of a target is never code."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.shellwords import UnquotableError, script

EVIL = [
    "a; reboot",
    "$(reboot)",
    "`reboot`",
    "a' ; reboot; '",
    'a" ; reboot; "',
    "a\nreboot",
    "-rf",
    "a|b",
    "*",
    "~",
    "",
]
QUOTED = ["ls '{engine.log}'", 'ls "{engine.log}"', "ls 'x'\"{engine.log}\"", "ls a\\'b'{engine.log}'"]
NESTED = [
    'ls "$(ls {engine.log})"',
    "ls `ls {engine.log}`",
    "ls # {engine.log}",
    "cat <<E\n{engine.log}\nE",
    "ls ${x:-{engine.log}}",
]


def _filled(template: str, value: str) -> str:
    return script(template, {"engine.log": value, "engine.rank_pids": value}.get)


@given(st.text(min_size=1))
def test_outside_quotes_a_value_is_one_word_or_nothing_is_run(value: str) -> None:
    """As a shell splits it."""
    try:
        line = _filled("ls {engine.log} end", value)
    except UnquotableError:
        return
    assert shlex.split(line) == ["ls", value, "end"]


@pytest.mark.parametrize("template", [*QUOTED, *NESTED])
@pytest.mark.parametrize("value", EVIL)
def test_inside_quotes_or_another_command_only_harmless_text_is_put_in(template: str, value: str) -> None:
    """A quote in the value would end the one of the rule."""
    with pytest.raises(UnquotableError, match=r"engine\.log"):
        _filled(template, value)


@pytest.mark.parametrize("template", QUOTED)
def test_a_plain_path_fits_anywhere(template: str) -> None:
    """It means the same inside and outside quotes."""
    assert "/var/log/vllm-0.log" in _filled(template, "/var/log/vllm-0.log")


def test_process_numbers_stay_several_words() -> None:
    """A loop over ranks runs once for each."""
    assert _filled("for p in {engine.rank_pids}; do ls; done", "11 12") == "for p in 11 12; do ls; done"


@pytest.mark.parametrize("value", ["11 $(reboot)", "11 -rf", "11;12"])
def test_a_list_with_anything_else_in_it_is_not_run(value: str) -> None:
    """Each word must be harmless by itself."""
    with pytest.raises(UnquotableError):
        _filled("ls {engine.rank_pids}", value)


def test_an_unknown_placeholder_is_named() -> None:
    """There is nothing to run yet."""
    with pytest.raises(UnquotableError, match=r"engine\.url is not known here"):
        _filled("curl {engine.url}", "x")
