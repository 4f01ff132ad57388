"""A reply that keeps what is sent, for handlers that are tested without a socket."""

from __future__ import annotations

import asyncio

from perfconsole.demo.serve.web import Reply


class Kept:
    """Stands in for a stream writer."""

    def __init__(self) -> None:
        self.sent = b""

    def write(self, data: bytes) -> None:
        """Keep it."""
        self.sent += data

    async def drain(self) -> None:
        """Nothing to wait for."""
        await asyncio.sleep(0)


def reply() -> tuple[Reply, Kept]:
    """A reply and what is sent with it."""
    kept = Kept()
    return Reply(kept), kept  # type: ignore[arg-type]  # the two methods that a reply needs


def status(kept: Kept) -> int:
    """HTTP status of what was sent."""
    return int(kept.sent.split(b" ", 2)[1])
