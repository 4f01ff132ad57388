"""The table of formulas."""

from __future__ import annotations

import pytest

from perfconsole.core.formulas import FORMULAS, full_window_s
from perfconsole.model.dictionary import DEFAULT


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_every_formula_fills_a_name_of_the_dictionary(name: str) -> None:
    """A misspelt name would never be shown."""
    assert DEFAULT.find(name) is not None


@pytest.mark.parametrize(
    ("name", "run_s", "seconds"),
    [
        ("engine.generation_rate", None, 0.0),
        ("engine.running_plateau", None, 30.0),
        ("engine.running_plateau", 20.0, 10.0),
        ("engine.kv_time_to_full", 20.0, 300.0),
        ("host.process_rss_growth", None, 1800.0),
        ("gpu.mem_growth", None, 1800.0),
        ("gateway.arrival_burst", None, 30.0),
    ],
)
def test_the_window_says_how_long_nothing_can_be_known(name: str, run_s: float | None, seconds: float) -> None:
    """Only the plateau is cut for a short run."""
    assert full_window_s(name, run_s) == seconds
