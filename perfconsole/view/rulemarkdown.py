"""One rule as a Markdown page for docs/rules: fixed headings, conditions in words, what it is mistaken for.

Pure: rules in, text out. It must never write the file or judge anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.dictionary.sources import source_words
from perfconsole.model.expression import Or
from perfconsole.model.rule import Condition
from perfconsole.view.conditionwords import branches, condition_words, linked, read_names
from perfconsole.view.markdown import bullets, escaped, table_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.rule import Case, Check, Rule

MADE = "This page is made from the rule file; a change made here is lost."
HEADINGS = ("Symptom", "Evidence", "Cause", "First check", "How it can be wrong", "Remedies")

_FACTS = ("row", "layer", "judged for each", "severity", "class", "confidence")
_KINDS = {
    "look": "Look",
    "run": "Run",
    "flame": "Profile (py-spy samples the process; it keeps running)",
    "dump": "Dump the stacks (pauses the process for milliseconds)",
    "probe": "Probe (sends requests; asks first)",
}
_UNSAID = ("text", "0/1", "count", "ratio", "enum")


def rule_markdown(rule: Rule, known: Mapping[str, Rule], dictionary: Dictionary) -> str:
    """Page of one rule; `known` are all rules that have a page. Ends with a newline."""
    sections = (
        _symptom(rule, known, dictionary),
        _evidence(rule, dictionary),
        [escaped(rule.cause)],
        _checks(rule, dictionary),
        _doubts(rule, known, dictionary),
        bullets(map(escaped, rule.remedies), "None is known."),
    )
    lines = [f"# {rule.id}", "", f"**{escaped(rule.title)}**", "", MADE, "", *_facts(rule)]
    for heading, body in zip(HEADINGS, sections, strict=True):
        lines += ["", f"## {heading}", "", *body]
    return "\n".join([*lines, ""])


def severity_words(rule: Rule) -> str:
    """`info, up to critical`."""
    highest = max((level for level, _ in rule.escalate), key=lambda level: level.rank, default=rule.severity)
    return str(rule.severity) if highest.rank <= rule.severity.rank else f"{rule.severity}, up to {highest}"


def _facts(rule: Rule) -> list[str]:
    cells = (rule.row or "-", rule.layer, str(rule.scope), severity_words(rule), rule.rank_class, rule.confidence)
    return [table_line(_FACTS), table_line(["---"] * len(_FACTS)), table_line(cells)]


def _symptom(rule: Rule, known: Mapping[str, Rule], dictionary: Dictionary) -> list[str]:
    several = len(rule.when) > 1
    lines = ["It fires when all of these hold:" if several else "It fires when this holds:", ""]
    for number, condition in enumerate(rule.when, 1):
        lines += _condition(f"{number}.", condition, dictionary)
    for level, condition in rule.escalate:
        lines += ["", f"It becomes **{level}** when {condition_words(condition.expression, dictionary)}."]
    if rule.names is not None:
        lines += ["", f"The title is completed with the fullest part of condition {rule.names + 1}."]
    if rule.explains:
        names = ", ".join(_page(name, known) for name in rule.explains)
        lines += ["", f"Findings that it accounts for are shown under it: {names}."]
    return lines


def _condition(mark: str, condition: Condition, dictionary: Dictionary) -> list[str]:
    """One item of a list; what an `or` joins is a list of its own below it."""
    parts = branches(condition.expression, dictionary)
    if len(parts) == 1:
        return [f"{mark} {parts[0]}"]
    return [f"{mark} any of", *(f"{' ' * (len(mark) + 1)}- {part}" for part in parts)]


def _evidence(rule: Rule, dictionary: Dictionary) -> list[str]:
    shown = dict.fromkeys((*rule.evidence, *_read(rule.when)))
    return bullets((_indicator(name, dictionary) for name in shown), "Nothing beside its conditions.")


def _indicator(name: str, dictionary: Dictionary) -> str:
    entry = dictionary.find(name)
    if entry is None:
        return linked(name)
    meaning = entry.definition.partition(";")[0]
    unit = "" if entry.unit in _UNSAID else f", in {'seconds' if entry.unit == 's' else entry.unit}"
    return f"{linked(name)} - {escaped(meaning)}{unit}"


def _read(conditions: Iterable[Condition]) -> dict[str, None]:
    return dict.fromkeys(name for condition in conditions for name in read_names(condition.expression))


def _checks(rule: Rule, dictionary: Dictionary) -> list[str]:
    lines: list[str] = []
    for number, check in enumerate(rule.checks, 1):
        lines += ["", "If that does not settle it:", ""] if number == 2 else []
        lines += _check(number, check, dictionary)
    return lines or ["None is written yet."]


def _check(number: int, check: Check, dictionary: Dictionary) -> list[str]:
    indent = " " * len(f"{number}. ")
    what = f": {escaped(check.text)}" if check.kind == "look" else ""
    command = [] if check.kind == "look" else ["", f"{indent}```sh", f"{indent}{check.text}", f"{indent}```", ""]
    return [
        f"{number}. {_KINDS[check.kind]}{what}",
        *command,
        f"{indent}- confirmed when {_sign(check.confirms, dictionary)}",
        f"{indent}- refuted when {_sign(check.refutes, dictionary)}",
    ]


def _sign(sign: Condition | str, dictionary: Dictionary) -> str:
    if isinstance(sign, Condition):
        return condition_words(sign.expression, dictionary)
    return f"you see: {escaped(sign.removeprefix('see:').strip())}"


def _doubts(rule: Rule, known: Mapping[str, Rule], dictionary: Dictionary) -> list[str]:
    """Everything that speaks against it: exclusions, look-alikes, what is missing, no history, few incidents."""
    parts = (
        [escaped(rule.note)] if rule.note else [],
        _exclusions(rule, dictionary),
        _likes(rule, known),
        _undecided(rule, dictionary),
        _fallbacks(rule, dictionary),
        [_confidence(rule)],
    )
    lines: list[str] = []
    for part in filter(None, parts):
        lines += ["", *part] if lines else part
    return lines


def _exclusions(rule: Rule, dictionary: Dictionary) -> list[str]:
    if not rule.unless:
        return []
    items = [line for condition in rule.unless for line in _condition("-", condition, dictionary)]
    return ["It is ruled out when", "", *items]


def _likes(rule: Rule, known: Mapping[str, Rule]) -> list[str]:
    causes = [other.id for other in known.values() if rule.id in other.explains]
    lines = [f"- {note}" for note in dict.fromkeys(_case_words(case, known) for case in rule.cases) if note]
    if causes:
        lines.append(f"- It may be no more than a consequence of {', '.join(_page(name, known) for name in causes)}.")
    return ["Look-alikes:", "", *lines] if lines else []


def _case_words(case: Case, known: Mapping[str, Rule]) -> str:
    """What a case that must not fire is a case of, where its author says so."""
    if case.state not in ("silent", "ruled-out") or not case.note:
        return ""
    name, colon, rest = case.note.partition(":")
    return f"{_page(name, known)}: {escaped(rest.strip())}" if colon and name in known else escaped(case.note)


def _undecided(rule: Rule, dictionary: Dictionary) -> list[str]:
    needed, weak = _read(rule.when), _read(rule.unless)
    joined = any(isinstance(condition.expression, Or) for condition in rule.when)
    enough = "; of an *any of*, one that holds is enough" if joined else ""
    lines = [f"It stays undecided until these are known: {_sources(needed, dictionary)}{enough}."]
    lone = {name: None for name in weak if name not in needed}
    if lone:
        lines += ["", f"It is at best *possible* without {_sources(lone, dictionary)}."]
    return lines


def _sources(names: Iterable[str], dictionary: Dictionary) -> str:
    return ", ".join(f"{linked(name)}{_origin(name, dictionary)}" for name in names)


def _origin(name: str, dictionary: Dictionary) -> str:
    origins = source_words(dictionary, name)
    return f" ({origins})" if origins else ""


def _fallbacks(rule: Rule, dictionary: Dictionary) -> list[str]:
    lines = []
    for place, instead in rule.fallback:
        if instead is None:
            lines.append(
                f"Without a baseline condition {place + 1} waits for one: the rule stays undecided until then."
            )
        else:
            words = condition_words(instead.expression, dictionary)
            lines.append(
                f"Without a baseline condition {place + 1} is: {words}. The finding is then at best *possible*."
            )
    return lines


def _confidence(rule: Rule) -> str:
    count = len(rule.incidents)
    seen = f"{count} incident{'s' * (count != 1)} ({', '.join(rule.incidents)})" if count else "no incident yet"
    return f"Confidence: {rule.confidence}; it rests on {seen}."


def _page(name: str, known: Mapping[str, Rule]) -> str:
    return f"[{name}]({name}.md)" if name in known else f"`{name}`"
