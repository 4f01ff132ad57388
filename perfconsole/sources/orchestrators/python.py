"""A Python process without any page: the name that it goes by. What is known of it comes from the kernel."""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter

ADAPTER = Adapter(
    name="python",
    title="a Python process",
    prefixes=(),
    requires_label="",
    metrics_path="/metrics",
    health_path="",
    version_route="",
    rank_label="",
    started=(),
    moving=(),
    metrics=(),
    generic=True,
)
