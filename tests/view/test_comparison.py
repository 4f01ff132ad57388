"""What a finding was compared with, and where that comes from."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Baseline, Indicator, Snapshot
from perfconsole.view.comparison import baselines_of, comparison_words
from perfconsole.view.report_json import report
from perfconsole.view.report_text import report_lines
from tests.view.pictures import ENGINE, finding, indicator, reading, snapshot

TTFT = "engine.ttft.p95"
SAVED = Baseline(0.4, "saved profile of 2026-11-30 (45 min)")
OTHER = Entity(Kind.ENGINE, "vllm:9000")
LATE = finding(readings=(reading(f"{TTFT} > 2 * base({TTFT})", (TTFT, 1.2), (f"base({TTFT})", 0.4)),))


def seen(*baselines: tuple[Entity, Baseline | None]) -> Snapshot:
    """A late engine, with healthy values."""
    shown = tuple(late(e, b) for e, b in baselines)
    return snapshot(entities=(ENGINE, OTHER), indicators=shown, findings=(LATE,))


def late(entity: Entity, baseline: Baseline | None) -> Indicator:
    """Its first tokens beside their healthy value."""
    return indicator(TTFT, 1.2, entity)._replace(baseline=baseline)


def test_a_comparison_names_value_and_source() -> None:
    """Both beside the condition."""
    (words,) = comparison_words(LATE, seen((ENGINE, SAVED)))
    assert words == "base(engine.ttft.p95) 400 ms, saved profile of 2026-11-30 (45 min)"


def test_the_entity_itself_goes_before_a_neighbour() -> None:
    """Two engines of one healthy value have two sources."""
    twin = Baseline(0.4, "lifetime at first scrape")
    for order in (((OTHER, twin), (ENGINE, SAVED)), ((ENGINE, SAVED), (OTHER, twin))):
        assert baselines_of(LATE, seen(*order))[TTFT] == SAVED


def test_a_value_of_another_size_is_not_the_one() -> None:
    """The neighbour's healthy value was not read."""
    assert baselines_of(LATE, seen((OTHER, Baseline(9.0, "x")))) == {}


def test_what_is_not_compared_has_nothing_to_name() -> None:
    """Nor has a baseline that is missing."""
    plain = finding(readings=(reading("engine.ttft.p95 > 1.5s", (TTFT, 1.8)),))
    missing = finding(readings=(reading("x", (f"base({TTFT})", Missing.NO_BASELINE)),))
    for each in (plain, missing):
        assert baselines_of(each, seen((ENGINE, SAVED))) == {}


def test_the_report_says_it_in_text_and_json() -> None:
    """A line below the conditions, a key of the finding."""
    shown = seen((ENGINE, SAVED))
    assert any(line.text.strip().startswith("compared with") for line in report_lines(shown, host="h", took_s=1.0))
    (document,) = report(shown, version="0", host="h", took_s=1.0)["findings"]
    assert document["baselines"] == {TTFT: {"value": 0.4, "kind": SAVED.kind}}


def test_without_a_comparison_there_is_no_line() -> None:
    """Most findings have none."""
    bare = replace(seen((ENGINE, SAVED)), findings=(finding(),))
    assert not any("compared with" in line.text for line in report_lines(bare, host="h", took_s=1.0))
