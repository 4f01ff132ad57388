"""Tests of the GPUs behind a helper process: answers, silences, deaths, and whose GPUs they are."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.clock import ManualClock
from perfconsole.core.health import SourceStatus
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Missing
from perfconsole.model.snapshot import SourceState
from perfconsole.sources import gpu as gpu_module
from perfconsole.sources.gpu import GpuSource, helper_argv
from perfconsole.sources.nvml import keeper as keeper_module
from tests.sources.nvml.fakenvml import FakeNvml, needs_compiler

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from perfconsole.model.sample import Batch

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
OTHER = Entity(Kind.ENGINE, "vllm:8001")
HOST = Entity(Kind.HOST, "gpu-07")
GPU = Entity(Kind.GPU, "0")
ANSWER = {
    "gpus": [
        {
            "index": 0,
            "uuid": "GPU-1",
            "name": "NVIDIA H100 80GB HBM3",
            "values": {"gpu.utilization": 0.93, "gpu.mem_used": 6e10},
            "missing": {"gpu.dram_active": "unsupported"},
            "processes": [{"pid": 123, "memory": 1e9}, {"pid": 124, "memory": 4e9}],
        }
    ],
    "error": None,
}
HELPER = "import sys\nfor _ in sys.stdin:\n    print({line!r}, flush=True)"


def saying(line: str) -> list[str]:
    """A helper that gives the same answer every time."""
    return [sys.executable, "-c", HELPER.format(line=line)]


@contextmanager
def started(argv: list[str], owners: Mapping[Entity, frozenset[int]] | None = None) -> Iterator[GpuSource]:
    """A source with its helper running."""
    source = GpuSource(argv, DEFAULT, lambda: owners or {}, HOST)
    source.start()
    try:
        yield source
    finally:
        source.close()


def poll(source: GpuSource) -> Batch:
    """One poll; the clock of the source is the real one."""
    (batch,) = source.poll(source._clock.now(), source._clock.wall())
    return batch


def read(answer: Mapping[str, object], owners: Mapping[Entity, frozenset[int]] | None = None) -> Batch:
    """What the source makes of an answer."""
    return GpuSource([], DEFAULT, lambda: owners or {}, HOST).read(answer, 1.0, 2.0, 0.01)


def values(batch: Batch) -> dict[str, object]:
    """Values of the first GPU."""
    return {s.key.indicator: s.value for s in batch.samples if s.key.entity == GPU}


def test_an_answer_fills_the_indicators() -> None:
    """By their names, with what the processes add."""
    with started(saying(json.dumps(ANSWER))) as source:
        batch = poll(source)
    assert batch.error is None
    assert values(batch) == {
        "gpu.utilization": 0.93,
        "gpu.mem_used": 6e10,
        "gpu.process_count": 2.0,
        "gpu.process_memory": 4e9,
    }


def test_every_poll_asks_anew() -> None:
    """Two polls, two answers."""
    with started(saying(json.dumps(ANSWER))) as source:
        assert [poll(source).error, poll(source).error] == [None, None]


def test_what_a_card_cannot_say_has_its_reason() -> None:
    """As the helper gives it."""
    assert read(ANSWER).absences == (Absence("gpu.dram_active", GPU, Missing.UNSUPPORTED),)


def test_the_name_of_the_card_is_a_fact() -> None:
    """And made harmless on the way."""
    odd: dict[str, object] = {"gpus": [{"index": 0, "name": "H\x1b[2J100"}]}
    assert [(f.name, f.value) for f in read(odd).facts] == [("gpu.name", "H?[2J100")]


def test_names_that_are_no_indicators_of_a_gpu_are_left_out_and_said() -> None:
    """A helper of another version does no harm."""
    batch = read({"gpus": [{"index": 0, "values": {"gpu.nonsense": 1, "engine.up": 0, "gpu.power": 300}}]})
    assert values(batch) == {"gpu.power": 300.0}
    assert len(batch.notes) == 2


@pytest.mark.parametrize("value", ["12", None, True, [1], float("inf"), float("nan"), 10**400])
def test_a_value_that_is_no_number_is_left_out(value: object) -> None:
    """Never turned into one."""
    assert values(read({"gpus": [{"index": 0, "values": {"gpu.power": value}}]})) == {}


@pytest.mark.parametrize("entry", [{}, {"index": -1}, {"index": "0"}, {"index": True}, 7])
def test_a_gpu_without_a_number_is_none(entry: object) -> None:
    """There is nothing to call it."""
    assert read({"gpus": [entry]}).entities == ()


def test_remarks_of_the_helper_are_those_of_the_poll() -> None:
    """About the driver first, then of the GPUs; made harmless."""
    answer: dict[str, object] = {"gpus": [{"index": 0, "notes": ["GPU 0 is lost\x1b", 7]}], "notes": ["driver old"]}
    assert read(answer).notes == ("driver old", "GPU 0 is lost?")


def test_a_remark_without_gpus_is_no_failure() -> None:
    """A host without GPUs is told in words, and its source is not down."""
    batch = read({"gpus": [], "notes": ["no NVIDIA driver on this host"], "error": None})
    assert (batch.notes, batch.samples, batch.error) == (("no NVIDIA driver on this host",), (), None)
    assert SourceStatus(batch).health(batch.t).state is SourceState.ABSENT


def test_facts_of_the_helper_are_facts_of_the_gpu() -> None:
    """Those whose names could be facts of a GPU."""
    facts = {"gpu.held_by": "heat\x1b", "engine.model": "x", "gpu.": "y", "gpu.odd": 3}
    found = read({"gpus": [{"index": 0, "facts": facts}]}).facts
    assert [(f.name, f.entity, f.value) for f in found] == [("gpu.held_by", GPU, "heat?")]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["gpus", "index", "values", "missing", "facts", "processes", "peers", "notes", "error", "pid"]
                )
                | st.sampled_from(["gpu.power", "gpu.p2p_ok", "0", "1"]),
                inner,
                max_size=6,
            )
        ),
        max_leaves=30,
    )
)
def test_no_answer_breaks_the_reader(answer: object) -> None:
    """Whatever the helper says, it comes to a batch of checked values."""
    entry = answer if isinstance(answer, dict) else {}
    for document in (entry, {"gpus": [entry | {"index": 0}, entry | {"index": 1}, answer]}):
        batch = read(document, {ENGINE: frozenset({1}), OTHER: frozenset({2})})
        assert all(isinstance(s.value, float) and isfinite(s.value) for s in batch.samples)
        assert all("\n" not in note for note in batch.notes)


def test_foreign_processes_are_counted_by_the_owners() -> None:
    """One of the two on the GPU is not the engine's."""
    assert values(read(ANSWER, {ENGINE: frozenset({124})}))["gpu.foreign_processes"] == 1.0


def test_pairs_of_an_owner_are_told_of_its_gpus() -> None:
    """From the statuses that the helper gives."""
    gpus = [
        {"index": i, "processes": [{"pid": 124, "memory": 1}], "peers": {"1": [0, 5]} if i == 0 else {}}
        for i in range(2)
    ]
    found = values(read({"gpus": gpus}, {ENGINE: frozenset({124})}))
    assert (found["gpu.p2p_ok"], found["gpu.nvlink_full_mesh"]) == (1.0, 0.0)


def test_gpus_belong_to_the_engine_whose_processes_are_on_them() -> None:
    """And to no other."""
    links = read(ANSWER, {ENGINE: frozenset({124}), OTHER: frozenset({9})}).links
    assert links == (Link(Relation.HOST_HAS, HOST, GPU), Link(Relation.ENGINE_USES_GPU, ENGINE, GPU))


def test_a_single_engine_has_all_gpus_where_processes_tell_nothing() -> None:
    """Numbers of another PID namespace match none."""
    assert Link(Relation.ENGINE_USES_GPU, ENGINE, GPU) in read(ANSWER, {ENGINE: frozenset({9})}).links


def test_of_several_engines_none_is_guessed() -> None:
    """A wrong owner is worse than none."""
    links = read(ANSWER, {ENGINE: frozenset(), OTHER: frozenset()}).links
    assert links == (Link(Relation.HOST_HAS, HOST, GPU),)


def test_an_error_of_the_helper_fails_the_poll_in_its_words() -> None:
    """Made harmless."""
    with started(saying(json.dumps({"gpus": [], "error": "NVML: driver\x1b not loaded"}))) as source:
        assert poll(source).error == "NVML: driver? not loaded"


@pytest.mark.parametrize("line", ["no json", "[1]", "[" * 5000])
def test_an_answer_of_another_form_fails_the_poll(line: str) -> None:
    """With its beginning, in one line."""
    with started(saying(line)) as source:
        error = poll(source).error
    assert error is not None
    assert "the GPU helper says what is no" in error


def test_a_silent_helper_fails_the_poll_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """In words, with its number, and the late answer counts for a later poll."""
    monkeypatch.setattr(gpu_module, "ANSWER_S", 0.2)
    monkeypatch.setattr(keeper_module, "YOUNG_S", 0.0)
    code = f"import sys, time\nsys.stdin.readline()\ntime.sleep(0.5)\nprint({json.dumps(ANSWER)!r}, flush=True)"
    with started([sys.executable, "-c", code]) as source:
        first = poll(source).error
        polls = (poll(source) for _ in range(50))
        late = next(batch for batch in polls if batch.error is None)
    assert first is not None
    assert "has not answered for" in first
    assert values(late)["gpu.utilization"] == 0.93


def test_a_helper_that_is_still_loading_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said in words, without alarm."""
    monkeypatch.setattr(gpu_module, "ANSWER_S", 0.05)
    with started([sys.executable, "-c", "import time\ntime.sleep(60)"]) as source:
        batch = poll(source)
    assert (batch.error, "is being started" in batch.notes[0]) == (None, True)


def test_a_helper_that_died_is_said_with_its_last_words() -> None:
    """Exit code and the end of its stderr."""
    with started([sys.executable, "-c", "import sys; sys.stderr.write('no driver\\n'); sys.exit(4)"]) as source:
        child = source._keeper.child
        assert child is not None
        assert child.wait(10.0)
        assert poll(source).error == f"the GPU helper (pid {child.pid}) ended with code 4: no driver"


def test_a_helper_that_was_killed_is_said_with_its_signal() -> None:
    """So that the out-of-memory killer is found."""
    with started([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]) as source:
        assert source._keeper.child is not None
        assert source._keeper.child.wait(10.0)
        assert "ended by signal 9" in str(poll(source).error)


def test_without_a_start_there_is_nobody_to_ask() -> None:
    """Said, not raised."""
    assert poll(GpuSource(["x"], DEFAULT, dict)).error == "the GPU helper was not started"


def test_a_poll_can_be_broken_off() -> None:
    """From another thread; the poll ends at once without values."""
    with started([sys.executable, "-c", "input(); input()"]) as source:
        source._stop.set()
        source._stop.clear = lambda: None  # type: ignore[method-assign]  # the stop comes right after the poll began
        begun = source._clock.now()
        assert values(poll(source)) == {}
        assert source._clock.now() - begun < 2.0


def test_closing_ends_the_helper() -> None:
    """And may come twice."""
    with started(saying("{}")) as source:
        child = source._keeper.child
        source.close()
        assert child is not None
        assert child.code() is not None


def test_no_helper_is_started_without_a_driver_in_sight() -> None:
    """It is said what was looked for, and looked again after a while."""
    clock = ManualClock()
    sight = [False]
    source = GpuSource(saying(json.dumps(ANSWER)), DEFAULT, dict, HOST, clock, lambda: sight[0])
    source.start()
    try:
        (batch,) = source.poll(clock.now(), clock.wall())
        assert source._keeper.child is None
        assert "no NVIDIA driver on this host: looked for /dev/nvidiactl" in batch.notes[0]
        assert SourceStatus(batch).health(batch.t).state is SourceState.ABSENT
        sight[0] = True
        clock.sleep(29.0)
        source.poll(clock.now(), clock.wall())
        assert source._keeper.child is None
        clock.sleep(1.0)
        source.poll(clock.now(), clock.wall())
        assert source._keeper.child is not None
    finally:
        source.close()


def test_a_driver_in_sight_starts_the_helper_at_once() -> None:
    """Its later disappearance is for the helper to say."""
    sight = [True]
    source = GpuSource(saying(json.dumps(ANSWER)), DEFAULT, dict, HOST, None, lambda: sight[0])
    source.start()
    sight[0] = False
    try:
        assert poll(source).error is None
    finally:
        source.close()


def test_a_helper_that_was_killed_is_replaced_from_the_thread_that_polls() -> None:
    """With an error until the new one answers."""
    with started(saying(json.dumps(ANSWER))) as source:
        assert poll(source).error is None
        first = source._keeper.child
        assert first is not None
        first.signal_group(signal.SIGKILL)
        assert first.wait(20.0)
        errors: list[str | None] = []

        def polls() -> None:
            while None not in errors:
                errors.append(poll(source).error)
                source._clock.sleep(0.05)

        thread = threading.Thread(target=polls, daemon=True)
        thread.start()
        thread.join(30.0)
        assert errors[-1] is None
        assert "ended by signal 9" in str(errors[0])
        assert source._keeper.child is not None
        assert source._keeper.child.pid != first.pid


def test_a_stopped_helper_fails_the_poll_and_is_ended_at_once() -> None:
    """Nobody waits for it: neither the poll nor the end."""
    with started(saying(json.dumps(ANSWER))) as source:
        assert poll(source).error is None
        child = source._keeper.child
        assert child is not None
        os.kill(child.pid, signal.SIGSTOP)
        batch = poll(source)
        assert "is stopped by a signal" in str(batch.error)
        assert (batch.took_s or 0.0) < gpu_module.ANSWER_S
        source.close()
        assert child.code() == -signal.SIGKILL


@needs_compiler
def test_the_real_helper_fills_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through pynvml and a stand-in for the driver: this console's own process is the engine's."""
    nvml = FakeNvml(tmp_path, "count 2", *(f"process {i} {os.getpid()} 1000 50" for i in range(2)))
    for name, value in nvml.environment().items():
        monkeypatch.setenv(name, value)
    with started(helper_argv(), {ENGINE: frozenset({os.getpid()})}) as source:
        polls = (poll(source) for _ in range(200))
        batch = next(b for b in polls if b.error is None and b.samples)
    assert values(batch)["gpu.power"] == 300.0
    assert values(batch)["gpu.foreign_processes"] == 0.0
    assert values(batch)["gpu.p2p_ok"] == 1.0
    assert Link(Relation.ENGINE_USES_GPU, ENGINE, Entity(Kind.GPU, "1")) in batch.links
    assert batch.notes == ()


def test_the_helper_loads_nothing_from_the_folder_it_is_started_in() -> None:
    """A file of a user named like a module of ours is not run."""
    assert helper_argv() == [sys.executable, "-P", "-m", "perfconsole.sources.nvml"]
