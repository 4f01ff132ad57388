"""First steps at which something passes."""

from __future__ import annotations

from perfconsole.model.proberesult import Spread, Thresholds
from perfconsole.probing.thresholds import thresholds_of
from tests.probing.building import rung, server, spread


def test_grown_is_half_as_long_again_as_alone() -> None:
    """Each by its own first step."""
    found = thresholds_of(
        [rung(8, 1, 0.2, 0.0075), rung(1, 1, 0.1, 0.005), rung(4, 1, 0.151, 0.006), rung(2, 1, 0.149)]
    )
    assert (found.ttft_grown, found.tpot_grown) == (4, 8)


def test_a_long_tail() -> None:
    """p95 above three times p50; a withheld p95 is none."""
    few = rung(2, 1, ttft=spread(0.1, 19, 9.0))
    assert thresholds_of([rung(1, 1), few, rung(4, 1, ttft=spread(0.1, 20, 3.1))]).tail == 4


def test_a_queue_beyond_hope() -> None:
    """More wait than twice those that may run."""
    held = [rung(n, 1, server=server(waiting=w, max_num_seqs=16.0)) for n, w in ((32, 16.0), (48, 32.0), (64, 33.0))]
    assert thresholds_of(held).waiting == 64
    assert thresholds_of([rung(64, 1, server=server(waiting=33.0))]).waiting is None


def test_steps_that_are_not_valid_are_looked_past() -> None:
    """Also as the one to compare with."""
    spoiled = rung(2, 1, 9.0, valid=False)
    assert thresholds_of([rung(1, 1), spoiled, rung(4, 1, 0.2)]).ttft_grown == 4
    assert thresholds_of([spoiled, rung(4, 1, 0.2)]) == Thresholds()


def test_what_is_not_known_never_passes() -> None:
    """No steps, no times."""
    assert thresholds_of([]) == Thresholds()
    assert thresholds_of([rung(1, 1, ttft=Spread()), rung(2, 1)]) == Thresholds()
