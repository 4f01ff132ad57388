"""Layer client: figures of an outside load tool or caller.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.rows import FACT, GAUGE, HISTOGRAM, row_of
from perfconsole.model.entity import Kind

if TYPE_CHECKING:
    from perfconsole.model.dictionary.entry import Entry

row = partial(row_of, scope=Kind.GATEWAY, owner="caller")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("client.ttft", HISTOGRAM, "s", "typed",
        "time to first token as the caller reports it", note="more than 3 times the engine's; proposal"),
    row("client.itl", HISTOGRAM, "s", "typed", "gap between tokens as the caller reports it"),
    row("client.e2e", HISTOGRAM, "s", "typed", "total time from the real send"),
    row("client.scheduled_e2e", HISTOGRAM, "s", "typed",
        "total time from the scheduled send (no coordinated omission)"),
    row("client.dispatch_delay", HISTOGRAM, "s", "typed",
        "scheduled send to real send", warn="mean > 100ms", note="incident 002"),
    row("client.offered_rate", FACT, "requests/s", "typed", "arrival rate configured in the caller"),
    row("client.request_rate", GAUGE, "requests/s", "typed",
        "rate the caller really achieved", note="below 90% of client.offered_rate; proposal"),
    row("client.generation_rate", GAUGE, "tokens/s", "typed", "output tokens the caller received"),
    row("client.concurrency", FACT, "requests", "typed", "concurrency configured in the caller"),
    row("client.max_retries", FACT, "count", "typed", "retries the caller's SDK makes by itself"),
    row("client.timeout", FACT, "s", "typed", "the caller's timeout"),
)
# fmt: on
