"""Tests of what is said of one metrics page: its document for scripts and its lines for people."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

from perfconsole.view.pagereport import PageReport, page_json, page_lines
from tests.view.readpages import AGENTS, ERRORS, P50, P95, REQUESTS, WORKERS, family, report


def text(found: PageReport) -> list[str]:
    """Its lines without styles."""
    return [line.text for line in page_lines(found)]


def row(found: PageReport, name: str) -> str:
    """What stands behind a name, in its one line."""
    (line,) = [line for line in text(found) if line.split()[:1] == [name]]
    return line.split(None, 1)[1]


def test_the_document_has_exactly_its_keys() -> None:
    """Finite values apart from what is missing."""
    found = report(indicators=(REQUESTS, ERRORS), unmapped=(family("x_total", "counter"),))
    assert page_json(found) == {
        "schema": 1,
        "adapter": "agents",
        "layer": "orchestration",
        "version": None,
        "indicators": [
            {"name": "orchestration.requests", "entity": "orchestrator/agents", "value": 127.0, "unit": "requests"}
        ],
        "missing": [{"name": "orchestration.errors", "reason": "not-exported"}],
        "unmapped": ["x_total"],
    }


def test_a_value_that_json_cannot_hold_is_missing() -> None:
    """Infinity is no number for scripts."""
    document = page_json(report(indicators=(REQUESTS._replace(value=inf),)))
    assert json.loads(json.dumps(document, allow_nan=False))["missing"] == [
        {"name": "orchestration.requests", "reason": "never"}
    ]


def test_values_are_said_with_their_unit() -> None:
    """Also where a screen lets the name say it."""
    found = report(indicators=(REQUESTS, WORKERS))
    assert (row(found, "orchestration.requests"), row(found, "orchestration.workers")) == ("127 requests", "37%")


def test_between_two_pages_only_what_is_computed_is_of_the_time_between() -> None:
    """A counter stays the total that the page has."""
    heads = [next(line for line in text(report(two=two)) if line.startswith("FILLS")) for two in (False, True)]
    assert heads == [
        "FILLS      0 indicators (counters are totals)",
        "FILLS      0 indicators (counters are totals, rates and quantiles are over 60 s)",
    ]


def test_parts_are_said_where_they_have_names() -> None:
    """Series that are numbered for lack of them are not."""
    named = REQUESTS._replace(parts=(("part=failed", 7.0), ("part=answered", 120.0)))
    numbered = REQUESTS._replace(parts=(("rank=0", 7.0), ("rank=0,series=1", 120.0)))
    listed = REQUESTS._replace(parts=(("", 7.0), ("part=1", 120.0)))
    assert any("part=failed 7" in line for line in text(report(indicators=(named,))))
    assert not any("=" in line for line in text(report(indicators=(numbered, listed))))


def test_an_entity_is_named_where_there_are_several() -> None:
    """A rank beside its engine."""
    found = report(indicators=(REQUESTS, WORKERS._replace(entity=AGENTS._replace(name="other"))))
    assert row(found, "orchestration.workers").endswith("orchestrator/other")


def test_quantiles_that_lack_for_one_reason_are_one_line() -> None:
    """With what to do, and what they are over the life of the process."""
    lines = text(report(indicators=(P50, P95)))
    own = [line for line in lines if "orchestration.latency" in line]
    assert len(own) == 2
    assert "p50 200 ms, p95 400 ms since its process began" in own[0]
    assert "warming up: takes two pages, see --previous" in own[1]


def test_with_two_pages_nobody_is_asked_for_a_second_one() -> None:
    """Then too little happened."""
    found = report(indicators=(P50,), two=True)
    assert "too little happened" in row(replace(found, indicators=(P50._replace(lifetime=None),)), P50.name)


def test_why_something_is_missing_is_said_in_words() -> None:
    """The reason by its name, and what it means for a page."""
    assert row(report(indicators=(ERRORS,)), "orchestration.errors") == "not exported: not on the page"


def test_a_page_that_nobody_knows_shows_its_series() -> None:
    """And no empty list of indicators."""
    lines = text(replace(report(unmapped=(family("x", "gauge"),)), adapter=None, layer=None))
    assert "none knows this page" in lines[1]
    assert not any(line.startswith("FILLS") for line in lines)
    assert any(line.split()[:3] == ["x", "gauge,", "1"] for line in lines)


def test_a_page_of_comments_has_nothing_to_map() -> None:
    """It is a page, and says nothing."""
    assert text(replace(report(), adapter=None, layer=None, series=0))[1:] == [
        "adapter    none: there is no series on this page"
    ]


def test_long_lists_are_cut() -> None:
    """Of names and of labels, with how many more there are."""
    labels = {f"l{n}": ("v",) for n in range(6)}
    many = tuple(family(f"x{n}", "gauge", labels=labels) for n in range(70))
    lines = text(report(unmapped=many))
    assert lines[-1].strip().startswith("and 10 more")
    assert "by l0, l1, l2, l3 and 2 more" in lines[-2]
    assert len(page_json(report(unmapped=many))["unmapped"]) == 70


def test_remarks_about_the_page_are_said() -> None:
    """Each in a line."""
    assert "note       it is odd" in text(replace(report(), notes=("it is odd",)))
