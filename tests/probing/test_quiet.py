"""Which step of a probe makes a yardstick, and which figures it gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.recall import recall
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.model.probeplan import NEW_CONNECTIONS, Shape
from perfconsole.model.proberesult import Spread
from perfconsole.probing.quiet import quiet_profile, quiet_step
from tests.probing.quietly import ENVIRONMENT, PROBED, with_single
from tests.view.probes import server, spread

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.model.profile import Profile

SINGLE = PROBED.steps[0]


def made(result: ProbeResult = PROBED) -> Profile:
    """The profile of a result."""
    return quiet_profile(result, "quiet", "0.4.0", DEFAULT.unit)


def figures(result: ProbeResult = PROBED) -> dict[str, float]:
    """Its values by name."""
    return {v.name: v.value for v in made(result).values}


def test_the_figures_are_those_of_one_request_at_a_time() -> None:
    """None of a step under load."""
    found = figures()
    assert found["engine.tpot.p50"] == SINGLE.tpot.p50
    assert found["engine.e2e.mean"] == SINGLE.e2e.mean


def test_the_engines_own_numbers_go_before_the_clients() -> None:
    """A whole distribution is of one side."""
    found = {v.name: (v.value, v.client) for v in made().values}
    assert SINGLE.server is not None
    assert found["engine.ttft.p50"] == (SINGLE.server.ttft.p50, False)
    assert found["engine.tpot.p50"] == (SINGLE.tpot.p50, True)


@pytest.mark.parametrize("own", [None, replace(server(1.0), ttft=Spread())])
def test_what_the_engine_does_not_tell_the_client_measured(own: object) -> None:
    """And it says so."""
    found = {v.name: (v.value, v.client) for v in made(with_single(server=own)).values}
    assert found["engine.ttft.p50"] == (SINGLE.ttft.p50, True)


@pytest.mark.parametrize(("n", "suffixes"), [(5, set()), (10, {"p90"}), (20, {"p90", "p95"})])
def test_too_few_samples_for_a_tail_leave_it_out(n: int, suffixes: set[str]) -> None:
    """The slowest of five is no p90."""
    found = figures(with_single(tpot=spread(0.005, n)))
    assert {name.rpartition(".")[2] for name in found if name.startswith("engine.tpot.p9")} == suffixes


def test_every_figure_has_the_unit_of_the_dictionary() -> None:
    """And is one that rules compare with."""
    assert {v.unit for v in made().values} == {"s"}
    assert all(DEFAULT.find(v.name) for v in made().values)


def test_it_is_recalled_for_this_engine_and_no_other() -> None:
    """By model and settings, which a probe keeps."""
    profile = made()
    now = profile.identity
    assert (now.kind, now.model, now.build, now.entity) == (Kind.ENGINE, "qwen", "0.32.0", "vllm:8000")
    assert recall(now, [profile]) is not None
    assert recall(replace(now, model="llama"), [profile]) is None


def test_it_says_what_it_rests_on() -> None:
    """Length, requests, day and host of the probe."""
    profile = made()
    assert (profile.healthy_s, profile.requests, profile.host) == (SINGLE.window_s, SINGLE.requests, "gpu-07")
    assert profile.wall == PROBED.began + PROBED.took_s
    assert profile.probe == "short-chat, 128 tokens in and 128 out"


BUSY = replace(server(1.0), running=1.4)
QUEUED = replace(server(1.0), waiting=0.5)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (replace(PROBED, steps=PROBED.steps[1:]), "no step with one request at a time"),
        (with_single(step=replace(SINGLE.step, shape=Shape.RATE)), "no step with one request at a time"),
        (with_single(valid=False, why="the client was the limit"), "is not valid: the client was the limit"),
        (with_single(errors=1), "1 of 8 requests failed"),
        (with_single(server=BUSY), "was not alone: the engine had 1.4 requests at a time"),
        (with_single(server=QUEUED), "was not alone: the engine had 1.5 requests at a time"),
        (with_single(server=None, ttft=Spread(), itl=Spread()), "too few requests"),
        (replace(PROBED, plan=replace(PROBED.plan, recipe=NEW_CONNECTIONS)), "those of new-connections"),
        (replace(PROBED, plan=replace(PROBED.plan, scenario="agent-fan-out")), "several requests at a time"),
    ],
)
def test_what_makes_no_yardstick_says_why(result: ProbeResult, words: str) -> None:
    """One sentence that helps."""
    with pytest.raises(ValueError, match=words):
        quiet_step(result)


def test_a_probe_that_nobody_watched_is_nobodys() -> None:
    """Its figures would be recalled for any engine."""
    unwatched = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("engine.")}
    with pytest.raises(ValueError, match="nobody knows whose figures"):
        made(replace(PROBED, environment=unwatched))
