"""Tests of the words about whom a gateway calls."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.sample import Missing
from perfconsole.view.upstreamwords import called, known_share, lost_words, upstream_lines, upstreams_of, words
from tests.view.test_upstreams import BUSY, CALM, DEAD, GATEWAY, snapshot


def test_a_target_is_called_by_its_own_name() -> None:
    """With the name of the configuration behind it where that says something else."""
    assert [called(u) for u in (BUSY, CALM, DEAD)] == [
        "vllm:8001",
        "vllm:8002 (engines/b)",
        "10.0.0.3:8000 (engines/c)",
    ]


def test_a_report_has_one_line_with_all_of_them() -> None:
    """The unhealthy one first, then by share."""
    (line,) = upstream_lines(snapshot(CALM, BUSY, DEAD), GATEWAY)
    assert line.startswith("to 10.0.0.3:8000 (engines/c) 0% 0 requests/s unhealthy")
    assert "vllm:8001 90% 3 requests/s 12 in flight, vllm:8002 (engines/b) 10%" in line


def test_a_report_says_nothing_of_a_page_that_names_none() -> None:
    """No line, and no zero."""
    assert upstream_lines(snapshot(), GATEWAY) == []


def test_those_that_are_lost_are_named() -> None:
    """By place and name, and no other one."""
    lost = snapshot(BUSY, CALM, DEAD)
    assert lost_words(lost, GATEWAY) == "10.0.0.3:8000 (engines/c) unhealthy"
    assert lost_words(snapshot(BUSY, CALM), GATEWAY) == ""


def test_another_gateway_has_its_own() -> None:
    """What one sends is not what the other sends."""
    assert upstreams_of(snapshot(BUSY), GATEWAY._replace(name="other")) == []


def test_what_is_missing_is_left_out() -> None:
    """The share of one that nothing was sent to is not known, and counts as none in the order."""
    quiet = replace(BUSY, share=Missing.NEVER, rate=Missing.WARMING_UP, inflight=Missing.NOT_EXPORTED)
    assert words(quiet) == ["nothing sent yet"]
    assert known_share(quiet) == 0.0


def test_a_name_for_several_hosts_may_be_healthy_in_part() -> None:
    """As a cluster of Envoy is."""
    bare = replace(DEAD, inflight=Missing.NOT_EXPORTED)
    said = [words(replace(bare, healthy=ratio))[-1] for ratio in (0.0, 0.5, 1.0)]
    assert said == ["unhealthy", "50% healthy", "healthy"]
