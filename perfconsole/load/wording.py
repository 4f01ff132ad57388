"""The text of one call, in pieces: what it shares with others first, then its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from perfconsole.load.prompts import closed
from perfconsole.load.sizer import KEY_TOKENS, MESSAGE_TOKENS
from perfconsole.probing.scenario import OF_ALL

if TYPE_CHECKING:
    from perfconsole.load.prompts import Texts
    from perfconsole.load.sizer import Sizer
    from perfconsole.probing.scenario import Call

UNIQUE = "unique"
"""The name of a step's prompt that stands for another text in every request."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which request it is, and what its step asks for."""

    task: int
    """Number of its task, another for every task of the run; the calls of one may begin alike."""
    number: int
    """Its own, another for every request of the run."""
    prompt: str = UNIQUE
    """`unique`, or the name of a fixed text."""
    extra: str = ""
    """JSON object of fields to add; empty for none."""


def pieces(call: Call, wanted: Wanted, texts: Texts, sizer: Sizer) -> list[bytes]:
    """One piece, or the shared text and its own, or the messages of a conversation (user and assistant in turn).

    The same wish gives the same text as long as the sizer learns nothing.
    """
    own, task = _numbers(wanted)
    if not call.parts:
        return [_whole(texts, own, sizer.words(call.prompt_tokens))]
    if call.turn:
        return _messages(call.parts, task, texts, sizer)
    shared = _named(OF_ALL) if call.prefix == OF_ALL else task
    first, rest = call.parts[0], sum(call.parts[1:])
    return [
        texts.opening(shared, sizer.words(first)),
        _whole(texts, own, sizer.further(rest, KEY_TOKENS)),
    ]


def _messages(parts: tuple[int, ...], task: int, texts: Texts, sizer: Sizer) -> list[bytes]:
    """One text of the task cut into messages, so that a later turn begins with all of an earlier one."""
    words = sizer.words(parts[0])
    said, done = [_whole(texts, task, words)], words
    for index, tokens in enumerate(parts[1:], start=1):
        words = sizer.further(tokens, MESSAGE_TOKENS)
        piece = texts.further(task, done, words)
        said.append(piece if index % 2 else closed(piece, words))
        done += words
    return said


def _whole(texts: Texts, number: int, words: int) -> bytes:
    return closed(texts.opening(number, words), words)


def _numbers(wanted: Wanted) -> tuple[int, int]:
    """Of the text that is its own and of the one of its task; requests, tasks and names never share a number."""
    if wanted.prompt != UNIQUE:
        return (_named(wanted.prompt),) * 2
    return 3 * wanted.number, 3 * wanted.task + 1


def _named(name: str) -> int:
    return 3 * crc32(name.encode()) + 2
