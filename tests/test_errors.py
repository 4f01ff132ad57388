"""Tests of the error tree and its exit codes."""

from __future__ import annotations

import pytest

from perfconsole import errors
from perfconsole.errors import NotPermittedError, PerfconsoleError, UsageError, exit_code_for


class _OwnError(NotPermittedError):
    """A class below one of the table."""


@pytest.mark.parametrize(
    ("error", "code"),
    [(UsageError("x"), 2), (NotPermittedError("x"), 6), (_OwnError("x"), 6), (PerfconsoleError("x"), 2)],
)
def test_each_error_has_the_exit_code_of_its_class(error: PerfconsoleError, code: int) -> None:
    """A subclass has the code of its nearest class in the table, any other error that of usage."""
    assert exit_code_for(error) == code


def test_exit_codes_are_those_that_scripts_rely_on() -> None:
    """The numbers are a contract."""
    codes = {name: number for name, number in vars(errors).items() if name.startswith("EXIT_")}
    assert codes == {
        "EXIT_OK": 0,
        "EXIT_LIKELY": 1,
        "EXIT_USAGE": 2,
        "EXIT_NEVER_ANSWERED": 3,
        "EXIT_POSSIBLE": 4,
        "EXIT_SAFETY_STOP": 5,
        "EXIT_NOT_PERMITTED": 6,
        "EXIT_INTERRUPTED": 130,
        "EXIT_HANGUP": 129,
        "EXIT_TERMINATED": 143,
    }


def test_all_errors_have_one_root() -> None:
    """Whoever catches the root catches everything that is raised on purpose."""
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    assert all(issubclass(c, PerfconsoleError) for c in classes)
