"""A profile as the document of its file, and back; what is no profile says why."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite, nan
from typing import Any

from perfconsole.model.entity import Kind
from perfconsole.model.profile import HealthyValue, Identity, Profile

SCHEMA = 1
FORMAT = "perfconsole-baseline"
_CLIENT = "client"
_MOST_WALL = 253_402_300_799.0
"""End of the year 9999."""


class ProfileError(ValueError):
    """The document is no profile, or one that this version cannot read."""


def encode(profile: Profile) -> dict[str, Any]:
    """The document, ready for json.dumps."""
    who = profile.identity
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "name": profile.name,
        "saved": datetime.fromtimestamp(profile.wall, UTC).isoformat(timespec="seconds"),
        "wall": profile.wall,
        "host": profile.host,
        "tool": profile.tool,
        "identity": {
            "layer": str(who.kind),
            "entity": who.entity,
            "adapter": who.adapter,
            "model": who.model,
            "build": who.build,
            "configuration": dict(who.config),
        },
        "healthy_s": profile.healthy_s,
        "requests": profile.requests,
        "despite": list(profile.despite),
        **({"probe": profile.probe} if profile.probe else {}),
        "values": {v.name: _cells(v) for v in profile.values},
    }


def _cells(value: HealthyValue) -> dict[str, Any]:
    over = "stretch" if value.whole else "minutes"
    by = {"by": _CLIENT} if value.client else {}
    return {"value": value.value, "unit": value.unit, "over": over, **by}


def decode(document: object) -> Profile:
    """The profile of a document; ProfileError says what is wrong with it."""
    top = _table(document, "the document")
    if top.get("format") != FORMAT:
        raise ProfileError("no baseline of perfconsole")
    if top.get("schema") != SCHEMA:
        raise ProfileError(f"schema {top.get('schema')!r} is not the one that this version reads ({SCHEMA})")
    requests = top.get("requests")
    return Profile(
        name=_text(top, "name"),
        identity=_identity(_table(top.get("identity"), "identity")),
        values=tuple(_value(name, row) for name, row in _table(top.get("values"), "values").items()),
        healthy_s=_number(top.get("healthy_s"), "healthy_s"),
        requests=None if requests is None else _number(requests, "requests"),
        wall=min(max(_number(top.get("wall"), "wall"), 0.0), _MOST_WALL),
        host=_text(top, "host"),
        tool=_text(top, "tool"),
        despite=tuple(_words(top.get("despite"), "despite")),
        probe=_text(top, "probe") if "probe" in top else "",
    )


def _identity(row: dict[str, Any]) -> Identity:
    try:
        kind = Kind(_text(row, "layer"))
    except ValueError:
        raise ProfileError(f"layer {row.get('layer')!r} is none") from None
    config = _table(row.get("configuration"), "configuration")
    settings = ((n, v if isinstance(v, str) else _number(v, n)) for n, v in config.items())
    return Identity(
        kind=kind,
        adapter=_text(row, "adapter"),
        model=_text(row, "model"),
        build=_text(row, "build"),
        config=tuple(sorted(settings)),
        entity=_text(row, "entity"),
    )


def _value(name: str, row: object) -> HealthyValue:
    cells = _table(row, name)
    return HealthyValue(
        name,
        _number(cells.get("value"), name),
        _text(cells, "unit"),
        whole=cells.get("over") == "stretch",
        client=cells.get("by") == _CLIENT,
    )


def _table(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProfileError(f"{what} is no table")
    return value


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise ProfileError(f"{key} is no text")
    return value


def _words(value: object, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ProfileError(f"{what} is no list of words")
    return value


def _number(value: object, what: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:
        number = nan
    if not isfinite(number):
        raise ProfileError(f"{what} is no number")
    return number
