"""Checks of a finding with their placeholders filled, and what their expected results say already."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import judge_condition
from perfconsole.model.finding import CheckResult, FindingCheck, Truth
from perfconsole.model.rule import Condition

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.diagnose.evaluate import Evaluator
    from perfconsole.model.entity import Entity
    from perfconsole.model.rule import Check

    Lookup = Callable[[str, Entity], str | None]

_PLACEHOLDER = re.compile(r"\{([a-z]+\.[a-z_]+)\}")
_SHELL = re.compile(r"[;|&<>$`()*?~\n]")
_COMMANDS = ("run", "flame", "dump", "probe")


def filled(check: Check, entity: Entity, lookup: Lookup, evaluator: Evaluator) -> FindingCheck:
    """The check for one entity; `argv` is None where a placeholder is unknown or a shell would be needed."""
    text, complete = fill(check.text, entity, lookup)
    argv = _argv(check.text, entity, lookup) if complete and check.kind in _COMMANDS else None
    return FindingCheck(
        check.kind, text, argv, _words(check.confirms), _words(check.refutes), _result(check, entity, evaluator)
    )


def fill(text: str, entity: Entity, lookup: Lookup) -> tuple[str, bool]:
    """Text with the known placeholders replaced; False when one stayed open (it is left as written)."""
    complete = True

    def value(match: re.Match[str]) -> str:
        nonlocal complete
        found = lookup(match[1], entity)
        complete = complete and found is not None
        return match[0] if found is None else found

    return _PLACEHOLDER.sub(value, text), complete


def _argv(text: str, entity: Entity, lookup: Lookup) -> tuple[str, ...] | None:
    """Words of the command, split before they are filled: a value with a space or a quote stays one argument."""
    if _SHELL.search(text):
        return None
    try:
        return tuple(fill(word, entity, lookup)[0] for word in shlex.split(text))
    except ValueError:  # a quote that is never closed
        return None


def _words(expected: Condition | str) -> str:
    return expected.text if isinstance(expected, Condition) else expected


def _result(check: Check, entity: Entity, evaluator: Evaluator) -> CheckResult | None:
    """CONFIRMED or REFUTED when the indicators that the check would fill are there and say so."""
    if _holds(check.confirms, entity, evaluator):
        return CheckResult.CONFIRMED
    return CheckResult.REFUTED if _holds(check.refutes, entity, evaluator) else None


def _holds(expected: Condition | str, entity: Entity, evaluator: Evaluator) -> bool:
    if not isinstance(expected, Condition):
        return False
    return judge_condition(expected, entity, evaluator).outcome.strict is Truth.TRUE
