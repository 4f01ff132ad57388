"""The help: keys, and each word and number of the screen in one line, for whoever sees it first in a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.view.canvas import row
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.scrolling import Block, Paper, scrolled
from perfconsole.view.units import MISSING_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.view.canvas import Cursor, Page
    from perfconsole.view.glyphs import Glyphs

Pairs = tuple[tuple[str, str], ...]
"""A word, and what it means."""

_LAYERS: Pairs = (
    ("gateway", "routes requests to engines, retries, limits rates: errors and waits here never reach the engine"),
    ("orchestration", "agents and pipelines that call the model: their own time adds to what a user waits"),
    ("engine", "the serving process (vLLM and others): queues, batches and runs the model"),
    ("hardware", "GPUs, CPU cores, memory and processes of the host under it"),
)
_FINDINGS: Pairs = (
    ("x CRITICAL", "act now"),
    ("! WARNING", "users are slowed, or soon will be"),
    ("i INFO", "worth knowing, no trouble by itself"),
    ("likely", "every condition holds, and every look-alike is excluded by a value"),
    ("possible", "every condition holds, and one look-alike could not be excluded"),
    ("pending", "true so far, not yet for as long as the rule asks: '12 of 60 s'"),
    ("firing", "true for as long as the rule asks"),
    ("undecided", "data is missing, so it is neither true nor false; it is not an all-clear"),
    ("clearing", "no longer true, kept for a moment so that nobody misses it"),
    ("explained", "a consequence of the finding above it: it goes when that one goes"),
    ("silent", "a rule that is no finding, listed under a filter: its page says which condition keeps it silent"),
    ("decided", "3 of 4 conditions decided: a value is missing for the fourth, and its page names who has it"),
    ("ruled out", "a look-alike, what it would need, and the value that denies it"),
    ("severity", "a rule may raise its own when the values are worse (preemption above 50%)"),
    ("hold, cut", "how long a condition must be true; the demo and short runs of check cut it, and say so"),
    ("! and !!", "behind a number: it passes a mark (warn, critical), shipped or your team's; that is no finding"),
    ("+1", "behind a source that does not answer: so many more do not either"),
)
_REASONS: dict[Missing, str] = {
    Missing.NEVER: "nothing of the kind happened in the window, so there is nothing to average",
    Missing.STALE: "last seen longer ago than three polls; the old value would mislead",
    Missing.SOURCE_DOWN: "its source does not answer",
    Missing.NOT_EXPORTED: "this engine or version does not say it, or a flag turns it off",
    Missing.NO_PERMISSION: "the system does not let this user read it",
    Missing.WARMING_UP: "too few polls or events yet; wait for some seconds",
    Missing.NO_BASELINE: "no healthy stretch was seen to compare with",
    Missing.UNSUPPORTED: "what is exported does not allow it (a sum without its distribution)",
}
_TERMS: Pairs = (
    ("p50 p95 p99", "half, 95%, 99% of requests were faster than this: p50 is typical, p99 the unlucky"),
    ("TTFT", "time to first token: from arrival to the first output, waiting and prefill included"),
    ("ITL", "inter-token latency: gap between two outputs of a running request"),
    ("TPOT", "time per output token: mean gap over one whole request"),
    ("prefill", "reads the whole prompt at once: bound by computing; long prompts make others wait"),
    ("decode", "writes one token after the other for all running requests: bound by GPU memory bandwidth"),
    ("KV cache", "GPU memory that keeps what was read so far; when it is full, requests wait or are preempted"),
    ("preemption", "a running request is thrown out for lack of KV cache and computed again later"),
    ("running", "requests in the batch; waiting: accepted, not in the batch yet"),
    ("run 32/32", "running, and the most that may run at once (max_num_seqs): the slots; (plateau): seen, not stated"),
    ("TIME BILL", "where the time of a mean request goes; the parts add up, p50 and p95 of the total stand beside"),
    ("fullest", "the resource nearest to its limit; above 80% nearly full, above 95% a bottleneck when requests wait"),
    ("hits", "share of prompt tokens found in the prefix cache"),
    ("bypass", "share of the engine's requests that this gateway did not send"),
    ("calls", "calls/request, calls/task: engine requests for one request or agent task"),
    ("gauges say 0", "the engine says 0 running and its counters move: the counters are right"),
    ("front-end", "CPU of the HTTP side, of the scheduler (core) and of the model's processes (worker), in cores"),
    ("pressure", "share of time in which work waited for a CPU; steal: taken by other guests of the host"),
    ("base(x)", "what x is when all is well; slope(x[3m]): change a second over 3 min; margin: way to the threshold"),
)
_WINDOWS: Pairs = (
    ("10 s", "rates a second (tokens, requests) and how full the batch is"),
    ("60 s", "quantiles and means of latencies and lengths"),
    ("5 min", "ratios of rare events: errors, preemptions"),
    ("longer", "all stretch where a source is polled slowly; totals since the start never decide a finding"),
)
_HOST: Pairs = (
    ("reads only", "asks metrics pages and health routes, reads /proc and /sys; sends no prompt by itself"),
    ("how often", "once a second; slower pages less often (2% of the time), down to once in 5 s"),
    ("memory", "ten minutes of single polls and a day of minutes, some MB a target"),
    ("commands", "nothing runs by itself: y runs a check's command if it only reads, for 30 s at most"),
    ("f, d", "pause a Python process for its stacks, after enter or y on a page that says so"),
    ("p", "sends load after enter on a page that says how much at most; any key ends it and drops every connection"),
    ("w", "writes numbers, names and versions, no addresses with users, no paths, no command lines"),
)
_FILES: Pairs = (
    ("settings", "~/.config/perfconsole/config.toml, or --config FILE: targets, marks, owners"),
    ("own rules", "~/.config/perfconsole/rules, or --rules DIR; the same id replaces a shipped rule"),
    ("results", "~/.local/state/perfconsole: probes and flame graphs, for their owner alone"),
    ("elsewhere", "XDG_CONFIG_HOME moves settings and rules, XDG_STATE_HOME results"),
)


def help_page(
    keys: Sequence[tuple[str, str]], width: int, height: int, cursor: Cursor, glyphs: Glyphs = UNICODE
) -> Page:
    """Keys first, then the legend. It scrolls as scrolling.py says."""
    paper = Paper.of(width, glyphs)
    blocks = [block for name, pairs in _sections(keys) for block in _section(name, pairs, paper)]
    title = row(("HELP", "head"), ("  esc goes back", "dim"))
    return scrolled(title, blocks, cursor, (width, height), glyphs)


def _sections(keys: Sequence[tuple[str, str]]) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    reasons = tuple((MISSING_WORDS[reason], words) for reason, words in _REASONS.items())
    yield "KEYS", keys
    yield "FOUR LAYERS, in the order in which a request travels", _LAYERS
    yield "FINDINGS", _FINDINGS
    yield "NO NUMBER: a value that is missing says why and is never shown as 0", reasons
    yield "WORDS OF SERVING", _TERMS
    yield "OVER WHICH TIME numbers are taken", _WINDOWS
    yield "WHAT THIS DOES TO THE HOST", _HOST
    yield "WHERE SETTINGS LIVE", _FILES


def _section(name: str, pairs: Sequence[tuple[str, str]], paper: Paper) -> Iterator[Block]:
    yield Block(("part", name), paper.text(name, "head"))
    for place, (word, meaning) in enumerate(pairs):
        rows = paper.paired(word, meaning)
        blank = ((),) if place == len(pairs) - 1 else ()
        yield Block(("part", name, str(place)), (*rows, *blank))
