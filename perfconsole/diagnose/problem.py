"""One thing wrong with a rule, and what lint asks of the dictionary to find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from perfconsole.model.dictionary.entry import Entry
    from perfconsole.model.rule import Place


class Dictionary(Protocol):
    """What lint asks of the dictionary of indicators."""

    def find(self, name: str) -> Entry | None:
        """Entry of a name, with or without a histogram suffix."""

    def readable(self, name: str) -> str | None:
        """None when a condition may read the name, else why it may not."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a rule, one line, and a code to search for."""

    place: Place
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message} [{self.code}]"


Complaint = tuple[str, str, int]
"""Code, message and column (from 1) in the text of a condition or a command."""
