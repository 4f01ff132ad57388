"""Tests of look-ups: names with and without suffix, and what a condition may read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT, SUFFIXES, Dictionary, Sort
from perfconsole.model.dictionary.lookup import split
from perfconsole.model.entity import Kind

NAMES = st.sampled_from([entry.name for entry in DEFAULT.entries])
READ_WITH = "read it with .p50, .p90, .p95, .p99 or .mean"


def test_a_plain_name_finds_its_entry() -> None:
    """A name of the dictionary finds the entry of that name."""
    entry = DEFAULT.find("engine.uptime")
    assert entry is not None
    assert entry.name == "engine.uptime"


@pytest.mark.parametrize("suffix", ["", ".p50", ".p90", ".p95", ".p99", ".mean"])
def test_a_histogram_is_found_with_and_without_suffix(suffix: str) -> None:
    """All readings of a histogram lead to one entry."""
    entry = DEFAULT.find(f"engine.ttft{suffix}")
    assert entry is not None
    assert entry.name == "engine.ttft"


@pytest.mark.parametrize("name", ["engine.uptime.p95", "engine.ttft.p42", "engine.ttft.p95.p95", "engine", "ttft", ""])
def test_other_names_find_nothing(name: str) -> None:
    """A suffix on a non-histogram, an unknown quantile and an unknown name give None."""
    assert DEFAULT.find(name) is None


@pytest.mark.parametrize(
    "name", ["engine.uptime", "engine.ttft.p95", "engine.max_num_seqs", "gpu.xid", "engine.preemptions"]
)
def test_numbers_may_stand_in_a_condition(name: str) -> None:
    """A number, and a histogram with its suffix, bring no objection."""
    assert DEFAULT.readable(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("engine.ttft", f"engine.ttft is a histogram: {READ_WITH}"),
        ("engine.ttft.p42", f"engine.ttft has no .p42: {READ_WITH}"),
        ("engine.version", "engine.version is text and cannot stand in a condition"),
        ("engine.uptime.p95", "engine.uptime has no .p95: only histograms have suffixes, and this is a gauge"),
        (
            "kv_cache_usage",
            "unknown indicator 'kv_cache_usage'; nearest: engine.kv_cache_usage, engine.rank_kv_cache_usage",
        ),
        ("nothing of the kind", "unknown indicator 'nothing of the kind'"),
    ],
)
def test_a_condition_is_told_why_it_may_not_read(name: str, reason: str) -> None:
    """The reason names what is wrong and what would be right."""
    assert DEFAULT.readable(name) == reason


def test_a_misspelt_quantile_is_answered_with_quantiles() -> None:
    """The nearest names carry the suffix that was asked for."""
    reason = DEFAULT.readable("engine.ttff.p95")
    assert reason is not None
    assert reason.startswith("unknown indicator 'engine.ttff.p95'; nearest: engine.ttft.p95")


def test_a_quantile_has_the_unit_of_its_histogram() -> None:
    """TTFT is in seconds, its p95 too."""
    assert (DEFAULT.unit("engine.ttft"), DEFAULT.unit("engine.ttft.p95")) == ("s", "s")


def test_an_unknown_name_has_no_unit() -> None:
    """Asking for the unit of a name that finds nothing is a mistake of the caller."""
    with pytest.raises(KeyError, match=r"engine\.uptime\.p95"):
        DEFAULT.unit("engine.uptime.p95")


@given(name=NAMES, suffix=st.sampled_from(SUFFIXES))
def test_a_split_name_joins_again(name: str, suffix: str) -> None:
    """Splitting takes exactly the suffix off, and nothing off a base name."""
    assert split(name) == (name, "")
    assert DEFAULT.split(f"{name}.{suffix}") == (name, suffix)


@settings(max_examples=30)  # a search for the nearest names takes about 10 ms
@given(text=st.text(max_size=30))
def test_no_text_is_both_unknown_and_readable(text: str) -> None:
    """Every text is readable or has a reason, and only names that find an entry are readable."""
    assert (DEFAULT.readable(text) is not None) or (DEFAULT.find(text) is not None)


@given(name=NAMES, suffix=st.sampled_from(("", *SUFFIXES)))
def test_what_may_be_read_follows_from_the_sort(name: str, suffix: str) -> None:
    """A suffix is needed on histograms and barred elsewhere; text is barred altogether."""
    entry = DEFAULT.find(name)
    assert entry is not None
    allowed = entry.sort is not Sort.TEXT and (entry.sort is Sort.HISTOGRAM) == bool(suffix)
    assert (DEFAULT.readable(f"{name}.{suffix}" if suffix else name) is None) == allowed


def test_a_name_may_stand_only_once() -> None:
    """Two entries of one name are refused, whatever they say."""
    with pytest.raises(ValueError, match=r"client\.ttft stands twice"):
        Dictionary((DEFAULT.entries[0], DEFAULT.entries[0]))


def test_what_only_a_page_tells_is_known_by_its_origin() -> None:
    """Not what a process, a poll or a command line tells too, nor what is worked out from others."""
    found = DEFAULT.of_pages(Kind.GATEWAY)
    assert {"gateway.ttft", "gateway.retries", "gateway.connect_time"} <= found
    assert found.isdisjoint({"gateway.process_cpu", "gateway.up", "gateway.request_rate", "gateway.max_retries"})
    assert found.isdisjoint(DEFAULT.of_pages(Kind.ENGINE))
