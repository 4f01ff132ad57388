"""Tests of command lines: which facts the flags of an engine state, and that nothing else leaves them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.flags import has_flag, stated, with_defaults


def _stated(line: str) -> dict[str, float]:
    """Facts of a command line of vLLM by name."""
    return {name: number for name, number, _ in stated(ADAPTER, shlex.split("vllm serve m " + line))}


@pytest.mark.parametrize(
    "line",
    [
        "--max-num-seqs 64",
        "--max-num-seqs=64",
        "--max_num_seqs 64",
        "--max_num_seqs=64",
        "--max-num-seqs 8 --port 1 --max-num-seqs 64",
        "--max-num-seqs 8 --max_num_seqs=64",
        "--enforce-eager --max-num-seqs 64 --enable-chunked-prefill",
    ],
)
def test_a_number_is_found_however_it_is_written(line: str) -> None:
    """Both spellings, both separators, and of a repeated flag the last one."""
    assert _stated(line)["engine.max_num_seqs"] == 64


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1k", 1000),
        ("32K", 32768),
        ("1m", 1e6),
        ("2M", 2 * 2**20),
        ("25.6k", 25600),
        ("8192", 8192),
        ("1e4", 10000),
        ("1E4", 10000),
    ],
)
def test_sizes_in_short_form_are_read_as_the_engine_reads_them(text: str, number: float) -> None:
    """A small letter is a power of 1000, a capital one a power of 1024."""
    assert _stated(f"--max-model-len {text}")["engine.max_model_len"] == pytest.approx(number)


@pytest.mark.parametrize("text", [".9", "0.9", "0.90", "9e-1"])
def test_ratios_are_read_in_every_form(text: str) -> None:
    """What the engine's own parser takes for a number is one."""
    assert _stated(f"--gpu-memory-utilization {text}")["engine.gpu_memory_fraction"] == pytest.approx(0.9)


@pytest.mark.parametrize("text", ["auto", "-1", "", "1x", "nan", "inf", "1e999", "0x10"])
def test_what_is_no_size_states_nothing(text: str) -> None:
    """A word, or -1 for `choose yourself`, is not a number of tokens."""
    assert "engine.max_model_len" not in _stated(f"--max-model-len={text}")


def test_an_unreadable_repetition_takes_the_earlier_value_away() -> None:
    """The last one holds even when it cannot be read: the earlier one is not in force."""
    assert "engine.max_model_len" not in _stated("--max-model-len 4096 --max-model-len auto")


def test_short_flags_count() -> None:
    """Flags with one dash are flags too."""
    found = _stated("-tp 4 -dp=2")
    assert (found["engine.tensor_parallel"], found["engine.data_parallel"]) == (4, 2)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("--enable-chunked-prefill", 1),
        ("--no-enable-chunked-prefill", 0),
        ("--enable-chunked-prefill=False", 0),
        ("--enable-chunked-prefill false", 0),
        ("--enable-chunked-prefill True", 1),
        ("--no-enable-chunked-prefill --enable-chunked-prefill", 1),
        ("--enable-chunked-prefill --no-enable-chunked-prefill", 0),
    ],
)
def test_a_switch_states_the_side_it_was_last_put_to(line: str, number: float) -> None:
    """Switches have two names, may carry a word, and the last one given holds."""
    assert _stated(line)["engine.chunked_prefill"] == number


@pytest.mark.parametrize(
    "line",
    [
        """--speculative-config '{"method": "ngram", "num_speculative_tokens": 5}'""",
        """--speculative_config='{"num_speculative_tokens":5}'""",
        "--num-speculative-tokens 5",
    ],
)
def test_a_number_inside_json_is_found(line: str) -> None:
    """The draft length stands in a document or in a flag of its own."""
    assert _stated(line)["engine.spec_tokens"] == 5


@pytest.mark.parametrize("text", ["{", "[5]", "5", '{"method": "mtp"}', '{"num_speculative_tokens": null}', ""])
def test_json_without_the_number_states_nothing(text: str) -> None:
    """A document that cannot be read, or lacks the number, is no fact."""
    assert "engine.spec_tokens" not in _stated(f"--speculative-config {shlex.quote(text)}")


def test_gigabytes_become_bytes() -> None:
    """Facts are in base units."""
    assert _stated("--cpu-offload-gb 1.5")["engine.cpu_offload"] == 1.5 * 2**30


def test_the_cap_of_the_command_line_says_where_it_comes_from() -> None:
    """The origin travels with the cap."""
    assert stated(ADAPTER, ["--max-num-seqs", "4"]) == (("engine.max_num_seqs", 4.0, (("origin", "argv"),)),)


def test_a_flag_at_the_end_without_its_value_states_nothing() -> None:
    """A command line that was cut off is no fault."""
    assert stated(ADAPTER, ["vllm", "serve", "m", "--max-num-seqs"]) == ()


def test_a_flag_does_not_take_the_next_flag_for_its_value() -> None:
    """A bare flag in front of another one has no value."""
    assert _stated("--max-num-seqs --port 8000") == {}


def test_no_command_line_states_nothing() -> None:
    """A process without arguments has no facts."""
    assert stated(ADAPTER, []) == ()


@pytest.mark.parametrize("line", ["--api-key 4711", "--api-key=4711", "--hf-token 4711", "--api_key 4711"])
def test_secrets_do_not_leave_the_command_line(line: str) -> None:
    """A key, even one that looks like a number, becomes no fact."""
    assert _stated(f"{line} --max-num-seqs 8") == {"engine.max_num_seqs": 8}


def test_has_flag_knows_both_spellings() -> None:
    """A switch is found with underscores too, and not inside another word."""
    argv = ["vllm", "serve", "m", "--disable_log_stats", "--max-num-seqs", "4"]
    assert has_flag(argv, "--disable-log-stats")
    assert not has_flag(argv, "--max-num")


@given(st.lists(st.text(max_size=12) | st.sampled_from(["--max-num-seqs", "-tp", "--kv-transfer-config", "{}"])))
@settings(max_examples=100)
def test_no_command_line_breaks_the_reading(argv: list[str]) -> None:
    """Whatever stands there gives at most numbers that are not negative."""
    assert all(number >= 0 for _, number, _ in stated(ADAPTER, argv))


def test_a_seen_command_line_without_the_flag_states_the_default() -> None:
    """Every release runs on one card unless told otherwise."""
    assert ("engine.tensor_parallel", 1, (("origin", "default"),)) in with_defaults(ADAPTER, ["vllm", "serve", "m"])


@pytest.mark.parametrize("line", ["-sc.method=mtp", "--speculative-config.method mtp", "--speculative-config {}"])
def test_a_flag_that_cannot_be_read_still_speaks_against_the_default(line: str) -> None:
    """Speculation with an unknown number of tokens is not speculation with none."""
    facts = with_defaults(ADAPTER, ["vllm", "serve", "m", *line.split()])
    assert "engine.spec_tokens" not in {name for name, _, _ in facts}


@pytest.mark.parametrize(
    ("line", "indicator", "number"),
    [
        ("--kv-offloading-size 16", "engine.cpu_offload", 16 * 2.0**30),
        ("--kv-offloading-size 16", "engine.kv_connector", 1.0),
        ("--max-cudagraph-capture-size 512", "engine.captured_batch", 512.0),
        ("--speculative-config.num_speculative_tokens 3", "engine.spec_tokens", 3.0),
    ],
)
def test_what_newer_flags_state(line: str, indicator: str, number: float) -> None:
    """Offloading, graphs and the parts of a configuration written one by one."""
    assert _stated(line)[indicator] == number
