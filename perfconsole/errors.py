"""The error tree, by who must act, and the one table from error class to exit code."""

from __future__ import annotations


class PerfconsoleError(Exception):
    """Root of what perfconsole raises on purpose. The text says what, where and what to do, in one line."""


class UsageError(PerfconsoleError):
    """The user must change a flag, a configuration, a rule or a file."""


class NotPermittedError(PerfconsoleError):
    """An action is not permitted here, or its tool is missing."""


EXIT_OK = 0
EXIT_LIKELY = 1
EXIT_USAGE = 2
EXIT_NEVER_ANSWERED = 3
EXIT_POSSIBLE = 4
EXIT_SAFETY_STOP = 5
EXIT_NOT_PERMITTED = 6
EXIT_INTERRUPTED = 130
EXIT_HANGUP = 129
"""The terminal went away (128 + SIGHUP), as shells count it."""
EXIT_TERMINATED = 143

_CODES: tuple[tuple[type[PerfconsoleError], int], ...] = (
    (NotPermittedError, EXIT_NOT_PERMITTED),
    (UsageError, EXIT_USAGE),
)


def exit_code_for(error: PerfconsoleError) -> int:
    """Exit code of the first class in the table that the error belongs to; usage otherwise."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), EXIT_USAGE)
