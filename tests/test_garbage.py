"""Tests of when Python looks for garbage."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from perfconsole import garbage

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Whatever a test leaves, the others find the collector at work."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.enable()


def test_nothing_is_collected_while_a_program_loads() -> None:
    """Until somebody says that it has settled."""
    garbage.wait()
    assert not gc.isenabled()


def test_what_is_loaded_is_left_alone_afterwards() -> None:
    """And what comes later is collected."""
    garbage.wait()
    garbage.settle()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
