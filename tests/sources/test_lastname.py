"""A name that a target had before it was known."""

from __future__ import annotations

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.lastname import LastName


def test_a_name_is_taken_back_once() -> None:
    """In the first batch under the new one."""
    address, known = (Entity(Kind.ENGINE, name) for name in ("127.0.0.1:8000", "vllm:8000"))
    names = LastName()
    assert [names.left(entity) for entity in (address, address, known, known)] == [(), (), (address,), ()]
