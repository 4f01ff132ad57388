"""Folded stacks, one line a stack: as py-spy, austin and stackcollapse-perf write them. Never raises on a line.

A line is frames from the outermost, separated by semicolons, and a weight. What differs is how a frame names its file:
py-spy `function (file:line)`, austin `file:function:line`, perf `py::function:file` between native frames.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfconsole.masked import masked
from perfconsole.model.stack import Frame, Profile, Stack, ThreadKey

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLACE = re.compile(r"(?P<function>.*) \((?P<file>[^()]*?)(?::(?P<line>\d{1,9}))?\)", re.DOTALL)
_AUSTIN = re.compile(r"P\d+;T[0-9a-fx:]+(?:;| )")
_AUSTIN_FRAME = re.compile(r"(?P<file>.*):(?P<function>[^:]*):(?P<line>\d{1,9})", re.DOTALL)
_PROCESS = re.compile(r'process (\d+)(?::"(.*)")?', re.DOTALL)
_THREAD = re.compile(r"thread \((.*?)\)(?:: (.*))?", re.DOTALL)
_MICRO = 1e6
MOST_WEIGHT = 1e15
"""More than a year in microseconds on a thousand threads: a number that is none of a recording."""
_PERF_TASK = re.compile(r"(.+)-(\d+|\?)/(\d+)")
_NO_THREAD = ThreadKey("", "")


def read_folded(text: str, *, idle: bool | None = None, seconds: float | None = None) -> Profile:
    """Stacks of a folded file, and how many lines were none."""
    lines = [line for line in text.removeprefix("\ufeff").split("\n") if line and not line.startswith("#")]
    austin = bool(lines) and _AUSTIN.match(lines[0]) is not None
    reader = _Austin() if austin else _Plain()
    stacks: list[Stack] = []
    for line in lines:
        stack = reader.stack(line.removesuffix("\r"))
        if stack is not None:
            stacks.append(stack)
    samples = len(stacks) if austin else int(sum(stack.weight for stack in stacks))
    return Profile(tuple(stacks), "s" if austin else "samples", samples, idle, len(lines) - len(stacks), seconds)


def write_folded(profile: Profile) -> str:
    """The same stacks in py-spy's notation, one line a stack."""
    return "".join(f"{';'.join(_words(stack))} {_weight(stack.weight)}\n" for stack in profile.stacks)


def frame_words(frame: Frame) -> str:
    """`function (file:line)`, as py-spy writes it."""
    if not frame.file:
        return frame.function
    return f"{frame.function} ({frame.file}:{frame.line})" if frame.line else f"{frame.function} ({frame.file})"


def _words(stack: Stack) -> Iterable[str]:
    if stack.thread.process:
        yield _flat(stack.thread.process)
    if stack.thread.thread:
        yield _flat(stack.thread.thread)
    for frame in stack.frames:
        yield _flat(frame_words(frame))


def _flat(words: str) -> str:
    return words.replace(";", ",").replace("\n", " ")


def _weight(weight: float) -> str:
    return f"{weight:.6f}".rstrip("0").rstrip(".")


def _split(line: str) -> tuple[str, float] | None:
    """What stands before the last blank, and the number behind it."""
    words, blank, number = line.rpartition(" ")
    try:
        weight = float(number.partition(",")[0])
    except ValueError:
        return None
    return (words, weight) if blank and 0 <= weight < MOST_WEIGHT else None


class _Plain:
    """py-spy's lines, with the process and the thread as outermost frames where it was asked for them; and perf's.

    Each text of a frame is read once: a file of 50,000 lines has a few thousand of them.
    """

    def __init__(self) -> None:
        self._frames: dict[str, Frame | ThreadKey] = {}

    def stack(self, line: str) -> Stack | None:
        """The stack of a line; None when it is none."""
        found = _split(line)
        if found is None:
            return None
        process = thread = ""
        frames: list[Frame] = []
        known = self._frames
        for word in found[0].split(";") if found[0] else ():
            item = known.get(word) or self._read(word)
            if isinstance(item, Frame):
                frames.append(item)
            else:
                process = item.process or process  # of nested ones the innermost: its parents stand before it
                thread = item.thread or thread
        return Stack(ThreadKey(process, thread) if process or thread else _NO_THREAD, tuple(frames), found[1])

    def _read(self, word: str) -> Frame | ThreadKey:
        item = self._frames[word] = _item(word)
        return item


def _item(word: str) -> Frame | ThreadKey:
    if word.startswith("process ") and _PROCESS.fullmatch(word):
        return ThreadKey(masked(word), "")  # it has the whole command line
    if word.startswith("thread (") and _THREAD.fullmatch(word):
        return ThreadKey("", word)
    task = _PERF_TASK.fullmatch(word)
    if task:
        return ThreadKey(f'process {task[2]}:"{task[1]}"', f"thread ({task[3]}): {task[1]}")
    if word.startswith("py::"):
        function, _, file = word[4:].partition(":")
        return Frame(function, file, 0)
    place = _PLACE.fullmatch(word)
    if place is None:
        return Frame(word, "", 0)
    return Frame(place["function"], place["file"], int(place["line"] or 0))


class _Austin:
    """austin's lines: `P<pid>;T<tid>;file:function:line;... microseconds`."""

    def __init__(self) -> None:
        self._frames: dict[str, Frame] = {}

    def stack(self, line: str) -> Stack | None:
        """The stack of a line; None when it is none."""
        found = _split(line)
        if found is None or not found[0].startswith("P"):
            return None
        process, *rest = found[0].split(";")
        if not rest:
            return None
        thread, *words = rest
        frames = tuple(self._frame(word) for word in words if word)
        return Stack(ThreadKey(f"process {process[1:]}", f"thread ({thread[1:]})"), frames, found[1] / _MICRO)

    def _frame(self, word: str) -> Frame:
        frame = self._frames.get(word)
        if frame is None:
            place = _AUSTIN_FRAME.fullmatch(word)
            frame = Frame(place["function"], place["file"], int(place["line"])) if place else Frame(word, "", 0)
            self._frames[word] = frame
        return frame


def thread_words(thread: ThreadKey) -> tuple[str, str]:
    """Number and name of a thread as the recorder wrote them; empty where it did not."""
    found = _THREAD.fullmatch(thread.thread)
    return (found[1], found[2] or "") if found else ("", thread.thread)


def process_words(thread: ThreadKey) -> tuple[str, str]:
    """Number and command line of a process as the recorder wrote them; empty where it did not."""
    found = _PROCESS.fullmatch(thread.process)
    return (found[1], found[2] or "") if found else ("", thread.process)
