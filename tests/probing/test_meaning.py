"""What a probe means for findings."""

from __future__ import annotations

from perfconsole.model.finding import CheckResult, FindingCheck
from perfconsole.probing.meaning import meaning
from tests.view.pictures import finding, snapshot

TOLD = FindingCheck("probe", "p", None, "", "", CheckResult.CONFIRMED, measured=True)


def test_findings_that_it_answered() -> None:
    """Are named with the answer; others, and answers of other actions, are not."""
    waits = FindingCheck("probe", "p", None, "", "", None)
    stacks = FindingCheck("flame", "f", None, "", "", CheckResult.REFUTED, measured=True)
    checks = {"It queues": TOLD, "It hangs": waits, "It spins": stacks}
    picture = snapshot(findings=tuple(finding(title, title=title, checks=(check,)) for title, check in checks.items()))
    assert meaning(picture) == "It queues: confirmed"


def test_nothing_to_answer() -> None:
    """Is nothing to say."""
    assert meaning(snapshot()) == meaning(None) == ""
