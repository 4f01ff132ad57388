"""Cases of rules: the shipped ones hold, and a wrong expectation is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.core.cases import run_case
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.rule import Case, Rule
from tests.diagnose.judging import rule

RULES, ERRORS = load_folder(shipped_folder())
CASES = [(r, c) for r in RULES for c in r.cases]
IDS = [f"{r.id}-{i}" for r in RULES for i in range(len(r.cases))]
TURNED = {
    "firing": "pending",
    "pending": "firing",
    "undecided": "silent",
    "silent": "ruled-out",
    "ruled-out": "silent",
}
OTHER_VERDICT = {"likely": "possible", "possible": "likely"}


def case(
    at_s: float = 10.0, interval_s: float = 5.0, state: str = "firing", **series: tuple[float | None, ...]
) -> Case:
    """A case of engine.requests_waiting as `waiting`, kv_cache_usage as `kv`."""
    names = {"waiting": "engine.requests_waiting", "kv": "engine.kv_cache_usage"}
    rows = tuple((names[name], values) for name, values in series.items())
    return Case(interval_s, rows, (), at_s, state, None, None, RULES[0].place)


def message(of: Rule, one: Case) -> str:
    """What is wrong with a case, empty when it holds."""
    failure = run_case(of, one, DEFAULT)
    return failure.message if failure else ""


WAITS = rule("slow", "engine.requests_waiting > 1", unless=["engine.kv_cache_usage > 90%"])


def test_every_shipped_rule_loads_with_cases() -> None:
    """`rules test` runs them in a test of that command."""
    assert ERRORS == []
    assert len(CASES) > len(RULES) > 10


@pytest.mark.parametrize(("of", "one"), CASES, ids=IDS)
def test_a_wrong_state_is_noticed(of: Rule, one: Case) -> None:
    """Each case fails once its expectation is turned."""
    assert "state is" in message(of, replace(one, state=TURNED[one.state], verdict=None, missing=None))


@pytest.mark.parametrize(("of", "one"), [(r, c) for r, c in CASES if c.severity])
def test_a_wrong_severity_is_noticed(of: Rule, one: Case) -> None:
    """An escalation that comes or that does not."""
    turned = "warn" if one.severity == "critical" else "critical"
    assert f"severity is {one.severity}, expected {turned}" in message(of, replace(one, severity=turned))


@pytest.mark.parametrize(
    ("of", "one"),
    [(r, c) for r, c in CASES if c.verdict],
    ids=[i for i, (_, c) in zip(IDS, CASES, strict=True) if c.verdict],
)
def test_a_wrong_verdict_is_noticed(of: Rule, one: Case) -> None:
    """Likely is not possible."""
    assert "verdict is" in message(of, replace(one, verdict=OTHER_VERDICT[one.verdict or ""]))


@pytest.mark.parametrize(
    ("of", "one"),
    [(r, c) for r, c in CASES if c.missing],
    ids=[i for i, (_, c) in zip(IDS, CASES, strict=True) if c.missing],
)
def test_a_wrong_missing_name_is_noticed(of: Rule, one: Case) -> None:
    """The name that would decide it must be the one expected."""
    assert "missing are" in message(of, replace(one, missing="engine.nothing"))


def test_silent_and_ruled_out_are_told_apart() -> None:
    """A rule that does not hold is not one that an exclusion keeps silent."""
    excluded = case(state="ruled-out", waiting=(5.0,) * 3, kv=(0.95,) * 3)
    assert message(WAITS, excluded) == ""
    assert message(WAITS, replace(excluded, state="silent")) == "state is ruled-out, expected silent"
    assert message(WAITS, case(state="silent", waiting=(0.0,) * 3, kv=(0.95,) * 3)) == ""


def test_a_finding_that_an_exclusion_took_off_is_ruled_out() -> None:
    """Clearing is not a state of a case; why it cleared is."""
    assert message(WAITS, case(state="ruled-out", waiting=(5.0,) * 3, kv=(0.5, 0.5, 0.95))) == ""


def test_what_has_stopped_is_silent() -> None:
    """A finding that is only kept for the eye is over."""
    assert message(WAITS, case(state="silent", waiting=(5.0, 5.0, 0.0), kv=(0.5,) * 3)) == ""


def test_a_case_is_judged_at_its_very_moment() -> None:
    """Between two samples the hold has run to that second, neither more nor less."""
    held = rule("slow", "engine.requests_waiting > 1 for 7s")
    moments = {at: message(held, case(at, waiting=(5.0,) * 5)) for at in (6.0, 7.0, 8.0)}
    assert moments == {6.0: "state is pending, expected firing", 7.0: "", 8.0: ""}


def test_a_case_before_its_second_sample_sees_the_first_only() -> None:
    """Nothing of later is known."""
    assert message(WAITS, case(2.0, state="silent", waiting=(0.0, 5.0), kv=(0.5, 0.5))) == ""


def test_all_problems_of_a_case_are_said() -> None:
    """State, verdict and missing name in one line."""
    wrong = replace(case(state="undecided", waiting=(5.0,) * 3, kv=(0.5,) * 3), verdict="possible", missing="engine.up")
    assert message(WAITS, wrong) == (
        "state is firing, expected undecided; verdict is likely, expected possible; "
        "missing are none, expected engine.up among them"
    )


def of_several(*series: tuple[str, float]) -> Case:
    """A case that holds these values steady for 10 s; a name that stands twice has two entities."""
    return Case(5.0, tuple((n, (v,) * 3) for n, v in series), (), 10.0, "firing", None, None, RULES[0].place)


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("gateway", "engine.request_rate"),
        ("orchestrator", "engine.request_rate"),
        ("engine", "engine.rank_running"),
        ("engine", "gpu.power"),
        ("engine", "host.process_cpu"),
        ("host", "gateway.process_cpu"),
    ],
)
def test_a_name_that_stands_several_times_has_several_entities(scope: str, name: str) -> None:
    """Each series belongs to one more of its kind, and all of them to the entity that is judged."""
    three = of_several((name, 9.0), (name, 1.0), (name, 2.0))
    uneven = rule("uneven", f"sum({name}) == 12", f"count({name}) == 3", f"spread({name}) > 2.2", scope=scope)
    assert message(uneven, three) == ""
    assert message(uneven, of_several((name, 9.0), (name, 1.0))) == "state is silent, expected firing"


def test_the_first_of_several_is_the_one_that_is_judged() -> None:
    """What is wrong with another one is not the verdict of the case."""
    one = of_several(("engine.requests_waiting", 0.0), ("engine.requests_waiting", 5.0))
    assert message(WAITS, one) == "state is silent, expected firing"


def test_one_of_several_may_have_gaps() -> None:
    """Functions over entities take those that have a value."""
    known = ("engine.rank_running", (9.0,) * 3), ("engine.rank_running", (None,) * 3)
    one = replace(of_several(), series=known)
    assert message(rule("uneven", "count(engine.rank_running) == 1"), one) == ""


def test_a_counter_of_a_case_rises_by_its_samples() -> None:
    """A series with a step is what a page would show: rate() and delta() read it over time."""
    counted = tuple(float(n) for n in range(0, 650, 50))
    one = replace(of_several(), series=(("gpu.nvlink_crc", counted),), at_s=60.0)
    assert message(rule("link", "rate(gpu.nvlink_crc[1m]) == 10", scope="gpu"), one) == ""
    assert message(rule("link", "rate(gpu.nvlink_crc[1m]) > 10", scope="gpu"), one) == (
        "state is silent, expected firing"
    )


def test_what_is_missing_is_named_by_its_indicator() -> None:
    """A function over entities that has no value lacks the indicator that it reads."""
    one = replace(of_several(("engine.requests_waiting", 5.0)), verdict="possible", missing="host.process_cpu")
    assert message(rule("slow", "engine.requests_waiting > 1", unless=["max(host.process_cpu) > 1"]), one) == ""
