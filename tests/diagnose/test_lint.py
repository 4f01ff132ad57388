"""What lint says about rules that load."""

from __future__ import annotations

import pytest

from perfconsole.diagnose.lint import Problem, lint
from perfconsole.diagnose.rulefile import load_folder, load_rule, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.rule import Place, Rule
from tests.diagnose.fewnames import FewNames

CASES = """\
cases:
  - {interval: 5s, series: {engine.own: 3x3}, expect: {at: 5s, state: firing}}
  - {interval: 5s, series: {engine.own: 1x3}, expect: {at: 5s, state: silent}}
  - {interval: 5s, series: {engine.own: _x3}, expect: {at: 5s, state: undecided}}
"""
CHECKS = "checks: [{kind: look, what: it, confirms: 'see: it', refutes: probe.own > 1}]\n"
SHARES = CHECKS.replace("> 1", "> 50%")

TAKEN = (
    "id: {id}\nrow: S1\ntitle: T\nlayer: engine\nscope: engine\nseverity: info\nclass: symptom\ncause: C\n"
    "confidence: low\nwhen: [engine.own > 1]\n"
) + (CASES + CHECKS).replace("{", "{{").replace("}", "}}")


def rule(
    when: str = "engine.own > 1",
    *,
    scope: str = "engine",
    file: str = "rules/engine/slow.yaml",
    more: str = CASES + CHECKS,
) -> Rule:
    """Rule that is sound but for what a test changes."""
    head = f"id: slow\ntitle: T\nlayer: engine\nscope: {scope}\nseverity: info\nclass: symptom\n"
    return load_rule(f"{head}cause: C\nconfidence: low\nwhen:\n- {when}\n{more}", file)


def problems(*rules: Rule) -> list[Problem]:
    """What lint says, but for series that a test's own condition does not read."""
    return [problem for problem in lint(rules, FewNames()) if problem.code != "unread-series"]


def said(*rules: Rule) -> list[tuple[str, str]]:
    """Code and message of each problem."""
    return [(problem.code, problem.message) for problem in problems(*rules)]


def codes(*rules: Rule) -> list[str]:
    """Code of each problem."""
    return [code for code, _ in said(*rules)]


def test_a_sound_rule_has_no_problem() -> None:
    """A rule with known names, a check and the three cases is clean."""
    assert said(rule()) == []


def test_an_unknown_indicator_is_named_with_the_nearest() -> None:
    """The dictionary's own words about an unknown name are passed on."""
    assert said(rule("engine.owm > 1")) == [
        ("unknown-indicator", "unknown indicator 'engine.owm'; nearest: engine.own")
    ]


def test_an_indicator_that_cannot_be_read_is_named() -> None:
    """A text cannot stand in a condition."""
    assert said(rule("engine.version > 1")) == [("unreadable-indicator", "engine.version is text")]


def test_a_problem_has_the_place_of_its_condition() -> None:
    """A problem in a condition is placed where the condition starts, and prints as one line."""
    found = problems(rule("engine.version > 1"))
    assert found == [Problem(Place("rules/engine/slow.yaml", 10, 3), "unreadable-indicator", "engine.version is text")]
    assert str(found[0]) == "rules/engine/slow.yaml:10:3: engine.version is text [unreadable-indicator]"


def test_a_name_that_is_wrong_twice_is_said_once_a_condition() -> None:
    """One condition gives each problem once."""
    assert codes(rule("engine.owm > 1 and engine.owm < 5")) == ["unknown-indicator"]


@pytest.mark.parametrize(
    "extra",
    [
        "unless: [engine.owm > 1]\n",
        "fallback: {1: engine.owm > 1}\n",
        "escalate: {warn: engine.owm > 1}\n",
        "evidence: [engine.owm]\n",
    ],
)
def test_every_part_of_a_rule_is_looked_at(extra: str) -> None:
    """Unknown names are found outside `when` too."""
    assert "unknown-indicator" in codes(rule(more=CASES + CHECKS + extra))


def test_signs_of_checks_are_looked_at() -> None:
    """The conditions that confirm and refute are read like any other."""
    assert codes(rule(more=CASES + CHECKS.replace("probe.own > 1", "gpu.own > 1"))) == ["wrong-scope"]


def test_names_of_cases_are_looked_at() -> None:
    """A series for a name that does not exist would test nothing."""
    assert codes(rule(more=CASES.replace("{engine.own: _x3}", "{engine.owm: _x3}") + CHECKS)) == ["unknown-indicator"]


def test_evidence_may_name_a_text() -> None:
    """Evidence is shown, so a version may stand there."""
    assert said(rule(more=CASES + CHECKS + "evidence: [engine.version]\n")) == []


@pytest.mark.parametrize(
    ("scope", "when"),
    [
        ("engine", "gateway.own > 1 and host.own > 1 and orchestration.own > 1 and probe.own > 1"),
        ("engine", "max(gpu.own) > 1 and sum(host.process) > 1 and spread(engine.rank) > 1"),
        ("gateway", "gateway.own > 1 and host.own > 1 and max(engine.own) > 1 and max(host.process) > 1"),
        ("orchestrator", "orchestration.own > 1 and gateway.own > 1 and avg(engine.own) > 1"),
        ("process", "host.process > 1 and engine.own > 1 and host.own > 1"),
        ("gpu", "gpu.own > 1 and engine.own > 1 and host.own > 1"),
        ("rank", "engine.rank > 1 and engine.own > 1"),
        ("host", "host.own > 1 and max(engine.own) > 1 and count(gateway.own) > 1 and max(gpu.own) > 1"),
        ("gateway", "gateway.own > 1.05 * sum(engine.own)"),
        ("engine", "engine.own > 2 * probe.own"),
    ],
)
def test_wider_scopes_are_read_plainly_and_narrower_ones_together(scope: str, when: str) -> None:
    """What a thing belongs to is read as it is, what belongs to it through a function over entities."""
    assert said(rule(when, scope=scope)) == []


@pytest.mark.parametrize(
    ("scope", "when", "message"),
    [
        ("engine", "gpu.own > 1", "has one value for each gpu of the engine; aggregate it, as in max(gpu.own)"),
        ("engine", "slope(gpu.own[1m]) > 1", "aggregate it"),
        ("gateway", "engine.own > 1", "has one value for each engine of the gateway"),
        ("host", "gateway.own > 1", "has one value for each gateway of the host"),
        ("engine", "max(engine.own) > 1", "engine is not narrower than engine; read engine.own plainly"),
        ("engine", "max(gateway.own) > 1", "read gateway.own plainly"),
        ("engine", "max(probe.own) > 1", "read probe.own plainly"),
        ("process", "gpu.own > 1", "no gpu belongs to a process"),
        ("gpu", "max(host.process) > 1", "change the scope of the rule"),
        ("gateway", "orchestration.own > 1", "no orchestrator belongs to a gateway"),
    ],
)
def test_a_wrong_scope_is_said_with_the_way_out(scope: str, when: str, message: str) -> None:
    """A narrower scope read plainly, and a function over what is not narrower, are both problems."""
    [(code, text)] = said(rule(when, scope=scope))
    assert code == "wrong-scope"
    assert message in text


def test_a_comparison_does_not_mix_scopes() -> None:
    """Two scopes read plainly in one comparison need not belong to each other."""
    [(code, text)] = said(rule("engine.own > 2 * gateway.own"))
    assert code == "mixed-scopes"
    assert "mixes engine and gateway (engine.own, gateway.own)" in text


@pytest.mark.parametrize("when", ["engine.total > 5", "base(engine.total) > 5", "max(engine.total[1m]) > 5"])
def test_a_counter_is_not_read_plainly(when: str) -> None:
    """A counter only rises, so its total says nothing about now."""
    text = dict(said(rule(when)))["plain-counter"]
    assert "counter read plainly" in text


@pytest.mark.parametrize("when", ["rate(engine.total[1m]) > 0", "delta(engine.total[5m]) > 0", "engine.seen > 0"])
def test_growth_of_counters_and_events_may_be_read(when: str) -> None:
    """rate() and delta() read counters; an event is read as it is."""
    assert said(rule(when)) == []


@pytest.mark.parametrize(
    ("when", "said_of"),
    [
        ("engine.own > 80% or rate(engine.total[1m]) > 1", "engine.total is no ratio"),
        ("engine.own > 80% or 2 * engine.own > 90%", "a part compares no indicator"),
    ],
)
def test_a_title_is_completed_by_shares(when: str, said_of: str) -> None:
    """Of seconds and counts nobody can tell the fullest."""
    found = lint([rule(when, more="names: 1\n" + CASES + SHARES)], FewNames("ratio"))
    assert [(p.code, said_of in p.message) for p in found] == [("no-share", True)]


def test_shares_may_complete_a_title() -> None:
    """Each part of the condition starts with one."""
    shares = rule("engine.own > 80% or max(gpu.own) > 80%", more="names: 1\n" + CASES + SHARES)
    assert lint([shares], FewNames("ratio")) == []


def test_the_folder_must_be_the_layer() -> None:
    """A rule lies in the folder of its layer."""
    [(code, text)] = said(rule(file="rules/gpu/slow.yaml"))
    assert code == "wrong-folder"
    assert "'engine' stands in the folder 'gpu'" in text


def test_a_rule_needs_a_check() -> None:
    """A finding that nobody can confirm is a problem."""
    assert codes(rule(more=CASES)) == ["no-check"]


@pytest.mark.parametrize(
    ("state", "code"),
    [("firing", "no-firing-case"), ("silent", "no-silent-case"), ("undecided", "no-undecided-case")],
)
def test_a_rule_needs_its_three_cases(state: str, code: str) -> None:
    """A rule shows when it fires, when it is silent, and what it says without data."""
    assert codes(rule(more=CASES.replace(f"state: {state}", "state: pending") + CHECKS)) == [code]


def test_a_case_that_is_ruled_out_is_a_silent_one() -> None:
    """The look-alike may be ruled out instead of silent."""
    assert said(rule(more=CASES.replace("state: silent", "state: ruled-out") + CHECKS)) == []


def test_an_id_is_used_once() -> None:
    """The second rule with an id is named, with the file of the first."""
    [(code, text)] = said(rule(), rule(file="more/engine/slow.yaml"))
    assert code == "duplicate-id"
    assert "taken by rules/engine/slow.yaml" in text


def test_the_shipped_rules_are_clean() -> None:
    """No shipped rule has a problem with the shipped dictionary."""
    rules, _ = load_folder(shipped_folder())
    assert [str(problem) for problem in lint(rules, DEFAULT)] == []


@pytest.mark.parametrize(
    ("when", "column"),
    [
        ("engine.own > 1 and engine.owm > 1", 22),
        ("max(engine.owm) > 1", 7),
        ("slope(engine.owm[1m]) > 1", 9),
        ("base(engine.owm) > 1", 8),
        ("'engine.own > 1 and engine.owm > 1'", 23),
    ],
)
def test_a_wrong_name_is_shown_where_it_stands(when: str, column: int) -> None:
    """The column is that of the name itself, behind a function and a quote."""
    places = [p.place.column for p in lint([rule(when)], FewNames()) if p.code == "unknown-indicator"]
    assert places == [column]


def test_an_invented_placeholder_is_named() -> None:
    """Nothing would ever fill it."""
    checks = "checks: [{kind: run, command: 'tail {engine.lgo}', confirms: 'see: it', refutes: 'see: that'}]\n"
    assert codes(rule(more=CASES + checks)) == ["unknown-placeholder"]


def test_a_placeholder_belongs_to_the_scope() -> None:
    """A process has no GPU of its own, so nothing would fill its number."""
    checks = "checks: [{kind: run, command: 'nvidia-smi -i {gpu.index}', confirms: 'see: it', refutes: 'see: that'}]\n"
    found = problems(rule("host.process > 1", scope="process", more=CASES + checks))
    assert [(p.code, p.place.column) for p in found] == [("foreign-placeholder", 47)]


def named(name: str, explains: str, rank_class: str = "scheduling") -> Rule:
    """A sound rule of that name."""
    head = f"id: {name}\ntitle: T\nlayer: engine\nscope: engine\nseverity: info\nclass: {rank_class}\n"
    text = f"{head}cause: C\nconfidence: low\nwhen:\n- engine.own > 1\nexplains: [{explains}]\n{CASES}{CHECKS}"
    return load_rule(text, f"rules/engine/{name}.yaml")


def test_two_rules_that_explain_each_other_are_named_in_both() -> None:
    """Which is the cause is left open, whatever their classes; each file is told at its word."""
    found = problems(named("a", "c, b", "memory"), named("b", "a"), named("c", ""))
    assert [(p.code, p.place.file[-6:], p.place.column) for p in found] == [
        ("explains-ring", "a.yaml", 15),
        ("explains-ring", "b.yaml", 12),
    ]
    assert "a -> b -> a" in found[0].message


def test_a_ring_of_one_class_is_a_mistake() -> None:
    """Nothing says which of the three heads the others."""
    found = problems(named("a", "b"), named("b", "c"), named("c", "a"))
    assert [p.message.partition(": ")[2] for p in found] == ["a -> b -> c -> a; break it at one"] * 3


def test_a_ring_with_one_foremost_class_is_decided() -> None:
    """Its finding heads the others, so what they say of each other is never asked."""
    assert codes(named("a", "b", "instrument"), named("b", "c"), named("c", "a")) == []


def test_a_ring_within_a_decided_ring_is_found() -> None:
    """Taking out the head leaves three that nothing decides."""
    rules = (named("a", "b", "instrument"), named("b", "c"), named("c", "d"), named("d", "b, a"))
    assert codes(*rules) == ["explains-ring"] * 3


def test_a_ring_through_rules_that_are_not_linted_is_told_where_it_can_be() -> None:
    """One file is linted beside the others that are there."""
    found = lint([named("a", "b")], FewNames(), [named("b", "a")])
    assert [(p.code, p.place.file) for p in found] == [("explains-ring", "rules/engine/a.yaml")]


def test_a_row_of_another_rule_is_taken() -> None:
    """A rule that replaces another of its id keeps its row."""
    one = load_rule(TAKEN.format(id="one"), "one.yaml")
    two = load_rule(TAKEN.format(id="two"), "two.yaml")
    assert codes(one, two) == ["duplicate-row"]
    assert [p.code for p in lint([one], FewNames(), [one])] == []
