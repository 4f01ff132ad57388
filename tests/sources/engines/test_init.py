"""Tests of the list of engines: every file in the folder is one, and each table fits the dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.sources import engines
from perfconsole.sources.engines import adapters, all_roles, flags_of
from perfconsole.sources.mapping.mapper import PageMapper
from perfconsole.sources.roles import Role

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter

_MAPPED = [
    pytest.param(name, id=f"{a.name} {name}")
    for a in adapters()
    for name in dict.fromkeys(
        row.indicator for table in (a.metrics, a.label_facts, a.info_facts, a.flags, a.defaults) for row in table
    )
]


def test_a_file_in_the_folder_is_an_adapter() -> None:
    """Dropping a file in is all it takes."""
    files = {p.stem.replace("_", "-") for p in Path(next(iter(engines.__path__))).glob("*.py")} - {"--init--"}
    assert {a.name for a in adapters()} == files


@pytest.mark.parametrize("indicator", _MAPPED)
def test_every_mapped_indicator_is_in_the_dictionary(indicator: str) -> None:
    """A table cannot invent a name, and fills engines and their ranks only."""
    entry = DEFAULT.find(indicator)
    assert entry is not None
    assert entry.scope in (Kind.ENGINE, Kind.RANK)


@pytest.mark.parametrize("adapter", adapters(), ids=lambda a: a.name)
def test_every_table_makes_a_mapper(adapter: Adapter) -> None:
    """No table is refused at the moment an engine is met."""
    assert PageMapper(adapter, DEFAULT).wanted(adapter.metrics[0].metric)


def test_adapters_are_made_once() -> None:
    """The same objects each time, so that their identity tells them."""
    assert adapters() is adapters()


def test_all_roles_know_the_processes_of_each_engine() -> None:
    """A port of which nothing is known is read with the titles and command lines of all engines."""
    roles = all_roles()
    assert roles.titled("VLLM::Worker_TP0") is Role.WORKER
    assert roles.titled("VLLM::EngineCore") is Role.CORE
    assert roles.launches(("vllm", "serve", "m"))
    assert not roles.launches(("nginx", "-g", "daemon off;"))


def test_flags_are_read_by_the_engine_that_the_command_line_starts() -> None:
    """The table of vLLM reads a command line of vLLM."""
    argv = ("/usr/bin/python3", "/venv/bin/vllm", "serve", "m", "--max-num-seqs", "4", "--api-key", "sekret")
    assert ("engine.max_num_seqs", 4.0, (("origin", "argv"),)) in flags_of(argv)


@pytest.mark.parametrize("argv", [(), ("nginx", "--max-num-seqs", "4"), ("bash", "-c", "vllm serve m -tp 2")])
def test_the_command_line_of_another_program_states_nothing(argv: tuple[str, ...]) -> None:
    """Flags of the same name elsewhere mean something else."""
    assert flags_of(argv) == ()
