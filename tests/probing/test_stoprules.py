"""When a ladder ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.probeplan import Slo
from perfconsole.probing.stoprules import ending, slo_broken
from tests.probing.results import CLIENT, SERVER, result, spread

SLO = Slo()
LATE = spread(0.2)
QUEUED = replace(SERVER, waiting=8.0, waiting_share=0.6)


def _why(*results: object) -> str:
    found = ending(list(results), SLO)  # type: ignore[arg-type]  # results, made below
    return found.why if found else ""


def test_it_goes_on_while_more_load_gives_more() -> None:
    """No step yet, a first one, and one that doubled the tokens."""
    assert ending([], SLO) is None
    assert ending([result(1)], SLO) is None
    assert ending([result(1), result(2)], SLO) is None


def test_flat_and_late() -> None:
    """Throughput stands, and the first tokens come more than twice as late."""
    found = ending([result(16), result(32, 3_300, ttft=LATE, server=None)], SLO)
    assert found is not None
    assert (
        found.why == "32 at a time gave +3% tokens/s over 16 at a time, and first tokens came more than twice as late"
    )
    assert found.refine


def test_flat_and_queued() -> None:
    """Or requests waited in more than half of the polls."""
    assert _why(result(16), result(32, 3_200, server=QUEUED)).endswith("requests waited")


def test_flat_and_slow() -> None:
    """Or each token took longer: the batch is as large as pays."""
    slow = result(32, 3_200, tpot=spread(1.0))
    assert _why(result(16), slow).endswith("each token took more than half as long again")


def test_flat_alone_is_no_reason() -> None:
    """Without a sign of a queue a flat step may be noise."""
    assert ending([result(16), result(32, 3_200)], SLO) is None


def test_late_alone_is_no_reason() -> None:
    """A server that still gives more may take its time."""
    assert ending([result(16), result(32, 4_200, ttft=LATE, server=QUEUED)], SLO) is None


def test_over_a_doubling() -> None:
    """A step that is less than twice the one before is compared with the one below that."""
    flat = result(24, 3_200, ttft=LATE)
    assert ending([result(16), flat], SLO) is None
    assert _why(result(8, 3_100), result(16), flat).startswith("24 at a time gave +3% tokens/s over 8 at a time")


def test_errors() -> None:
    """More than 2 % failed."""
    assert ending([result(4, errors=0)], SLO) is None
    found = ending([result(4, errors=1)], SLO)
    assert found is not None
    assert (found.why, found.refine) == ("2% of the requests failed at 4 at a time", False)


def test_a_full_cache() -> None:
    """Above 95 %, or with requests thrown out of it."""
    assert _why(result(8, server=replace(SERVER, kv_usage=0.96))) == "the KV cache was 96% full at 8 at a time"
    assert _why(result(8, server=replace(SERVER, preemptions=3.0))) == "3 requests were preempted at 8 at a time"


def test_the_promise_broken_twice() -> None:
    """Once may be chance; twice in a row it is the load."""
    slow = spread(0.09)
    assert ending([result(4), result(8, tpot=slow)], SLO) is None
    found = ending([result(8, tpot=slow), result(16, tpot=slow)], SLO)
    assert found is not None
    assert (found.why, found.refine) == ("the promise was broken at 8 at a time and at 16 at a time", True)
    assert ending([result(4, tpot=slow), result(8), result(16, tpot=slow)], SLO) is None


def test_the_client() -> None:
    """A step that the client limited ends the ladder, and is no place to refine."""
    found = ending([result(16), result(32, valid=False, client=replace(CLIENT, delivered=0.8))], SLO)
    assert found is not None
    assert (found.why, found.refine) == ("the client itself was the limit at 32 at a time", False)


@pytest.mark.parametrize(("n", "worst", "broken"), [(40, 1.6, True), (40, 1.4, False), (8, 1.6, True)])
def test_the_promise(n: int, worst: float, broken: bool) -> None:  # noqa: FBT001 - a column of the table
    """TTFT p95, of few requests the highest."""
    assert slo_broken(result(4, ttft=spread(worst, n)), SLO) is broken
