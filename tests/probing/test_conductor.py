"""A whole probe, led from the first order to the last event."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.probeload import LoadEnd, Part, Trouble
from perfconsole.model.probeorders import Arrival, Finish, Open, Run, Stop, Warm
from perfconsole.model.probeplan import Caps, ProbePlan, Shape, Step
from perfconsole.probing.conductor import Conductor, Lead, Phase
from perfconsole.probing.guard import Cause, Stopped
from tests.probing.fakeload import ENGINE, OFFSET, FakeLoad, conduct, failed, opening, plan, request, tick
from tests.view.pictures import indicator, snapshot


def _conductor(made: ProbePlan, **changes: object) -> Conductor:
    lead = Lead(opening(made.caps), OFFSET, (ENGINE,))
    return Conductor(made, replace(lead, **changes), 0.0)  # type: ignore[arg-type]  # names of fields


def _levels(conductor: Conductor) -> list[float]:
    return [result.step.amount for result in conductor.results]


def test_order_of_orders() -> None:
    """Open and warm-up at once, each step when the one before has ended, and the end is asked for."""
    conductor, load = _conductor(plan(1, 2, adaptive=False)), FakeLoad()
    conduct(conductor, load)
    assert [type(order) for order in load.orders] == [Open, Warm, Run, Run, Finish]
    assert (conductor.phase, conductor.stopped) == (Phase.DONE, None)


def test_without_a_warm_up() -> None:
    """The first step is ordered with the opening."""
    orders = _conductor(plan(1, warmup=0)).start()
    assert [type(order) for order in orders] == [Open, Run]


def test_the_ladder_ends_behind_the_knee() -> None:
    """With 16 slots it ends at 32, and looks once between 16 and 32."""
    conductor, load = _conductor(plan(1, 2, 4, 8, 16, 32, 64, 128)), FakeLoad(slots=16)
    took_s = conduct(conductor, load)
    assert _levels(conductor) == [1, 2, 4, 8, 16, 32, 24]
    assert conductor.notes == [
        "the ladder ended early: 32 at a time gave +0% tokens/s over 16 at a time, and requests waited"
    ]
    assert took_s < 120


def test_a_list_of_steps_is_gone_through() -> None:
    """Levels that a person names are all tried."""
    conductor = _conductor(plan(8, 16, 32, 64, adaptive=False))
    conduct(conductor, FakeLoad(slots=16))
    assert _levels(conductor) == [8, 16, 32, 64]


def test_steps_are_as_long_as_requests_want() -> None:
    """Two and a half requests, 3 s at least and 15 s at most."""
    quick, slow = FakeLoad(), FakeLoad(itl_s=0.08)
    conduct(_conductor(plan(1, 2)), quick)
    conduct(_conductor(plan(1, 2)), slow)
    assert quick.runs()[0].seconds == 3.0
    assert 12.0 < (slow.runs()[0].seconds or 0.0) < 13.0


def test_the_engine_is_read_beside_the_client() -> None:
    """A step has the engine's numbers of the polls inside it."""
    conductor = _conductor(plan(32, adaptive=False))
    conduct(conductor, FakeLoad(slots=16))
    server = conductor.results[0].server
    assert server is not None
    assert (server.running, server.waiting, server.waiting_share, server.max_num_seqs) == (16.0, 16.0, 1.0, 16.0)


def test_no_engine_is_watched() -> None:
    """Without one the probe is led all the same, by what the client sees."""
    conductor = _conductor(plan(16, 32, 64), engines=())
    conduct(conductor, FakeLoad(slots=16))
    assert conductor.results[0].server is None
    assert conductor.whole is None
    assert _levels(conductor) == [16, 32, 24]


def test_runs_repeat_the_ladder() -> None:
    """Each run goes through the levels of the first one, for the same time."""
    conductor, load = _conductor(plan(8, 16, 32, 64, runs=3)), FakeLoad(slots=16)
    conduct(conductor, load)
    assert _levels(conductor) == [8, 16, 32, 24] * 3
    assert [(r.run, r.index) for r in conductor.results[4:8]] == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert [run.seconds for run in load.runs()[:4]] == [run.seconds for run in load.runs()[8:]]


def test_shedding() -> None:
    """Nothing is sent for so long, then the first step comes once more."""
    conductor, load = _conductor(plan(4, 8, adaptive=False, shed_s=10.0)), FakeLoad()
    conduct(conductor, load)
    pause, again = load.runs()[2:]
    assert (pause.amount, pause.seconds, again.amount) == (0.0, 10.0, 4.0)
    assert [result.step.label for result in conductor.results] == ["", "", "shed"]
    assert conductor.results[2].step.seconds == conductor.results[0].step.seconds


def test_errors_break_it_off() -> None:
    """Too many of the last requests failed; the cut step shows them."""
    conductor, load = _conductor(plan(4, 8, adaptive=False)), FakeLoad(fails=2)
    conduct(conductor, load)
    assert conductor.stopped == Stopped(Cause.LIMIT, "50% of the last 22 requests failed (limit 25%)")
    assert isinstance(load.orders[-1], Stop)
    last = conductor.results[-1]
    assert (last.valid, last.cut) == (False, True)
    assert last.error_ratio > 0.4


def test_a_server_that_hangs() -> None:
    """No token for 20 s from a server that has answered ends the probe, long before its requests time out."""
    conductor, load = _conductor(plan(1, 2, 4, adaptive=False)), FakeLoad(hangs_at=5.0)
    took_s = conduct(conductor, load)
    assert conductor.stopped is not None
    assert conductor.stopped.why.startswith("the server gave no token for 20 s")
    assert took_s < 30


def test_a_server_that_hangs_from_the_start() -> None:
    """After one request of the warm-up that timed out nobody waits for the next."""
    conductor = _conductor(plan(1))
    conductor.start()
    conductor.take(tick(0.5), 0.5)
    conductor.take(failed(request(-1, 0.0, 1.0, 60.0, Part.WARM_UP), Trouble.TIMEOUT, "after 60 s"), 60.0)
    assert conductor.look(None, FakeLoad().stretch, 60.1) == (Stop(),)
    assert conductor.stopped == Stopped(Cause.LIMIT, "the warm-up failed (timeout: after 60 s)")


def test_a_target_that_takes_no_connection() -> None:
    """That is no limit of ours: nobody was reached."""
    conductor = _conductor(plan(1))
    conductor.start()
    for t in (0.1, 0.2):
        conductor.take(failed(request(-1, t, 0.0, 0.0, Part.WARM_UP), Trouble.REFUSED, ""), t)
    conductor.look(None, FakeLoad().stretch, 0.3)
    assert conductor.stopped is not None
    assert conductor.stopped.cause is Cause.UNREACHED


def test_a_mute_load_process() -> None:
    """Five seconds without a sign of life, and it is given up."""
    conductor = _conductor(plan(1, 2, adaptive=False))
    took_s = conduct(conductor, FakeLoad(mute_at=3.0))
    assert conductor.stopped == Stopped(Cause.CLIENT, "the load process said nothing for 5 s")
    assert took_s < 12


def test_a_load_process_that_is_gone() -> None:
    """Its last words are the reason."""
    conductor, load = _conductor(plan(1)), FakeLoad()
    load.order(conductor.start(), 0.0)
    conductor.lost("MemoryError", load.stretch, 1.0)
    assert conductor.phase is Phase.DONE
    assert conductor.stopped == Stopped(Cause.CLIENT, "the load process ended: MemoryError")


def test_a_cap_of_the_load_process() -> None:
    """What it says of its own end is the reason."""
    conductor, load = _conductor(plan(1)), FakeLoad()
    load.order(conductor.start(), 0.0)
    conductor.take(LoadEnd(OFFSET + 1, "5,000 requests were sent", 5_000, 9, 9, ()), 1.0)
    assert conductor.look(None, load.stretch, 1.1) == ()
    assert conductor.phase is Phase.DONE
    assert conductor.stopped == Stopped(Cause.LIMIT, "5,000 requests were sent")


def test_its_time_is_over() -> None:
    """The limit on seconds holds whatever the steps want."""
    conductor = _conductor(plan(1, 2, 4, adaptive=False, caps=Caps(seconds=5.0)))
    took_s = conduct(conductor, FakeLoad())
    assert conductor.stopped == Stopped(Cause.LIMIT, "its time was over (5 s)")
    assert took_s < 6


def test_a_full_kv_cache() -> None:
    """Twice above the limit is enough, once is not."""
    full = [
        snapshot(seq=seq, indicators=(indicator("engine.kv_cache_usage", used, ENGINE),))
        for seq, used in enumerate([0.5, 0.99, 0.5, 0.99, 0.99, 0.5])
    ]
    conductor = _conductor(plan(1, 2, 4, 8, adaptive=False))
    took_s = conduct(conductor, FakeLoad(), full)
    assert conductor.stopped == Stopped(Cause.LIMIT, "the KV cache was 99% full (limit 98%)")
    assert 5.0 <= took_s < 5.5


def test_a_person_stops_it() -> None:
    """At once, and what the step under way has shown is kept."""
    conductor, load = _conductor(plan(4, adaptive=False)), FakeLoad()
    load.order(conductor.start(), 0.0)
    for now in (1.0, 1.1, 2.5):
        for event in load.until(now):
            conductor.take(event, now)
        load.order(conductor.look(None, load.stretch, now), now)
    person = Stopped(Cause.PERSON, "a key was pressed")
    assert conductor.stop(person, load.stretch, 2.5) == (Stop(),)
    assert conductor.stop(person, load.stretch, 2.6) == ()
    assert (conductor.phase, conductor.stopped) == (Phase.STOPPING, person)
    assert conductor.results[0].cut


def test_a_person_does_not_wait_for_the_last_poll() -> None:
    """All steps are whole and nothing is open by then, so nothing was broken off."""
    conductor, load = _conductor(plan(1, adaptive=False)), FakeLoad()
    load.order(conductor.start(), now := 0.0)
    while conductor.phase is not Phase.SETTLING:
        now += 0.1
        for event in load.until(now):
            conductor.take(event, now)
        load.order(conductor.look(None, lambda *_: None, now), now)
    assert conductor.stop(Stopped(Cause.PERSON, "a key was pressed"), load.stretch, now) == ()
    assert (conductor.phase, conductor.stopped) == (Phase.DONE, None)


def test_a_load_process_that_does_not_stop() -> None:
    """Nobody waits longer than 2 s for its last word."""
    conductor, load = _conductor(plan(4)), FakeLoad()
    conductor.start()
    conductor.stop(Stopped(Cause.PERSON, "a key was pressed"), load.stretch, 1.0)
    phases = []
    for now in (2.9, 3.0):
        conductor.look(None, load.stretch, now)
        phases.append(conductor.phase)
    assert phases == [Phase.STOPPING, Phase.DONE]


def test_limits_while_the_last_requests_end() -> None:
    """All steps are whole by then: it is a note, no reason to call the probe broken off."""
    conductor, load = _conductor(plan(1, adaptive=False, caps=Caps(seconds=6.0))), FakeLoad(lingers=True)
    conduct(conductor, load)
    assert isinstance(load.orders[-1], Stop)
    assert conductor.stopped is None
    assert conductor.notes == ["the last requests were broken off: its time was over (6 s)"]


def test_the_whole_of_it() -> None:
    """The engine is polled once more after the last request, so that both sides have counted everything."""
    conductor = _conductor(plan(4, adaptive=False))
    conduct(conductor, FakeLoad())
    assert conductor.whole is not None
    assert conductor.ledger.end is not None
    assert conductor.whole.end + OFFSET > conductor.ledger.end.t


def test_a_replay_carries_its_arrivals() -> None:
    """And is as long as its sample."""
    arrivals = (Arrival(0.0, 10, 20), Arrival(1.5, 30, 40))
    made = replace(plan(warmup=0), steps=(Step(Shape.REPLAY, 2.0),))
    order = _conductor(made, arrivals=arrivals).start()[1]
    assert isinstance(order, Run)
    assert (order.arrivals, order.seconds, order.requests) == (arrivals, None, None)
