"""Tests of the host layer: what belongs to the machine and what to one process."""

from __future__ import annotations

from perfconsole.model.dictionary.entry import Fold
from perfconsole.model.dictionary.host import ENTRIES
from perfconsole.model.entity import Kind

BY_NAME = {entry.name: entry for entry in ENTRIES}


def test_process_figures_belong_to_processes() -> None:
    """Exactly the names that say process have the scope process."""
    assert all((e.scope is Kind.PROCESS) == e.name.startswith("host.process_") for e in ENTRIES)


def test_the_busiest_core_is_not_marked() -> None:
    """A scheduler that polls holds one core at 100% in health."""
    assert (BY_NAME["host.cpu_busiest_core"].warn, BY_NAME["host.cpu_busiest_core"].critical) == ("", "")


def test_the_busiest_thread_is_a_maximum() -> None:
    """The busiest thread of several parts is the busiest of them, and total CPU is their sum."""
    assert BY_NAME["host.process_cpu"].fold is Fold.MAX
    assert BY_NAME["host.process_total_cpu"].fold is Fold.SUM
