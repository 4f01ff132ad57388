"""The helper process: a line on stdin, a line of JSON on stdout, until stdin ends or the console does.

This thread makes no call of the driver, so it answers while calls hang.
"""

from __future__ import annotations

import json
import os
import sys

from perfconsole.actions.deathsignal import end_with
from perfconsole.clock import SystemClock
from perfconsole.sources.nvml.answer import compose
from perfconsole.sources.nvml.fleet import INIT, Fleet
from perfconsole.sources.nvml.roster import IDENTIFY, OPEN
from perfconsole.sources.nvml.rounds import Rounds

_DOOMED = 3
"""Exit code for a driver that went away; the console starts a new helper."""


def main() -> int:
    """Answer until there is nobody to answer, or nothing to answer from; gives the exit code."""
    clock = SystemClock()
    fleet = Fleet(clock)
    rounds = Rounds(fleet.steps, clock, frozenset({INIT}), frozenset({OPEN, IDENTIFY}))
    while sys.stdin.buffer.readline():
        rounds.round()
        line = json.dumps(compose(fleet, rounds, clock), separators=(",", ":"))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        if fleet.doomed:
            sys.stderr.write(f"{fleet.doomed}\n")
            sys.stderr.flush()
            return _DOOMED
    return 0


if __name__ == "__main__":
    end_with(os.getppid())
    code = 1
    try:
        code = main()
    except BrokenPipeError:
        code = 0
    finally:
        os._exit(code)  # threads that hang in the driver are not waited for
