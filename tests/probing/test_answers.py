"""Counted requests, parted."""

from __future__ import annotations

import pytest

from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.probeplan import Shape, Slo
from perfconsole.probing.answers import answers, error_kinds, itl_growth, kept_slo, mean_of, ratio_of
from tests.probing.building import request, step

FAILED = request(trouble=Trouble.STATUS, detail="503 Service Unavailable")
LATE = request(trouble=Trouble.TIMEOUT)


def test_only_counted_requests_count() -> None:
    """Neither the warm-up nor what keeps the slots busy."""
    good = request()
    parted = answers(step(), [request(part=Part.WARM_UP), good, request(part=Part.FILLER)])
    assert parted.counted == parted.good == parted.steady == (good,)


def test_errors_and_time_outs_stay_in_the_count() -> None:
    """And are in nothing else."""
    parted = answers(step(), [request(), FAILED, LATE])
    assert (len(parted.counted), parted.errors, parted.timeouts, len(parted.good)) == (3, 2, 1, 1)


def test_the_burst_stands_apart() -> None:
    """Unless there was nothing else."""
    first, later = request(burst=True), request()
    mixed = answers(step(), [first, later])
    assert (mixed.steady, mixed.burst, mixed.all_burst) == ((later,), (first,), False)
    alone = answers(step(), [first])
    assert (alone.steady, alone.burst, alone.all_burst) == ((first,), (first,), True)


def test_in_a_burst_step_all_are_of_it() -> None:
    """Whatever the records say."""
    parted = answers(step(shape=Shape.BURST), [request(burst=True), request()])
    assert (len(parted.steady), len(parted.burst), parted.all_burst) == (2, 2, True)


def test_errors_of_the_burst_are_none_of_the_steady_load() -> None:
    """As are its latencies."""
    broken = request(burst=True, trouble=Trouble.RESET)
    assert answers(step(), [broken, request(), FAILED]).steady_errors == 1
    assert answers(step(), [broken, request(burst=True)]).steady_errors == 1


def test_kinds_of_error_by_number() -> None:
    """A status is told with its code."""
    assert error_kinds([LATE, FAILED, FAILED, request()]) == (("status 503", 2), ("timeout", 1))
    assert error_kinds([request(trouble=Trouble.STATUS, detail=" ")]) == (("status", 1),)


@pytest.mark.parametrize(
    ("ttft", "e2e", "tokens", "kept"),
    [(0.5, 1.0, 11, True), (1.6, 2.0, 11, False), (0.5, 1.5, 11, False), (0.5, 9.0, 1, True)],
)
def test_the_slo_is_of_both(ttft: float, e2e: float, tokens: int, kept: bool) -> None:  # noqa: FBT001 - a table
    """TTFT and time per token; a single token has none."""
    assert kept_slo(Slo(), request(ttft=ttft, e2e=e2e, tokens=tokens)) is kept


def test_what_failed_keeps_no_slo() -> None:
    """However quick it was."""
    assert not kept_slo(Slo(), request(ttft=0.01, e2e=0.1, trouble=Trouble.RESET))


def test_means_and_ratios_know_absence() -> None:
    """Of what is known; None where nothing is."""
    assert (mean_of([1.0, None, 3.0]), mean_of([None])) == (2.0, None)
    assert (ratio_of([(1, 2), (3, 2), (None, 5), (7, 0)]), ratio_of([(1, None)])) == (1.0, None)


def test_growth_of_the_time_per_token_is_of_long_answers() -> None:
    """Quarters of a short one are a few tokens."""
    slower, short = request(itl_first=0.01, itl_last=0.02), request(tokens=8, itl_first=0.01, itl_last=0.09)
    assert itl_growth([slower, short, request(itl_first=None, itl_last=None)]) == 2.0
    assert itl_growth([short]) is None
