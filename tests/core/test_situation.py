"""Situations are judged by the very session that watches a host."""

from __future__ import annotations

import pytest

from perfconsole.core.situation import Chosen, History, base_of, figures_of, judged, pertinent
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import CheckResult, State, Verdict
from perfconsole.model.situation import Figures, Situation

RULES = load_folder(shipped_folder(), cases=False)[0]
QUEUE: dict[str, Figures] = {
    "engine.batch_fill": (1.0,),
    "engine.requests_waiting": (24.0,),
    "engine.kv_cache_usage": (0.3,),
    "engine.preemption_ratio": (0.0,),
}


def names(situation: Situation) -> list[tuple[str, Verdict]]:
    """Rules that fire, with how sure."""
    snapshot, _ = judged(situation, RULES, DEFAULT)
    return [(f.rule, f.verdict) for f in snapshot.findings if f.state is State.FIRING]


def test_figures_that_stand_are_named() -> None:
    """Requests wait, slots are full, memory is free: every hold has run."""
    assert names(Situation("s", stated=QUEUE))[0] == ("admission-cap", Verdict.LIKELY)


def test_what_was_seen_for_a_moment_stays_pending() -> None:
    """Twenty seconds complete no hold of sixty."""
    snapshot, _ = judged(Situation("s", stated=QUEUE, held_s=20.0), RULES, DEFAULT)
    assert [f.state for f in snapshot.findings if f.rule == "admission-cap"] == [State.PENDING]


def test_what_went_on_for_weeks_is_judged_by_its_last_hours() -> None:
    """No rule asks for more."""
    leak = {"host.process_rss": ((0.0, 1e9), (3e6, 4e9))}
    snapshot, _ = judged(Situation("s", stated=QUEUE, courses=leak, held_s=1e9), RULES, DEFAULT)
    assert snapshot.findings[0].rule == "admission-cap"


def test_figures_held_still_never_become_their_own_baseline() -> None:
    """Seven hours without a finding would otherwise look like history."""
    snapshot, _ = judged(Situation("s", stated={"engine.generation_rate": (5.0,)}), RULES, DEFAULT)
    assert all(i.baseline is None for i in snapshot.indicators)


def test_a_healthy_value_given_is_the_baseline() -> None:
    """It is shown beside the figure, with where it comes from."""
    situation = Situation("s", stated={"engine.generation_rate": (5.0,)}, base={"engine.generation_rate": (50.0,)})
    snapshot, _ = judged(situation, RULES, DEFAULT)
    shown = [i.baseline for i in snapshot.indicators if i.name == "engine.generation_rate"]
    assert shown[0] is not None
    assert (shown[0].value, shown[0].kind) == (50.0, "given with the situation")


def test_an_implied_figure_replaces_a_stated_one() -> None:
    """Where the report has one number for four GPUs, what follows for each of them counts."""
    situation = Situation("s", stated={"gpu.power_ratio": (0.5,)}, implied={"gpu.power_ratio": (1.0, 0.3)})
    assert figures_of(situation, Chosen.ALL) == {"gpu.power_ratio": (1.0, 0.3)}
    assert figures_of(situation, Chosen.STATED) == {"gpu.power_ratio": (0.5,)}


@pytest.mark.parametrize(
    ("chosen", "history", "expected"),
    [
        (Chosen.ALL, History.GIVEN, {"engine.ttft.p50", "engine.generation_rate", "engine.itl.p50"}),
        (Chosen.STATED, History.GIVEN, {"engine.ttft.p50", "engine.generation_rate"}),
        (Chosen.ALL, History.LIFETIME, {"engine.ttft.p50", "engine.itl.p50"}),
        (Chosen.ALL, History.NONE, set()),
    ],
)
def test_which_healthy_values_count(chosen: Chosen, history: History, expected: set[str]) -> None:
    """Only quantiles come with a histogram; what nobody reported does not stand beside stated figures alone."""
    situation = Situation(
        "s",
        stated={"engine.ttft.p50": (9.0,), "engine.generation_rate": (5.0,)},
        implied={"engine.itl.p50": (0.1,)},
        base={"engine.ttft.p50": (1.0,), "engine.generation_rate": (50.0,), "engine.itl.p50": (0.02,)},
    )
    assert base_of(situation, chosen, history, DEFAULT).keys() == expected


def test_a_rule_that_nothing_speaks_for_is_listed_by_what_is_known() -> None:
    """A chunked-prefill flag alone decides nothing, and says which rule has to do with it."""
    snapshot, open_rules = judged(Situation("s", stated={"engine.chunked_prefill": (0.0,)}), RULES, DEFAULT)
    found = pertinent(open_rules, RULES, snapshot)
    assert [u.rule for u in found] == ["head-never-fits"]
    assert "engine.requests_running" in [m.name for m in found[0].missing]


BLOCKED: dict[str, Figures] = {
    "orchestration.loop_lag": (0.9,),
    "orchestration.inflight": (30.0,),
    "orchestration.process_cpu": (0.1,),
    "engine.requests_running": (2.0,),
    "engine.requests_waiting": (0.0,),
}


@pytest.mark.parametrize(
    ("ratio", "result", "verdict"),
    [(0.6, CheckResult.CONFIRMED, Verdict.LIKELY), (0.01, CheckResult.REFUTED, Verdict.POSSIBLE)],
)
def test_a_profile_confirms_or_refutes_the_finding_that_asked_for_it(
    ratio: float, result: CheckResult, verdict: Verdict
) -> None:
    """What the flame graph of the orchestrator showed comes back as an indicator, and the finding turns."""
    situation = Situation("s", stated={**BLOCKED, "profile.blocked_loop_ratio": (ratio,)})
    snapshot, _ = judged(situation, RULES, DEFAULT)
    found = next(f for f in snapshot.findings if f.rule == "orchestrator-loop-blocked")
    assert (found.result, found.verdict) == (result, verdict)


def test_without_a_profile_the_finding_is_neither() -> None:
    """Nobody has measured yet."""
    snapshot, _ = judged(Situation("s", stated=BLOCKED), RULES, DEFAULT)
    found = next(f for f in snapshot.findings if f.rule == "orchestrator-loop-blocked")
    assert (found.result, found.verdict) == (None, Verdict.LIKELY)
