"""Facts in words."""

from __future__ import annotations

from perfconsole.core.facts import FactBook
from perfconsole.model.sample import Fact
from tests.core.building import ENGINE, HOST


def test_the_newest_text_counts() -> None:
    """A version changes with an upgrade."""
    book = FactBook()
    book.note([Fact("engine.version", ENGINE, "0.31.0")])
    book.note([Fact("engine.version", ENGINE, "0.32.0")])
    assert book.text("engine.version", ENGINE) == "0.32.0"


def test_a_fact_that_is_not_repeated_stays() -> None:
    """A poll that failed says nothing of the model."""
    book = FactBook()
    book.note([Fact("engine.model", ENGINE, "tiny")])
    book.note([])
    assert [fact.value for fact in book.all()] == ["tiny"]


def test_what_was_never_said_is_none() -> None:
    """Not an empty text."""
    assert FactBook().text("engine.version", ENGINE) is None


def test_an_entity_that_is_gone_takes_its_facts_along() -> None:
    """Those of others stay."""
    book = FactBook()
    book.note([Fact("engine.model", ENGINE, "tiny"), Fact("host.name", HOST, "gpu-07")])
    book.drop(ENGINE)
    assert [fact.entity for fact in book.all()] == [HOST]
