"""The load as the orders move it, without a process around it."""

from __future__ import annotations

from typing import Any

from perfconsole.model.probeload import LoadEnd, Part, RequestRecord, StepRecord
from perfconsole.model.probeorders import Target
from perfconsole.model.probeplan import Caps
from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import Settings
from tests.load.loadrun import Moved, closed, opening

QUICK = Settings(slots=8, itl_ms=1.0, prefill_ms=2.0)


def moved_load(port: int, **more: Any) -> Moved:  # noqa: ANN401 - any field of the order
    """A load of short answers."""
    return Moved(opening(port, output_tokens=4, **more))


def test_every_target_is_warmed_up_and_the_end_is_told_once() -> None:
    """The order of the first step may come before."""
    with ExactServer(QUICK) as one, ExactServer(QUICK) as two:
        targets = (Target("http", "127.0.0.1", one.port), Target("http", "127.0.0.1", two.port))
        moved = moved_load(one.port, targets=targets)
        moved.load.warm(2)
        moved.until(lambda: bool(moved.of(StepRecord)))
        assert (len(one.truths()), len(two.truths())) == (2, 2)
        moved.load.stop("enough")
    assert [event.part for event in moved.of(RequestRecord)] == [Part.WARM_UP] * 4
    assert len(moved.of(StepRecord)) == 1


def test_finish_lets_what_runs_end() -> None:
    """All tokens of it are counted."""
    with ExactServer(QUICK) as server:
        moved = moved_load(server.port)
        moved.load.step(closed(3, 50))
        moved.until(lambda: len(moved.of(RequestRecord)) > 5)
        moved.load.finish(None)
        moved.until(lambda: False)
        (end,) = moved.of(LoadEnd)
        assert (end.stopped, end.output_tokens) == (None, server.state()["tokens"])
        assert server.settled()


def test_the_limit_of_time_drops_everything() -> None:
    """Whatever the server does."""
    with ExactServer(Settings(slots=8, hang="head")) as server:
        moved = moved_load(server.port, caps=Caps(seconds=0.2))
        moved.load.step(closed(2, 4))
        moved.until(lambda: False)
        assert server.settled()
    (end,) = moved.of(LoadEnd)
    assert end.stopped == "limit of 0.2 s"


def test_a_name_that_nobody_knows_ends_it() -> None:
    """With the reason."""
    moved = moved_load(1, targets=(Target("http", "no-such-host.invalid", 80),))
    moved.load.step(closed(1, 1))
    moved.until(lambda: False)
    (end,) = moved.of(LoadEnd)
    assert end.stopped is not None
    assert end.stopped.startswith("no connection to the target: ")
