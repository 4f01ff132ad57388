"""Tests of the pages that are read beside the page of metrics."""

from __future__ import annotations

from typing import cast

import pytest

from perfconsole.sources.engines import adapters
from perfconsole.sources.http import Fetcher, FetchError, FetchKind, Reply
from perfconsole.sources.otherpages.sidepages import side_pages

LLAMA = next(adapter for adapter in adapters() if adapter.beside)
SLOTS = b'[{"id": 0, "n_ctx": 512, "is_processing": false}]'


class Slots:
    """A server with one answer to everything."""

    def __init__(self, status: int, body: bytes | None) -> None:
        self.status, self.body = status, body

    def get(self, path: str) -> Reply:
        """The answer; none in time where there is no body."""
        if self.body is None:
            raise FetchError(FetchKind.TIMEOUT, "no answer")
        return Reply(self.status, self.body, "application/json", 0.01, f"http://h{path}")


def test_a_side_page_comes_as_series() -> None:
    """By the converter that the table names."""
    (page,) = side_pages(LLAMA, cast("Fetcher", Slots(200, SLOTS)))
    assert page.values[:2] == [1.0, 0.0]


@pytest.mark.parametrize(("status", "body"), [(501, SLOTS), (200, b"<html>"), (200, None)])
def test_one_that_is_switched_off_odd_or_late_is_missing(status: int, body: bytes | None) -> None:
    """The page of metrics counts all the same."""
    assert side_pages(LLAMA, cast("Fetcher", Slots(status, body))) == ()


def test_a_program_of_which_nothing_is_known_has_none() -> None:
    """Nothing is asked."""
    assert side_pages(None, cast("Fetcher", Slots(200, SLOTS))) == ()
