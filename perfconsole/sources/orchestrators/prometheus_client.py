"""Any Python process with a page of prometheus_client: what that says of the process itself, and no more.

prometheus_client up to 0.26. Traps kept in mind: these series are on the page of nearly every Python program, so that
all others are asked first; in multiprocess mode they are missing; memory and descriptors of a process come from /proc.
"""

from __future__ import annotations

from perfconsole.sources.adapter import Adapter, Metric

_OLDEST = (("generation", "2"),)
"""Of three; the two younger ones are collected all the time."""

METRICS = (
    Metric("orchestration.process_cpu", "process_cpu_seconds_total", tag=(("part", "seconds"),), optional=True),
    Metric("orchestration.gc", "python_gc_collections_total", where=_OLDEST, optional=True),
)
PROBED = "~/metrics/?|/(?:health(?:z|y|[_-]?checks?)?|ready(?:z|ness)?|readiness|live(?:z|ness)?)(?:/.*)?|/ping/?"
"""Routes of a web service that a console or a prober asks; not what a team may call its own, as `/livechat`."""

ADAPTER = Adapter(
    name="prometheus-client",
    title="a Python process",
    prefixes=("python_",),  # every other exporter has process_ series too
    started=("process_start_time_seconds",),
    moving=("process_cpu_seconds_total",),
    metrics=METRICS,
    generic=True,
)
