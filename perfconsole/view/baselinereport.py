"""What `baseline list` and `baseline show` print of saved profiles."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from perfconsole.view.report_text import Line
from perfconsole.view.units import said_in, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from perfconsole.model.profile import Profile

_HEAD = ("NAME", "WHOSE", "MODEL", "BUILD", "SAVED", "HEALTHY", "REQUESTS")
_UNKNOWN = "-"
_FULL_S, _MINUTE_S = 1800.0, 60.0
_LABEL = 14


def list_lines(profiles: Sequence[Profile]) -> Iterator[Line]:
    """One line each below a heading, in columns."""
    rows = [_HEAD, *map(_row, profiles)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(_HEAD))]
    for place, row in enumerate(rows):
        text = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        yield Line(text, "" if place else "head")


def _row(profile: Profile) -> tuple[str, ...]:
    who = profile.identity
    requests = _UNKNOWN if profile.requests is None else f"{profile.requests:.0f}"
    return (
        profile.name,
        f"{who.kind}/{who.entity}",
        who.model.rpartition("/")[2] or _UNKNOWN,
        who.build or _UNKNOWN,
        datetime.fromtimestamp(profile.wall, UTC).strftime("%Y-%m-%d %H:%MZ"),
        healthy_words(profile),
        requests,
    )


def healthy_words(profile: Profile) -> str:
    """`45 min`, of less than half an hour that it is short, and of a probe that it is one."""
    length = _length(profile.healthy_s)
    if profile.probe:
        return f"{length}, probe"
    return length if profile.healthy_s >= _FULL_S else f"{length}, short"


def _length(seconds: float) -> str:
    return f"{seconds / _MINUTE_S:.0f} min" if seconds >= _MINUTE_S else f"{seconds:.0f} s"


def saved_lines(profile: Profile, path: str) -> Iterator[Line]:
    """That it is saved, what it rests on, and where."""
    requests = "" if profile.requests is None else f", {profile.requests:.0f} requests"
    probe = "probe, 1 at a time, " if profile.probe else ""
    what = f"{probe}{_length(profile.healthy_s)}{requests}, {len(profile.values)} figures"
    yield Line(f"saved {profile.name}  {profile.identity.kind}/{profile.identity.entity}  {what}{_short(profile)}")
    yield Line(f"    {path}", "dim")


def show_lines(profile: Profile) -> Iterator[Line]:
    """Whose it is, what it rests on, then every figure with its unit."""
    who = profile.identity
    when = datetime.fromtimestamp(profile.wall, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    requests = "" if profile.requests is None else f", {profile.requests:.0f} requests"
    yield Line(f"{profile.name}  {who.kind}/{who.entity}", "head")
    said = (
        ("program", who.adapter),
        ("model", who.model),
        ("build", who.build),
        ("saved", f"{when} on {profile.host} by perfconsole {profile.tool}"),
        ("rests on", f"{_rest(profile)}{requests}{_short(profile)}"),
        ("saved despite", ", ".join(profile.despite)),
        ("configuration", ", ".join(f"{n.partition('.')[2]} {_setting(v)}" for n, v in who.config)),
    )
    for label, text in said:
        if text:
            yield Line(f"  {label:{_LABEL}}{text}", indent=2 + _LABEL)
    yield from _values(profile)


def _rest(profile: Profile) -> str:
    length = _length(profile.healthy_s)
    return f"a probe, 1 at a time ({profile.probe}): {length}" if profile.probe else f"{length} without trouble"


def _short(profile: Profile) -> str:
    """A probe is as long as it was wanted."""
    return "" if profile.healthy_s >= _FULL_S or profile.probe else "; short: 30 min give it full weight"


def _values(profile: Profile) -> Iterable[Line]:
    for v in profile.values:
        figure = shown(v.value, said_in(v.name, v.unit))
        over = "by the client" if v.client else "whole stretch" if v.whole else "median of the minutes"
        yield Line(f"    {v.name:38} {figure:>14}   {over}", indent=43)


def _setting(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
