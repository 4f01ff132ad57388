"""Tests of a team's overrides: what they change, and how a wrong one is named."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT, Entry


def overridden(name: str, tables: dict[str, object]) -> Entry:
    """Entry of `name` after these overrides."""
    entry = DEFAULT.with_overrides(tables).find(name)
    assert entry is not None
    return entry


def test_no_overrides_change_nothing() -> None:
    """An empty configuration leaves the dictionary as it is."""
    assert DEFAULT.with_overrides({}) == DEFAULT


def test_marks_and_owner_are_replaced() -> None:
    """All three keys take effect on the named indicator."""
    entry = overridden(
        "engine.error_ratio", {"engine.error_ratio": {"warn": "> 2%", "critical": "> 10%", "owner": "ml"}}
    )
    assert (entry.warn, entry.critical, entry.owner) == ("> 2%", "> 10%", "ml")


def test_keys_that_are_not_set_keep_their_default() -> None:
    """A table that moves the warning leaves the critical mark and the owner."""
    entry = overridden("engine.error_ratio", {"engine.error_ratio": {"warn": "> 2%"}})
    assert (entry.critical, entry.owner) == ("> 5%", "inference")


def test_other_indicators_stay() -> None:
    """Only the named indicator changes, and the original dictionary does not."""
    changed = DEFAULT.with_overrides({"engine.up": {"owner": "ml"}})
    assert [e.name for e, old in zip(changed.entries, DEFAULT.entries, strict=True) if e != old] == ["engine.up"]


def test_an_own_mark_says_whose_it_is() -> None:
    """The note names the team for what it set and keeps what the default rests on."""
    entry = overridden("client.dispatch_delay", {"client.dispatch_delay": {"warn": "p99 > 1s"}})
    assert entry.mark_note == "warn set by the team; default: incident 002"


def test_an_own_owner_leaves_the_note() -> None:
    """Handing an indicator to another team does not touch what its mark rests on."""
    assert overridden("client.dispatch_delay", {"client.dispatch_delay": {"owner": "x"}}).mark_note == "incident 002"


def test_a_suffix_in_the_name_stands_for_the_one_in_the_mark() -> None:
    """`engine.ttft.p95` with `> 1s` is the mark `p95 > 1s` of engine.ttft."""
    assert overridden("engine.ttft", {"engine.ttft.p95": {"warn": "> 1s"}}).warn == "p95 > 1s"


def test_two_suffixes_may_set_two_marks() -> None:
    """The warning may look at p50 and the critical mark at p99."""
    entry = overridden("engine.ttft", {"engine.ttft.p50": {"warn": ">1s"}, "engine.ttft.p99": {"critical": ">9s"}})
    assert (entry.warn, entry.critical) == ("p50 >1s", "p99 >9s")


def test_an_empty_mark_takes_the_default_away() -> None:
    """A team may decide that a number is not to be marked."""
    assert overridden("engine.health_time", {"engine.health_time": {"warn": ""}}).warn == ""


@pytest.mark.parametrize(
    ("tables", "wrong"),
    [
        ({"engine.tttf": {"warn": "> 1s"}}, "unknown indicator 'engine.tttf'; nearest: engine.ttft"),
        ({"engine.uptime.p95": {"warn": "> 1s"}}, "engine.uptime has no .p95"),
        ({"engine": {"ttft": {"warn": "> 1s"}}}, "put the whole name in quotes"),
        ({"engine.uptime": "1s"}, "engine.uptime: expected a table with warn, critical, owner, not '1s'"),
        ({"engine.uptime": {"warning": "> 1s"}}, "engine.uptime: unknown key 'warning'"),
        ({"engine.uptime": {"warn": 5}}, "engine.uptime: warn must be text in quotes, not 5"),
        ({"engine.uptime": {"warn": "1s"}}, "engine.uptime: mark '1s': no comparison"),
        ({"engine.uptime": {"warn": "> 5%"}}, "engine.uptime: mark '> 5%': '%' does not fit"),
        ({"engine.uptime": {"warn": "p95 > 1s"}}, "has a suffix, and this is a gauge"),
        ({"engine.ttft": {"warn": "> 1s"}}, "engine.ttft: mark '> 1s' needs one of p50, p90, p95, p99, mean"),
        ({"engine.ttft.p50": {"warn": "p95 > 1s"}}, "engine.ttft.p50: mark 'p95 > 1s' is for another suffix"),
        ({"engine.model": {"critical": "== 1"}}, "engine.model: text takes no mark"),
        (
            {"engine.ttft.p50": {"warn": "> 1s"}, "engine.ttft.p95": {"warn": "> 2s"}},
            "warn of engine.ttft is set twice",
        ),
    ],
)
def test_a_wrong_override_is_named(tables: dict[str, object], wrong: str) -> None:
    """The error names the indicator and the key or mark that is wrong."""
    with pytest.raises(ValueError, match=r".") as caught:
        DEFAULT.with_overrides(tables)
    assert wrong in str(caught.value)
