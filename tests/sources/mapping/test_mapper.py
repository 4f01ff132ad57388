"""Tests of the mapping from a page to canonical samples: sums, ranks, histograms, zeros, absences, remarks."""

from __future__ import annotations

from math import inf

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Absence, Histogram, Missing
from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import Mapped, PageMapper
from tests.sources.enginepages import ENGINE, LITTLE, histogram, numbers
from tests.sources.mappings import TTFT, adapter_with, gauge, pages, text_mapped

RANK0 = (("rank", "0"),)
COUNTED = LITTLE.decode() + (
    'http_requests_total{handler="/v1",method="POST",status="2xx"} 9\n'
    'vllm:prompt_tokens_by_source_total{engine="0",model_name="m",source="local_compute"} 9\n'
)
"""With the names beside which a counter of errors is 0 until its first one."""


def _custom(adapter: Adapter, text: str, version: str = "") -> Mapped:
    return PageMapper(adapter, DEFAULT).map(PageParser().parse(text.encode()), ENGINE, version)


def test_a_table_with_an_unknown_indicator_is_refused() -> None:
    """A name outside the dictionary never reaches the store."""
    with pytest.raises(ValueError, match=r"x:n is mapped to engine\.nonsense, which is not in the dictionary"):
        PageMapper(adapter_with(Metric("engine.nonsense", "x:n")), DEFAULT)


def test_labels_select_the_series_of_a_row() -> None:
    """Waiting for capacity and deferred are told apart, and aborts are a part of what finished."""
    text = gauge("num_requests_waiting_by_reason", "4", extra=',reason="capacity"')
    text += gauge("num_requests_waiting_by_reason", "2", extra=',reason="deferred"')
    text += gauge("num_requests_waiting", "6")
    samples = text_mapped(text).samples
    assert numbers(samples, "engine.requests_waiting") == {RANK0: 4.0}
    assert numbers(samples, "engine.requests_deferred") == {RANK0: 2.0}


def test_the_first_alternate_on_the_page_is_taken_and_no_other() -> None:
    """A page with the old and the new name of a metric is not counted twice."""
    text = gauge("kv_cache_usage_perc", "0.25") + gauge("gpu_cache_usage_perc", "0.5")
    assert numbers(text_mapped(text).samples, "engine.kv_cache_usage") == {RANK0: 0.25}


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-1"])
def test_an_alternate_without_a_number_gives_way_to_the_next_one(value: str) -> None:
    """The older name beside it may still have one."""
    text = gauge("kv_cache_usage_perc", value) + gauge("gpu_cache_usage_perc", "0.5")
    assert numbers(text_mapped(text).samples, "engine.kv_cache_usage") == {RANK0: 0.5}


def test_a_nan_gauge_is_absent() -> None:
    """NaN is no value, and its indicator is explained as not exported."""
    found = text_mapped(LITTLE.decode() + gauge("kv_cache_usage_perc", "NaN"))
    assert numbers(found.samples, "engine.kv_cache_usage") == {}
    assert Absence("engine.kv_cache_usage", ENGINE, Missing.NOT_EXPORTED) in found.absences


def test_a_nan_error_counter_is_not_zero() -> None:
    """A counter that is on the page and unknown is not one that has yet to appear."""
    text = LITTLE.decode() + gauge("request_success_total", "NaN", extra=',finished_reason="abort"')
    assert numbers(text_mapped(text).samples, "engine.requests_aborted") == {}


def test_a_negative_ratio_is_no_value() -> None:
    """Exporters write -1 for a ratio that they do not have."""
    text = LITTLE.decode() + 'vllm:gpu_prefix_cache_hit_rate{model_name="m"} -1.0\n'
    assert numbers(text_mapped(text).samples, "engine.prefix_cache_hit_ratio") == {}


@pytest.mark.parametrize("text", ["-1", "-0.5", "+Inf", "-Inf"])
@pytest.mark.parametrize("name", ["num_requests_running", "generation_tokens_total"])
def test_a_number_that_cannot_be_is_absent(name: str, text: str) -> None:
    """Below nothing and beyond all numbers: neither is a count, and neither is 0."""
    found = text_mapped(LITTLE.decode() + gauge(name, text, "1"))
    assert not [s for s in found.samples if ("rank", "1") in s.key.labels]


def test_scale_and_offset_turn_a_value_into_base_units() -> None:
    """Awake is the opposite of asleep, in the same series."""
    text = gauge("engine_sleep_state", "0", extra=',sleep_state="awake"')
    text += gauge("engine_sleep_state", "1", extra=',sleep_state="weights_offloaded"')
    samples = text_mapped(text).samples
    assert numbers(samples, "engine.asleep") == {RANK0: 1.0}
    assert numbers(samples, "engine.ready") == {RANK0: 0.0}


def test_a_whole_histogram_is_one_sample() -> None:
    """Buckets in rising order, the sum beside them."""
    assert histogram(text_mapped(TTFT).samples, "engine.ttft") == Histogram((0.5, 1.0, inf), (2, 6, 8), 5.0)


@pytest.mark.parametrize("part", ['le="+Inf"', "_count{", "_sum{"], ids=["last bucket", "number", "sum"])
def test_a_histogram_without_one_of_its_parts_is_left_out(part: str) -> None:
    """Half a histogram would give wrong quantiles; it counts as not exported."""
    text = "".join(line for line in TTFT.splitlines(keepends=True) if part not in line)
    found = text_mapped(text)
    assert histogram(found.samples, "engine.ttft") is None
    assert Absence("engine.ttft", ENGINE, Missing.NOT_EXPORTED) in found.absences


@pytest.mark.parametrize("line", range(5))
def test_a_histogram_with_nan_in_any_part_is_left_out(line: int) -> None:
    """An unknown bucket, number or sum makes the whole unknown."""
    lines = TTFT.splitlines()
    lines[line] = lines[line].rpartition(" ")[0] + " NaN"
    assert histogram(text_mapped("\n".join(lines) + "\n").samples, "engine.ttft") is None


def test_sum_and_number_alone_have_a_mean() -> None:
    """A summary without quantiles is a histogram of the one bucket infinity."""
    text = "".join(line for line in TTFT.splitlines(keepends=True) if "_bucket" not in line)
    assert histogram(text_mapped(text).samples, "engine.ttft") == Histogram((inf,), (8.0,), 5.0)


@pytest.mark.parametrize("bound", ["", "abc", "NaN", "1,0"])
def test_a_bucket_without_a_bound_is_no_bucket(bound: str) -> None:
    """A bound that is no number costs that bucket and not the poll."""
    extra = f'vllm:time_to_first_token_seconds_bucket{{engine="0",model_name="m",le="{bound}"}} 7\n'
    assert histogram(text_mapped(TTFT + extra).samples, "engine.ttft") == Histogram((0.5, 1.0, inf), (2, 6, 8), 5.0)


def test_an_error_counter_is_zero_beside_its_request_counter() -> None:
    """A counter that appears at its first event counts as 0 once the family's requests are there."""
    samples = text_mapped(COUNTED).samples
    assert numbers(samples, "engine.requests_aborted") == {(): 0.0}
    assert numbers(samples, "engine.requests_failed") == {(("seen", "core"),): 0.0, (("seen", "http"),): 0.0}


def test_an_error_counter_without_its_request_counter_is_absent() -> None:
    """Nothing says that errors are counted, so nothing says that there were none."""
    found = text_mapped(gauge("num_requests_running", "1"))
    assert numbers(found.samples, "engine.requests_failed") == {}
    assert Absence("engine.requests_failed", ENGINE, Missing.NOT_EXPORTED) in found.absences


def test_an_error_counter_on_the_page_is_not_zeroed() -> None:
    """The real number replaces the stand-in."""
    text = LITTLE.decode() + 'http_requests_total{handler="/v1",method="POST",status="5xx"} 3\n'
    parts = numbers(text_mapped(text).samples, "engine.requests_failed")
    assert parts[("seen", "http"),] == 3.0


def test_no_zero_stands_beside_a_request_counter_that_is_nan() -> None:
    """A family whose requests are unknown says nothing of its errors."""
    text = gauge("request_success_total", "NaN", extra=',finished_reason="stop"')
    assert numbers(text_mapped(text).samples, "engine.requests_failed") == {}


def test_an_error_counter_that_was_met_and_is_gone_is_absent() -> None:
    """A page that lost a counter must not look like one without errors."""
    met = COUNTED + 'http_requests_total{handler="/v1",status="5xx"} 3\n'
    before, after = pages(met, COUNTED)
    assert numbers(before.samples, "engine.requests_failed")[("seen", "http"),] == 3.0
    assert numbers(after.samples, "engine.requests_failed") == {(("seen", "core"),): 0.0}


def test_an_error_counter_is_zero_again_after_a_restart() -> None:
    """A new process has its first error before it."""
    mapper = PageMapper(ADAPTER, DEFAULT)
    pages(COUNTED + 'http_requests_total{handler="/v1",status="5xx"} 3\n', mapper=mapper)
    mapper.restart()
    (found,) = pages(COUNTED, mapper=mapper)
    assert numbers(found.samples, "engine.requests_failed")[("seen", "http"),] == 0.0


def test_a_release_that_never_had_the_counter_has_no_zero() -> None:
    """vLLM below 0.14.1 counts no errors in its core: that part is missing there."""
    parts = numbers(text_mapped(COUNTED, "0.9.2").samples, "engine.requests_failed")
    assert parts == {(("seen", "http"),): 0.0}


def test_a_missing_name_that_the_release_should_have_is_remarked_upon() -> None:
    """The remark names release, metric and indicator."""
    notes = text_mapped(LITTLE.decode(), "0.32.0").notes
    assert (
        "vLLM 0.32.0 should export vllm:kv_cache_usage_perc (engine.kv_cache_usage); its page does not have it" in notes
    )


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.32.0", "spec_decode_num_drafts"),
        ("0.32.0", "gpu_cache_usage_perc"),
        ("0.9.1", ":kv_cache_usage_perc"),
        ("0.31.0", "admission_rejections"),
        ("0.32.0", "num_requests_running"),
        ("0.32.0", "num_requests_waiting_by_stage"),
    ],
)
def test_what_the_release_need_not_have_is_not_remarked_upon(version: str, name: str) -> None:
    """Optional names, names of other releases and names that are there give no remark."""
    assert not [note for note in text_mapped(LITTLE.decode(), version).notes if name in note]


def test_an_unknown_release_gives_no_remarks() -> None:
    """Without a version nothing is known to be missing; the absences stand all the same."""
    found = text_mapped(LITTLE.decode())
    assert found.notes == ()
    assert found.absences


def test_a_page_with_nothing_of_its_own_explains_nothing() -> None:
    """A page of a silent engine is a matter of its own and not of forty missing names."""
    found = text_mapped("process_cpu_seconds_total 3\n", "0.32.0")
    assert (found.own_series, found.absences, found.notes) == (0, (), ())


def test_label_facts_multiply_their_labels() -> None:
    """Capacity in tokens is blocks times block size."""
    text = 'vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="1000"} 1\n'
    assert numbers(text_mapped(text).samples, "engine.kv_cache_capacity") == {RANK0: 16000.0}


def test_the_better_label_fact_comes_first() -> None:
    """Where the engine states the capacity it is not computed."""
    text = 'vllm:cache_config_info{engine="0",block_size="16",kv_cache_size_tokens="15000",num_gpu_blocks="1000"} 1\n'
    assert numbers(text_mapped(text).samples, "engine.kv_cache_capacity") == {RANK0: 15000.0}


@pytest.mark.parametrize("text", ["None", "", "auto", "nan", "inf"])
def test_a_label_that_is_no_number_is_no_fact(text: str) -> None:
    """Exporters write "None" into labels."""
    line = f'vllm:cache_config_info{{engine="0",gpu_memory_utilization="{text}"}} 1\n'
    assert numbers(text_mapped(line).samples, "engine.gpu_memory_fraction") == {}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("vllm:num_requests_running", True),
        ("vllm:time_to_first_token_seconds_bucket", True),
        ("vllm:cache_config_info", True),
        ("process_start_time_seconds", True),
        ("process_cpu_seconds_total", True),
        ("vllm:time_to_first_token_seconds", False),
        ("vllm:num_requests_running_bucket", False),
        ("python_info", False),
    ],
)
def test_only_names_with_a_use_are_wanted(name: str, wanted: bool) -> None:  # noqa: FBT001 - expected value
    """What the table never reads is not parsed."""
    assert PageMapper(ADAPTER, DEFAULT).wanted(name) is wanted


def test_a_name_beside_which_zeros_stand_is_wanted() -> None:
    """The zero must not vanish once only wanted names are parsed."""
    adapter = adapter_with(Metric("engine.requests_failed", "x:errors_total", zero_with="x:requests_total"))
    assert PageMapper(adapter, DEFAULT).wanted("x:requests_total")


def test_a_series_with_an_unwanted_label_is_left_out() -> None:
    """Any one of them is enough."""
    metric = Metric("engine.requests_finished", "x:n", unless=(("route", "/health"), ("route", "/metrics")))
    text = 'x:n{route="/run"} 3\nx:n{route="/health"} 50\nx:n{route="/metrics"} 70\n'
    found = PageMapper(adapter_with(metric), DEFAULT).map(PageParser().parse(text.encode()), ENGINE)
    assert [s.value for s in found.samples] == [3.0]
