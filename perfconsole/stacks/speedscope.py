"""speedscope's JSON, as py-spy and austin write it, read and written. Raises ValueError in words for any other JSON."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from perfconsole.model.stack import Frame, Profile, Stack, ThreadKey
from perfconsole.stacks.folded import MOST_WEIGHT, process_words, thread_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_SECONDS = {"seconds": 1.0, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}
_NAMED = re.compile(r'(?:Process (?P<pid>\d+) )?Thread (?P<tid>\S+)(?: "(?P<name>.*)")?')


def read_speedscope(text: str) -> Profile:
    """Stacks of all its profiles; ValueError says what is wrong with the file."""
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"it is no JSON: {error}") from None
    try:
        frames = [_frame(f) for f in document["shared"]["frames"]]
        profiles: Sequence[Mapping[str, Any]] = document["profiles"]
        stacks = [stack for profile in profiles for stack in _stacks(profile, frames)]
        timed = any(profile.get("unit") in _SECONDS for profile in profiles)
        samples = _lengths(profiles) if timed else int(sum(stack.weight for stack in stacks))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"it is not speedscope's JSON: {type(error).__name__} at {error}") from None
    return Profile(tuple(stacks), "s" if timed else "samples", samples, None, 0)


def _lengths(profiles: Sequence[Mapping[str, Any]]) -> int:
    """Samples where a weight is a time; where it is a count, equal ones may stand together."""
    return sum(len(profile.get("samples", profile.get("events", ()))) for profile in profiles)


def _frame(found: Mapping[str, Any]) -> Frame:
    line = found.get("line")
    return Frame(str(found["name"]), str(found.get("file") or ""), line if isinstance(line, int) and line > 0 else 0)


def _stacks(profile: Mapping[str, Any], frames: Sequence[Frame]) -> Iterator[Stack]:
    key = _key(str(profile.get("name", "")))
    scale = _SECONDS.get(profile.get("unit", "none"), 1.0)
    told = _sampled(profile) if profile.get("type", "sampled") == "sampled" else _evented(profile)
    tally: dict[tuple[int, ...], float] = defaultdict(float)
    for places, weight in told:
        tally[places] += weight
    for places, weight in tally.items():
        yield Stack(key, tuple(frames[_place(place)] for place in places), weight * scale)


def _place(place: int) -> int:
    if place < 0:
        raise ValueError(f"frame {place}")
    return place


def _weight(weight: object) -> float:
    found = float(weight)  # type: ignore[arg-type]  # anything else is told as what it is
    if not 0 <= found < MOST_WEIGHT:
        raise ValueError(f"weight {found}")
    return found


def _sampled(profile: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], float]]:
    for places, weight in zip(profile["samples"], profile["weights"], strict=True):
        yield tuple(places), _weight(weight)


def _evented(profile: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], float]]:
    """What was open between two events, for as long as they are apart."""
    open_: list[int] = []
    before = float(profile.get("startValue", 0.0))
    for event in profile["events"]:
        at = float(event["at"])
        if open_ and at > before:
            yield tuple(open_), at - before
        before = max(before, at)
        if event["type"] == "O":
            open_.append(event["frame"])
        elif open_:
            open_.pop()


def _key(name: str) -> ThreadKey:
    found = _NAMED.fullmatch(name)
    if not found:
        return ThreadKey("", name)
    process = f"process {found['pid']}" if found["pid"] else ""
    named = f": {found['name']}" if found["name"] else ""
    return ThreadKey(process, f"thread ({found['tid']}){named}")


def write_speedscope(profile: Profile, title: str) -> str:
    """One profile a thread; the file that speedscope's own page opens."""
    places: dict[Frame, int] = {}
    by: dict[ThreadKey, list[Stack]] = defaultdict(list)
    for stack in profile.stacks:
        by[stack.thread].append(stack)
        for frame in stack.frames:
            places.setdefault(frame, len(places))
    unit = "seconds" if profile.unit == "s" else "none"
    document = {
        "$schema": SCHEMA,
        "name": title,
        "exporter": "perfconsole",
        "shared": {"frames": [{"name": f.function, "file": f.file, "line": f.line} for f in places]},
        "profiles": [_profile(key, stacks, places, unit) for key, stacks in by.items()],
    }
    return json.dumps(document)


def _profile(key: ThreadKey, stacks: Sequence[Stack], places: Mapping[Frame, int], unit: str) -> dict[str, object]:
    return {
        "type": "sampled",
        "name": _name(key),
        "unit": unit,
        "startValue": 0,
        "endValue": sum(stack.weight for stack in stacks),
        "samples": [[places[frame] for frame in stack.frames] for stack in stacks],
        "weights": [stack.weight for stack in stacks],
    }


def _name(key: ThreadKey) -> str:
    """As py-spy names a profile, so that the process and the thread are read again."""
    (process, _), (thread, name) = process_words(key), thread_words(key)
    if not thread:
        return " ".join(word for word in key if word) or "all threads"
    return f"{f'Process {process} ' if process else ''}Thread {thread}" + (f' "{name}"' if name else "")
