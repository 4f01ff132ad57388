"""What a probe says, as values that confirm or refute a finding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.session import Session
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import CheckResult
from perfconsole.model.probeplan import (
    COMPARE_VARIANTS,
    NEW_CONNECTIONS,
    REPEAT_PROMPT,
    THROUGH_AND_AROUND,
    Shape,
    Step,
)
from perfconsole.model.proberesult import Spread, StepResult
from perfconsole.model.sample import ACTION
from perfconsole.probing.indicators import VALID_S, indicators_of, probe_batch
from tests.core.building import page, sample
from tests.diagnose.judging import rule
from tests.probing.building import CLEAN, result, rung, server, spread, step

if TYPE_CHECKING:
    from collections.abc import Mapping

ENGINE, GATEWAY = Entity(Kind.ENGINE, "vllm:8000"), Entity(Kind.GATEWAY, "nginx")
WAITING = "engine.requests_waiting"


def told(*steps: StepResult, recipe: str = "step-load", shed_s: float | None = None) -> dict[str, float]:
    """The values of these steps."""
    made = result(*steps, recipe=recipe)
    return indicators_of(replace(made, plan=replace(made.plan, shed_s=shed_s)))


def labelled(label: str, load: float = 1.0, target: int = 0) -> Step:
    """A step of a recipe that compares."""
    return step(load, label=label, target=target)


def spoiled(load: float, speed: float = 100.0) -> StepResult:
    """A step that the client limited."""
    return rung(load, speed, valid=False, why="the client was the limit")


def way(load: float, through: float, around: float) -> list[StepResult]:
    """One load through the gateway and around it: times to first token."""
    return [
        rung(load, 100, through, step=labelled("through", load)),
        rung(load, 100, around, step=labelled("around", load, 1)),
    ]


def checked(values: Mapping[str, float], at: float = 1.0) -> CheckResult | None:
    """What becomes of a check for a flat throughput when these values come at second 1, seen at another second."""
    probe = {
        "kind": "probe",
        "recipe": "step-load",
        "command": "perfconsole probe step-load {engine.url}",
        "confirms": "probe.throughput_gain < 5%",
        "refutes": "probe.throughput_gain > 20%",
    }
    session = Session([rule("slow", f"{WAITING} > 1", checks=[probe])])
    session.apply(page(0.0, sample(WAITING, 5.0, ENGINE)))
    session.apply(probe_batch(values, (ENGINE,), 1.0, 1.0))
    session.apply(page(at, sample(WAITING, 5.0, ENGINE)))
    (finding,) = session.tick(at, at).findings
    return finding.checks[0].result


def test_a_flat_throughput_confirms_the_finding_that_asked() -> None:
    """And a rising one refutes it; nothing is said of one in between."""
    assert checked(told(rung(8, 1000), rung(16, 1020))) is CheckResult.CONFIRMED
    assert checked(told(rung(8, 1000), rung(16, 1900))) is CheckResult.REFUTED
    assert checked(told(rung(8, 1000), rung(16, 1100))) is None


def test_a_result_counts_for_ten_minutes() -> None:
    """Then the finding must be probed again."""
    flat = told(rung(8, 1000), rung(16, 1020))
    assert checked(flat, at=VALID_S - 5) is CheckResult.CONFIRMED
    assert checked(flat, at=VALID_S + 5) is None


def test_every_name_is_in_the_dictionary() -> None:
    """Of all recipes."""
    every = [
        told(rung(1, 1), rung(2, 2), rung(1, 1), shed_s=30.0),
        told(rung(1, 1, step=labelled("first")), rung(1, 1, step=labelled("repeat")), recipe=REPEAT_PROMPT),
        told(*way(1, 0.2, 0.1), *way(8, 0.3, 0.1), recipe=THROUGH_AND_AROUND),
        told(rung(1, 1, connect=spread(0.1), resolve=spread(0.1)), recipe=NEW_CONNECTIONS),
    ]
    assert all(DEFAULT.find(name) is not None for values in every for name in values)
    assert all(len(values) > 2 for values in every)


def test_latencies_are_those_of_the_lowest_load() -> None:
    """With a suffix for each figure; those that are withheld are left out."""
    found = told(rung(4, 100, 0.2), rung(1, 30, ttft=spread(0.1, 30)))
    assert (found["probe.ttft.p50"], found["probe.ttft.p95"], found["probe.itl.p50"]) == (0.1, 0.12, 0.005)
    assert "probe.ttft.p99" not in found
    assert {f"probe.e2e.{suffix}" for suffix in ("p50", "p90", "p95", "p99", "mean")} <= found.keys()


def test_rate_and_errors() -> None:
    """The highest rate, and the errors of all requests."""
    found = told(rung(1, 190), rung(2, 380, errors=20), rung(4, 370))
    assert (found["probe.generation_rate"], found["probe.error_ratio"]) == pytest.approx((380, 20 / 300))


def test_late_sends_are_of_all_steps() -> None:
    """The client's own limit voids the rest."""
    late = replace(spoiled(2), client=replace(CLEAN, late=0.3))
    assert told(rung(1, 190), late)["probe.late_ratio"] == pytest.approx(0.15)
    assert "probe.late_ratio" not in told(rung(1, 190, client=replace(CLEAN, late=None)))


def test_knee_is_where_the_tail_stayed() -> None:
    """Up to the first step whose p95 is twice the first one's; p90 where p95 is withheld."""
    assert told(rung(1, 1, 0.1), rung(2, 2, 0.15), rung(4, 3, 0.2), rung(8, 3, 0.1))["probe.knee"] == 2
    few = rung(1, 1, ttft=spread(0.1, 10))
    assert told(few, rung(2, 2, 0.15))["probe.knee"] == 2
    assert "probe.knee" not in told(rung(1, 1, ttft=Spread()))


def test_rates_have_no_knee_in_requests() -> None:
    """It is a concurrency."""
    assert "probe.knee" not in told(rung(1, 1, step=step(1.0, shape=Shape.RATE)))


def test_gain_is_over_half_of_the_last_load() -> None:
    """Or the next lower one."""
    found = told(rung(1, 100), rung(4, 300), rung(6, 310), rung(8, 330))
    assert found["probe.throughput_gain"] == pytest.approx(0.1)
    assert "probe.throughput_gain" not in told(rung(6, 310), rung(8, 330))


def test_what_rests_on_a_step_of_the_client_is_left_out() -> None:
    """The steps below are not the last ones."""
    found = told(rung(8, 1000), rung(16, 1900), spoiled(32, 1950))
    assert not {"probe.throughput_gain", "probe.knee"} & found.keys()
    assert found["probe.generation_rate"] == 1900
    assert "probe.ttft.p50" not in told(spoiled(1), rung(2, 100))


def test_speed_that_came_back() -> None:
    """The first step again after a pause, as quick as it was."""
    steps = [rung(1, 190, each=0.005), rung(4, 300, each=0.02)]
    assert told(*steps, rung(1, 188, each=0.0052), shed_s=30.0)["probe.recovered"] == 1.0
    assert told(*steps, rung(1, 100, each=0.01), shed_s=30.0)["probe.recovered"] == 0.0
    assert "probe.recovered" not in told(*steps, rung(1, 188))
    assert "probe.recovered" not in told(*steps, shed_s=30.0)
    assert "probe.recovered" not in told(*steps, spoiled(1), shed_s=30.0)


def test_a_prompt_that_is_repeated() -> None:
    """First by repeat, and how much of it was cached."""
    first = rung(1, 10, 0.8, step=labelled("first"))
    repeat = rung(1, 10, 0.2, step=labelled("repeat"), cached_ratio=0.9)
    found = told(first, repeat, recipe=REPEAT_PROMPT)
    assert (found["probe.ttft_repeat_ratio"], found["probe.prefix_hit_ratio"]) == (4.0, 0.9)
    assert found["probe.ttft.p50"] == 0.8
    blind = replace(repeat, cached_ratio=None, server=server(prefix_hit_ratio=0.4))
    assert told(first, blind, recipe=REPEAT_PROMPT)["probe.prefix_hit_ratio"] == 0.4


def test_several_repeats_are_taken_in_the_middle() -> None:
    """Of each kind."""
    steps = [
        rung(1, 10, ttft, step=labelled(label)) for label, ttft in (("first", 0.8), ("repeat", 0.2), ("repeat", 0.6))
    ]
    assert told(*steps, recipe=REPEAT_PROMPT)["probe.ttft_repeat_ratio"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("fast", "slow", "name"),
    [("neutral", "default", "probe.neutral_speedup"), ("plain", "schema", "probe.plain_speedup")],
)
def test_variants_by_their_rate(fast: str, slow: str, name: str) -> None:
    """Tokens a second without by those with."""
    steps = [rung(1, 300, step=labelled(fast)), rung(1, 200, step=labelled(slow))]
    found = told(*steps, recipe=COMPARE_VARIANTS)
    assert (found[name], "probe.text_speedup" in found) == (1.5, False)


def test_media_by_its_first_token() -> None:
    """And the growth of a long answer by the usual variant."""
    steps = [rung(1, 1, 0.1, step=labelled("text"), itl_growth=1.4), rung(1, 1, 0.9, step=labelled("media"))]
    found = told(*steps, recipe=COMPARE_VARIANTS)
    assert (found["probe.text_speedup"], found["probe.itl_growth"]) == pytest.approx((9.0, 1.4))


def test_a_variant_that_the_client_limited_compares_with_nothing() -> None:
    """Half a pair is none."""
    steps = [rung(1, 300, step=labelled("neutral")), replace(spoiled(1), step=labelled("default"))]
    assert "probe.neutral_speedup" not in told(*steps, recipe=COMPARE_VARIANTS)


def test_through_the_gateway_and_around_it() -> None:
    """TTFT by TTFT at the lowest load, and events that come at once."""
    steps = [replace(s, close_ratio=0.7 if s.step.label == "through" else 0.1) for s in way(1, 0.3, 0.1)]
    found = told(*way(8, 0.9, 0.1), *steps, recipe=THROUGH_AND_AROUND)
    assert (found["probe.bypass_ttft_ratio"], found["probe.chunk_burst_ratio"]) == pytest.approx((3.0, 0.7))
    assert found["probe.ttft.p50"] == 0.3


def test_what_the_way_through_adds_under_load() -> None:
    """At the middle load by the lowest; of one load, or of next to nothing, there is no growth."""
    loads = [*way(1, 0.13, 0.1), *way(8, 0.19, 0.1), *way(32, 0.5, 0.1)]
    assert told(*loads, recipe=THROUGH_AND_AROUND)["gateway.adder_growth"] == pytest.approx(3.0)
    assert "gateway.adder_growth" not in told(*loads[:2], recipe=THROUGH_AND_AROUND)
    small = [*way(1, 0.104, 0.1), *way(8, 0.19, 0.1)]
    assert "gateway.adder_growth" not in told(*small, recipe=THROUGH_AND_AROUND)


def test_new_connections() -> None:
    """The slowest of fifty stands for p99."""
    fifty = rung(1, 1, connect=spread(0.1, 50, 20.0), resolve=spread(0.01, 200, 3.0))
    found = told(fifty, recipe=NEW_CONNECTIONS)
    assert (found["probe.connect.p99"], found["probe.resolve.p99"]) == pytest.approx((2.0, 0.03))
    assert "probe.resolve.p99" not in told(rung(1, 1, connect=spread(0.1)), recipe=NEW_CONNECTIONS)


def test_no_step_no_value() -> None:
    """A probe that was stopped before its first one."""
    assert told() == told(shed_s=30.0) == told(recipe=THROUGH_AND_AROUND) == {}


def test_each_entity_gets_what_is_of_its_kind() -> None:
    """A value of a gateway is none of an engine."""
    batch = probe_batch({"probe.knee": 16.0, "gateway.adder_growth": 3.0}, (GATEWAY, ENGINE), 3.0, 9.0)
    assert [(str(s.key.entity), s.key.indicator, s.value) for s in batch.samples] == [
        ("gateway/nginx", "gateway.adder_growth", 3.0),
        ("gateway/nginx", "probe.knee", 16.0),
        ("engine/vllm:8000", "probe.knee", 16.0),
    ]
    assert (batch.kind, batch.cadence_s * 3, batch.source) == (ACTION, VALID_S, "probe of gateway/nginx")
    assert probe_batch({}, (), 0.0, 0.0).samples == ()


def test_a_probe_stands_for_the_derived_adder() -> None:
    """Under the name of a formula, at the gateway."""
    session = Session([])
    session.apply(probe_batch({"gateway.adder_growth": 3.0}, (GATEWAY,), 1.0, 1.0))
    seen = {(i.name, i.entity): i.value for i in session.tick(1.0, 1.0).indicators}
    assert seen["gateway.adder_growth", GATEWAY] == 3.0
