"""Tests of finding adapters."""

from __future__ import annotations

from perfconsole.sources import engines, orchestrators
from perfconsole.sources.engines import vllm
from perfconsole.sources.shelf import adapters_in


def test_every_module_of_the_package_gives_its_adapter() -> None:
    """By name of the module."""
    assert vllm.ADAPTER in adapters_in(engines.__name__, engines.__path__)


def test_a_package_without_modules_has_none() -> None:
    """Nothing is made up."""
    assert adapters_in("nothing", []) == ()


def test_what_is_on_many_pages_is_asked_last() -> None:
    """Whatever the names of the files: a generic table would take the pages of the others."""
    generic = [adapter.generic for adapter in adapters_in(orchestrators.__name__, orchestrators.__path__)]
    assert generic == sorted(generic)
    assert generic[0] is False
    assert generic[-1] is True
