"""A streamed answer on its way through the gateway."""

from __future__ import annotations

from perfconsole.demo.model.chat import DONE, Words
from perfconsole.demo.model.gateway import Passed
from perfconsole.demo.model.passing import Passing

WORDS = Words(1, 1_800_000_000)
END = WORDS.end() + WORDS.usage(20, 2) + DONE


def test_it_is_passed_on_as_it_comes() -> None:
    """Nothing is left at the end."""
    passing = Passing(10.0, buffers=False)
    assert [passing.take(piece, t) for t, piece in ((10.5, WORDS.first), (11.0, END))] == [[WORDS.first], [END]]
    assert passing.rest(11.0) == []
    assert passing.passed(11.0) == Passed(200, 1.0, 1.0, 0.5, 20, 2)


def test_what_is_kept_back_comes_at_the_end_piece_by_piece() -> None:
    """With its first token as late as its last."""
    passing = Passing(10.0, buffers=True)
    assert [passing.take(piece, t) for t, piece in ((10.5, WORDS.first), (11.0, END))] == [[], []]
    assert passing.rest(11.0) == [WORDS.first, END]
    assert passing.passed(11.0) == Passed(200, 1.0, 1.0, 1.0, 20, 2)


def test_an_answer_that_broke_off_has_no_tokens() -> None:
    """The gateway reads how many there were from the end."""
    passing = Passing(10.0, buffers=False)
    passing.take(WORDS.first, 10.5)
    passing.status = 500
    assert passing.passed(12.0) == Passed(500, 2.0, 2.0, 0.5, 0, 0)
