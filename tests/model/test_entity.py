"""How entities are written and read, and how they sort."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind, Link, Relation

REAL = [k for k in Kind if k is not Kind.TARGET]


@settings(max_examples=60)
@given(st.sampled_from(REAL), st.text(min_size=1, max_size=20))
def test_what_is_written_is_read_back(kind: Kind, name: str) -> None:
    """Any name survives, slashes and colons included."""
    entity = Entity(kind, name)
    assert Entity.parse(str(entity)) == entity


def test_an_entity_is_written_kind_slash_name() -> None:
    """As people and scripts see it."""
    assert str(Entity(Kind.ENGINE, "vllm:8000")) == "engine/vllm:8000"


@pytest.mark.parametrize("text", ["", "engine", "engine/", "/vllm", "motor/vllm", "ENGINE/vllm", "target/x"])
def test_what_is_no_entity_is_refused_with_the_kinds(text: str) -> None:
    """The error shows what was written and what may be; nothing measured is of kind target."""
    with pytest.raises(ValueError, match=r"is not KIND/NAME \(kinds: gateway, .*host\)") as caught:
        Entity.parse(text)
    assert repr(text) in str(caught.value)


def test_entities_sort_by_kind_and_name() -> None:
    """Every list of them is in a stable order."""
    gpu, engine, first = Entity(Kind.GPU, "0"), Entity(Kind.ENGINE, "b"), Entity(Kind.ENGINE, "a")
    assert sorted([gpu, engine, first]) == [first, engine, gpu]


def test_links_that_differ_in_role_differ() -> None:
    """One process may be front-end and core."""
    ends = Entity(Kind.ENGINE, "a"), Entity(Kind.PROCESS, "1")
    assert len({Link(Relation.ENGINE_HAS_PROCESS, *ends, role) for role in ("frontend", "core")}) == 2
