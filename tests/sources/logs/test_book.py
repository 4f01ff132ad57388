"""Tests of what is kept from one log: facts of this run, events of an hour, echoes counted once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.logs.book import LogBook
from tests.sources.logs.logbooks import ONE_O_CLOCK, book_of, captured, events, live

OOM = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB"
JIT = b"Triton kernel JIT compilation during inference: a_kernel."
BEGIN = b"INFO 11-05 12:50:01 [api_server.py:1839] vLLM API server version 0.11.0"
READY = b"INFO:     Application startup complete."


def told(*lines: tuple[float, bytes | None]) -> LogBook:
    """A book that has read these lines."""
    book = LogBook()
    book.read(lines)
    return book


def test_where_nothing_was_said_counts_are_zero() -> None:
    """The log was read: that there is no event is known."""
    assert set(LogBook().counts(ONE_O_CLOCK).values()) == {0.0}
    assert LogBook().last_oom(ONE_O_CLOCK) is None


def test_an_event_ages_out_after_an_hour() -> None:
    """With the sizes that came with it."""
    book = told((100.0, OOM))
    assert book.last_oom(3699.0) is not None
    assert events(book, 3699.0) == {"oom_events": 1.0}
    assert events(book, 3700.0) == {}
    assert book.last_oom(3700.0) is None


def test_echoes_of_an_event_count_once() -> None:
    """Workers and the layers above repeat it within seconds; a minute later it is another one."""
    assert events(told((0.0, OOM), (1.0, OOM), (9.0, OOM), (60.0, OOM)), 61.0) == {"oom_events": 2.0}


def test_sizes_are_those_of_the_first_message_of_a_burst() -> None:
    """Unless that had none."""
    bare = b"RuntimeError: CUDA error: out of memory"
    found = told((0.0, bare), (1.0, OOM), (2.0, bare)).last_oom(3.0)
    assert found is not None
    assert found.request == 2 * 2.0**30


def test_two_kernels_compiled_at_once_are_two() -> None:
    """Each is a stall of its own; the same line from another worker is not."""
    assert events(told((0.0, JIT), (0.0, b"(Worker_TP1 pid=2) " + JIT), (0.0, JIT.replace(b"a_", b"b_"))), 1.0) == {
        "compile_lines": 2.0
    }


def test_compilation_before_an_engine_is_ready_does_not_count() -> None:
    """Afterwards it does."""
    assert events(told((0.0, BEGIN), (1.0, JIT)), 2.0) == {}
    assert events(told((0.0, BEGIN), (1.0, READY), (2.0, JIT)), 3.0) == {"compile_lines": 1.0}


def test_without_a_start_in_the_log_the_engine_counts_as_serving() -> None:
    """It was rotated away."""
    assert events(told((0.0, JIT)), 1.0) == {"compile_lines": 1.0}


def test_an_engine_may_have_become_ready_in_a_stretch_that_was_not_read() -> None:
    """Of a large log only both ends are."""
    assert events(told((0.0, BEGIN), (0.0, None), (1.0, JIT)), 2.0) == {"compile_lines": 1.0}


def test_an_engine_whose_start_has_other_words_is_ready_by_its_own() -> None:
    """As a worker without a server in front of it: what it compiled before was its start."""
    core = b"(EngineCore pid=1) INFO 11-05 12:31:10 [core.py:210] init engine (profile, create kv cache) took 4 s"
    assert events(told((0.0, JIT), (1.0, core)), 2.0) == {}
    assert events(told((0.0, JIT), (1.0, core), (2.0, JIT), (60.0, JIT)), 61.0) == {"compile_lines": 1.0}


def test_the_core_alone_does_not_make_a_server_ready() -> None:
    """Its front-end warms up after it."""
    core = b"INFO 11-05 12:31:10 [core.py:210] init engine (profile, create kv cache, warmup model) took 40.11 seconds"
    assert events(told((0.0, BEGIN), (1.0, core), (2.0, JIT)), 3.0) == {}


def test_sglang_serves_only_after_its_warm_up() -> None:
    """It says that it is ready before its first request, which compiles."""
    start = b"[2025-11-05 12:30:00] server_args=ServerArgs(model_path='/m')"
    fired = b"[2025-11-05 12:30:09] The server is fired up and ready to roll!"
    assert events(told((0.0, start), (1.0, READY), (2.0, JIT)), 3.0) == {}
    assert events(told((0.0, start), (1.0, READY), (2.0, fired), (3.0, JIT)), 4.0) == {"compile_lines": 1.0}


def test_a_new_start_forgets_the_facts_of_the_old_one() -> None:
    """But not what went wrong before it."""
    text = captured("vllm-0.11.0-oom.log") + BEGIN + b"\n"
    book = book_of(text)
    assert (book.facts, events(book)) == ({}, {"oom_events": 1.0})


def test_no_text_is_kept() -> None:
    """Not even of what counts."""
    book = book_of(captured("vllm-0.11.0-oom.log") + captured("sglang-0.5.4-troubles.log"))
    kept = repr([vars(book)])
    assert not any(word in kept for word in ("Tried", "secret", "kernel", "Worker", "10.0.0.1"))


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_lines_are_borne(lines: list[bytes]) -> None:
    """And change at most what they say."""
    book = told(*((float(n), line) for n, line in enumerate(lines)))
    assert all(count >= 0 for count in book.counts(100.0).values())


@given(st.lists(st.floats(0, 7200), max_size=40))
def test_counts_never_exceed_what_was_read(times: list[float]) -> None:
    """In whatever order it came."""
    book = told(*((t, OOM) for t in sorted(times)))
    assert book.counts(7200.0)["engine.oom_events"] <= len(times)


def test_live_lines_are_read_as_they_come() -> None:
    """Each at its own time."""
    assert events(live(OOM.decode(), OOM.decode(), OOM.decode())) == {"oom_events": 3.0}
