"""What little logic the rule's own types hold."""

from __future__ import annotations

from perfconsole.model.rule import RANK_CLASSES, Place, Severity
from tests.diagnose.judging import rule


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


def test_the_conditions_of_a_rule_are_all_that_its_file_has() -> None:
    """Those of fall-backs, escalations and checks too; a sign that is only described is none."""
    check = {"kind": "look", "what": "it", "confirms": "engine.e > 1", "refutes": "see: it"}
    whole = rule(
        "whole",
        "engine.a > base(engine.a)",
        unless=["engine.b > 1"],
        fallback={"1": "engine.c > 1"},
        escalate={"critical": "engine.d > 1"},
        checks=[check],
    )
    assert [c.text[7] for c in whole.conditions] == list("abcde")


def test_a_fall_back_that_is_none_is_no_condition() -> None:
    """Such a rule waits for history."""
    waits = rule("waits", "engine.a > base(engine.a)", fallback={"1": "none"})
    assert [c.text for c in waits.conditions] == ["engine.a > base(engine.a)"]
