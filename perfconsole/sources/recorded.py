"""Recorded metrics pages as the batches that live polling would have given, with the recorded times.

Format (gzip or plain text): a line `# t EPOCH [ms=TOOK] [bytes=N]` and the page, or `# t EPOCH error=NAME` for a poll
that failed. A `meta.json` beside it may hold the command line of the engine under "flags".
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import zlib
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.sources.flags import with_defaults
from perfconsole.sources.targetpage import Poll, TargetFacts, TargetPage
from perfconsole.sources.whosepage import whose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.catalogue import Shelves

_HEAD = re.compile(rb"^# t (\d+(?:\.\d+)?)((?: \w+=\S*)*)\s*$")
_GLUED_HEAD = re.compile(rb"(?<=.)# t \d{6,}(?:\.\d+)?(?: \w+=\S*)*\s*$")
MAX_PAGE_BYTES = 16 * 2**20
_REFUSED = ("ConnectionRefusedError", "ConnectionResetError", "URLError", "RemoteDisconnected")


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """One poll of a recording; `error` is set instead of a body when it failed."""

    wall: float
    took_s: float
    body: bytes
    error: str


def read_pages(path: Path) -> Iterator[RecordedPage]:
    """The polls of a recording in order; UsageError with the place when the file is not one."""
    head: re.Match[bytes] | None = None
    body: list[bytes] = []
    for number, line in _unglued(_lines(path)):
        match = _HEAD.match(line) if line.startswith(b"# t ") else None
        if match is None and head is None:
            raise UsageError(f"{path}:{number}: not a recording: it must start with a line `# t EPOCH`")
        if line.startswith(b"# t ") and not line.endswith(b"\n") and b" error=" not in line and head is not None:
            break  # the recorder was killed within this line: its time may lack digits
        if line.startswith(b"# t ") and match is None:
            raise UsageError(f"{path}:{number}: this line must read `# t EPOCH [ms=TOOK] [bytes=N]`")
        if match is None:
            body.append(line)
            continue
        if head is not None:
            yield _page(head, body)
        head, body = match, []
    if head is None:
        raise UsageError(f"{path}: the recording is empty; record one page a second with `# t EPOCH` before each")
    yield _page(head, body)


def _unglued(lines: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Numbered lines; the head of a poll that stands behind a page without a last newline becomes a line of its own."""
    for number, line in enumerate(lines, 1):
        glued = _GLUED_HEAD.search(line) if b"# t " in line[1:] else None
        if glued is None:
            yield number, line
        else:
            yield number, line[: glued.start()]
            yield number, line[glued.start() :]


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as lines:
            yield from lines
    except EOFError:
        yield b"#"  # the recorder was killed in the middle: an unended line, so that the last page counts as cut
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(f"{path}: damaged gzip file ({error}); record it again or unpack what is left") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def _page(head: re.Match[bytes], body: list[bytes]) -> RecordedPage:
    fields = dict(item.split("=", 1) for item in head[2].decode(errors="replace").split())
    text = b"".join(body)
    error = fields.get("error", "")
    announced = fields.get("bytes", "")
    if not error and announced.isdigit() and len(text) not in (int(announced), int(announced) + 1):
        error = f"page stops in the middle ({len(text)} of {announced} bytes)"
    took_ms = fields.get("ms", "0")
    return RecordedPage(float(head[1]), _number(took_ms) / 1000, text[: MAX_PAGE_BYTES + 1], error)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


class Replay:
    """One recording of one target, read twice: once for its length, its pace and its layer, once for its pages."""

    def __init__(self, path: Path, shelves: Shelves, dictionary: Dictionary, name: str = "") -> None:
        self._path = path
        offered = [TargetPage("recording", adapters, dictionary, name, layer=layer) for layer, adapters in shelves]
        taken: tuple[TargetPage, Adapter] | None = None
        polls: list[tuple[float, bool]] = []
        for page in read_pages(path):
            taken = taken or (None if page.error else _taken(page, offered))
            polls.append((page.wall, bool(page.error)))
        self._page, program = taken or (offered[0], None)
        self.layer = self._page.layer
        """Layer of the program whose pages they are; the first one where nobody knows them."""
        walls = [wall for wall, _ in polls]
        self.has_pages = not all(failed for _, failed in polls)
        """Some poll gave a page; otherwise nothing but failed polls was recorded."""
        gaps = [b - a for a, b in pairwise(walls)]
        forward = [gap for gap in gaps if gap >= 0]
        self.start = walls[0]
        self.cadence_s = max(1.0, median(forward)) if forward else 1.0
        self._times = [0.0]
        for gap in gaps:  # a clock that was set back is a step of the usual length, whatever it says
            self._times.append(self._times[-1] + (gap if gap >= 0 else self.cadence_s))
        self.seconds = self._times[-1]
        self._facts = read_meta(path.parent / "meta.json", self._page.adapters, program)
        self._remarks = _remarks(len(gaps) - len(forward), self._facts)

    def batches(self) -> Iterator[tuple[Batch, ...]]:
        """The page batch and the health batch of every poll; t counts from 0 at the first page."""
        self._page.facts = self._facts
        for t, page in zip(self._times, read_pages(self._path), strict=False):
            poll = Poll(page.body, False, t, page.wall, page.took_s, self.cadence_s)  # noqa: FBT003
            batch = self._page.failed(poll, _failure(page.error)) if page.error else self._page.batch(poll)
            yield replace(batch, notes=(*batch.notes, *self._remarks)), self._health(page, poll)

    def _health(self, page: RecordedPage, poll: Poll) -> Batch:
        """Up as far as the polls of the page tell: answered, or refused. A time-out tells neither."""
        up = 0.0 if page.error in _REFUSED else None if page.error else 1.0
        target = self._page.entity
        samples = () if up is None else (Sample(SeriesKey(self.layer.name("up"), target), up),)
        return Batch(
            f"{self._page.source} answers",
            "recording",
            poll.t,
            poll.wall,
            poll.cadence_s,
            samples=samples,
            took_s=poll.took_s,
            error=_failure(page.error) if page.error else None,
            entities=(target,),
        )


def _taken(page: RecordedPage, offered: list[TargetPage]) -> tuple[TargetPage, Adapter] | None:
    """Reader of the layer whose program this page is of, left open until the page is read in its turn; the program."""
    found = ((reader, whose(page.body, reader.adapters)) for reader in offered)
    return next(((reader, adapter) for reader, adapter in found if adapter is not None), None)


def _remarks(steps_back: int, facts: TargetFacts) -> tuple[str, ...]:
    """What the reader of a verdict should know of the recording behind it."""
    clock = f"the clock of the recording was set back {steps_back} times; each is taken for a usual step"
    meta = "the engine's command line was taken from meta.json beside the recording"
    return (*((clock,) if steps_back else ()), *((meta,) if facts.samples else ()))


def _failure(name: str) -> str:
    return name if " " in name else f"the recorded poll failed: {name}"


def read_meta(path: Path, adapters: tuple[Adapter, ...], program: Adapter | None = None) -> TargetFacts:
    """Facts from the command line that a recording's meta.json holds; none when there is no such file.

    Flags without the program before them are those of `program`, whose pages the recording has.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        argv = shlex.split(str(document["flags"]))
    except (OSError, ValueError, KeyError, TypeError):
        return TargetFacts()
    bare = program if argv and argv[0].startswith("-") else None
    adapter = next((a for a in adapters if a.processes.launches(tuple(argv))), bare)
    if adapter is None:
        return TargetFacts()
    return TargetFacts(samples=with_defaults(adapter, argv))
