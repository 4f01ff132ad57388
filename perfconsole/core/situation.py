"""Judges a situation through a Session of its own: its figures are fed for as long as any rule asks, then looked at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from perfconsole.core.baseline import LIFETIME_RATIOS
from perfconsole.core.moment import moment_of
from perfconsole.core.session import Session
from perfconsole.diagnose.parse import names
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.model.finding import Undecided
    from perfconsole.model.rule import Rule
    from perfconsole.model.situation import Figures, Situation
    from perfconsole.model.snapshot import Snapshot

PACE_S = 15.0
"""Between two polls of the last eleven minutes; before them one in half an hour is enough for figures that stand."""
_FINE_S = 660.0
"""Windows of up to 10 min are read from single polls."""
_COARSE_S = 1800.0
LONG_S = 7 * 3600.0
"""The longest window that a rule reads is 6 h."""


class Chosen(StrEnum):
    """Which figures of a situation count."""

    STATED = "stated"
    ALL = "all"
    """The implied ones too."""


class History(StrEnum):
    """Which healthy values a situation is compared with."""

    GIVEN = "given"
    LIFETIME = "lifetime"
    """Only what the histograms of an engine carry with them: quantiles and the hit ratio."""
    NONE = "none"


def judged(
    situation: Situation,
    rules: Iterable[Rule],
    dictionary: Dictionary,
    chosen: Chosen = Chosen.ALL,
    history: History = History.GIVEN,
    wall: float = 0.0,
) -> tuple[Snapshot, tuple[Undecided, ...]]:
    """The last snapshot of a session that saw nothing but these figures, for as long as they held.

    Beside it the rules that are wholly open. `wall` is the moment, in epoch seconds, that the snapshot is to bear.
    """
    figures = figures_of(situation, chosen)
    moment = moment_of(situation, figures, base_of(situation, chosen, history, dictionary), dictionary)
    session = Session(rules, dictionary, learns=False)
    held_s = LONG_S if situation.held_s is None else situation.held_s
    end = min(LONG_S, max(held_s, moment.reach_s(), 1.0))  # of what went on for days the last hours are enough
    for t, pace_s in _polls(end):
        session.apply(moment.batch(t, (end - held_s, end), pace_s))
        snapshot = session.tick(t, wall - end + t)
    return snapshot, session.open_rules()


def figures_of(situation: Situation, chosen: Chosen) -> Mapping[str, Figures]:
    """The stated figures; with the implied ones, which replace a stated figure of the same name."""
    return situation.stated if chosen is Chosen.STATED else {**situation.stated, **situation.implied}


def base_of(situation: Situation, chosen: Chosen, history: History, dictionary: Dictionary) -> Mapping[str, Figures]:
    """The healthy values that count. A value which nobody reported does not count beside stated figures alone."""
    if history is History.NONE:
        return {}
    reported = {
        name: row for name, row in situation.base.items() if chosen is Chosen.ALL or not _only_implied(name, situation)
    }
    if history is History.GIVEN:
        return reported
    return {name: row for name, row in reported.items() if dictionary.split(name)[1] or name in LIFETIME_RATIOS}


def pertinent(open_rules: Iterable[Undecided], rules: Iterable[Rule], snapshot: Snapshot) -> list[Undecided]:
    """Open rules that have to do with what was given, those with most of it first; all of them when none has."""
    known = {i.name for i in snapshot.indicators if not isinstance(i.value, Missing)}
    shared = {rule.id: len(known & mentioned(rule)) for rule in rules}
    ordered = sorted(open_rules, key=lambda u: -shared[u.rule])
    return [u for u in ordered if shared[u.rule]] or ordered


def mentioned(rule: Rule) -> set[str]:
    """Every indicator that a rule has to do with."""
    return {*rule.evidence, *(name for c in rule.conditions for name in names(c.expression))}


def _only_implied(name: str, situation: Situation) -> bool:
    return name in situation.base_implied or (name in situation.implied and name not in situation.stated)


def _polls(end: float) -> Iterator[tuple[float, float]]:
    """Times of the polls with the pace at which they come, the last one at `end`."""
    fine = min(end, _FINE_S)
    t = 0.0
    while t < end - fine - 1e-6:
        yield t, _COARSE_S
        t += _COARSE_S
    steps = max(1, round(fine / PACE_S))
    yield from ((end - fine + fine * step / steps, PACE_S) for step in range(steps + 1))
