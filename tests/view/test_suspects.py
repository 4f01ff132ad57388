"""Tests of the list of Python processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.suspect import Suspect
from perfconsole.view.suspects import suspect_lines, suspect_row, suspect_words, suspects_json

CORE = Suspect(4312, "engine", "core", "vllm", "VLLM::EngineCore", 0.974, 41, "3.11")
OTHER = Suspect(77, "", "", "", "python job.py", None, 1, "")


def test_a_process_in_words_leaves_out_what_is_not_known() -> None:
    """Its number always stands."""
    assert suspect_words(CORE) == "4312 engine vllm core"
    assert suspect_words(OTHER) == "77"


def test_for_scripts_what_is_not_known_is_null() -> None:
    """No empty text, no zero for a CPU that was not measured."""
    first, second = suspects_json((CORE, OTHER))["processes"]
    assert (first["cpu"], first["role"], first["threads"]) == (0.97, "core", 41)
    assert [second[name] for name in ("layer", "kind", "role", "cpu", "python")] == [None] * 5


def test_for_people_each_is_a_line_and_the_last_says_what_to_do() -> None:
    """With the command that was asked."""
    head, core, other, _, last = (line.text for line in suspect_lines((CORE, OTHER), "dump"))
    assert head.split() == ["PID", "LAYER", "PART", "CPU", "THREADS", "PYTHON", "COMMAND"]
    assert core.split() == ["4312", "engine", "core", "0.97", "41", "3.11", "VLLM::EngineCore"]
    assert other.split() == ["77", "other", "-", "-", "1", "-", "python", "job.py"]
    assert last.startswith("perfconsole dump PID takes one of them")


def test_the_columns_stand_below_their_heads() -> None:
    """All of the widths that usual values have."""
    head, core, *_ = (line.text for line in suspect_lines((CORE,), "flame"))
    assert core.index("VLLM") == head.index("COMMAND")
    assert core.index("engine") == head.index("LAYER")


def test_none_at_all_is_one_line_with_the_likely_reason() -> None:
    """No empty table."""
    (only,) = suspect_lines((), "flame")
    assert "may need sudo" in only.text


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("/opt/python3.11/bin/python svc.py", "python svc.py"),
        ("/venv/bin/python3 /venv/bin/vllm serve qwen", "python3 vllm serve qwen"),
        ("python /srv/app/main.py", "python /srv/app/main.py"),
        ("VLLM::EngineCore", "VLLM::EngineCore"),
    ],
)
def test_folders_of_the_interpreter_do_not_fill_the_column(title: str, shown: str) -> None:
    """Three services of one environment must be told apart in 80 columns."""
    assert suspect_row(replace(OTHER, title=title)).endswith(f" {shown}")
