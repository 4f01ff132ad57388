"""Lines of a page of vLLM, tables made up for a test, and what the mapping makes of them."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from tests.sources.enginepages import ENGINE, mapped

TTFT = """\
vllm:time_to_first_token_seconds_bucket{engine="0",model_name="m",le="0.5"} 2
vllm:time_to_first_token_seconds_bucket{engine="0",model_name="m",le="1.0"} 6
vllm:time_to_first_token_seconds_bucket{engine="0",model_name="m",le="+Inf"} 8
vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 8
vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 5
"""
"""A whole histogram of one series."""


def text_mapped(text: str, version: str = "") -> Mapped:
    """What the adapter of vLLM makes of a page given as text."""
    return mapped(text.encode(), version)


def gauge(name: str, value: str, engine: str = "0", extra: str = "") -> str:
    """Line of a page: one series of one rank."""
    return f'vllm:{name}{{engine="{engine}",model_name="m"{extra}}} {value}\n'


def adapter_with(*rows: Metric) -> Adapter:
    """Make an adapter of a made-up program."""
    return Adapter("x", "X", ("x:",), "", "/metrics", "", "/v", "rank", (), (), rows)


def pages(*texts: str, mapper: PageMapper | None = None) -> list[Mapped]:
    """What one mapper makes of page after page."""
    mapper = mapper or PageMapper(ADAPTER, DEFAULT)
    return [mapper.map(PageParser().parse(text.encode()), ENGINE) for text in texts]
