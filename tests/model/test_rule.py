"""What little logic the rule's own types hold."""

from __future__ import annotations

from perfconsole.model.rule import RANK_CLASSES, Place, Severity


def test_severities_rise_from_info_to_critical() -> None:
    """Ranks compare as the words mean."""
    assert sorted(Severity, key=lambda s: s.rank) == [Severity.INFO, Severity.WARN, Severity.CRITICAL]


def test_a_place_is_written_as_editors_read_it() -> None:
    """File, line and column with colons."""
    assert str(Place("rules/engine/a.yaml", 3, 7)) == "rules/engine/a.yaml:3:7"


def test_the_rank_classes_stand_in_the_order_of_the_symptom_table() -> None:
    """Instrument reads before all, symptoms after all."""
    assert " ".join(RANK_CLASSES) == (
        "instrument hardware-fault not-progressing memory saturated-core scheduling host clocks-links "
        "client-gateway regression symptom"
    )
