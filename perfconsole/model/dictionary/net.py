"""Layer net: the network of one machine.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import COUNTER, DERIVED, FACT, GAUGE, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.HOST, owner="infrastructure")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("net.rx", GAUGE, "bytes/s", "proc", "bytes received a second"),
    row("net.tx", GAUGE, "bytes/s", "proc", "bytes sent a second"),
    row("net.link_speed", FACT, "bytes/s", "proc", "nominal speed of the fastest interface that is up"),
    row("net.link_ratio", DERIVED, "ratio", "proc",
        "use of the link; ratio = larger of rx and tx / link_speed", warn="> 80%", note="proposal", fold=Fold.MAX),
    row("net.drops", COUNTER, "packets", "proc", "packets dropped"),
    row("net.errors", COUNTER, "packets", "proc",
        "packets with an interface error", note="more than 1% of the packets, see net.error_ratio; node-mixin"),
    row("net.error_ratio", DERIVED, "ratio", "proc",
        "share of packets with an interface error; ratio = d(errors) / d(packets) over 1 min",
        warn="> 1%", note="node-mixin", fold=Fold.MAX),
    row("net.tcp_retrans", COUNTER, "segments", "proc", "TCP segments sent again"),
    row("net.retrans_ratio", DERIVED, "ratio", "proc",
        "share of TCP segments sent again; ratio = d(retransmitted) / d(sent segments) over 1 min; missing below 100 "
        "segments/s",
        warn="> 2%", note="proposal"),
    row("net.listen_overflows", COUNTER, "events", "proc", "accept queue overflows", note="rising; proposal"),
    row("net.conntrack_failed", COUNTER, "events", "proc",
        "connection-tracking insert failures", note="rising; incident 015"),
    row("net.rdma", GAUGE, "bytes/s", "proc", "bytes a second over RDMA"),
    row("net.rdma_errors", COUNTER, "events", "proc", "RDMA link-down and error counters", note="rising; proposal"),
)
# fmt: on
