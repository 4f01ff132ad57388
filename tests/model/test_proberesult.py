"""Values of a result."""

from __future__ import annotations

from tests.probing.building import rung


def test_error_ratio() -> None:
    """Of all requests; without any there is no error."""
    assert (rung(8, 1, errors=25).error_ratio, rung(8, 1, requests=0).error_ratio) == (0.25, 0.0)


def test_not_every_step_that_is_not_valid_is_the_clients_fault() -> None:
    """It may have been broken off, or have had no answer at all."""
    assert rung(8, 1, valid=False).client_limited
    assert not rung(8, 1).client_limited
    assert not rung(8, 1, valid=False, cut=True).client_limited
    assert not rung(8, 1, valid=False, errors=100).client_limited
