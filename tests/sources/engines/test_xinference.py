"""Tests of the table of Xinference: models of one page add up, and the four names that it had before 2.8."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.engines.xinference import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import PageMapper
from tests.sources.enginepages import ENGINE, capture, folded
from tests.sources.engines.reading import counted, mapped, means, taker, values
from tests.sources.exposed import Exposed

if TYPE_CHECKING:
    from tests.sources.enginepages import Labels

NEW, OLD = "xinference/load.prom", "xinference_old/1.17.prom"
P = "xinference:"


@pytest.mark.parametrize(
    ("indicator", "name"),
    [
        ("engine.requests_running", "model_serve_count"),
        ("engine.requests_finished", "model_request_total"),
        ("engine.requests_failed", "model_request_errors_total"),
        ("engine.generation_tokens", "generate_tokens_total"),
        ("engine.prompt_tokens", "input_tokens_total_counter_total"),
    ],
)
def test_counts_add_up_over_models(indicator: str, name: str) -> None:
    """Read by another parser, which ends the name of every counter with _total."""
    assert counted(ADAPTER, NEW, indicator) == Exposed(capture(NEW)).total(P + name)


@pytest.mark.parametrize(("limit", "found"), [(b"-1", {}), (b"24", {(): 32.0})])
def test_limits_add_up_unless_there_is_none(limit: bytes, found: dict[Labels, float]) -> None:
    """One model takes 8 at a time. What runs is that of both models, so that the limit of one is none of theirs."""
    body = re.sub(rb"(model_request_limit.*) -1\n", rb"\1 " + limit + b"\n", capture(NEW))
    samples = PageMapper(ADAPTER, DEFAULT).map(PageParser().parse(body), ENGINE).samples
    assert folded(samples, "engine.max_num_seqs") == found


def test_each_model_has_its_first_token() -> None:
    """In seconds."""
    assert len(means(ADAPTER, NEW, "engine.ttft")) == 2


def test_before_2_8_the_first_token_is_a_gauge_in_milliseconds() -> None:
    """That of the last request."""
    assert values(ADAPTER, OLD, "engine.ttft.mean") == {(): 0.212}
    assert counted(ADAPTER, OLD, "engine.generation_tokens") == 1210.0


@pytest.mark.parametrize(("name", "version"), [(NEW, "3.2.1"), (OLD, "1.17.0")])
def test_a_page_leaves_nothing_to_remark(name: str, version: str) -> None:
    """Since and until of the table agree with the pages."""
    assert mapped(ADAPTER, name, version).notes == ()
    assert taker(capture(name)) == "xinference"
