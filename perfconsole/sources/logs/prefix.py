"""What stands before a message: colours, names of processes, levels, dates, file and line. Pure on one line."""

from __future__ import annotations

import json
import re
from calendar import timegm
from dataclasses import dataclass
from datetime import UTC, datetime

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_PEELED = tuple(
    re.compile(pattern)
    for pattern in (
        r"\(\w+(?: [\w.:-]+)*(?: \w+=[^()]{1,60})?\) ?",  # (EngineCore_DP0 pid=12), (RayWorkerWrapper pid=9, ip=..)
        rf"{_LEVEL}:? +(?:\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? )?",  # INFO 11-05 12:34:56
        r"\[?[\w/.-]+\.(?:py|cpp|cc|cu|rs):\d+\]:? *",  # [core.py:390], llm_engine.py:100]
        rf"\[(?:\w+ )?{_ISO}[^\]]*\] *",  # [2025-11-05 12:34:56 TP0]
        rf"{_ISO} *(?:-|\|)? *(?:{_LEVEL}:? *(?:-|\|)? *)?(?:[\w/.-]+\.py:\d+ *- *)?",  # 2026-03-08 16:44:29,692 - INFO
        r"flashinfer\.jit: ",
        r"std(?:out|err) [FP] ",  # kubelet
        r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d ",  # syslog
        r"\d{10}\.\d{6} ",  # journalctl -o short-unix
        r"[\w.-]+ [\w@.:/-]+\[\d+\]: ",  # host unit[pid]:
        r"[\w.-]+-\d+ +\| ",  # compose
        r"\[rank\d+\]:? ?",
        r"\[[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ [^\]]*\] *",  # glog, as torch writes
        r"\[Rank \d+\] *",
        r"\d+\.\d\d\.\d{3}\.\d{3} [IWED] ",  # llama.cpp with time since start
    )
)
_MOST = 10
"""Parts that are taken off one line; nobody stacks more."""
_DATE = re.compile(
    r"(?P<iso>(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<short>\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d))"
    r"|(?P<syslog>^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d{1,2}) (\d\d):(\d\d):(\d\d) )"
    r"|(?P<unix>^(\d{10})\.\d{6} )"
)
_REACH = 120
"""Characters at the head of a line in which its date stands."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date as a logger wrote it."""

    seconds: float
    """Epoch seconds, as if it had been written in UTC unless `zoned`."""
    zoned: bool


def plain_line(raw: bytes) -> str:
    """A line as text without colours; of a line of Docker's JSON log what the program wrote, after its date."""
    text = raw.decode("utf-8", "replace")
    if text.startswith('{"log":"'):
        text = _unpacked(text)
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _unpacked(text: str) -> str:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(document, dict):
        return text
    return f"{document.get('time', '')} {document.get('log', '')}".strip()


def message_of(line: str) -> str:
    """The message behind all that loggers put before it."""
    at = len(line) - len(line.lstrip())
    for _ in range(_MOST):
        found = next((match for pattern in _PEELED if (match := pattern.match(line, at))), None)
        if found is None:
            break
        at = found.end()
    return line[at:].strip()


def stamp_of(line: str, wall: float) -> Stamp | None:
    """The date of a line; `wall` (epoch seconds, now) tells the year where none is written. None for no valid date."""
    match = _DATE.search(line[:_REACH])
    if match is None:
        return None
    if match["unix"]:
        return Stamp(float(match["unix"]), zoned=True)
    numbers = [word for word in match.groups()[1:] if word is not None]
    try:
        if match["iso"]:
            return _iso(numbers)
        if match["short"]:
            return _yearless([int(n) for n in numbers[1:6]], wall)
        return _yearless([_MONTHS.index(numbers[1]) + 1, *(int(n) for n in numbers[2:6])], wall)
    except ValueError:
        return None


def _iso(words: list[str]) -> Stamp:
    year, month, day, hour, minute, second = (int(word) for word in words[:6])
    zone = words[6] if len(words) > 6 else ""
    seconds = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).timestamp()
    if not zone or zone == "Z":
        return Stamp(seconds, zoned=bool(zone))
    sign = -1 if zone[0] == "-" else 1
    return Stamp(seconds - sign * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60), zoned=True)


def _yearless(numbers: list[int], wall: float) -> Stamp:
    """The latest such date that is not more than a day ahead."""
    month, day, hour, minute, second = numbers
    year = datetime.fromtimestamp(wall + _DAY_S, tz=UTC).year
    for candidate in (year, year - 1, year - 2, year - 3):  # 29 February comes every fourth
        try:
            found = datetime(candidate, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        except ValueError:
            continue
        seconds = float(timegm(found.timetuple()))
        if seconds <= wall + _DAY_S:
            return Stamp(seconds, zoned=False)
    raise ValueError(numbers)
