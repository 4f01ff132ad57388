"""What ends a probe at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import State
from perfconsole.model.probeload import Part, Trouble
from perfconsole.model.rule import Severity
from perfconsole.probing.guard import Cause, Guard, Stopped
from tests.probing.fakeload import ENGINE, failed, plan, request, tick
from tests.view.pictures import finding, indicator, snapshot

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

WELL = request(0, 1.0, 0.05, 0.5)
BAD = failed(WELL)


def _guard(before: Snapshot | None = None) -> Guard:
    return Guard(plan(1), 0.0, [ENGINE], before)


def _told(guard: Guard, *outcomes: bool) -> Stopped | None:
    """What is said after these requests, with a token a moment ago."""
    for well in outcomes:
        guard.note(WELL if well else BAD)
    guard.hear(1.0, tick(1.0))
    return guard.look(1.0, None)


def test_a_quarter_may_fail() -> None:
    """The limit itself is no breach, one more is."""
    assert _told(_guard(), *[True] * 15, *[False] * 5) is None
    stopped = _told(_guard(), *[True] * 14, *[False] * 6)
    assert stopped == Stopped(Cause.LIMIT, "30% of the last 20 requests failed (limit 25%)")


def test_few_say_nothing() -> None:
    """Nineteen requests are too few for a share, whatever it is."""
    assert _told(_guard(), *[True], *[False] * 18) is None


def test_only_the_last_forty_count() -> None:
    """A good hour does not hide a bad minute."""
    stopped = _told(_guard(), *[True] * 500, *[False] * 11)
    assert stopped is not None
    assert stopped.why == "28% of the last 40 requests failed (limit 25%)"


def test_first_tokens_that_nobody_would_wait_for() -> None:
    """The median of the last ones; a single late one is none."""
    late, guard = request(0, 1.0, 31.0, 40.0), _guard()
    for record in (WELL, late, late, WELL):
        guard.note(record)
    assert _told(guard, *[True]) is None
    for _ in range(8):
        guard.note(late)
    assert _told(guard) == Stopped(Cause.LIMIT, "first tokens took 31 s (limit 30 s)")


def test_none_well() -> None:
    """Five that all failed need no share."""
    assert _told(_guard(), *[False] * 4) is None
    assert _told(_guard(), *[False] * 5) == Stopped(Cause.LIMIT, "none of the first 5 requests ended well")


def _warm(*troubles: Trouble | None) -> Stopped | None:
    guard = _guard()
    for trouble in troubles:
        record = replace(WELL, part=Part.WARM_UP)
        guard.note(record if trouble is None else failed(record, trouble, "404"))
    guard.hear(1.0, tick(1.0))
    return guard.look(1.0, None)


@pytest.mark.parametrize(
    ("troubles", "cause"),
    [
        ((Trouble.STATUS,), None),
        ((Trouble.STATUS, Trouble.STATUS), Cause.LIMIT),
        ((Trouble.STATUS, None), None),
        ((None, Trouble.STATUS), None),
        ((Trouble.TIMEOUT,), Cause.LIMIT),
        ((Trouble.REFUSED, Trouble.REFUSED), Cause.UNREACHED),
        ((Trouble.REFUSED, Trouble.RESET), Cause.LIMIT),
    ],
)
def test_the_warm_up(troubles: tuple[Trouble | None, ...], cause: Cause | None) -> None:
    """All of it must fail to end a probe; a single time-out is enough to know what the next would be."""
    stopped = _warm(*troubles)
    assert (stopped.cause if stopped else None) == cause


def test_what_the_server_said() -> None:
    """The reason of the last request is told."""
    stopped = _warm(Trouble.STATUS, Trouble.STATUS)
    assert stopped is not None
    assert stopped.why == "the warm-up failed (status: 404)"


def test_silence() -> None:
    """Five seconds from the last word; fifteen before the first one, while a name is looked up."""
    guard = _guard()
    assert guard.look(14.9, None) is None
    assert guard.look(15.1, None) == Stopped(Cause.CLIENT, "the load process said nothing for 15 s")
    guard.hear(16.0, tick(16.0))
    assert guard.look(20.9, None) is None
    assert guard.look(21.1, None) is not None


def test_no_token() -> None:
    """A server that has answered hangs after 20 s, or after three times its longest request."""
    quick, slow = _guard(), _guard()
    quick.note(WELL)
    slow.note(request(0, 0.0, 1.0, 10.0))
    for guard in (quick, slow):
        guard.hear(1.0, tick(1.0))
        guard.hear(22.0, tick(22.0, tokens=0))
    assert quick.look(22.0, None) == Stopped(Cause.LIMIT, "the server gave no token for 21 s")
    assert slow.look(22.0, None) is None


def test_nothing_asked_for() -> None:
    """With no request under way nobody waits for a token."""
    guard = _guard()
    guard.note(WELL)
    guard.hear(40.0, tick(40.0, inflight=0, tokens=0))
    assert guard.look(41.0, None) is None


def _critical(seq: int, *rules: str, state: State = State.FIRING, severity: Severity = Severity.CRITICAL) -> Snapshot:
    found = tuple(finding(rule, state=state, severity=severity, title="It hangs") for rule in rules)
    return snapshot(seq=seq, findings=found)


def test_a_critical_finding() -> None:
    """One that was not there before; those that were are not ours."""
    guard = _guard(_critical(1, "hung"))
    guard.hear(1.0, tick(1.0))
    assert guard.look(1.0, _critical(2, "hung")) is None
    stopped = guard.look(1.0, _critical(3, "hung", "lost-gpu"))
    assert stopped is not None
    assert stopped.why.startswith("a critical finding appeared: It hangs (lost-gpu, ")


def test_what_is_not_critical_yet() -> None:
    """A finding that is pending, or a warning, ends nothing."""
    guard = _guard(snapshot(seq=1))
    guard.hear(1.0, tick(1.0))
    assert guard.look(1.0, _critical(2, "hung", state=State.PENDING)) is None
    assert guard.look(1.0, _critical(3, "late", severity=Severity.WARN)) is None


def test_the_first_picture_is_what_was_before() -> None:
    """Where there was none before the start, the first one tells what is not ours."""
    guard = _guard()
    guard.hear(1.0, tick(1.0))
    assert guard.look(1.0, _critical(1, "hung")) is None
    assert guard.look(1.0, _critical(2, "hung", "lost-gpu")) is not None


def _full(seq: int, used: float, entity: Entity = ENGINE) -> Snapshot:
    return snapshot(seq=seq, indicators=(indicator("engine.kv_cache_usage", used, entity),))


def test_a_full_cache() -> None:
    """In two pictures, one after the other; the same picture twice is one."""
    guard = _guard(snapshot(seq=0))
    guard.hear(1.0, tick(1.0))
    looks = [guard.look(1.0, _full(seq, used)) for seq, used in ((1, 0.99), (1, 0.99), (2, 0.5), (3, 0.99))]
    assert looks == [None] * 4
    assert guard.look(1.0, _full(4, 0.99)) == Stopped(Cause.LIMIT, "the KV cache was 99% full (limit 98%)")


def test_the_cache_of_another_engine() -> None:
    """Is not what is probed."""
    guard, other = _guard(snapshot(seq=0)), Entity(Kind.ENGINE, "vllm:9000")
    guard.hear(1.0, tick(1.0))
    assert [guard.look(1.0, _full(seq, 0.99, other)) for seq in (1, 2, 3)] == [None] * 3
