"""Tests of the time bill: what each part is made of, what is said of parts that are not seen, and its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import plain_text, width
from perfconsole.view.glyphs import ASCII, UNICODE, Glyphs
from perfconsole.view.picture import Picture
from perfconsole.view.timebill import Part, bill, busiest, time_bill
from tests.view.pictures import ENGINE, indicator, snapshot
from tests.view.serving import AGENT, GATEWAY, indicators, serving

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Indicator
    from tests.view.serving import Values

FRONT: Values = {"gateway.overhead.mean": 0.012, "gateway.ttft.mean": 1.7}
TASK: Values = {
    "orchestration.latency.mean": 26.0,
    "orchestration.llm_call_latency.mean": 2.4,
    "orchestration.llm_calls_per_task": 8.0,
}


def _parts(*more: Indicator, less: tuple[str, ...] = ()) -> dict[str, Part]:
    found = bill(serving(more=more, less=less))
    assert found is not None
    return {part.kind: part for part in found.parts}


def _text(columns: int, *more: Indicator) -> str:
    return plain_text(time_bill(serving(more=more), columns))


def test_the_busiest_engine_is_billed() -> None:
    """The one with most requests running and waiting."""
    idle = Entity(Kind.ENGINE, "a:1")
    assert busiest(serving(more=[indicator("engine.requests_running", 3.0, idle)])) == ENGINE


def test_parts_of_the_engine_are_its_own_means() -> None:
    """Medians do not add up; means do."""
    parts = _parts()
    assert [parts[kind].value for kind in ("queue", "prefill", "decode")] == [1.5, 0.03, 0.7]


def test_what_the_first_token_takes_beside_queue_and_prefill_is_outside() -> None:
    """Without a gateway it is the front-end of the engine."""
    assert _parts()["outside"].seconds == pytest.approx(0.07)


def test_the_gateway_sees_more_of_the_first_token() -> None:
    """Its time to the first token counts, less what it is billed for itself."""
    parts = _parts(*indicators(FRONT, GATEWAY))
    assert parts["outside"].seconds == pytest.approx(1.7 - 1.53 - 0.012)


def test_a_gateway_without_a_figure_of_its_own_is_a_difference() -> None:
    """Its latency less the engine's."""
    parts = _parts(*indicators({"gateway.latency.mean": 2.5}, GATEWAY))
    assert parts["gateway"].seconds == pytest.approx(0.2)


def test_a_difference_below_zero_is_never_shown_as_negative() -> None:
    """The means cover different requests then; it is small, not negative."""
    parts = _parts(*indicators({"gateway.latency.mean": 2.0}, GATEWAY))
    assert (parts["gateway"].seconds, parts["gateway"].words()) == (0.0, "<1 ms")


def test_a_task_is_spread_over_its_calls() -> None:
    """26 s in eight calls of 2.4 s leave 0.85 s beside each."""
    assert _parts(*indicators(TASK, AGENT))["orchestration"].seconds == pytest.approx(0.85)


def test_without_the_number_of_calls_nothing_is_guessed() -> None:
    """One call and twenty would differ by twenty times."""
    task: Values = {**TASK, "orchestration.llm_calls_per_task": Missing.WARMING_UP}
    assert _parts(*indicators(task, AGENT))["orchestration"].value == "calls per task not known"


def test_the_calls_of_a_task_are_said() -> None:
    """An agent multiplies what the engine sees."""
    assert "one task = 8 engine calls" in _text(200, *indicators(TASK, AGENT))


def test_a_layer_that_nobody_watches_is_not_seen() -> None:
    """It is not 0."""
    assert _text(160).splitlines()[0].rstrip().endswith("| gateway, agents not seen")


def test_what_is_not_seen_comes_last() -> None:
    """Known parts stand together, whatever their order in the life of a request."""
    first = _text(160, *indicators(FRONT, GATEWAY)).splitlines()[0].split(" | ")
    assert [part.split()[0] for part in first] == ["TIME", "outside", "queue", "prefill", "decode", "agents"]


def test_what_stands_before_the_engine_decides_the_name_of_the_rest() -> None:
    """Without a gateway it is the front-end of the engine; `out` would read like output."""
    assert "front-end 70 ms" in _text(120)
    assert "outside engine 158 ms" in _text(160, *indicators(FRONT, GATEWAY))


def test_a_missing_part_shows_its_reason() -> None:
    """The engine does not export it."""
    assert _parts(indicator("engine.prefill_time.mean", Missing.NOT_EXPORTED))["prefill"].words() == "not exported"


def test_without_prefill_the_rest_of_the_first_token_is_named_so() -> None:
    """It would be wrong to call all of it outside."""
    parts = _parts(indicator("engine.prefill_time.mean", Missing.NOT_EXPORTED))
    assert parts["outside"].label == "rest of TTFT"
    assert parts["outside"].seconds == pytest.approx(0.1)


def test_decode_is_what_follows_the_first_token() -> None:
    """Where the engine has no figure for it."""
    assert _parts(less=("engine.decode_time.mean",))["decode"].seconds == pytest.approx(0.7)


def test_the_kind_of_mean_and_the_total_are_said() -> None:
    """p50 and p95 of the whole stand beside."""
    text = _text(120)
    assert "mean of the last minute" in text
    assert "total p50 2.2 s p95 4.4 s at the engine" in text


def test_the_gateway_gives_the_total_where_it_has_one() -> None:
    """It is nearer to the caller."""
    total: Values = {"gateway.latency.p50": 2.3, "gateway.latency.p95": 4.6}
    assert "total p50 2.3 s p95 4.6 s at the gateway" in _text(160, *indicators(total, GATEWAY))


def test_the_bar_is_to_scale() -> None:
    """Queue is about two thirds of the request and of the bar."""
    bar = plain_text(time_bill(serving(glyphs=ASCII), 200)).splitlines()[1].rstrip()
    queue = bar.rindex("q") - bar.index("q") + 1
    assert queue / len(bar.partition("  mean")[0]) == pytest.approx(1.5 / 2.3, abs=0.03)


def test_80_columns_show_all_known_parts() -> None:
    """With one unit in front rather than names cut short."""
    first = _text(80, *indicators({**FRONT}, GATEWAY), *indicators(TASK, AGENT)).splitlines()[0]
    assert first == "BILL ms  gateway 12|agents 850|outside 158|queue 1500|prefill 30|decode 700"


def test_a_long_request_is_in_seconds() -> None:
    """`decode 125000` would have to be counted."""
    first = _text(80, indicator("engine.decode_time.mean", 125.0)).splitlines()[0].rstrip()
    assert first == "BILL s  front-end 0.07|queue 1.5|prefill 0.03|decode 125|gateway, agents not se…"


def test_no_engine_is_said() -> None:
    """A row stands there anyway."""
    assert "no engine is watched" in plain_text(time_bill(Picture(snapshot(entities=()), DEFAULT), 80))


@given(
    st.integers(1, 250),
    st.dictionaries(
        st.sampled_from((*FRONT, *TASK, "gateway.latency.mean", "engine.e2e.mean", "engine.ttft.mean")),
        st.floats(0, 1e5) | st.sampled_from(Missing),
    ),
    st.sampled_from((UNICODE, ASCII)),
)
def test_rows_keep_to_the_columns(columns: int, values: Values, glyphs: Glyphs) -> None:
    """One or two rows of exactly the columns, without a negative figure, whatever is known."""
    owner = {"gateway": GATEWAY, "orchestration": AGENT, "engine": ENGINE}
    more = [indicator(n, v, owner[n.partition(".")[0]]) for n, v in values.items()]
    rows = time_bill(serving(more=more, glyphs=glyphs), columns)
    assert {width(row) for row in rows} == {columns}
    assert len(rows) in (1, 2)
    assert " -" not in plain_text(rows)
    assert glyphs is UNICODE or plain_text(rows).isascii()


WORK: Values = {
    "orchestration.tool_calls_per_task": 8.0,
    "orchestration.tool_call_time.mean": 0.5,
    "orchestration.retrievals_per_task": 2.0,
    "orchestration.retrieval_time.mean": 0.4,
}


def test_tools_are_billed_apart_from_the_agents() -> None:
    """4 s of tools and 0.8 s of retrieval are 0.6 s of the 0.85 s beside each of eight calls."""
    parts = _parts(*indicators({**TASK, **WORK}, AGENT))
    assert parts["aside"].seconds == pytest.approx(0.6)
    assert parts["orchestration"].seconds == pytest.approx(0.25)
    assert "tools etc. 600 ms" in _text(200, *indicators({**TASK, **WORK}, AGENT))


def test_one_kind_of_work_has_its_own_name() -> None:
    """Nothing else is in it."""
    one = {n: v for n, v in WORK.items() if "retrieval" in n}
    assert _parts(*indicators({**TASK, **one}, AGENT))["aside"].label == "retrieval"


@pytest.mark.parametrize("gone", ["orchestration.llm_calls_per_task", "orchestration.tool_calls_per_task"])
def test_work_that_cannot_be_spread_is_not_billed(gone: str) -> None:
    """It stays in what the agents take."""
    tools = {n: v for n, v in WORK.items() if "tool" in n}
    assert "aside" not in _parts(*indicators({**TASK, **tools, gone: Missing.WARMING_UP}, AGENT))


def test_80_columns_have_tools_and_agents_in_one() -> None:
    """Rather than a part cut off at the end."""
    known = (*indicators(FRONT, GATEWAY), *indicators({**TASK, **WORK}, AGENT))
    first = _text(80, *known).splitlines()[0]
    assert first == "BILL ms  gateway 12|agents 850|outside 158|queue 1500|prefill 30|decode 700"
