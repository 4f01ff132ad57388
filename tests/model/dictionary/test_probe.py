"""The probe layer: every row belongs where its name says."""

from __future__ import annotations

from perfconsole.model.dictionary.probe import ENTRIES
from perfconsole.model.entity import Kind


def test_every_row_has_the_prefix_the_scope_and_the_origin_of_the_layer() -> None:
    """A row pasted from another layer would be read from the wrong entity."""
    assert {(e.name.split(".")[0], e.scope, e.origins, e.owner) for e in ENTRIES} == {
        ("probe", Kind.TARGET, ("probe",), "on-call")
    }
    assert len({e.name for e in ENTRIES}) == len(ENTRIES)
