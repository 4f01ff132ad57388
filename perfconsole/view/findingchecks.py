"""The checks of a finding: which can be done now, their exact commands, and how they read on its page."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perfconsole.view.canvas import Hit, clip, row
from perfconsole.view.plain import plain
from perfconsole.view.scrolling import Block
from perfconsole.view.wording import answer_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfconsole.model.finding import Finding, FindingCheck
    from perfconsole.view.canvas import Row, Target
    from perfconsole.view.scrolling import Paper

_OPEN = re.compile(r"<([a-z]+\.[a-z_]+)>")
_PID = re.compile(r"(?:-p|--pid)[ =](\d+)")
_EACH = re.compile(r"\bfor (\w+) in (\d+)\b.*(?:-p|--pid)[ =]\$\1\b", re.DOTALL)
"""A loop over processes; one that only counts is none."""
_LOOK = "look"
_PAUSES = ("flame", "dump")
_PROBE = ("perfconsole", "probe")


def check_command(finding: Finding, number: int) -> str | None:
    """The exact command to copy; None for what is only looked at, and what has blanks.

    A control character in it is written as its escape: what is pasted must not act on the terminal.
    """
    if not 0 <= number < len(finding.checks):
        return None
    check = finding.checks[number]
    if check.kind == _LOOK or _unfilled(check):
        return None
    line = script_of(check) or (check.text if check.argv is None else shlex.join(check.argv))
    return plain(line) or None


def script_of(check: FindingCheck) -> str:
    """The line for a shell in which names from the target are quoted as words; empty where there is none."""
    return check.runs[-1] if check.runs and check.argv is None else ""


def probes_here(check: FindingCheck) -> bool:
    """The console can send this load itself: it is a whole command of ours, without a shell."""
    return check.kind == "probe" and check.argv is not None and check.argv[:2] == _PROBE


def chosen_check(finding: Finding, target: Target | None) -> int | None:
    """Number of the check that the cursor stands on, else of the first one; None when there is none to do."""
    many = len(finding.checks)
    if target and target[0] == "check" and target[-1].isdecimal() and int(target[-1]) < many:
        return int(target[-1])
    return 0 if many else None


def pid_of(check: FindingCheck) -> int | None:
    """Number of the process that a check reads the stacks of, the first of several; None where it names none."""
    one, each = _PID.search(check.text), _EACH.search(check.text)
    return int(one[1]) if one else int(each[2]) if each else None


def hint(finding: Finding, paper: Paper) -> Block | None:
    """The first check in one row, for the top of a page that shows the checks only further down."""
    first = chosen_check(finding, None)
    if first is None:
        return None
    check = finding.checks[first]
    line = clip(paper.clean(f"first check: {check.text}"), paper.columns, paper.glyphs.more)
    return Block(("part", "hint"), (row((line, "value")),), (Hit(0, 0, paper.columns, ("check", str(first))),))


def check_blocks(finding: Finding, paper: Paper) -> Iterator[Block]:
    """One block a check, in the order of the rule; the first that can be done is named so."""
    first = chosen_check(finding, None)
    for number, check in enumerate(finding.checks):
        label = "first check" if number == first else "then"
        rows = (*_what(finding, number, label, paper), *_signs(check, paper))
        target = ("check", str(number))
        yield Block(target, rows, (Hit(0, 0, paper.columns, target),))


def _what(finding: Finding, number: int, label: str, paper: Paper) -> Iterator[Row]:
    check = finding.checks[number]
    command = check_command(finding, number)
    yield from paper.labelled(label, f"{check.kind}: {command or check.text}", "value")
    for remark in _remarks(check):
        yield from paper.labelled("", remark, "warn")


def _remarks(check: FindingCheck) -> Iterator[str]:
    """What to know before it is run."""
    if check.kind == _LOOK:
        return
    unfilled = _unfilled(check)
    if unfilled:
        yield f"to fill in by hand, not known here: {', '.join(unfilled)}"
    elif check.argv is None and not check.runs:
        yield "needs a shell, and names from the target stand in it: read it before you paste it"
    if check.refused and not unfilled:
        yield f"only copied: {check.refused}"
    if check.kind in _PAUSES:
        yield "enter does it here, after one more key; it needs the right to trace the process"
    elif probes_here(check):
        yield "enter does it here, after one more key; it sends load"


def _signs(check: FindingCheck, paper: Paper) -> Iterator[Row]:
    if check.result:
        yield from paper.labelled("", answer_words(check), "info")
    yield from paper.labelled("", f"confirms: {check.confirms}", "dim")
    yield from paper.labelled("", f"refutes:  {check.refutes}", "dim")


def _unfilled(check: FindingCheck) -> list[str]:
    """Placeholders that nothing known fills; words of a finished command may look like one and are none."""
    return list(dict.fromkeys(_OPEN.findall(check.text))) if check.argv is None else []
