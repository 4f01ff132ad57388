"""The index of docs/rules: all rules by layer, each on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.view.markdown import escaped, table_line
from perfconsole.view.rulemarkdown import MADE, severity_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfconsole.model.rule import Rule

_INTRO = """\
# Rules

{made}

What perfconsole can say, by the layer that a rule speaks of. Several findings at once are ordered by class, and what
another finding explains is folded under it. `perfconsole rules show ID` prints one rule.
"""
_HEADINGS = ("rule", "severity", "class", "says")


def index_markdown(rules: Iterable[Rule], layers: Sequence[str]) -> str:
    """Page with one table a layer, in the order of `layers`, rules in the order given; ends with a newline."""
    given = tuple(rules)
    sections = ((layer, [rule for rule in given if rule.layer == layer]) for layer in layers)
    return "\n".join([_INTRO.format(made=MADE), *(_section(layer, members) for layer, members in sections if members)])


def _section(layer: str, rules: Sequence[Rule]) -> str:
    head = [f"## {layer} ({len(rules)})", "", table_line(_HEADINGS), table_line(["---"] * len(_HEADINGS))]
    return "\n".join([*head, *(table_line(_cells(rule)) for rule in rules), ""])


def _cells(rule: Rule) -> tuple[str, ...]:
    return f"[{rule.id}]({rule.id}.md)", severity_words(rule), rule.rank_class, escaped(rule.title)
