"""What discovery hands over."""

from __future__ import annotations

from perfconsole.errors import UsageError
from perfconsole.sources.discovery.found import words_of


def test_a_fault_of_the_user_is_told_with_its_text() -> None:
    """It says what to do."""
    assert words_of(UsageError("no such file; name one")) == "no such file; name one"


def test_a_fault_of_ours_is_told_by_its_name_alone() -> None:
    """Its text may quote anything, a key among it."""
    assert words_of(ValueError("api-key abc")) == "fault in perfconsole, please report it: ValueError"
