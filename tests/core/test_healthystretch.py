"""What a run shows of entities that are well."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.healthystretch import HealthyStretch, Stretch
from perfconsole.core.series import Increase
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import Finding, State
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Indicator
from tests.view.pictures import finding, reading, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
GPU = Entity(Kind.GPU, "0")
RUNNING, FINISHED, TTFT = "engine.requests_running", "engine.requests_finished", "engine.ttft"


def run(
    seconds: int,
    value: Callable[[int], float | Missing] = lambda _: 8.0,
    troubled: Mapping[int, Finding] | None = None,
    *,
    name: str = RUNNING,
    every: bool = False,
    grown: Increase | None = None,
) -> Stretch:
    """One snapshot a second from 0 on; some of them have a finding."""
    found = {(TTFT, ENGINE): grown} if grown else {}
    stretch = HealthyStretch(DEFAULT, lambda _start, _end: found, every=every)
    for t in range(seconds + 1):
        wrong = (troubled or {}).get(t)
        figures = ((name, value(t)), (FINISHED, 10.0 * t))
        shown = tuple(Indicator(n, ENGINE, v, DEFAULT.unit(n)) for n, v in figures)
        stretch.add(snapshot(t=float(t), indicators=shown, findings=(wrong,) if wrong else ()))
    stretch.finish()
    return stretch.seen(ENGINE)


def figures(seen: Stretch) -> dict[str, float]:
    """Values by name."""
    return {v.name: v.value for v in seen.values}


def test_an_indicator_has_the_median_of_its_minutes() -> None:
    """One minute that was different does not move it."""
    assert figures(run(300, lambda t: 100.0 if t < 60 else 8.0))[RUNNING] == 8.0


def test_a_minute_with_a_finding_does_not_count() -> None:
    """Neither its values nor its seconds nor its requests."""
    seen = run(120, lambda t: 8.0 if t <= 60 else 90.0, {90: finding()})
    assert figures(seen)[RUNNING] == 8.0
    assert (seen.healthy_s, seen.requests) == (60.0, 600.0)


@pytest.mark.parametrize(
    "slight", [finding(severity=Severity.INFO), finding(state=State.PENDING), finding(entity=GPU)], ids=str
)
def test_what_is_no_trouble_of_its_own_counts(slight: Finding) -> None:
    """A remark, something that may come, and a finding on another entity."""
    assert run(120, troubled={90: slight}).healthy_s == 120.0


def pending(held_s: float) -> Finding:
    """A warning that has held for so long of 60 s."""
    return finding(state=State.PENDING, readings=(reading(held=(held_s, 60.0)),))


def test_trouble_that_has_held_for_half_its_time_counts_as_trouble() -> None:
    """It is there, only not yet sure."""
    assert [run(120, troubled={90: pending(held)}).healthy_s for held in (29.0, 30.0)] == [120.0, 60.0]


def test_where_all_is_wanted_troubled_minutes_count_as_well() -> None:
    """A person has forced it."""
    assert run(120, troubled={90: finding()}, every=True).healthy_s == 120.0


def test_what_is_left_of_a_last_minute_counts() -> None:
    """A run of 90 s has two stretches."""
    seen = run(90, lambda t: 8.0 if t <= 60 else 10.0)
    assert seen.healthy_s == 90.0
    assert figures(seen)[RUNNING] == 9.0


def test_a_few_seconds_of_a_last_minute_weigh_nothing() -> None:
    """They would count as much as a whole one; all of a short run is all there is."""
    assert run(70, lambda t: 8.0 if t <= 60 else 90.0).healthy_s == 60.0
    assert run(10).healthy_s == 10.0


def test_missing_values_make_no_figure() -> None:
    """Never 0."""
    assert RUNNING not in figures(run(120, lambda _: Missing.STALE))


@pytest.mark.parametrize("name", [FINISHED, "engine.uptime", "engine.max_num_seqs", "engine.load_ratio"])
def test_what_has_no_usual_value_makes_no_figure(name: str) -> None:
    """Totals, ages, configuration, and what is itself a comparison."""
    assert name not in figures(run(120, name=name))


def test_a_time_that_never_comes_makes_no_figure() -> None:
    """Infinity is the absence of growth, not a usual value."""
    assert "engine.kv_time_to_full" not in figures(run(120, lambda _: inf, name="engine.kv_time_to_full"))


def test_quantiles_are_over_the_whole_stretch() -> None:
    """All observations of all healthy minutes in one distribution."""
    seen = run(120, grown=Increase((50.0, 100.0, 100.0, 25.0), 60.0, (0.1, 0.5, inf)))
    assert figures(seen)["engine.ttft.p50"] == pytest.approx(0.1)
    assert figures(seen)["engine.ttft.mean"] == pytest.approx(0.25)
    assert {v.whole for v in seen.values if v.name.startswith(TTFT)} == {True}


def test_a_mean_without_buckets_is_all_that_is_kept() -> None:
    """Sum and count alone have no quantile."""
    seen = run(60, grown=Increase((10.0, 2.0), 60.0, (inf,)))
    assert figures(seen)["engine.ttft.mean"] == 0.2
    assert "engine.ttft.p50" not in figures(seen)


def test_a_counter_that_began_anew_takes_nothing_off() -> None:
    """A restart in the middle of the run."""
    stretch = HealthyStretch(DEFAULT, lambda _start, _end: {})
    for t, total in enumerate((100.0, 110.0, 2.0, 5.0)):
        stretch.add(
            snapshot(
                t=float(t),
                indicators=(
                    Indicator(FINISHED, ENGINE, total, "requests"),
                    Indicator(RUNNING, ENGINE, 1.0, "requests"),
                ),
            )
        )
    stretch.finish()
    assert stretch.seen(ENGINE).requests == 13.0


def test_a_host_counts_no_requests() -> None:
    """Unknown, not 0."""
    stretch = HealthyStretch(DEFAULT, lambda _start, _end: {})
    assert stretch.seen(Entity(Kind.HOST, "h")).requests is None


def test_a_run_of_one_moment_has_nothing() -> None:
    """No time has passed."""
    assert run(0).healthy_s == 0.0
