"""Tests of building an adapter from the rows of a configuration, and of what a page gives through it."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.session import Session
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Missing
from perfconsole.sources.adapter import Metric
from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.layer import ORCHESTRATOR
from perfconsole.sources.mappingerror import MappingError
from perfconsole.sources.ownadapter import Service, own_adapter
from perfconsole.sources.targetpage import Poll, TargetPage
from tests.sources.agentpages import AGENT_MAP, FIRST, SECOND

SERVICE = Service("agents", "orchestration")


def rows(text: str) -> dict[str, Any]:
    """Rows as TOML."""
    return tomllib.loads(text)


def metrics(text: str) -> tuple[Metric, ...]:
    """Rows of the adapter of a service of which nothing else is known."""
    return own_adapter(SERVICE, rows(text), DEFAULT).metrics


def fault(text: str, service: Service = SERVICE) -> tuple[tuple[str | int, ...], str]:
    """Path and text of the mistake."""
    with pytest.raises(MappingError) as refused:
        own_adapter(service, rows(text), DEFAULT)
    return refused.value.path, str(refused.value)


def read(mapping: str, *pages: str, seconds: float = 60.0) -> dict[str, float | Missing]:
    """What a session has of these pages, by indicator."""
    page = TargetPage("h:1", (), DEFAULT, "agents", layer=ORCHESTRATOR)
    page.take(own_adapter(SERVICE, rows(mapping), DEFAULT))
    session = Session([], DEFAULT)
    for number, text in enumerate(pages):
        batch = page.batch(
            Poll(text.encode(), openmetrics=False, t=number * seconds, wall=0.0, took_s=0.0, cadence_s=60)
        )
        assert batch.error is None
        session.apply(batch)
    t = (len(pages) - 1) * seconds
    return {i.name: i.value for i in session.tick(t, 0.0).indicators}


def test_a_name_alone_is_a_row() -> None:
    """As the page writes it."""
    assert metrics('"orchestration.requests" = "done_total"') == (Metric("orchestration.requests", "done_total"),)


def test_a_table_is_a_row_with_filters_and_scale() -> None:
    """Unit and scale are multiplied."""
    text = """
    ["orchestration.workers"]
    metric = "b"
    where = { x = "~a|b" }
    unless = { y = "" }
    unit = "%"
    scale = 2
    part = "p"
    """
    row = metrics(text)[0]
    assert row == Metric(
        "orchestration.workers", "b", where=(("x", "~a|b"),), unless=(("y", ""),), tag=(("part", "p"),), scale=0.02
    )


def test_rows_of_a_list_are_summed_and_not_alternates() -> None:
    """Each gets a part of its own."""
    tags = [row.tag for row in metrics('"orchestration.inflight" = ["a", { metric = "b", part = "x" }, "c"]')]
    assert len(set(tags)) == 3


def test_rows_win_over_those_of_a_known_table() -> None:
    """And leave its other rows as they are."""
    base = next(a for a in adapters_of("orchestration") if a.name == "fastapi")
    made = own_adapter(Service("x", "orchestration", base=base), rows('"orchestration.requests" = "mine"'), DEFAULT)
    assert [m.metric for m in made.metrics if m.indicator == "orchestration.requests"] == ["mine"]
    assert [m for m in base.metrics if m.indicator != "orchestration.requests"] == list(made.metrics[1:])


def test_a_known_table_without_rows_stays_itself() -> None:
    """But for the paths that the target names."""
    base = next(a for a in adapters_of("orchestration") if a.name == "fastapi")
    made = own_adapter(Service("x", "orchestration", "/m", "/h", base), {}, DEFAULT)
    assert (made.name, made.metrics, made.metrics_path, made.health_path) == ("fastapi", base.metrics, "/m", "/h")


def test_a_service_without_a_name_is_an_own_one() -> None:
    """Its routes are those of the layer."""
    made = own_adapter(Service("", "engine"), rows('"engine.requests_running" = "r"'), DEFAULT)
    assert (made.name, made.health_path, made.metrics_path) == ("own", "", "/metrics")


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ('"orchestration.reqests" = "x"', ("orchestration.reqests",), "did you mean 'orchestration.requests'?"),
        ('requests = "x"', ("requests",), "did you mean 'orchestration.requests'?"),
        ('orchestration.requests = "x"', ("orchestration",), "put the whole name in quotes"),
        ('"zzz" = "x"', ("zzz",), "names of this layer begin with 'orchestration'"),
        (
            '"gateway.requests" = "x"',
            ("gateway.requests",),
            "gateway.requests belongs to the gateway layer; this target is orchestration",
        ),
        (
            '"orchestration.tokens_per_task" = ["a", "b"]',
            ("orchestration.tokens_per_task",),
            "is computed here: map orchestration.llm_tokens and orchestration.requests",
        ),
        (
            '"orchestration.latency" = "t_ms_bucket"',
            ("orchestration.latency",),
            "is a histogram: name it without the ending _bucket: 't_ms'",
        ),
        (
            '"orchestration.latency" = { metric = "t_sum" }',
            ("orchestration.latency", "metric"),
            "name it without the ending _sum: 't'",
        ),
        ('"orchestration.latency.p42" = "x"', ("orchestration.latency.p42",), "has no .p42: read it with .p50"),
        ('"orchestration.requests.p95" = "x"', ("orchestration.requests.p95",), "only histograms have suffixes"),
        (
            '"orchestration.latency.p95" = ["a", "b"]',
            ("orchestration.latency.p95",),
            "is computed here: map orchestration.latency; to give it yourself write one row",
        ),
        ('"orchestration.requests" = 3', ("orchestration.requests",), "must be a name in quotes or a table"),
        ('"orchestration.requests" = []', ("orchestration.requests",), "has no row"),
        ('"orchestration.requests" = ["a", 3]', ("orchestration.requests", 1), "must be a name in quotes or a table"),
        ('"orchestration.requests" = ""', ("orchestration.requests",), "metric must be text in quotes"),
        ('"orchestration.requests" = "x{a=1}"', ("orchestration.requests",), "labels go into where"),
        ('"orchestration.requests" = "x y"', ("orchestration.requests",), "write it as the page does"),
        ('"orchestration.requests" = { unit = "1" }', ("orchestration.requests",), "has no metric"),
        ('"orchestration.requests" = { metrc = "x" }', ("orchestration.requests", "metrc"), "did you mean 'metric'?"),
        ('"orchestration.requests" = { metric = "x", zz = 1 }', ("orchestration.requests", "zz"), "known: metric"),
        (
            '"orchestration.requests" = { metric = "x", where = { a = "~[" } }',
            ("orchestration.requests", "where", "a"),
            "'~[' is no regular expression (unterminated character set at position 0)",
        ),
        (
            '"orchestration.requests" = { metric = "x", unless = { "a-b" = "c" } }',
            ("orchestration.requests", "unless", "a-b"),
            "'a-b' is no name of a label",
        ),
        (
            '"orchestration.requests" = { metric = "x", where = { a = 5 } }',
            ("orchestration.requests", "where", "a"),
            'must be text in quotes: a = "5"',
        ),
        ('"orchestration.requests" = { metric = "x", where = 1 }', ("orchestration.requests", "where"), "a table"),
        ('"orchestration.requests" = { metric = "x", scale = 0 }', ("orchestration.requests", "scale"), "above 0"),
        (
            '"orchestration.requests" = { metric = "x", scale = 1e300 }',
            ("orchestration.requests", "scale"),
            "up to 1e+18",
        ),
        (
            f'"orchestration.requests" = {{ metric = "x", scale = 1{"0" * 400} }}',
            ("orchestration.requests", "scale"),
            "up to 1e+18",
        ),
        (
            '"orchestration.latency" = { metric = "x", zero_with = "y" }',
            ("orchestration.latency", "zero_with"),
            "leave zero_with out",
        ),
        ('"orchestration.requests" = { metric = "x", scale = nan }', ("orchestration.requests", "scale"), "above 0"),
        ('"orchestration.requests" = { metric = "x", scale = true }', ("orchestration.requests", "scale"), "above 0"),
        (
            '"orchestration.latency" = { metric = "x", unit = "MB" }',
            ("orchestration.latency", "unit"),
            "is in s, and 'MB' is not; known: s, ms",
        ),
        ('"orchestration.latency" = { metric = "x", unit = 1 }', ("orchestration.latency", "unit"), "text in quotes"),
        (
            '"orchestration.requests" = { metric = "x", part = "" }',
            ("orchestration.requests", "part"),
            "text in quotes",
        ),
        ('"orchestration.health_time" = "x"', ("orchestration.health_time",), "measured by perfconsole itself"),
    ],
)
def test_a_mistake_says_where_and_what_to_do(text: str, path: tuple[str | int, ...], said: str) -> None:
    """The path is that of the key that is wrong."""
    where, message = fault(text)
    assert where == path
    assert said in message
    assert "\n" not in message


def test_text_cannot_be_mapped() -> None:
    """Series hold numbers."""
    assert "is text" in fault('"engine.version" = "x"', Service("", "engine"))[1]


def test_a_derived_indicator_may_be_given_by_one_series() -> None:
    """It stands for what would be computed."""
    page = "calls_ratio 3.5\n"
    assert read('"orchestration.llm_calls_per_task" = "calls_ratio"', page)["orchestration.llm_calls_per_task"] == 3.5


def test_a_page_of_ones_own_fills_the_layer() -> None:
    """Totals, sums over labels and units, as they stand on the page."""
    found = read(AGENT_MAP, FIRST)
    expected = {
        "orchestration.requests": 127.0,
        "orchestration.errors": 7.0,
        "orchestration.inflight": 11.0,
        "orchestration.queue_depth": 5.0,
        "orchestration.workers": pytest.approx(0.37),
        "orchestration.llm_tokens": 1000.0,
    }
    assert {name: found[name] for name in expected} == expected
    assert found["orchestration.latency.p95"] is Missing.WARMING_UP


def test_two_pages_give_quantiles_and_ratios_in_base_units() -> None:
    """50 tasks between the pages: 40 up to 100 ms, 10 up to 250 ms, 5,500 ms in all; 4,000 tokens."""
    found = read(AGENT_MAP, FIRST, SECOND)
    assert found["orchestration.latency.p50"] == pytest.approx(0.1 * 25 / 40)
    assert found["orchestration.latency.mean"] == pytest.approx(0.11)
    assert found["orchestration.tokens_per_task"] == pytest.approx(80.0)
    assert found["orchestration.llm_call_latency.mean"] == pytest.approx(1.5)


def test_a_quantile_may_be_given_under_its_own_name() -> None:
    """From a summary, in its unit."""
    page = 't_ms{quantile="0.95"} 400\nt_ms{quantile="0.5"} 9\n'
    mapping = '"orchestration.latency.p95" = { metric = "t_ms", where = { quantile = "0.95" }, unit = "ms" }'
    assert read(mapping, page)["orchestration.latency.p95"] == pytest.approx(0.4)


def test_of_several_series_for_one_quantile_the_worst_counts() -> None:
    """A mean of quantiles would be none."""
    page = 't_ms{quantile="0.95",pool="a"} 250\nt_ms{quantile="0.95",pool="b"} 400\n'
    mapping = '"orchestration.latency.p95" = { metric = "t_ms", where = { quantile = "0.95" }, unit = "ms" }'
    assert read(mapping, page)["orchestration.latency.p95"] == pytest.approx(0.4)


def test_several_series_for_a_derived_ratio_are_folded_as_the_dictionary_says() -> None:
    """Not the first alone."""
    page = 'r{pool="a"} 2\nr{pool="b"} 4\n'
    found = read('"orchestration.llm_calls_per_task" = "r"', page)
    assert found["orchestration.llm_calls_per_task"] == 3.0


def test_a_counter_that_comes_with_its_first_event_may_count_as_0() -> None:
    """While the counter beside it is there."""
    mapping = '"orchestration.errors" = { metric = "failed_total", zero_with = "done_total" }'
    assert read(mapping, "done_total 3\n")["orchestration.errors"] == 0.0


def test_a_page_without_any_mapped_name_says_so() -> None:
    """As a remark, with how to look."""
    page = TargetPage("h:1", (), DEFAULT, "agents", layer=ORCHESTRATOR)
    page.take(own_adapter(SERVICE, rows('"orchestration.requests" = "x"'), DEFAULT))
    batch = page.batch(Poll(b"other 1\n", openmetrics=False, t=0.0, wall=0.0, took_s=0.0, cadence_s=1.0))
    assert "targets probe" in " ".join(batch.notes)


TEXTS = st.sampled_from(["done_total", "t_bucket", "~[", "%", "ms", "", "x y", "é"])
KEYS = st.sampled_from(["metric", "where", "unless", "unit", "scale", "part", "zero_with", "no"])
VALUES = st.recursive(
    TEXTS | st.integers() | st.floats() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)
NAMES = st.sampled_from([entry.name for entry in DEFAULT.entries if entry.name.startswith("orchestration.")])


@given(st.dictionaries(NAMES | NAMES.map(lambda name: f"{name}.p95") | st.text(max_size=5), VALUES, max_size=3))
@settings(max_examples=300)
def test_any_mapping_is_an_adapter_or_one_line(mapping: dict[str, Any]) -> None:
    """Nothing else comes out, and what comes out can read a page."""
    try:
        made = own_adapter(SERVICE, mapping, DEFAULT)
    except MappingError as error:
        assert "\n" not in str(error)  # noqa: PT017 - many are refused, some are good
        return
    page = TargetPage("h:1", (), DEFAULT, "agents", layer=ORCHESTRATOR)
    page.take(made)
    poll = Poll(FIRST.encode(), openmetrics=False, t=0.0, wall=0.0, took_s=0.0, cadence_s=1.0)
    assert page.batch(poll).error is None


BILL_MAP = """
"orchestration.requests" = "runs_total"
"orchestration.llm_calls" = "llm_calls_total"
"orchestration.tool_call_time" = { metric = "tool_ms", unit = "ms" }
"orchestration.retrieval_time" = "search_seconds"
"orchestration.context_build_time" = "build_seconds"
"orchestration.llm_prompt_length" = "prompt_tokens"
"""
_SUMMARIES = (("tool_ms", 40, 12000), ("search_seconds", 20, 3), ("build_seconds", 60, 1.2))


def bill_page(share: float) -> str:
    """What an agent of its own instrumentation has after so many tens of tasks."""
    lines = [f"runs_total {10 * share}", f"llm_calls_total {60 * share}"]
    for name, count, total in _SUMMARIES:
        lines += [f"{name}_count {count * share}", f"{name}_sum {total * share}"]
    for bound, count in (("500", 20), ("1000", 40), ("4000", 60), ("+Inf", 60)):
        lines.append(f'prompt_tokens_bucket{{le="{bound}"}} {count * share}')
    return "\n".join([*lines, f"prompt_tokens_count {60 * share}", f"prompt_tokens_sum {90000 * share}"]) + "\n"


def test_the_bill_of_an_agent_may_be_mapped() -> None:
    """Calls, tools, retrieval, building and prompts of ten tasks, under any names."""
    found = read(BILL_MAP, bill_page(0), bill_page(1))
    expected = {
        "llm_calls_per_task": 6.0,
        "tool_calls_per_task": 4.0,
        "tool_call_time.mean": 0.3,
        "retrievals_per_task": 2.0,
        "retrieval_time.mean": 0.15,
        "context_builds_per_task": 6.0,
        "context_build_time.mean": 0.02,
        "llm_prompt_length.mean": 1500.0,
        "context_growth": pytest.approx(3100 / 150),
    }
    assert {name: found[f"orchestration.{name}"] for name in expected} == pytest.approx(expected)
