"""The load process, played by small programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perfconsole.actions.loading import LoadProcess, load_argv
from perfconsole.clock import SystemClock
from perfconsole.errors import NotPermittedError
from perfconsole.load.wire import decode_order, encode_event
from perfconsole.model.probeload import LoadEnd
from perfconsole.model.probeorders import Arrival, Finish, Run, Stop
from perfconsole.model.probeplan import Shape
from tests.probing.fakeload import tick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfconsole.model.probeload import LoadEvent

CLOCK = SystemClock()
END = LoadEnd(1.0, None, 0, 0, 0, ())


@pytest.fixture(name="play")
def _play() -> Iterator[Callable[[str], LoadProcess]]:
    """Starts a program of Python as a load process; all are killed at the end."""
    started: list[LoadProcess] = []

    def play(body: str) -> LoadProcess:
        started.append(LoadProcess([sys.executable, "-I", "-S", "-c", body]))
        return started[-1]

    yield play
    for process in started:
        process.close()


def _until(done: Callable[[], bool]) -> None:
    began = CLOCK.now()
    while not done():
        assert CLOCK.now() - began < 20
        CLOCK.sleep(0.005)


def _heard(process: LoadProcess, enough: int = 10**9) -> list[LoadEvent]:
    """What it tells until it is gone, or has told enough."""
    events: list[LoadEvent] = []

    def done() -> bool:
        events.extend(process.look())
        return process.gone or len(events) >= enough

    _until(done)
    return events


def _ended(pid: int) -> bool:
    """It runs no more, though nobody may have asked for its end yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_orders_go_in_and_events_come_out(play: Callable[[str], LoadProcess], tmp_path: Path) -> None:
    """Line by line, in their order."""
    out = tmp_path / "orders"
    line = encode_event(END)
    process = play(
        f"import sys\nfor n, line in enumerate(sys.stdin.buffer):\n  open({str(out)!r}, 'ab').write(line)\n"
        f"  if n: break\nsys.stdout.buffer.write({line!r} * 2)\n"
    )
    process.send([Run(0, Shape.CONCURRENCY, 4.0)])
    process.send([Finish()])
    assert _heard(process) == [END, END]
    assert [decode_order(each) for each in out.read_bytes().splitlines()] == [Run(0, Shape.CONCURRENCY, 4.0), Finish()]


def test_an_order_longer_than_a_pipe(play: Callable[[str], LoadProcess]) -> None:
    """It goes in pieces, with the looks; nothing of it is lost, and nobody waits."""
    process = play(
        f"import sys, json\nrow = json.loads(sys.stdin.readline())\n"
        f"print(len(row['arrivals']), file=sys.stderr)\nsys.stdout.buffer.write({encode_event(END)!r})\n"
    )
    many = tuple(Arrival(n / 7, 100_000, 100_000) for n in range(20_000))
    process.send([Run(0, Shape.REPLAY, 1.0, arrivals=many)])
    assert _heard(process) == [END]
    assert process.last_words() == "20000"


def test_a_look_does_not_wait(play: Callable[[str], LoadProcess]) -> None:
    """One that says nothing is not waited for, and not taken for gone."""
    process = play("import sys; sys.stdin.read()")
    assert process.look() == []
    assert not process.gone


def test_a_line_in_pieces(play: Callable[[str], LoadProcess]) -> None:
    """Half a line is none yet."""
    line = encode_event(tick(1.0))
    process = play(
        f"import os, sys\nos.write(1, {line[:20]!r})\nsys.stdin.readline()\nos.write(1, {line[20:]!r})\n"
        "sys.stdin.read()"
    )
    for _ in range(20):
        assert process.look() == []
        CLOCK.sleep(0.005)
    process.send([Finish()])
    assert _heard(process, 1) == [tick(1.0)]


def test_what_it_says_before_it_ends_is_heard(play: Callable[[str], LoadProcess]) -> None:
    """Also when it has long ended by then."""
    process = play(f"import sys; sys.stdout.buffer.write({encode_event(tick(1.0))!r} * 9000)")
    assert len(_heard(process)) == 9000
    assert process.last_words() == ""


def test_last_words(play: Callable[[str], LoadProcess]) -> None:
    """The last line of its error, or how it ended."""
    crashed, killed = play("raise MemoryError('all gone')"), play("import os; os.kill(os.getpid(), 9)")
    for process in (crashed, killed):
        assert _heard(process) == []
    _until(lambda: bool(killed.last_words()))
    assert (crashed.last_words(), killed.last_words()) == ("MemoryError: all gone", "killed by signal 9")


def test_another_language(play: Callable[[str], LoadProcess]) -> None:
    """What is no event ends it at once: nothing that follows could be trusted."""
    process = play("import os, sys; os.write(1, b'hello\\n'); sys.stdin.read()")
    assert _heard(process) == []
    assert process.last_words().startswith("it does not speak as it should: ")
    _until(lambda: _ended(process.pid))


def test_closing_kills_it_with_what_it_started(play: Callable[[str], LoadProcess]) -> None:
    """At once and as a group, whatever it does with signals."""
    process = play(
        "import os, signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = os.fork()\nif child: print(child, file=sys.stderr, flush=True)\ntime.sleep(60)\n"
    )
    _until(lambda: bool(process.last_words()))
    child = int(process.last_words())
    process.close()
    _until(lambda: _ended(process.pid) and _ended(child))
    process.send([Stop()])
    assert process.look() == []


def test_a_program_that_is_not_there() -> None:
    """It is said, not raised as a fault of ours."""
    with pytest.raises(NotPermittedError):
        LoadProcess(["/nonexistent/python"])


def test_the_command() -> None:
    """Nothing of the user's own Python is loaded, and the package is found wherever it lies."""
    argv = load_argv()
    assert argv[1:3] == ["-I", "-S"]
    assert (Path(argv[-1]) / "perfconsole" / "load").is_dir()
