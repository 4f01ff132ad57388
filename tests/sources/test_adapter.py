"""Tests of the form of an adapter: data, and nothing but data."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from perfconsole.sources import adapter as module
from perfconsole.sources.adapter import Adapter, Default, Flag, Metric
from perfconsole.sources.engines.vllm import ADAPTER


def test_a_row_cannot_be_changed() -> None:
    """A table that is read from several threads is frozen."""
    with pytest.raises(FrozenInstanceError):
        Metric("engine.up", "up").metric = "down"  # type: ignore[misc] # that is the point


def test_a_row_says_by_itself_what_it_leaves_out() -> None:
    """A plain row is required, unscaled and of every release."""
    row = Metric("engine.requests_running", "n")
    assert (row.where, row.tag, row.since, row.until, row.scale, row.offset) == ((), (), "", "", 1.0, 0.0)
    assert (row.optional, row.zero_with) == (False, "")


def test_a_default_calls_itself_a_default() -> None:
    """A value that nobody stated carries that origin unless its table says otherwise."""
    assert Default("engine.tensor_parallel", 1).tag == (("origin", "default"),)


def test_a_flag_reads_its_value_unless_it_is_a_switch() -> None:
    """Only a switch has a number of its own."""
    assert (Flag("engine.max_num_seqs", ("--n",)).value, Flag("engine.max_num_seqs", ("--n",)).scale) == (None, 1.0)


def test_an_adapter_holds_no_functions() -> None:
    """An adapter is data: a table in a file of TOML could say the same."""
    assert not any(callable(getattr(ADAPTER, f.name)) for f in fields(Adapter))


def test_every_class_of_the_form_is_told_apart_by_value() -> None:
    """Two equal tables are equal, so that they can key a cache."""
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    assert classes
    assert all(getattr(c, "__dataclass_params__").frozen for c in classes)  # noqa: B009 - no attribute mypy knows


def test_a_plain_table_is_read_as_text_at_its_own_port() -> None:
    """Whatever a table does not say: no converter, no second path or port, nothing known of what it calls."""
    plain = Adapter("x", "X", ("x_",), "", "/metrics", "", "", "", (), (), ())
    assert (plain.converter, plain.pages, plain.page_port, plain.page_flags) == ("", (), 0, ())
    assert (plain.port_flags, plain.default_port) == (("--port",), 0)
    assert (plain.upstream_labels, plain.upstream_flags, plain.unexported, plain.generic) == ((), (), (), False)
