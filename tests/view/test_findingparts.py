"""Tests of the blocks of a finding's page, one by one; test_findingpage.py has them together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.finding import Finding, RuledOut, State, Truth, Verdict
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Hit, plain_text
from perfconsole.view.findingparts import (
    about_block,
    charts_words,
    closing_blocks,
    condition_blocks,
    excluded_blocks,
    headed,
)
from perfconsole.view.glyphs import ASCII, UNICODE
from perfconsole.view.picture import Picture
from perfconsole.view.scrolling import Block, Paper
from tests.diagnose.judging import rule
from tests.view.pictures import ENGINE, HOST, finding, indicator, reading, snapshot
from tests.view.serving import waves

PAPER = Paper(110, ASCII)
KV = "engine.kv_cache_usage"


def _picture(*findings: Finding, **changes: object) -> Picture:
    shown = {"findings": findings, "indicators": (indicator(KV, 0.52),), **changes}
    return Picture(snapshot(**shown), DEFAULT, waves, ASCII)


def _words(*blocks: Block) -> list[str]:
    return [" ".join(line.split()) for b in blocks for line in plain_text(b.rows).split("\n")]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.PENDING, "pending: true so far, for 40 s"),
        (State.FIRING, "firing for 40 s"),
        (State.UNDECIDED, "undecided: lost its data; it began 40 s ago"),
        (State.CLEARING, "clearing: no longer true, and soon off the list; it began 40 s ago"),
    ],
)
def test_every_state_is_told_in_a_sentence(state: State, words: str) -> None:
    """With how long it goes on."""
    of = finding(state=state)
    assert f"WHAT IS WRONG engine/vllm:8000, {words}" in _words(about_block(of, _picture(of), PAPER))


def test_a_pending_finding_shows_how_far_its_hold_is() -> None:
    """As a bar that fills."""
    of = finding(state=State.PENDING, readings=(reading("x", truth=Truth.UNKNOWN, held=(30.0, 60.0)),))
    first, *_ = _words(about_block(of, _picture(of), PAPER))
    assert first.endswith("pending 30 of 60 s [#####-----] true so far, not yet long enough")


@pytest.mark.parametrize(("verdict", "words"), [(Verdict.LIKELY, "excluded"), (Verdict.POSSIBLE, "is not excluded")])
def test_the_verdict_says_what_it_means(verdict: Verdict, words: str) -> None:
    """The word alone would be a matter of taste."""
    of = finding(verdict=verdict, ruled_out=(RuledOut("other", "x > 1", ()),))
    assert any(f"{words}; 0 of 0" in line for line in _words(about_block(of, _picture(of), PAPER)))


@pytest.mark.parametrize(
    ("rank_class", "words"), [("memory", "nothing that looks alike is known"), ("symptom", "its cause is not known")]
)
def test_where_nothing_was_excluded_nothing_is_said_to_be(rank_class: str, words: str) -> None:
    """A symptom is there for sure, and says nothing of its cause."""
    of = finding(rank_class=rank_class, verdict=Verdict.LIKELY)
    assert any(words in line for line in _words(about_block(of, _picture(of), PAPER)))


def test_the_same_on_another_part_is_named_with_its_state() -> None:
    """Four processes of one engine under one quota are one headline."""
    parts = [Entity(Kind.PROCESS, str(pid)) for pid in (1, 2)]
    links = tuple(Link(Relation.ENGINE_HAS_PROCESS, ENGINE, part) for part in parts)
    head, again = (finding(entity=p, explained_by=by) for p, by in zip(parts, (None, finding().rule), strict=True))
    picture = _picture(head, again, links=links)
    assert any(line.startswith("the same on process/2") for line in _words(about_block(head, picture, PAPER)))


def test_what_it_explains_is_named_where_it_touches() -> None:
    """And what it explains elsewhere is not."""
    near, far = (finding("ttft", entity=e, explained_by="admission-cap") for e in (ENGINE, HOST))
    of = finding()
    words = _words(about_block(of, _picture(of, near, far), PAPER))
    assert [w for w in words if w.startswith("explains")] == ["explains ttft: Title of ttft engine/vllm:8000"]
    linked = _picture(of, far, links=(Link(Relation.HOST_HAS, HOST, ENGINE),))
    assert "explains ttft: Title of ttft host/gpu-07" in _words(about_block(of, linked, PAPER))


def test_a_branch_that_is_not_needed_is_not_met() -> None:
    """The condition holds: nothing is short. What has no value stands last."""
    condition = f"gateway.queue_depth > 5 or engine.requests_waiting > 0 or {KV} > 40%"
    operands = (("gateway.queue_depth", Missing.NEVER), ("engine.requests_waiting", 0.0), (KV, 0.52))
    of = finding(readings=(reading(condition, *operands),))
    words = _words(*condition_blocks(of, _picture(of), PAPER))[1:]
    assert words[0].startswith("requests_waiting 0 > 0: not met")
    assert words[1].startswith("kv_cache_usage 52% > 40%, margin 12 points")
    assert words[2].startswith("gateway.queue_depth nothing observed > 5: cannot be")


@pytest.mark.parametrize(("columns", "chart"), [(78, 16), (118, 21), (160, 60)])
def test_wide_paper_has_wide_charts(columns: int, chart: int) -> None:
    """The words beside them keep what an 80-column screen gives them."""
    of = finding(since=-500.0, readings=(reading(f"{KV} < 80%", (KV, 0.52)),))
    (block,) = condition_blocks(of, replace(_picture(of), started=-500.0), Paper(columns, UNICODE))
    assert max(len(span.text) for r in block.rows for span in r if span.style == "spark") == chart


def test_a_condition_shows_its_margin_and_a_chart() -> None:
    """And opens the indicator that it reads."""
    of = finding(readings=(reading(f"{KV} < 80%", (KV, 0.52)),))
    (block,) = condition_blocks(of, _picture(of), PAPER)
    words = _words(block)
    assert words[0] == f"yes {KV} < 80%"
    assert words[1].startswith("kv_cache_usage 52% < 80%, margin 28 points")
    assert any(span.style == "spark" for r in block.rows for span in r)
    assert block.hits[0].target == ("indicator", KV, str(ENGINE))


def test_one_indicator_has_one_chart() -> None:
    """However many conditions read it."""
    of = finding(readings=(reading(f"{KV} < 80%", (KV, 0.52)), reading(f"{KV} > 10%", (KV, 0.52))))
    first, second = condition_blocks(of, _picture(of), PAPER)
    assert not any(span.style == "spark" for r in second.rows for span in r)
    assert any(span.style == "spark" for r in first.rows for span in r)


def test_the_time_of_the_charts_is_said_once() -> None:
    """Above the conditions."""
    of = finding()
    assert "charts: the last 2 min" in charts_words(of, _picture(of))


def test_a_block_below_a_heading_keeps_its_hits() -> None:
    """One row further down."""
    block = Block(("part", "x"), ((),), (Hit(0, 0, 5, ("key", "x")),))
    below = headed("WHY", "because", block, PAPER)
    assert (_words(below)[0], below.hits[0].y, below.target) == ("WHY because", 1, block.target)


def test_rivals_stand_with_the_values_that_deny_them() -> None:
    """And what is open with what is lacking, and who has it."""
    out = RuledOut("rival", f"{KV} >= 80%", ((KV, 0.52),))
    of = finding(ruled_out=(out,), not_ruled_out=(("gpu.dram_active", Missing.UNSUPPORTED),))
    assert _words(*excluded_blocks(of, _picture(of), PAPER)) == [
        "WHAT ELSE IT COULD BE 1 open, 1 ruled out",
        "not ruled out for lack of gpu.dram_active (unsupported, from NVML or metrics page)",
        f"ruled out rival, which needs {KV} >= 80%: kv_cache_usage 52%",
    ]


def test_a_rival_is_called_by_its_title() -> None:
    """Who does not know the rules does not know their ids."""
    of = finding(ruled_out=(RuledOut("rival", f"{KV} >= 80%", ((KV, 0.52),)),))
    picture = replace(_picture(of), rules=(rule("rival", title="Memory is full"),))
    words = _words(*excluded_blocks(of, picture, PAPER))
    assert words[-1] == f"ruled out Memory is full (rival), which needs {KV} >= 80%: kv_cache_usage 52%"


def test_without_any_rival_that_is_said() -> None:
    """An empty part would look like an oversight."""
    of = finding()
    assert _words(*excluded_blocks(of, _picture(of), PAPER)) == [
        "WHAT ELSE IT COULD BE nothing that the values here suggest"
    ]


def test_a_rule_without_a_cause_says_so() -> None:
    """Nothing is made up."""
    of = finding(cause="")
    assert "cause not said by the rule" in _words(about_block(of, _picture(of), PAPER))


def test_remedies_and_evidence_close_the_page() -> None:
    """One block each."""
    of = finding(remedies=("a", "b"), evidence=((KV, 0.52),))
    assert _words(*closing_blocks(of, PAPER)) == [
        "remedies a",
        "b",
        "beside it kv_cache_usage 52%",
        "rule admission-cap (row S22)",
    ]
