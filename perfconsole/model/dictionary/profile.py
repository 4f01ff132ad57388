"""Layer profile: results of a sampling profile, as shares of the samples of the profiled process.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from perfconsole.model.dictionary.rows import GAUGE, row_of
from perfconsole.model.entity import Kind

if TYPE_CHECKING:
    from perfconsole.model.dictionary.entry import Entry

row = partial(row_of, scope=Kind.TARGET, owner="on-call")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("profile.gil_ratio", GAUGE, "ratio", "profile",
        "share of samples in which some thread holds the interpreter lock (a second run with --gil)",
        warn="> 90%", note="proposal"),
    row("profile.main_active_ratio", GAUGE, "ratio", "profile",
        "samples of the main thread whose top frame is not a waiting call / all its samples",
        warn="> 90%", note="proposal"),
    row("profile.blocked_loop_ratio", GAUGE, "ratio", "profile",
        "samples of the event-loop thread inside a waiting call outside its selector (socket, ssl, DNS, file, lock, "
        "sleep, subprocess) / all samples of that thread, idle ones included. Encoding, tokenising and collection are "
        "not waiting; they have their own ratios",
        warn="> 20%", note="proposal"),
    row("profile.lock_wait_ratio", GAUGE, "ratio", "profile",
        "share of samples whose top frame waits for a lock", warn="> 30%", note="incident 006 showed 74%"),
    row("profile.gc_ratio", GAUGE, "ratio", "profile",
        "share inside garbage collection (native frames needed)", warn="> 20%", note="proposal"),
    row("profile.tokenise_ratio", GAUGE, "ratio", "profile",
        "share in the tokeniser, detokeniser or byte-pair encoder", warn="> 30%", note="proposal"),
    row("profile.relay_ratio", GAUGE, "ratio", "profile",
        "share in stream relay, queue wake-ups and SSE framing", warn="> 30%", note="proposal"),
    row("profile.serialise_ratio", GAUGE, "ratio", "profile",
        "share in JSON or model-object encoding", warn="> 30%", note="proposal"),
    row("profile.media_ratio", GAUGE, "ratio", "profile",
        "share in image, audio or video processors", warn="> 30%", note="proposal"),
    row("profile.metrics_ratio", GAUGE, "ratio", "profile",
        "share in metrics aggregation and exposition", warn="> 20%", note="proposal"),
    row("profile.grammar_ratio", GAUGE, "ratio", "profile",
        "share in grammar compile or mask", warn="> 20%", note="proposal"),
    row("profile.sampling_ratio", GAUGE, "ratio", "profile",
        "share in penalties, logits processors or a sampler on the CPU", warn="> 20%", note="proposal"),
    row("profile.compile_ratio", GAUGE, "ratio", "profile",
        "share in kernel compile or autotune", warn="> 20%", note="proposal"),
    row("profile.gpu_wait_ratio", GAUGE, "ratio", "profile",
        "share waiting for the device (synchronise, copy to host)",
        note="above 50% the core is not the limit; proposal"),
    row("profile.collective_ratio", GAUGE, "ratio", "profile",
        "share inside a collective or barrier", warn="> 50%", note="proposal"),
    row("profile.odd_ranks", GAUGE, "count", "profile",
        "ranks not inside a collective while the others are (dump of every rank)",
        warn="== 1", note="names the culprit; incident 025"),
)
# fmt: on
