"""The first order of a probe."""

from __future__ import annotations

from perfconsole.model.probeorders import Target
from perfconsole.model.probeplan import Caps
from perfconsole.probing.opening import opening_of
from tests.probing.fakeload import plan


def test_it_is_the_plan() -> None:
    """What is sent, to whom, and what is never passed; a request is given up as the caps say."""
    made = plan(1, seed=7, scenario="mixed", mix=(1, 2, 3), caps=Caps(e2e_s=9.0))
    target = Target("http", "h", 1)
    order = opening_of(made, [target])
    assert order.targets == (target,)
    assert (order.model, order.seed, order.scenario, order.mix) == ("m", 7, "mixed", (1, 2, 3))
    assert (order.caps, order.timeout_s, order.output_tokens) == (made.caps, 9.0, made.output_tokens)
