"""Tests of the GPUs behind a helper process: answers, silences, deaths, and whose GPUs they are."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Missing
from perfconsole.sources import gpu as gpu_module
from perfconsole.sources.gpu import GpuSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


@pytest.mark.parametrize("value", ["12", None, True, [1], float("inf"), float("nan")])
def test_a_value_that_is_no_number_is_left_out(value: object) -> None:
    """Never turned into one."""
    assert values(read({"gpus": [{"index": 0, "values": {"gpu.power": value}}]})) == {}


@pytest.mark.parametrize("entry", [{}, {"index": -1}, {"index": "0"}, {"index": True}, 7])
def test_a_gpu_without_a_number_is_none(entry: object) -> None:
    """There is nothing to call it."""
    assert read({"gpus": [entry]}).entities == ()


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
    code = f"import sys, time\nsys.stdin.readline()\ntime.sleep(0.5)\nprint({json.dumps(ANSWER)!r}, flush=True)"
    with started([sys.executable, "-c", code]) as source:
        first = poll(source).error
        polls = (poll(source) for _ in range(50))
        late = next(batch for batch in polls if batch.error is None)
    assert first is not None
    assert "has not answered within" in first
    assert values(late)["gpu.utilization"] == 0.93


def test_a_helper_that_died_is_said_with_its_last_words() -> None:
    """Exit code and the end of its stderr."""
    with started([sys.executable, "-c", "import sys; sys.stderr.write('no driver\\n'); sys.exit(4)"]) as source:
        child = source._child
        assert child is not None
        assert child.wait(10.0)
        assert poll(source).error == f"the GPU helper (pid {child.pid}) ended with code 4: no driver"


def test_a_helper_that_was_killed_is_said_with_its_signal() -> None:
    """So that the out-of-memory killer is found."""
    with started([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]) as source:
        assert source._child is not None
        assert source._child.wait(10.0)
        assert "ended by signal 9" in str(poll(source).error)


def test_without_a_start_there_is_nobody_to_ask() -> None:
    """Said, not raised."""
    assert poll(GpuSource(["x"], DEFAULT, dict)).error == "the GPU helper was not started"


def test_a_poll_can_be_broken_off() -> None:
    """From another thread; the poll ends at once with an error."""
    with started([sys.executable, "-c", "input(); input()"]) as source:
        source._child.line(0.0) if source._child else None
        source._stop.set()
        source._stop.clear = lambda: None  # type: ignore[method-assign]  # the stop comes right after the poll began
        begun = source._clock.now()
        assert poll(source).error is not None
        assert source._clock.now() - begun < 2.0


def test_closing_ends_the_helper() -> None:
    """And may come twice."""
    with started(saying("{}")) as source:
        child = source._child
        source.close()
        assert child is not None
        assert child.code() is not None
