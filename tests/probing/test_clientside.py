"""The client in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.probeplan import Shape
from perfconsole.probing.clientside import client_side, delays, late_after_s
from perfconsole.probing.window import Window
from tests.probing.building import T0, record, request, step, tick, ticks

if TYPE_CHECKING:
    from perfconsole.model.probeload import LoadTick, RequestRecord, StepRecord
    from perfconsole.model.probeplan import Step
    from perfconsole.model.proberesult import ClientSide

WINDOW = Window(T0 + 0.5, T0 + 2.5)


def seen(
    beats: list[LoadTick] | None = None,
    records: list[RequestRecord] | None = None,
    told: StepRecord | None = None,
    asked: Step | None = None,
) -> ClientSide:
    """A quiet client with some of it replaced."""
    beats = ticks() if beats is None else beats
    late = delays(beats, [request()] if records is None else records)
    return client_side(asked or step(), told or record(), beats, WINDOW, late, 0.05)


def test_a_quiet_client() -> None:
    """A tenth of a core, all slots busy, nothing late."""
    client = seen()
    assert (client.cpu, client.delivered, client.merged) == pytest.approx((0.1, 1.0, 0.0))
    assert (client.loop_lag_p50, client.loop_lag_p99, client.send_lag_p99) == pytest.approx((1e-4, 1e-4, 1e-4))
    assert (client.late, client.queued, client.stamps) == (0.0, 0, "kernel")


def test_merged_is_a_share_of_the_reads() -> None:
    """Of the whole step."""
    assert seen(ticks(merged=30)).merged == pytest.approx(0.03)


def test_delivered_is_of_the_steady_window() -> None:
    """What is missing at the beginning is the ramp."""
    beats = [tick(T0 + 0.5 * (i + 1), busy_s=1.0 if i == 0 else 3.8) for i in range(6)]
    assert seen(beats).delivered == pytest.approx(0.95)


@pytest.mark.parametrize("shape", [Shape.RATE, Shape.BURST, Shape.REPLAY])
def test_only_a_closed_loop_asks_for_a_concurrency(shape: Shape) -> None:
    """Nothing is delivered of what was not asked for."""
    assert seen(asked=step(shape=shape)).delivered is None


def test_sends_of_the_burst_and_on_new_connections_do_not_count() -> None:
    """The ones stand in each other's way, the others wait for the network."""
    records = [request(sent=T0 + 0.002), request(burst=True, sent=T0 + 0.1), request(connect_s=0.03, sent=T0 + 0.03)]
    assert seen(records=records).send_lag_p99 == pytest.approx(0.002)
    assert seen(records=[request(burst=True, sent=T0 + 0.1)]).send_lag_p99 == pytest.approx(0.1)
    assert seen(records=[request(connect_s=0.03)]).send_lag_p99 is None


def test_late_is_a_share_of_those_that_began_one_by_one() -> None:
    """Of those that began together some are always sent last."""
    late = request(sent=T0 + 0.05)
    assert seen(records=[late, request(), request(), request()]).late == 0.25
    assert seen(records=[request(burst=True, sent=T0 + 0.1)]).late is None


def test_late_is_five_milliseconds_and_a_tenth_of_the_first_token() -> None:
    """Whichever is longer."""
    assert (late_after_s(None), late_after_s(0.02), late_after_s(0.5)) == (0.005, 0.005, 0.05)


def test_without_ticks_nothing_is_known() -> None:
    """No lag, no delivery."""
    client = seen([])
    assert (client.loop_lag_p99, client.delivered, client.cpu) == (None, None, 0.0)
