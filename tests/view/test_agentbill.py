"""Tests of the bill of a task: what is counted, what is shown of it, and what is said of the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.agentbill import WORK, agent_bill
from perfconsole.view.canvas import Cursor, plain_text, width
from perfconsole.view.layerpage import layer_page
from tests.view.pictures import indicator
from tests.view.serving import AGENT, Values, indicators, serving

TASK: Values = {"orchestration.latency.mean": 10.0, "orchestration.latency.p95": 24.0}
CALLS: Values = {
    "orchestration.llm_calls_per_task": 5.0,
    "orchestration.llm_call_latency.mean": 1.2,
    "orchestration.llm_call_latency.p95": 3.0,
}
TOOLS: Values = {
    "orchestration.tool_calls_per_task": 4.0,
    "orchestration.tool_call_time.mean": 0.5,
    "orchestration.tool_call_time.p95": 0.9,
}
TOKENS: Values = {
    "orchestration.tokens_per_task": 18400.0,
    "orchestration.llm_prompt_length.mean": 3100.0,
    "orchestration.llm_prompt_length.p95": 9000.0,
    "orchestration.context_growth": 4.1,
}
GONE: Values = {
    name: Missing.NOT_EXPORTED for _, count, each in WORK for name in (count, f"{each}.mean", f"{each}.p95")
}


def lines(values: Values, columns: int = 80) -> list[str]:
    """The bill as text, blanks at the ends left out."""
    picture = serving(more=indicators({**GONE, **values}, AGENT))
    return [line.rstrip() for line in plain_text(agent_bill(picture, AGENT, columns)).splitlines()]


def test_each_kind_of_work_has_count_mean_tail_and_share() -> None:
    """Five calls of 1.2 s are 60 % of ten seconds."""
    shown = lines({**TASK, **CALLS, **TOOLS})
    assert shown[0] == "A TASK  agent.py  mean 10 s  p95 24 s  counts of 5 min, times of 1 min"
    assert shown[1].split() == [
        "model",
        "calls",
        "5",
        "a",
        "task",
        "mean",
        "1.2",
        "s",
        "p95",
        "3",
        "s",
        "60%",
        "of",
        "its",
        "time",
    ]
    assert shown[2].split() == [
        "tool",
        "calls",
        "4",
        "a",
        "task",
        "mean",
        "500",
        "ms",
        "p95",
        "900",
        "ms",
        "20%",
        "of",
        "its",
        "time",
    ]


def test_what_is_not_exported_says_so_beside_what_is_left() -> None:
    """Two seconds of ten are nothing that is known."""
    assert lines({**TASK, **CALLS, **TOOLS})[3] == "retrieval, context building not exported  all else 2 s, 20%"


def test_nothing_known_is_one_row() -> None:
    """With the reason."""
    assert lines(TASK) == ["A TASK  model calls, tool calls, retrieval, context building not exported"]


def test_what_no_source_speaks_of_is_not_exported() -> None:
    """A process without a page says nothing, which is not the same as nothing done."""
    rows = agent_bill(serving(), AGENT, 80)
    assert plain_text(rows).rstrip().endswith("retrieval, context building not exported")


def test_work_side_by_side_may_sum_to_more_than_the_task() -> None:
    """A fan-out: that is no mistake, and no negative rest."""
    both: Values = {**CALLS, "orchestration.llm_calls_per_task": 12.0}
    assert lines({**TASK, **both})[2].endswith("1.44x in sum, side by side")


def test_a_sum_that_is_a_little_over_leaves_nothing() -> None:
    """Counts and times are those of different minutes."""
    both: Values = {**CALLS, "orchestration.llm_calls_per_task": 8.5}
    assert lines({**TASK, **both})[2].endswith("  nothing else")


def test_calls_counted_at_the_engines_have_no_duration() -> None:
    """Their number is known all the same."""
    shown = lines({**TASK, "orchestration.llm_calls_per_task": 5.0})
    assert " ".join(shown[1].split()) == "model calls 5 a task duration not exported"


def test_a_tail_below_the_mean_is_not_shown() -> None:
    """Buckets that end at one second cannot tell it."""
    assert "p95" not in lines({**TASK, "orchestration.latency.p95": 1.0, **CALLS})[0]


def test_tokens_and_the_growth_of_prompts_close_it() -> None:
    """What is missing of them has its reason."""
    assert (
        lines({**TASK, **CALLS, **TOKENS})[-1] == "tokens a task 18400  prompt mean 3100  p95 9000  context growth 4.1x"
    )
    few = {**TOKENS, "orchestration.context_growth": Missing.WARMING_UP}
    assert lines({**TASK, **CALLS, **few})[-1].endswith("context growth warming up")


@given(
    st.integers(1, 200),
    st.dictionaries(
        st.sampled_from([*TASK, *CALLS, *TOOLS, *TOKENS]), st.floats(0, 1e6) | st.sampled_from(Missing), max_size=12
    ),
)
def test_rows_keep_to_the_columns(columns: int, values: Values) -> None:
    """Whatever is known."""
    rows = agent_bill(serving(more=indicators({**GONE, **values}, AGENT)), AGENT, columns)
    assert {width(row) for row in rows} == {columns}


def test_the_page_bills_the_orchestrator_under_the_cursor() -> None:
    """The first one otherwise."""
    other = Entity(Kind.ORCHESTRATOR, "other.py")
    more = [*indicators({**TASK, **CALLS}, AGENT), *indicators({**TASK, **CALLS}, other)]
    picture = serving(more=more)
    first = plain_text(layer_page(picture, "orchestration", Cursor(), 80, 24).rows)
    assert "A TASK  agent.py" in first
    cursor = Cursor(("indicator", "orchestration.latency.p95", str(other)))
    assert "A TASK  other.py" in plain_text(layer_page(picture, "orchestration", cursor, 80, 24).rows)


@pytest.mark.parametrize("height", [8, 12, 24, 40])
def test_the_list_keeps_its_room(height: int) -> None:
    """The bill takes half of the page at most."""
    picture = serving(more=[*indicators({**TASK, **CALLS, **TOOLS, **TOKENS}, AGENT), indicator("engine.up", 1.0)])
    page = layer_page(picture, "orchestration", Cursor(), 80, height)
    assert len(page.rows) == height
    assert page.hits
