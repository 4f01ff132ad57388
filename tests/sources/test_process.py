"""The source for the processes of one engine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess  # noqa: TID251 - a real child process is what the source must be able to read
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Batch, Missing
from perfconsole.sources.linux import engineuse, procfs
from perfconsole.sources.linux.taskstat import HZ
from perfconsole.sources.process import ProcessSource
from perfconsole.sources.roles import Roles
from tests.sources.fakeroot import FakeRoot, task_line, tcp_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from perfconsole.sources.flags import Stated

ENGINE = Entity(Kind.ENGINE, "e")
VLLM = Roles("VLLM::APIServer", "VLLM::EngineCore", "VLLM::Worker", (r"vllm(\s|.*\s)serve",))
HERE = "0100007F:1F40"
LISTEN = tcp_line(HERE, "00000000:0000", "0A", 11)
PROCESS_NAMES = {
    "host.process_cpu",
    "host.process_total_cpu",
    "host.process_rss",
    "host.process_threads",
    "host.process_fds",
    "host.process_fd_limit",
    "host.process_fd_ratio",
    "host.process_close_wait",
    "host.process_cpu_quota",
    "host.process_runqueue_ratio",
    "host.process_throttled_ratio",
}
CHILD = """
import socket, subprocess, sys
server = socket.create_server(("127.0.0.1", 0))
command = [sys.executable, "-c", "import sys; sys.stdin.read()", "FAKE::" + "Core"]
helper = subprocess.Popen(command, stdin=subprocess.PIPE)
print(server.getsockname()[1], flush=True)
kept = [server.accept() for _ in range(2)]
print("accepted", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host with a vLLM of processes 10 to 12, started 100 s after boot."""
    root = FakeRoot(tmp_path)
    root.put("proc/uptime", "160.00 300.00\n")
    root.sockets(LISTEN)
    root.process(1, 0, "init")
    root.process(10, 1, "vllm", "serve", "m", "--max-num-seqs", "4", start=100 * HZ)
    root.process(11, 10, "VLLM::EngineCore", start=100 * HZ)
    root.process(12, 11, "VLLM::Worker", start=100 * HZ)
    root.link("proc/10/fd/3", "socket:[11]")
    return root


@pytest.fixture
def source(root: FakeRoot) -> ProcessSource:
    """Make a source that has polled once, at 0 s."""
    source = ProcessSource("vllm processes", 8000, lambda: ENGINE, VLLM, _flags, root.path)
    source.batch(0.0, 1000.0)
    return source


def _flags(argv: tuple[str, ...]) -> tuple[Stated, ...]:
    """One fact of a command line, with the tag of its part."""
    return (("engine.max_num_seqs", float(argv[argv.index("--max-num-seqs") + 1]), (("origin", "argv"),)),)


def _no_flags(_: tuple[str, ...]) -> tuple[Stated, ...]:
    return ()


def _value(batch: Batch, name: str, entity: Entity = ENGINE) -> object:
    """Value or reason of an indicator; each may stand in a batch once."""
    values: list[object] = [s.value for s in batch.samples if (s.key.indicator, s.key.entity) == (name, entity)]
    values += [gap.reason for gap in batch.absences if (gap.indicator, gap.entity) == (name, entity)]
    assert len(values) == 1, f"{name} of {entity}: {values}"
    return values[0]


def _process(pid: int) -> Entity:
    return Entity(Kind.PROCESS, str(pid))


def test_every_process_and_the_engine_have_all_their_names(source: ProcessSource) -> None:
    """Each name is a sample or an absence, never both and never left out."""
    batch = source.batch(1.0, 1001.0)
    for name in engineuse.NAMES:
        _value(batch, name)
    for pid in (10, 11, 12):
        for name in PROCESS_NAMES:
            _value(batch, name, _process(pid))


def test_a_poll_is_one_batch(source: ProcessSource) -> None:
    """The monitor takes batches, this source has one; breaking it off and closing it do nothing."""
    source.interrupt()
    assert [batch.source for batch in source.poll(1.0, 1001.0)] == ["vllm processes"]
    source.close()


def test_the_name_of_before_is_taken_back(root: FakeRoot) -> None:
    """A poll that was out while the page became known has brought it back."""
    names = [Entity(Kind.ENGINE, "127.0.0.1:8000"), ENGINE, ENGINE]
    renamed = ProcessSource("vllm processes", 8000, lambda: names[0], VLLM, _flags, root.path)
    gone = []
    for t in range(3):
        gone.append(renamed.batch(float(t), 1000.0 + t).gone)
        names[:2] = names[1:]
    assert gone == [(), (Entity(Kind.ENGINE, "127.0.0.1:8000"),), ()]


def test_links_carry_the_role(source: ProcessSource) -> None:
    """The console tells front-end, core and worker by them."""
    batch = source.batch(1.0, 1001.0)
    assert batch.links == (
        Link(Relation.ENGINE_HAS_PROCESS, ENGINE, _process(10), "frontend"),
        Link(Relation.ENGINE_HAS_PROCESS, ENGINE, _process(11), "core"),
        Link(Relation.ENGINE_HAS_PROCESS, ENGINE, _process(12), "worker"),
    )


def test_cpu_goes_to_the_part_that_used_it(root: FakeRoot, source: ProcessSource) -> None:
    """The core ran half of the second, the others slept."""
    root.process(11, 10, "VLLM::EngineCore", start=100 * HZ, ticks=HZ // 2)
    batch = source.batch(1.0, 1001.0)
    assert (_value(batch, "engine.core_cpu"), _value(batch, "engine.core_process_cpu")) == (0.5, 0.5)
    assert (_value(batch, "engine.frontend_cpu"), _value(batch, "engine.worker_cpu")) == (0.0, 0.0)


def test_uptime_counts_from_the_start_of_the_first_process(source: ProcessSource) -> None:
    """60 s of the 160 since boot."""
    assert _value(source.batch(1.0, 1001.0), "engine.uptime") == 60.0


def test_an_uptime_that_would_be_negative_is_unsupported(root: FakeRoot, source: ProcessSource) -> None:
    """Some containers show their own time since boot."""
    root.put("proc/uptime", "5.00 9.00\n")
    assert _value(source.batch(1.0, 1001.0), "engine.uptime") is Missing.UNSUPPORTED


def test_only_facts_of_the_command_line_leave(source: ProcessSource) -> None:
    """A command line may hold a key: no argument is emitted but what the flags give."""
    batch = source.batch(1.0, 1001.0)
    assert _value(batch, "engine.max_num_seqs") == 4.0
    assert batch.facts == ()
    assert "--max-num-seqs" not in repr(batch)


def test_open_connections_are_requests_in_flight(root: FakeRoot, source: ProcessSource) -> None:
    """Two clients."""
    rows = [tcp_line(HERE, f"0200007F:C00{number}", "01", 20 + number) for number in (1, 2)]
    root.sockets(LISTEN, *rows)
    assert _value(source.batch(1.0, 1001.0), "engine.http_inflight") == 2.0


def test_close_wait_goes_to_its_process(root: FakeRoot, source: ProcessSource) -> None:
    """The front-end leaks, the core does not."""
    root.sockets(LISTEN, tcp_line(HERE, "0200007F:C001", "08", 21))
    root.link("proc/10/fd/4", "socket:[21]")
    batch = source.batch(1.0, 1001.0)
    assert _value(batch, "host.process_close_wait", _process(10)) == 1.0
    assert _value(batch, "host.process_close_wait", _process(11)) == 0.0


def test_a_stopped_core_is_counted(root: FakeRoot, source: ProcessSource) -> None:
    """It is alive and does nothing."""
    root.process(11, 10, "VLLM::EngineCore", start=100 * HZ, state="T")
    batch = source.batch(1.0, 1001.0)
    assert (_value(batch, "engine.processes"), _value(batch, "engine.stopped_processes")) == (3.0, 1.0)


def test_an_uninterruptible_worker_is_counted_at_the_second_poll(root: FakeRoot, source: ProcessSource) -> None:
    """Once may be a page read from disk."""
    root.process(12, 11, "VLLM::Worker", start=100 * HZ, state="D")
    counts = [_value(source.batch(now, 1000.0 + now), "engine.stopped_processes") for now in (1.0, 2.0)]
    assert counts == [0.0, 1.0]


def test_an_engine_that_died_has_0_processes(root: FakeRoot, source: ProcessSource) -> None:
    """Its figures stop, its processes are gone, and no fact of it stays."""
    for pid in (10, 11, 12):
        root.end(pid)
    root.sockets()
    batch = source.batch(3.0, 1003.0)
    assert _value(batch, "engine.processes") == 0.0
    assert _value(batch, "engine.frontend_cpu") is Missing.NEVER
    assert batch.gone == (_process(10), _process(11), _process(12))
    assert batch.facts == ()


def test_a_restart_is_told(root: FakeRoot, source: ProcessSource) -> None:
    """Counters of the engine began anew."""
    for pid in (10, 11, 12):
        root.end(pid)
    root.process(20, 1, "vllm", "serve", "m", "--max-num-seqs", "8", start=150 * HZ)
    root.link("proc/20/fd/3", "socket:[11]")
    batch = source.batch(3.0, 1003.0)
    assert batch.restarted == (ENGINE,)
    assert _value(batch, "engine.uptime") == 10.0
    assert _value(batch, "engine.max_num_seqs") == 8.0


def test_an_engine_with_hundreds_of_threads_is_read_in_turns(root: FakeRoot, source: ProcessSource) -> None:
    """A thread that wakes up shows at the fifth poll at the latest, as its mean since the last full reading."""
    root.process(12, 11, "VLLM::Worker", start=100 * HZ)
    root.put("proc/12/stat", task_line(12, 11, threads=600, start=100 * HZ))
    source.batch(1.0, 1001.0)
    root.put("proc/12/task/99/stat", task_line(99, 11, ticks=HZ // 2))
    shares = [
        _value(source.batch(now, 1000.0 + now), "host.process_cpu", _process(12)) for now in (2.0, 3.0, 4.0, 5.0, 6.0)
    ]
    assert sum(share != 0.0 for share in shares) == 1


def test_a_remote_engine_has_reasons_and_a_note(tmp_path: Path) -> None:
    """Nothing on this host listens on its port."""
    root = FakeRoot(tmp_path)
    root.sockets()
    batch = ProcessSource("p", 8000, lambda: ENGINE, VLLM, _no_flags, tmp_path).batch(0.0, 1000.0)
    assert batch.samples == ()
    assert _value(batch, "engine.processes") is Missing.NEVER
    assert _value(batch, "engine.http_inflight") is Missing.NOT_EXPORTED
    assert batch.notes[0].startswith("no process on this host listens on port 8000")
    assert batch.entities == (ENGINE,)


def test_a_listener_of_another_user_is_no_permission(tmp_path: Path) -> None:
    """Its connections can be counted all the same."""
    root = FakeRoot(tmp_path)
    root.sockets(LISTEN, tcp_line(HERE, "0200007F:C001", "01", 21))
    batch = ProcessSource("p", 8000, lambda: ENGINE, VLLM, _no_flags, tmp_path).batch(0.0, 1000.0)
    assert _value(batch, "engine.processes") is Missing.NO_PERMISSION
    assert _value(batch, "engine.http_inflight") == 1.0


def test_descriptors_that_cannot_be_read_leave_the_rest(source: ProcessSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures that need them have the reason, the others their value."""
    real = procfs.list_names
    monkeypatch.setattr(procfs, "list_names", lambda p: Missing.NO_PERMISSION if p.endswith("/fd") else real(p))
    batch = source.batch(1.0, 1001.0)
    assert _value(batch, "host.process_close_wait", _process(10)) is Missing.NO_PERMISSION
    assert _value(batch, "host.process_fds", _process(10)) is Missing.NO_PERMISSION
    assert _value(batch, "host.process_threads", _process(10)) == 1.0


def test_the_engine_is_asked_for_its_entity_at_each_poll(root: FakeRoot) -> None:
    """Its name may be known only after the first answer."""
    names = iter(("localhost:8000", "llama"))
    source = ProcessSource("p", 8000, lambda: Entity(Kind.ENGINE, next(names)), VLLM, _no_flags, root.path)
    owners = [source.batch(now, 1000.0 + now).links[0].parent.name for now in (0.0, 1.0)]
    assert owners == ["localhost:8000", "llama"]


class Child:
    """A real engine in small: a launcher with one child, and two connections of another process to its port."""

    def __init__(self) -> None:
        argv = [sys.executable, "-c", CHILD, "fake-engine", "serve"]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - the text above
        self.port = int(self.line())
        self.clients = [socket.create_connection(("127.0.0.1", self.port), timeout=5) for _ in range(2)]
        self.line()

    def line(self) -> str:
        """Next line the child writes."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def close(self) -> None:
        """End the child and wait for it; its own child ends with its input."""
        for client in self.clients:
            client.close()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def child() -> Iterator[Child]:
    """Start the real one and end it."""
    child = Child()
    yield child
    child.close()


@pytest.fixture
def watch(child: Child) -> Callable[[float], Batch]:
    """Poll the real one."""
    roles = Roles(core="FAKE::Core", launcher=(r"fake-engine serve",))
    source = ProcessSource("real", child.port, lambda: ENGINE, roles, _no_flags)
    return lambda now: source.batch(now, 1000.0 + now)


def test_a_real_listener_is_found_with_its_child(child: Child, watch: Callable[[float], Batch]) -> None:
    """The launcher is front-end, its titled child the core; memory and descriptors are theirs."""
    batch = watch(0.0)
    pid = child.process.pid
    assert {link.role for link in batch.links} == {"frontend", "core"}
    assert _value(batch, "engine.processes") == 2.0
    assert _value(batch, "host.process_threads", _process(pid)) == 1.0
    rss = _value(batch, "host.process_rss", _process(pid))
    assert isinstance(rss, float)
    assert rss > 1e6
    assert batch.notes == ()


def test_connections_of_the_console_itself_are_not_in_flight(watch: Callable[[float], Batch]) -> None:
    """The two clients are sockets of this very process."""
    assert _value(watch(0.0), "engine.http_inflight") == 0.0


def test_a_stopped_and_continued_process_is_told(child: Child, watch: Callable[[float], Batch]) -> None:
    """SIGSTOP shows, SIGCONT ends it."""
    pid = child.process.pid
    counts: list[object] = []
    for number, wait in ((signal.SIGSTOP, os.WSTOPPED), (signal.SIGCONT, os.WCONTINUED)):
        os.kill(pid, number)
        os.waitid(os.P_PID, pid, wait | os.WNOWAIT)
        counts.append(_value(watch(float(len(counts))), "engine.stopped_processes"))
    assert counts == [1.0, 0.0]


def test_a_process_that_ends_between_polls_does_not_raise(child: Child, watch: Callable[[float], Batch]) -> None:
    """A zombie of the test is not an engine."""
    watch(0.0)
    child.process.kill()
    os.waitid(os.P_PID, child.process.pid, os.WEXITED | os.WNOWAIT)
    batch = watch(3.0)
    assert batch.error is None


def test_this_process_shows_its_threads() -> None:
    """A source can watch the process it runs in."""
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = ProcessSource("me", server.getsockname()[1], lambda: ENGINE, Roles(), _no_flags)
        threads = _value(source.batch(0.0, 1000.0), "host.process_threads", _process(os.getpid()))
    stop.set()
    thread.join()
    assert isinstance(threads, float)
    assert threads >= 2
