"""The pages of the exact server beside completions: what it serves, how it is, its truth, and its settings."""

from __future__ import annotations

import json
import os
import time  # noqa: TID251 - the offset between the two clocks is part of the truth
from typing import TYPE_CHECKING, Any

from tests.load.exactserver.answer import whole
from tests.load.exactserver.settings import as_dict

if TYPE_CHECKING:
    from tests.load.exactserver.engine import Engine
    from tests.load.exactserver.reading import Request

_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_JUDGED = 2_000
"""Of the last so many requests the lateness of the server itself is said."""


def page(engine: Engine, request: Request, open_connections: int) -> bytes:
    """The whole answer to a request that is no completion; empty for one that is to hang."""
    match request.method, request.path:
        case "GET", "/metrics":
            return _metrics(engine)
        case "GET", "/v1/models":
            return _models(engine, request)
        case "GET", "/health":
            return whole(200, b"")
        case "GET", "/version":
            return _json({"version": "0.32.0"})
        case "GET", "/log":
            return _json(log(engine))
        case "GET", "/admin":
            return _json(state(engine, open_connections))
        case "POST", "/admin":
            return _change(engine, request.body)
    return whole(404, b'{"detail":"Not Found"}')


def log(engine: Engine) -> dict[str, Any]:
    """All requests that are kept, in order of arrival, and how far the wall clock is ahead of the monotonic one."""
    offset = time.time_ns() - time.monotonic_ns()
    return {"offset_ns": offset, "requests": [truth.as_dict() for truth in engine.truths]}


def state(engine: Engine, open_connections: int) -> dict[str, Any]:
    """What the server does right now, and how late it was itself."""
    schedule, took, ends = engine.schedule, os.times(), dict[str, int]()
    for truth in engine.truths:
        ends[truth.ended] = ends.get(truth.ended, 0) + 1
    late = _lateness(engine)
    return {
        "settings": as_dict(engine.settings),
        "running": len(schedule.running),
        "waiting": len(schedule.queue),
        "most_running": schedule.most_running,
        "connections": open_connections,
        "requests": len(engine.truths),
        "ended": ends,
        "tokens": engine.figures.tokens,
        "cpu_s": took.user + took.system,
        "late_p50_us": late[len(late) // 2] / 1000 if late else None,
        "late_p99_us": late[len(late) * 99 // 100] / 1000 if late else None,
    }


def _lateness(engine: Engine) -> list[int]:
    """Nanoseconds from the scheduled moment of a token to its write, ascending."""
    offset = time.time_ns() - time.monotonic_ns()
    last = list(engine.truths)[-_JUDGED:]
    return sorted(
        wrote - due - offset for truth in last for due, wrote in zip(truth.due_mono, truth.wrote_ns, strict=False)
    )


def _metrics(engine: Engine) -> bytes:
    settings = engine.settings
    if settings.metrics_hang:
        return b""
    if settings.metrics_status != 200:
        return whole(settings.metrics_status, b"")
    return whole(200, engine.figures.page(engine.schedule, settings.model), kind=_TEXT)


def _models(engine: Engine, request: Request) -> bytes:
    settings = engine.settings
    if settings.key and request.bearer != settings.key:
        return whole(401, b'{"error":"Unauthorized"}')
    card = {"id": settings.model, "object": "model", "created": 0, "owned_by": "vllm", "root": settings.model}
    return _json({"object": "list", "data": [{**card, "parent": None, "max_model_len": settings.max_model_len}]})


def _change(engine: Engine, body: bytes) -> bytes:
    try:
        engine.change(json.loads(body))
    except (ValueError, TypeError, AttributeError) as error:
        return whole(400, json.dumps({"error": str(error)}).encode())
    return _json(as_dict(engine.settings))


def _json(said: dict[str, Any]) -> bytes:
    return whole(200, json.dumps(said).encode())
