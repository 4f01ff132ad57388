"""Checks of a finding with their placeholders filled, and what their expected results say already."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from perfconsole.diagnose.assess import judge_condition
from perfconsole.diagnose.evaluate import Trace
from perfconsole.diagnose.fullest import parts
from perfconsole.diagnose.parse import names
from perfconsole.diagnose.readonly import acts, script_acts
from perfconsole.diagnose.shellwords import PLACEHOLDER, UnquotableError, script
from perfconsole.model.finding import CheckResult, FindingCheck, Truth
from perfconsole.model.rule import Condition
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.diagnose.evaluate import Evaluator
    from perfconsole.model.entity import Entity
    from perfconsole.model.expression import Expression
    from perfconsole.model.rule import Check

    Lookup = Callable[[str, Entity], str | None]

_SHELL = re.compile(r"[;|&<>$`()*?~\n]")
PLACEHOLDERS = frozenset(
    f"engine.{name}"
    for name in ("url", "port", "log", "model", "weights_path", "frontend_pid", "core_pid", "rank_pids", "pids")
) | {
    "gateway.url",
    "gateway.pid",
    "gateway.addresses",
    "gateway.lost_upstream",
    "orchestration.pid",
    "orchestration.url",
    "process.pid",
    "process.cgroup",
    "gpu.index",
    "host.name",
}
"""Every name that may stand in braces in a check."""
RESULTS = ("probe.", "profile.")
"""How the indicators begin that an action fills."""
RECIPES = ("step-load", "repeat-prompt", "compare-variants", "through-and-around", "new-connections")
"""What `perfconsole probe` can send."""
_COMMANDS = ("run", "flame", "dump", "probe")


def filled(
    check: Check, entity: Entity, lookup: Lookup, evaluator: Evaluator, reads: frozenset[str] = frozenset()
) -> FindingCheck:
    """The check for one entity; `argv` is None where a placeholder is unknown or a shell would be needed.

    `reads` are the indicators that the rule itself was judged on: an expected result that reads nothing else would only
    repeat the finding, so it answers nothing.
    """
    text, complete = fill(check.text, entity, lookup)
    argv = _argv(check.text, entity, lookup) if complete and check.kind in _COMMANDS else None
    runs, refused = _runs(check, argv, lambda name: lookup(name, entity)) if check.kind == "run" else (None, "")
    result, measured = _result(check, entity, evaluator, reads)
    return FindingCheck(
        check.kind,
        text,
        argv,
        _words(check.confirms),
        _words(check.refutes),
        result,
        measured,
        runs,
        refused,
    )


def _runs(
    check: Check, argv: tuple[str, ...] | None, lookup: Callable[[str], str | None]
) -> tuple[tuple[str, ...] | None, str]:
    """What the console may run of it, or why it does not: only what reads, and text of a target never as code."""
    try:
        line = script(check.text, lookup)
    except UnquotableError as error:
        return None, str(error)
    if argv is not None:
        refused = acts(argv)
        return (None, refused) if refused else (argv, "")
    if not check.shell:
        return None, "it needs a shell, and its rule does not say `shell: true`"
    refused = script_acts(line)
    return (None, refused) if refused else (("sh", "-c", line), "")


def fill(text: str, entity: Entity, lookup: Lookup) -> tuple[str, bool]:
    """Text with the known placeholders replaced; False when one stayed open: it then stands in angle brackets."""
    complete = True

    def value(match: re.Match[str]) -> str:
        nonlocal complete
        found = lookup(match[1], entity)
        complete = complete and found is not None
        return f"<{match[1]}>" if found is None else found

    return PLACEHOLDER.sub(value, text), complete


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


def _result(
    check: Check, entity: Entity, evaluator: Evaluator, reads: frozenset[str]
) -> tuple[CheckResult | None, bool]:
    """CONFIRMED or REFUTED when the indicators that the check would fill are there and say so, and whether measured."""
    for expected, result in ((check.confirms, CheckResult.CONFIRMED), (check.refutes, CheckResult.REFUTED)):
        if isinstance(expected, Condition):
            if judge_condition(expected, entity, evaluator).outcome.strict is not Truth.TRUE:
                continue
            measured = any(_measured(part, entity, evaluator) for part in parts(expected.expression))
            if measured or not reads.issuperset(names(expected.expression)):
                return result, measured
    return None, False


def _measured(part: Expression, entity: Entity, evaluator: Evaluator) -> bool:
    """A branch of an `or` holds, and an action gave a value that it reads."""
    trace = Trace()
    holds = evaluator.outcome(part, entity, trace).strict is Truth.TRUE
    given = (name for name, value in trace.operands.items() if not isinstance(value, Missing))
    return holds and any(name.startswith(RESULTS) for name in given)
