"""What a page tells, as a batch."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Fact
from perfconsole.sources.exporters.told import Told, told_batch


def test_a_batch_is_what_is_told_and_when() -> None:
    """Nothing of either is lost."""
    host = Entity(Kind.HOST, "a")
    batch = told_batch(
        Told((host,), (), facts=(Fact("host.os", host, "x"),), notes=("n",)), Batch("s", "k", 1.0, 2.0, 5.0)
    )
    assert (batch.source, batch.t, batch.cadence_s) == ("s", 1.0, 5.0)
    assert (batch.entities, batch.facts[0].value, batch.notes) == ((host,), "x", ("n",))
