"""What a person is asked before the first request."""

from __future__ import annotations

from perfconsole.model.probeask import Traffic, Worst
from perfconsole.model.sample import Missing
from perfconsole.probing.asking import asked, traffic_of
from perfconsole.probing.precautions import Precautions
from tests.probing.fakeload import ENGINE, plan
from tests.view.pictures import indicator, snapshot

PICTURE = snapshot(
    indicators=(
        indicator("engine.request_rate", 4.0, ENGINE),
        indicator("engine.requests_running", 9.0, ENGINE),
        indicator("engine.requests_waiting", 0.0, ENGINE),
        indicator("engine.ttft.p95", Missing.WARMING_UP, ENGINE),
    )
)


def test_what_others_send() -> None:
    """By the engine's own numbers; what it does not say is none, and no engine is said to be none."""
    assert traffic_of(PICTURE, ENGINE) == Traffic(4.0, 9.0, 0.0, None)
    assert traffic_of(PICTURE, None).unknown
    assert traffic_of(None, ENGINE).unknown


def test_all_that_is_said() -> None:
    """The plan, its worst case, the traffic, and what speaks against it."""
    made = plan(1, 2)
    ask = asked(made, Precautions(("busy",), ("far",)), PICTURE, ENGINE)
    assert (ask.plan, ask.refusals, ask.warnings) == (made, ("busy",), ("far",))
    assert ask.traffic.running == 9.0
    assert isinstance(ask.worst, Worst)
    assert ask.worst.requests <= made.caps.requests
