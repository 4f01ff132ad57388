"""A Python process without any page: the name that it goes by. What is known of it comes from the kernel."""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter

ADAPTER = Adapter(
    name="python",
    title="a Python process",
    prefixes=(),
    generic=True,
)
