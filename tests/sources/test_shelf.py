"""Tests of finding adapters."""

from __future__ import annotations

from perfconsole.sources import engines
from perfconsole.sources.engines import vllm
from perfconsole.sources.shelf import adapters_in


def test_every_module_of_the_package_gives_its_adapter() -> None:
    """By name of the module."""
    assert vllm.ADAPTER in adapters_in(engines.__name__, engines.__path__)


def test_a_package_without_modules_has_none() -> None:
    """Nothing is made up."""
    assert adapters_in("nothing", []) == ()
