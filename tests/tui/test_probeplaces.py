"""Tests of what can be probed, and whose it is."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Fact
from perfconsole.tui.probeplaces import Place, engine_behind, entity_at, places, spot
from tests.view.pictures import ENGINE, snapshot

GATEWAY = Entity(Kind.GATEWAY, "litellm:4000")
OTHER = Entity(Kind.ENGINE, "vllm:8001")
FRONT, BACK = Place("http://127.0.0.1:4000", GATEWAY), Place("http://localhost:8000", ENGINE)
SECOND = Place("http://10.0.0.7:8001", OTHER)


def test_engines_come_before_what_stands_before_them() -> None:
    """Each with its URL; nothing else is a place."""
    facts = (
        Fact("engine.version", ENGINE, "0.32"),
        Fact("gateway.url", GATEWAY, FRONT.url),
        Fact("engine.url", ENGINE, BACK.url),
    )
    assert places(snapshot(facts=facts)) == (BACK, FRONT)


@pytest.mark.parametrize(
    ("url", "entity"),
    [
        ("http://127.0.0.1:8000", ENGINE),
        ("http://[::1]:8000/v1", ENGINE),
        ("127.0.0.1:4000", GATEWAY),
        ("http://10.0.0.7:8000", None),
        ("unix:/run/vllm.sock", None),
    ],
)
def test_whose_a_url_is(url: str, entity: Entity | None) -> None:
    """By whatever name of this host."""
    assert entity_at(url, (BACK, FRONT)) == entity


@pytest.mark.parametrize(
    ("url", "known", "engine"),
    [
        (BACK.url, (BACK, SECOND), ENGINE),
        (FRONT.url, (BACK, FRONT), ENGINE),
        (FRONT.url, (BACK, SECOND, FRONT), None),
        (FRONT.url, (FRONT,), None),
        ("unix:/run/vllm.sock", (BACK,), ENGINE),
        ("http://10.0.0.9:8000", (BACK,), None),
    ],
)
def test_the_engine_that_a_load_comes_to(url: str, known: tuple[Place, ...], engine: Entity | None) -> None:
    """Behind a gateway the only one; nobody's numbers are taken for those of a place that is not watched."""
    assert engine_behind(url, known) == engine


def test_what_is_no_url_is_nowhere_else() -> None:
    """It is compared by its text."""
    assert spot("nonsense:x:y") == "nonsense:x:y"
