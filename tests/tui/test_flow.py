"""Tests of the account of what is on the way to the terminal."""

from __future__ import annotations

from perfconsole.tui.flow import LARGEST, MUTE_S, SMALLEST, Flow


def answered(flow: Flow, t: float, size: int, took_s: float) -> float:
    """Send a piece and have it answered; the time of the answer."""
    assert flow.sent(size, t)
    flow.answered(t + took_s)
    return t + took_s


def quick() -> Flow:
    """A flow whose terminal has answered at once."""
    flow = Flow()
    answered(flow, 0.0, 100, 0.01)
    return flow


def test_the_first_screen_is_sent_at_once() -> None:
    """A whole page of 120 by 40 is allowed before anything is known."""
    assert Flow().allowance(0.0, urgent=False) >= 8000


def test_nothing_more_is_sent_while_a_question_is_open() -> None:
    """Live data waits until the last piece has arrived."""
    flow = quick()
    flow.sent(500, 1.0)
    assert flow.allowance(1.5, urgent=False) == 0


def test_one_urgent_piece_may_overtake_the_open_question() -> None:
    """A key's answer does not wait a round trip, but only one of them may be on the way besides."""
    flow = quick()
    flow.sent(500, 1.0)
    assert flow.allowance(1.1, urgent=True) > 0
    assert not flow.sent(300, 1.1)
    assert flow.allowance(1.2, urgent=True) == 0


def test_a_slow_terminal_gets_small_pieces() -> None:
    """At 2 kB/s the pieces shrink until one takes about a tenth of a second."""
    flow = quick()
    t = 1.0
    for _ in range(6):
        size = flow.allowance(t, urgent=False)
        t = answered(flow, t, size, 0.01 + size / 2000)
    assert flow.allowance(t, urgent=False) <= 2 * SMALLEST


def test_a_far_but_fast_terminal_gets_large_pieces() -> None:
    """A long way alone is no reason to send less: only waiting behind one's own bytes is."""
    flow = Flow()
    t = 0.0
    for _ in range(8):
        t = answered(flow, t, max(flow.allowance(t, urgent=False), 1), 0.3)
    assert flow.allowance(t, urgent=False) == LARGEST


def test_a_terminal_that_never_answers_gets_live_data_slowly() -> None:
    """Over ten seconds it gets less than a line of 2 kB/s carries."""
    flow = Flow()
    flow.sent(6000, 0.0)
    t, total = MUTE_S + 0.1, 0
    while t < 12:
        size = flow.allowance(t, urgent=False)
        if size:
            flow.sent(size, t)
            total += size
        t += 0.05
    assert 8000 < total < 18_000


def test_a_terminal_that_never_answers_gets_what_a_key_asked_for_at_once() -> None:
    """Nobody waits for a page that was asked for."""
    flow = Flow()
    flow.sent(6000, 0.0)
    assert flow.allowance(5.0, urgent=True) >= 4000


def test_an_answer_that_is_lost_does_not_stop_the_screen_for_good() -> None:
    """After some seconds the next piece goes out with a question of its own."""
    flow = quick()
    flow.sent(500, 1.0)
    assert flow.allowance(20.0, urgent=False) > 0
    assert flow.sent(100, 20.0)


def test_the_wait_is_never_a_busy_loop() -> None:
    """Whatever the state, the next look is some milliseconds away."""
    flow = Flow()
    flow.sent(50_000, 0.0)
    assert flow.wait_s(1.0) >= 0.02
    flow.allowance(5.0, urgent=False)
    assert flow.wait_s(5.0) >= 0.02
