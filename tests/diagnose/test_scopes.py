"""Which indicators a rule of one scope may read, and how."""

from __future__ import annotations

import pytest

from perfconsole.diagnose.parse import parse
from perfconsole.diagnose.scopes import belongs, of_names, unreadable
from perfconsole.model.entity import Kind
from tests.diagnose.fewnames import FewNames

NAMES = {
    Kind.GATEWAY: "gateway.own",
    Kind.ORCHESTRATOR: "orchestration.own",
    Kind.ENGINE: "engine.own",
    Kind.RANK: "engine.rank",
    Kind.PROCESS: "host.process",
    Kind.GPU: "gpu.own",
    Kind.HOST: "host.own",
    Kind.TARGET: "probe.own",
}
SCOPES = [kind for kind in Kind if kind is not Kind.TARGET]


def told(text: str, scope: Kind) -> list[tuple[str, int]]:
    """Code and column of what is wrong with a condition."""
    return [(code, column) for code, _, column in of_names(parse(text), scope, FewNames())]


def readable(form: str, scope: Kind) -> set[Kind]:
    """Kinds whose indicator a rule of that scope may read in this form."""
    return {kind for kind, name in NAMES.items() if not told(form.format(name), scope)}


@pytest.mark.parametrize(
    ("scope", "plain"),
    [
        (Kind.GATEWAY, {Kind.HOST}),
        (Kind.ORCHESTRATOR, {Kind.GATEWAY, Kind.HOST}),
        (Kind.ENGINE, {Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST}),
        (Kind.RANK, {Kind.ENGINE, Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST}),
        (Kind.PROCESS, {Kind.ENGINE, Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST}),
        (Kind.GPU, {Kind.ENGINE, Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.HOST}),
        (Kind.HOST, set()),
    ],
)
def test_a_scope_reads_plainly_itself_and_what_it_belongs_to(scope: Kind, plain: set[Kind]) -> None:
    """And what an action measured, whatever it was started for."""
    assert readable("{} > 1", scope) == plain | {scope, Kind.TARGET}


@pytest.mark.parametrize(
    ("scope", "several"),
    [
        (Kind.GATEWAY, {Kind.ENGINE, Kind.RANK, Kind.PROCESS, Kind.GPU}),
        (Kind.ORCHESTRATOR, {Kind.ENGINE, Kind.RANK, Kind.PROCESS, Kind.GPU}),
        (Kind.ENGINE, {Kind.RANK, Kind.PROCESS, Kind.GPU}),
        (Kind.RANK, set()),
        (Kind.PROCESS, set()),
        (Kind.GPU, set()),
        (Kind.HOST, {Kind.GATEWAY, Kind.ORCHESTRATOR, Kind.ENGINE, Kind.RANK, Kind.PROCESS, Kind.GPU}),
    ],
)
def test_a_scope_reads_together_what_it_has_several_of(scope: Kind, several: set[Kind]) -> None:
    """Never itself, and nothing that it belongs to."""
    assert readable("max({}) > 1", scope) == several


@pytest.mark.parametrize("scope", SCOPES)
def test_no_indicator_is_read_both_plainly_and_together(scope: Kind) -> None:
    """One number or several: never both."""
    assert not readable("{} > 1", scope) & readable("max({}) > 1", scope)


@pytest.mark.parametrize("form", ["base({}) > 1", "slope({}[1m]) > 1"])
def test_baselines_and_windows_follow_the_plain_reading(form: str) -> None:
    """They too are one number for one entity."""
    assert readable(form, Kind.ENGINE) == readable("{} > 1", Kind.ENGINE)


def test_things_belong_to_each_other_in_both_directions() -> None:
    """What one side may aggregate or read, the other side belongs to."""
    assert belongs(Kind.GPU, Kind.ENGINE)
    assert belongs(Kind.ENGINE, Kind.GPU)
    assert belongs(Kind.HOST, Kind.HOST)


def test_neighbours_do_not_belong_to_each_other() -> None:
    """A process has no GPU of its own."""
    assert not belongs(Kind.GPU, Kind.PROCESS)
    assert not belongs(Kind.PROCESS, Kind.RANK)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("gpu.own > 1", 1),
        ("base(gpu.own) > 1", 6),
        ("slope(gpu.own[1m]) > 1", 7),
        ("engine.own > 1 and max(engine.own) > 1", 24),
    ],
)
def test_a_wrong_scope_is_told_at_the_name(text: str, column: int) -> None:
    """Behind the function and its bracket."""
    assert told(text, Kind.ENGINE) == [("wrong-scope", column)]


def test_a_counter_of_a_wrong_scope_is_wrong_twice() -> None:
    """Mending one would show the other only at the next run."""
    assert told("max(engine.total) > 1", Kind.ENGINE) == [("wrong-scope", 5), ("plain-counter", 5)]


@pytest.mark.parametrize("function", ["rate", "delta", "slope", "changes"])
def test_what_a_counter_did_may_be_read(function: str) -> None:
    """These four look at its growth."""
    assert told(f"{function}(engine.total[5m]) > 1", Kind.ENGINE) == []


@pytest.mark.parametrize("function", ["avg", "min", "max"])
def test_the_total_of_a_window_is_no_growth(function: str) -> None:
    """It is as meaningless as the total now."""
    assert told(f"{function}(engine.total[5m]) > 1", Kind.ENGINE) == [("plain-counter", 5)]


def test_scopes_are_mixed_within_one_comparison_only() -> None:
    """Two comparisons, each with its own number, are what the message asks for."""
    assert told("engine.own > 1 and host.own > 1", Kind.ENGINE) == []
    assert told("engine.own > host.own", Kind.ENGINE) == [("mixed-scopes", 1)]


def test_what_is_aggregated_may_be_compared_with_the_whole() -> None:
    """The function has made one number of many."""
    assert told("gateway.own > sum(engine.own)", Kind.GATEWAY) == []


def test_a_name_that_is_not_there_has_no_scope() -> None:
    """It is told once, as unknown."""
    assert told("max(engine.owm) > 1", Kind.ENGINE) == [("unknown-indicator", 5)]


def test_the_dictionary_s_own_words_are_passed_on() -> None:
    """Without any there is a plain sentence."""
    assert unreadable("engine.owm", None, "nearest: engine.own") == ("unknown-indicator", "nearest: engine.own")
    assert unreadable("a.b", None, None) == ("unknown-indicator", "unknown indicator 'a.b'; see the dictionary")
    entry = FewNames().find("engine.version")
    assert unreadable("engine.version", entry, None) == ("unreadable-indicator", "engine.version cannot be read")
