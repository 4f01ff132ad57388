"""A load process that sends nothing: it takes orders and tells at once what a server of its own would have caused.

`python -m tests.commands.playedload [fails|refused|crash|silent]`.
"""

from __future__ import annotations

import sys
import time  # noqa: TID251 - a program of its own, with the clock of one
from dataclasses import replace

from perfconsole.load.wire import decode_order, encode_event
from perfconsole.model.probeload import LoadEnd, LoadEvent, Part, StepRecord, Trouble
from perfconsole.model.probeorders import Finish, Open, Run, Stop, Warm
from tests.probing.fakeload import OFFSET, failed, request, tick

E2E_S, TTFT_S, TOKENS = 0.3, 0.05, 64


def main(mood: str) -> None:
    """Play until the orders end."""
    sent = 0
    for line in sys.stdin.buffer:
        order, now = decode_order(line), time.time() - OFFSET
        match order:
            case Open():
                _tell(tick(now, inflight=0, tokens=0))
            case Warm():
                sent += order.requests
                for _ in range(order.requests):
                    warm = request(-1, now, TTFT_S, E2E_S, Part.WARM_UP)
                    _tell(failed(warm, Trouble.REFUSED, "") if mood == "refused" else warm)
            case Run() if mood == "crash":
                raise MemoryError("all gone")
            case Run() if mood != "silent":
                sent += _step(order, now, fails=mood == "fails")
            case Finish() | Stop():
                _tell(LoadEnd(now + OFFSET, None, sent, sent * TOKENS, sent * 128, ()))
                return


def _step(run: Run, now: float, *, fails: bool) -> int:
    """All of a step, as if it had lasted; how many requests it had."""
    wide = max(1, int(run.amount))
    turns = max(1, -(-(run.requests or 8 * wide) // wide))
    for turn in range(turns):
        for seat in range(wide):
            one = replace(request(run.index, now + turn * E2E_S, TTFT_S, E2E_S), burst=turn == 0)
            _tell(failed(one) if fails and (turn + seat) % 2 else one)
    end = now + turns * E2E_S
    for number in range(1, int((end - now) / 0.1) + 1):
        _tell(tick(now + number * 0.1, run.index, wide, round(wide * TOKENS / E2E_S / 10), 0.1))
    marks = (now, now + TTFT_S, end - E2E_S, end)
    began, full, closed, ended = (mark + OFFSET for mark in marks)
    _tell(StepRecord(run.index, began, full, closed, ended, run.amount, "kernel", 0, ()))
    return turns * wide


def _tell(event: LoadEvent) -> None:
    sys.stdout.buffer.write(encode_event(event))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
