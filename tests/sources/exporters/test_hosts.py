"""Names of hosts."""

from __future__ import annotations

from perfconsole.sources.exporters.hosts import HostNames


def test_the_first_name_of_a_place_stays() -> None:
    """Two exporters of one host call it alike, whatever each says."""
    names = HostNames()
    assert names.settle("10.0.0.7", "", "gpu-07") == "gpu-07"
    assert names.settle("10.0.0.7", "", "gpu-07.internal") == "gpu-07"
    assert names.settle("10.0.0.8", "", "") == "10.0.0.8"
