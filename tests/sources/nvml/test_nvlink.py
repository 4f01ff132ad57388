"""Tests of sums over links: the first set of fields that a card has, as a whole or link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pynvml  # type: ignore[import-untyped]  # NVIDIA ships no types
import pytest

from perfconsole.sources.nvml import nvlink
from perfconsole.sources.nvml.native import EVERY_LINK
from perfconsole.sources.nvml.nvlink import NvLink, Total

if TYPE_CHECKING:
    from collections.abc import Sequence

CRC = (((163, 161), 1.0), ((206,), 2.0))


class Card:
    """Fields of a card; what is not there is not supported."""

    def __init__(self) -> None:
        self.fields: dict[tuple[int, int], tuple[int, float]] = {}
        self.asked: list[tuple[int, int]] = []

    def call(self, fields: Sequence[tuple[int, int]]) -> FieldCall:
        """In the place of the real question."""
        return FieldCall(self, fields)


class FieldCall:
    """A question to the card above."""

    def __init__(self, card: Card, fields: Sequence[tuple[int, int]]) -> None:
        self.fields = tuple(fields)
        self._card = card

    def __call__(self, _: object) -> dict[tuple[int, int], tuple[int, float]]:
        """Code and value of each field."""
        self._card.asked += self.fields
        return {field: self._card.fields.get(field, (3, 0.0)) for field in self.fields}


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    """A card without any field yet."""
    one = Card()
    monkeypatch.setattr(nvlink, "FieldCall", one.call)
    return one


def test_the_sum_over_all_links_is_asked_first(card: Card) -> None:
    """CRC and replay errors together; one of the two is enough."""
    card.fields = {(163, EVERY_LINK): (0, 5.0), (161, EVERY_LINK): (0, 2.0)}
    assert Total(CRC).read(None, (0, 1)) == 7.0
    del card.fields[161, EVERY_LINK]
    assert Total(CRC).read(None, (0, 1)) == 5.0


def test_a_driver_that_refuses_the_sum_is_asked_link_by_link(card: Card) -> None:
    """And not with the sum again."""
    card.fields = {(163, EVERY_LINK): (2, 0.0), (163, 0): (0, 5.0), (163, 1): (0, 4.0)}
    total = Total(CRC)
    assert total.read(None, (0, 1)) == 9.0
    card.asked.clear()
    assert total.read(None, (0, 1)) == 9.0
    assert EVERY_LINK not in {scope for _, scope in card.asked}


def test_a_newer_card_has_other_fields(card: Card) -> None:
    """In their own unit."""
    card.fields = {(206, EVERY_LINK): (0, 3.0)}
    assert Total(CRC).read(None, (0,)) == 6.0


@pytest.mark.parametrize(("code", "given"), [(3, 3), (2, 3), (999, 999), (15, 15)])
def test_without_any_sum_the_worst_reason_counts(code: int, given: int, card: Card) -> None:
    """A card that has none of them is not broken."""
    card.fields = {(163, EVERY_LINK): (code, 0.0)}
    with pytest.raises(pynvml.NVMLError) as caught:
        Total(CRC).read(None, ())
    assert caught.value.value == given


def test_a_link_that_goes_down_counts_as_a_recovery(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is expected back; recoveries before the first look are not known."""
    up = {"links": 4}
    states = lambda _handle, _links: {link: int(link < up["links"]) for link in range(4)}  # noqa: E731 - one expression
    monkeypatch.setattr(nvlink, "_states", states)
    card.fields = {(162, EVERY_LINK): (0, 40.0)}
    links = NvLink()
    assert links.state(None, 0.0).values == {"gpu.nvlink_active": 4.0, "gpu.nvlink_expected": 4.0}
    assert links.errors(None, 0.0).values == {"gpu.nvlink_recoveries": 0.0}
    up["links"] = 3
    assert links.state(None, 5.0).values == {"gpu.nvlink_active": 3.0, "gpu.nvlink_expected": 4.0}
    card.fields[162, EVERY_LINK] = (0, 42.0)
    assert links.errors(None, 5.0).values == {"gpu.nvlink_recoveries": 3.0}
