"""Layer host: one machine, and single processes on it (host.process_*).

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import COUNTER, DERIVED, EVENT, FACT, GAUGE, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.HOST, owner="infrastructure")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("host.cores", FACT, "cores", "proc", "logical cores visible"),
    row("host.cpu_utilization", GAUGE, "ratio", "proc",
        "busy share of all cores; hides every single-core limit",
        note="above 90% for 15 min is worth knowing; node-mixin"),
    row("host.cpu_elsewhere", DERIVED, "ratio", "proc",
        "share of all cores used by processes of nothing that is watched; ratio = cpu_utilization - sum of "
        "process_total_cpu / cores"),
    row("host.cpu_user", GAUGE, "ratio", "proc", "user share of all cores"),
    row("host.cpu_system", GAUGE, "ratio", "proc",
        "kernel share of all cores, interrupts included", warn="> 30%", note="proposal"),
    row("host.cpu_busiest_core", GAUGE, "ratio", "proc",
        "busy share of the busiest core; 1.0 is normal beside a scheduler that polls", fold=Fold.MAX),
    row("host.context_switches", GAUGE, "switches/s", "proc", "context switches of all cores"),
    row("host.cpu_steal", GAUGE, "ratio", "proc",
        "share of time taken by the hypervisor", warn="> 5%", note="proposal"),
    row("host.iowait", GAUGE, "ratio", "proc",
        "share of time idle with I/O outstanding", warn="> 10%", note="proposal"),
    row("host.load", GAUGE, "tasks", "proc",
        "load average of 1 min: tasks runnable or in uninterruptible sleep",
        note="above 2 per core for 15 min; node-mixin", fold=Fold.MAX),
    row("host.psi_cpu", GAUGE, "ratio", "proc",
        "share of time in which some task waited for a core (pressure stall, 10 s)",
        warn="> 10%", note="proposal", fold=Fold.MAX),
    row("host.psi_memory", GAUGE, "ratio", "proc",
        "share of time in which all tasks waited for memory (pressure stall, 10 s)",
        warn="> 5%", note="proposal", fold=Fold.MAX),
    row("host.psi_io", GAUGE, "ratio", "proc",
        "share of time in which some task waited for I/O (pressure stall, 10 s)",
        warn="> 10%", note="proposal", fold=Fold.MAX),
    row("host.cpu_freq_ratio", DERIVED, "ratio", "proc",
        "frequency of the cores at work; ratio = current / maximum frequency of the cores that are more than 80% "
        "busy; missing if none is",
        warn="< 60%", note="incident 011", fold=Fold.MIN),
    row("host.performance_governor", FACT, "0/1", "proc",
        "scaling governor is performance (0 alone proves nothing: intel_pstate calls its normal mode powersave)"),
    row("host.cpu_throttle", COUNTER, "events", "proc", "times a core was slowed for heat", note="rising; proposal"),
    row("host.mem_available", GAUGE, "bytes", "proc", "memory that can be had without swapping"),
    row("host.mem_available_ratio", DERIVED, "ratio", "proc",
        "memory still to be had; ratio = mem_available / total memory",
        warn="< 10%", note="when held for 15 min; node-mixin", fold=Fold.MIN),
    row("host.mem_time_to_full", DERIVED, "s", "proc",
        "time until available memory is 0; s = mem_available / -slope over 30 min if R2 > 0.9; missing if not falling",
        warn="< 24h", critical="< 1h", note="proposal", fold=Fold.MIN),
    row("host.swap_used", GAUGE, "bytes", "proc", "swap in use"),
    row("host.swap_out", GAUGE, "bytes/s", "proc", "swap-out rate", warn="> 10MiB", note="a second; proposal"),
    row("host.major_faults", GAUGE, "faults/s", "proc",
        "major page faults", warn="> 500", note="when held for 15 min; node-mixin"),
    row("host.oom_kills", EVENT, "count", "proc, log", "kernel OOM kills", critical="> 0", note="proposal"),
    row("host.disk_read", GAUGE, "bytes/s", "proc", "read rate, network file systems included"),
    row("host.disk_read_best", FACT, "bytes/s", "proc", "highest sustained read rate seen, or the device's rating"),
    row("host.disk_write", GAUGE, "bytes/s", "proc", "write rate, network file systems included"),
    row("host.disk_busy", GAUGE, "ratio", "proc",
        "busy time of the busiest device", warn="> 90%", note="proposal", fold=Fold.MAX),
    row("host.fds", GAUGE, "count", "proc", "descriptors allocated system-wide"),
    row("host.numa_local_ratio", GAUGE, "ratio", "proc",
        "node-local share of the serving processes' memory", note="worth knowing only; incident 058"),
    row("host.iommu", FACT, "0/1", "proc, log", "IOMMU on with translation (not passthrough)"),
    row("host.process_cpu", GAUGE, "cores", "proc",
        "busiest thread of the process", warn=">= 0.9", note="proposal", scope=Kind.PROCESS, fold=Fold.MAX),
    row("host.process_total_cpu", GAUGE, "cores", "proc", "all threads of the process", scope=Kind.PROCESS),
    row("host.process_cpu_quota", FACT, "cores", "proc", "CPU limit of the process's cgroup", scope=Kind.PROCESS),
    row("host.process_throttled_ratio", DERIVED, "ratio", "proc",
        "cgroup periods in which the process was throttled; ratio = d(nr_throttled) / d(nr_periods) over 1 min",
        warn="> 5%", note="proposal", scope=Kind.PROCESS, fold=Fold.MAX),
    row("host.process_runqueue_ratio", DERIVED, "ratio", "proc",
        "time runnable but waiting for a core; ratio = d(run-queue wait of schedstat) / time",
        warn="> 10%", note="proposal", scope=Kind.PROCESS),
    row("host.process_core_demand", DERIVED, "cores", "proc",
        "what one thread would use if it never had to wait for a core; cores = highest over threads of d(time on a "
        "core + run-queue wait) / time",
        warn=">= 0.9", note="proposal", scope=Kind.PROCESS, fold=Fold.MAX),
    row("host.process_voluntary_switches", GAUGE, "switches/s", "proc",
        "times a second a thread of a gateway or an orchestrator left its core to wait", scope=Kind.PROCESS),
    row("host.process_involuntary_switches", GAUGE, "switches/s", "proc",
        "times a second a thread of a gateway or an orchestrator lost its core to another one: cores are short",
        scope=Kind.PROCESS),
    row("host.process_threads", GAUGE, "count", "proc",
        "threads of the process", note="above the CPU quota, for pools in lockstep; incident 056", scope=Kind.PROCESS),
    row("host.process_rss", GAUGE, "bytes", "proc", "resident memory of the process", scope=Kind.PROCESS),
    row("host.process_rss_growth", DERIVED, "bytes/s", "proc",
        "steady growth of resident memory; bytes/s = slope of process_rss over 2 h if R2 > 0.9 and uptime > 30 min; "
        "else 0",
        warn="> 3k", note="about 10 MiB an hour; proposal", scope=Kind.PROCESS),
    row("host.process_rss_time_to_full", DERIVED, "s", "proc",
        "time until resident memory meets its limit; s = (memory limit - process_rss) / process_rss_growth; missing "
        "if not rising",
        warn="< 24h", critical="< 1h", note="proposal", scope=Kind.PROCESS, fold=Fold.MIN),
    row("host.process_fds", GAUGE, "count", "proc", "open descriptors of the process", scope=Kind.PROCESS),
    row("host.process_fd_limit", FACT, "count", "proc", "soft limit on descriptors of the process", scope=Kind.PROCESS),
    row("host.process_fd_ratio", DERIVED, "ratio", "proc",
        "descriptors in use; ratio = process_fds / process_fd_limit",
        warn="> 80%", note="proposal", scope=Kind.PROCESS, fold=Fold.MAX),
    row("host.process_fd_time_to_full", DERIVED, "s", "proc",
        "time until descriptors run out; s = (process_fd_limit - process_fds) / slope of process_fds over 30 min; "
        "missing if not rising",
        warn="< 1h", note="proposal", scope=Kind.PROCESS, fold=Fold.MIN),
    row("host.process_close_wait", GAUGE, "count", "proc",
        "sockets of the process in CLOSE_WAIT", note="rising; proposal", scope=Kind.PROCESS),
)
# fmt: on
