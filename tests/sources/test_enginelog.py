"""Tests of the source for an engine's log: real files behind the streams of processes, named files, and reasons."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Missing
from perfconsole.sources.enginelog import LOGGED, EngineLogSource
from perfconsole.sources.logs.journal import Journal
from perfconsole.sources.logs.tail import Unreadable
from tests.sources.fakeroot import FakeRoot
from tests.sources.logs.logbooks import ONE_O_CLOCK, captured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from perfconsole.model.sample import Batch

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB of "
    "which 1.00 GiB is free.\n"
)


class Bench:
    """A source of one engine with process 12, whose stdout is a file."""

    def __init__(self, folder: Path) -> None:
        self.root = FakeRoot(folder)
        self.root.process(12, 1, "vllm", "serve")
        self.log = folder / "out.log"
        self.named: tuple[str, ...] | str = ()
        self.pids = frozenset({12})
        self.source = self.make()
        self.now = 0.0

    def make(self, journal: Callable[[str], Journal] | None = None) -> EngineLogSource:
        """A source that looks at this root."""
        return EngineLogSource(
            "here log", lambda: ENGINE, lambda: self.pids, lambda: self.named, self.root.path, journal
        )

    def write(self, text: bytes | str, *, to: int = 1) -> None:
        """Append to the log, which then is behind a stream of the process."""
        with self.log.open("ab") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.utime(self.log, (ONE_O_CLOCK, ONE_O_CLOCK))
        self.root.link(f"proc/12/fd/{to}", str(self.log))

    def poll(self, after_s: float = 2.0) -> Batch:
        """The batch of one poll."""
        self.now += after_s
        (batch,) = self.source.poll(self.now, ONE_O_CLOCK + self.now)
        return batch


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """An engine without a log so far."""
    made = Bench(tmp_path)
    yield made
    made.source.close()


def values(batch: Batch) -> dict[str, float]:
    """Numbers by the names that they have within the engine."""
    return {s.key.indicator.partition(".")[2]: s.value for s in batch.samples if isinstance(s.value, float)}


def absent(batch: Batch) -> dict[str, Missing]:
    """Reasons by name."""
    return {a.indicator: a.reason for a in batch.absences}


def test_the_facts_of_the_start_are_read_at_first_sight(bench: Bench) -> None:
    """From the file behind stdout, with no flag."""
    bench.write(captured("vllm-0.11.0-healthy.log"))
    batch = bench.poll()
    assert {"captured_batch": 128.0, "kv_cache_capacity": 123456.0, "max_batched_tokens": 8192.0}.items() <= values(
        batch
    ).items()
    assert (batch.error, batch.notes) == (None, ())


def test_a_healthy_log_counts_nothing(bench: Bench) -> None:
    """Zeros, not gaps."""
    bench.write(captured("vllm-0.11.0-healthy.log"))
    found = values(bench.poll())
    assert [found[name] for name in ("oom_events", "compile_lines", "rpc_timeouts", "peer_disconnects")] == [0.0] * 4
    assert "oom_request" not in found


def test_what_comes_while_it_watches_counts(bench: Bench) -> None:
    """With its sizes, at the next poll, and for an hour."""
    bench.write(captured("vllm-0.11.0-healthy.log"))
    bench.poll()
    bench.write(OOM)
    found = values(bench.poll())
    assert (found["oom_events"], found["oom_request"], found["oom_free"]) == (1.0, 2 * 2.0**30, 2.0**30)
    later = bench.poll(3601.0)
    assert values(later)["oom_events"] == 0.0
    assert absent(later)["engine.oom_request"] is Missing.NEVER


def test_what_is_older_than_an_hour_at_first_sight_does_not_count(bench: Bench) -> None:
    """Its date says so."""
    bench.write(f"INFO 11-05 09:00:00 [a.py:1] x\n{OOM}INFO 11-05 13:00:00 [a.py:1] x\n")
    assert values(bench.poll())["oom_events"] == 0.0


def test_of_a_large_log_the_end_tells_the_time_zone(bench: Bench) -> None:
    """Its head is as old as it says, not as the last change of the file: here five hours, to the minute."""
    filler = b"x" * 99 + b"\n"
    head = f"INFO 11-05 08:00:00 [a.py:1] x\n{OOM}".encode()
    bench.write(head + filler * 50_000 + b"INFO 11-05 13:00:00 [a.py:1] x\n" + filler)
    assert values(bench.poll())["oom_events"] == 0.0


def test_what_is_younger_counts(bench: Bench) -> None:
    """An engine that fails every ten minutes has done so before the console was opened."""
    bench.write(f"INFO 11-05 12:40:00 [a.py:1] x\n{OOM}INFO 11-05 13:00:00 [a.py:1] x\n")
    assert values(bench.poll())["oom_events"] == 1.0


def test_the_path_fills_the_commands_of_checks(bench: Bench) -> None:
    """As a person knows it."""
    bench.write(b"x\n")
    assert [(fact.name, fact.value) for fact in bench.poll().facts] == [("engine.log", str(bench.log))]


def test_nothing_of_the_text_leaves(bench: Bench) -> None:
    """No key, no prompt, no address."""
    bench.write(captured("vllm-0.11.0-oom.log") + captured("sglang-0.5.4-troubles.log"))
    said = repr(bench.poll())
    assert not any(word in said for word in ("secret", "Tried", "models/m", "10.0.0.1", "Traceback"))


def test_a_new_process_with_the_same_file_is_no_first_sight(bench: Bench) -> None:
    """A restarted engine appends: what was counted is not counted again."""
    bench.write(OOM)
    assert values(bench.poll())["oom_events"] == 1.0
    bench.root.process(13, 1, "vllm", "serve")
    bench.root.link("proc/13/fd/1", str(bench.log))
    bench.pids = frozenset({13})
    assert values(bench.poll(30.0))["oom_events"] == 1.0


@pytest.mark.parametrize("file", ["same", "copy"])
def test_an_engine_that_was_away_counts_nothing_old_as_new(bench: Bench, file: str) -> None:
    """The stream of the old process is gone at a poll; the new one appends to the same file, or to a copy of it."""
    old = f"INFO 11-04 23:00:00 [a.py:1] x\n{OOM}INFO 11-05 13:00:00 [a.py:1] x\n"
    bench.write(old)
    assert values(bench.poll())["oom_events"] == 0.0
    (bench.root.path / "proc/12/fd/1").unlink()
    assert absent(bench.poll())["engine.oom_events"] is Missing.NOT_EXPORTED
    if file == "copy":
        copy = bench.log.with_suffix(".copy")
        copy.write_text(old)
        os.utime(copy, (ONE_O_CLOCK, ONE_O_CLOCK))
        copy.rename(bench.log)
    bench.root.process(13, 1, "vllm", "serve")
    bench.root.link("proc/13/fd/1", str(bench.log))
    bench.pids = frozenset({13})
    assert values(bench.poll())["oom_events"] == 0.0
    with bench.log.open("a") as log:
        log.write(OOM)
    assert values(bench.poll())["oom_events"] == 1.0


def test_a_renamed_file_is_still_the_same(bench: Bench) -> None:
    """Until the engine opens another one."""
    bench.write(OOM)
    bench.poll()
    moved = bench.log.with_suffix(".1")
    bench.log.rename(moved)
    bench.root.link("proc/12/fd/1", str(moved))
    assert values(bench.poll(30.0))["oom_events"] == 1.0


def test_stdout_and_stderr_are_put_in_their_order(bench: Bench, tmp_path: Path) -> None:
    """The word of being ready may stand in the other file than what is compiled."""
    jit = "WARNING 11-05 12:50:00 [j.py:1] Triton kernel JIT compilation during inference: a.\n"
    bench.write(f"INFO 11-05 12:30:00 [a.py:1] vLLM API server version 0.11.0\n{jit}INFO 11-05 13:00:00 [a.py:1] x\n")
    error = tmp_path / "err.log"
    error.write_text("INFO 11-05 12:40:00 [a.py:1] x\nINFO:     Application startup complete.\n")
    os.utime(error, (ONE_O_CLOCK - 1200.0, ONE_O_CLOCK - 1200.0))
    bench.root.link("proc/12/fd/2", str(error))
    assert values(bench.poll())["compile_lines"] == 1.0


def test_a_pipe_is_one_clear_reason(bench: Bench, tmp_path: Path) -> None:
    """Rules then say that the log would decide them; nothing is down."""
    os.mkfifo(tmp_path / "pipe")
    bench.root.link("proc/12/fd/1", str(tmp_path / "pipe"))
    batch = bench.poll()
    assert absent(batch) == dict.fromkeys(LOGGED, Missing.NOT_EXPORTED)
    assert (batch.error, batch.samples) == (None, ())
    assert "a pipe" in batch.notes[0]


def test_a_named_file_is_read_in_place_of_what_is_found(bench: Bench, tmp_path: Path) -> None:
    """Who names it knows better."""
    bench.write(captured("vllm-0.11.0-healthy.log"))
    other = tmp_path / "other.log"
    other.write_bytes(captured("llamacpp-b6250.log"))
    bench.named = (str(other),)
    batch = bench.poll()
    assert values(batch)["layers_on_gpu"] == 20 / 33
    assert "captured_batch" not in values(batch)
    assert batch.facts[0].value == str(other)


def test_a_named_file_that_is_gone_is_an_error(bench: Bench, tmp_path: Path) -> None:
    """Somebody counts on it."""
    bench.named = (str(tmp_path / "gone.log"),)
    batch = bench.poll()
    assert batch.error == f"{tmp_path}/gone.log is not there"
    assert absent(batch)["engine.oom_events"] is Missing.NOT_EXPORTED


def test_a_flag_that_cannot_be_understood_is_an_error(bench: Bench) -> None:
    """In the words of whoever read it."""
    bench.named = "--log x: 2 engines are watched"
    assert bench.poll().error == "--log x: 2 engines are watched"


def test_the_engines_line_of_limits_is_marked_as_its_own_word(bench: Bench) -> None:
    """It stands for what a server's info page would say."""
    bench.write(captured("sglang-0.5.4-healthy.log"))
    caps = [s.key.labels for s in bench.poll().samples if s.key.indicator == "engine.max_num_seqs"]
    assert caps == [(("origin", "server-info"),)]


class FakeJournal(Journal):
    """A journal with one answer."""

    def __init__(self, answer: bytes | Unreadable) -> None:
        super().__init__(())
        self.answer = answer

    def start_of(self, begun: float, span_s: float) -> bytes | Unreadable:
        """An engine's start of long ago."""
        return captured("llamacpp-b6250.log") if begun < ONE_O_CLOCK and span_s else b""

    def read(self, since: float, stop: Callable[[], bool] = lambda: False) -> bytes | Unreadable:
        """The answer, once."""
        del since, stop
        answer, self.answer = self.answer, b""
        return answer


def service(bench: Bench, tmp_path: Path, answer: bytes | Unreadable) -> EngineLogSource:
    """The engine as a service whose output goes to the journal."""
    os.mkfifo(tmp_path / "pipe")
    bench.root.link("proc/12/fd/1", str(tmp_path / "pipe"))
    bench.root.put("proc/12/cgroup", "0::/system.slice/vllm.service\n")
    bench.root.put("proc/uptime", "90000.0 1.0\n")
    bench.source = bench.make(lambda _group: FakeJournal(answer))
    return bench.source


def test_lines_of_the_journal_count_at_their_times(bench: Bench, tmp_path: Path) -> None:
    """And the start of the service is looked up."""
    at = f"{ONE_O_CLOCK - 60:.0f}.000000 gpu-07 vllm[12]: "
    service(bench, tmp_path, f"{at}{OOM}".encode())
    batch = bench.poll()
    assert (values(batch)["oom_events"], values(batch)["layers_on_gpu"]) == (1.0, 20 / 33)
    assert values(bench.poll())["oom_events"] == 1.0


def test_a_journal_that_refuses_is_a_reason(bench: Bench, tmp_path: Path) -> None:
    """One line, and the rules know."""
    service(bench, tmp_path, Unreadable(Missing.NO_PERMISSION, "may not be read"))
    batch = bench.poll()
    assert batch.notes == ("may not be read",)
    assert set(absent(batch).values()) == {Missing.NO_PERMISSION}
