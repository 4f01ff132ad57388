"""Tests of choosing a Python process: by its number, or by a word that names one alone."""

from __future__ import annotations

import os

import pytest

from perfconsole.commands import suspects
from perfconsole.commands.suspects import chosen_pid
from perfconsole.errors import UsageError
from perfconsole.model.suspect import Suspect
from tests.actions.sleepers import sleeper
from tests.commands.running import perfconsole

FRONT = Suspect(10, "engine", "frontend", "vllm", "vllm serve m", 0.5, 9, "3.11")
CORE = Suspect(11, "engine", "core", "vllm", "VLLM::EngineCore", 1.0, 40, "3.11")
PROXY = Suspect(12, "gateway", "", "litellm", "litellm --port 4000", 0.1, 9, "3.11")


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with an engine of two processes and a gateway."""
    monkeypatch.setattr(suspects, "suspects", lambda: (PROXY, FRONT, CORE))


def test_a_number_is_taken_as_it_is() -> None:
    """Whether it can be read is asked later."""
    assert chosen_pid("4312") == 4312


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(("word", "pid"), [("core", 11), ("gateway", 12), ("LiteLLM", 12), ("--port", 12)])
def test_a_word_of_its_part_or_its_command_line_names_one(word: str, pid: int) -> None:
    """In any case of letters."""
    assert chosen_pid(word) == pid


@pytest.mark.usefixtures("three")
def test_a_word_that_names_several_is_refused_with_their_numbers() -> None:
    """Recording the wrong one would mislead."""
    with pytest.raises(UsageError, match=r"'vllm' names 2 processes: 10 engine vllm frontend, 11 engine vllm core;"):
        chosen_pid("vllm")


@pytest.mark.usefixtures("three")
def test_where_engines_count_as_one_its_first_process_is_taken() -> None:
    """A dump takes all of them anyway."""
    assert chosen_pid("vllm", engines=True) == 10


@pytest.mark.usefixtures("three")
def test_a_word_that_names_none_is_refused() -> None:
    """With the command that lists them."""
    with pytest.raises(UsageError, match="no Python process here has 'sglang'"):
        chosen_pid("sglang")


def test_the_list_has_our_own_process_of_python_and_not_the_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what CPU it uses between two looks."""
    monkeypatch.setattr(suspects, "_APART_S", 0.05)
    with sleeper() as pid:
        found = {p["pid"]: p for p in perfconsole("flame", "--json").document["processes"]}
    assert found[pid]["python"].startswith("3.")
    assert found[pid]["cpu"] is not None
    assert os.getpid() not in found
