"""The form of an entry, for what the layers leave out."""

from __future__ import annotations

from perfconsole.model.dictionary.entry import Entry, Fold, Sort
from perfconsole.model.entity import Kind


def test_a_plain_entry_has_no_mark_no_origin_and_adds_up() -> None:
    """A team sets marks; what says nothing is not marked and counts."""
    entry = Entry("engine.x", Sort.GAUGE, "requests", Kind.ENGINE, "x")
    assert (entry.warn, entry.critical, entry.mark_note, entry.owner) == ("", "", "", "")
    assert (entry.origins, entry.fold) == ((), Fold.SUM)


def test_sorts_are_written_as_the_dictionary_prints_them() -> None:
    """A team's file and the dictionary page spell them out."""
    assert [f"{sort}" for sort in Sort] == [
        "gauge",
        "counter",
        "histogram",
        "state",
        "fact",
        "text",
        "event",
        "derived",
    ]
