"""A sound rule file, and mistakes planted into it: what is replaced, by what, and the code that lint must give.

The mark § stands in front of the very word that is wrong; it is no part of the file.
"""

# ruff: noqa: E501 - one mistake a line reads as the table it is

from __future__ import annotations

from dataclasses import dataclass

MARK = "§"
SOUND = """\
id: planted
row: S990
title: Tokens come slowly
layer: engine
scope: engine
severity: info
class: scheduling
when:
  - engine.itl.p90 > 80ms for 60s
  - engine.tpot.p90 > 2 * base(engine.tpot.p90)
unless:
  - engine.ready == 0
fallback:
  2: engine.tpot.p90 > 160ms
escalate:
  critical: engine.itl.p90 > 1s
explains: [ttft-high, queue-growing]
cause: The step is long.
checks:
  - kind: look
    what: the step time in {engine.log}
    confirms: engine.step_time > 500ms
    refutes: "see: nothing odd"
  - kind: run
    command: tail -40 {engine.log} | grep -c step
    confirms: "see: more than ten"
    refutes: "see: none"
  - kind: flame
    command: py-spy record --idle -p {engine.core_pid} -d 20 -f raw -o core.folded
    confirms: profile.gpu_wait_ratio < 30%
    refutes: profile.gpu_wait_ratio > 70%
  - kind: probe
    recipe: step-load
    command: perfconsole probe step-load {engine.url} --steps 1,4
    confirms: probe.itl.p50 > 80ms
    refutes: probe.itl.p50 < 20ms
remedies: [Wait]
evidence: [engine.itl.p90, engine.step_time]
confidence: low
cases:
  - interval: 5s
    series: {engine.itl.p90: 90msx20, engine.tpot.p90: 90msx20, engine.ready: 1x20}
    base: {engine.tpot.p90: 10ms}
    expect: {at: 65s, state: firing, verdict: likely}
  - interval: 5s
    series: {engine.itl.p90: 20msx20, engine.tpot.p90: 20msx20, engine.ready: 1x20}
    expect: {at: 65s, state: silent}
  - interval: 5s
    series: {engine.tpot.p90: 170msx20}
    expect: {at: 65s, state: undecided, missing: engine.itl.p90}
"""
WHEN = "engine.itl.p90 > 80ms for 60s"
TAIL = "tail -40 {engine.log} | grep -c step"


@dataclass(frozen=True, slots=True)
class Planted:
    """One mistake: a part of the sound rule replaced by one with a mark in front of what is wrong."""

    name: str
    old: str
    new: str
    code: str

    @property
    def marked(self) -> str:
        """The whole file with the mark in it."""
        if SOUND.count(self.old) < 1 or self.new.count(MARK) != 1:
            raise ValueError(f"{self.name} is planted nowhere")
        return SOUND.replace(self.old, self.new, 1).replace("id: planted", f"id: {self.name}", 1)

    @property
    def text(self) -> str:
        """The file as lint sees it."""
        return self.marked.replace(MARK, "")

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of what is wrong."""
        before = self.marked.partition(MARK)[0]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


def _when(name: str, condition: str, code: str) -> Planted:
    return Planted(name, f"- {WHEN}", f"- {condition}", code)


def _span(name: str, code: str, start: str, end: str, *changes: tuple[str, str]) -> Planted:
    """Several changes at once, between two words of the sound rule."""
    old = new = SOUND[SOUND.index(start) : SOUND.index(end, SOUND.index(start))]
    for before, after in changes:
        new = new.replace(before, after, 1)
    return Planted(name, old, new, code)


def _run(name: str, command: str) -> Planted:
    return Planted(name, f"command: {TAIL}", f"command: {command}", "not-read-only")


FATAL = (
    Planted("no-colon", "title: Tokens", "title Tokens\n§row: S9\nnote: Tokens", "not-yaml"),
    Planted("open-quote", "missing: engine.itl.p90}", 'missing: §"engine.itl.p90}', "not-yaml"),
    Planted("unknown-key", "cause:", "§couse:", "unknown-key"),
    Planted("missing-key", "id: planted\nrow: S990\ntitle: Tokens come slowly\n", "§id: planted\n", "missing-key"),
    Planted("repeated-key", "row: S990", "row: S990\n§row: S991", "repeated-key"),
    Planted("unknown-layer", "layer: engine", "layer: §engin", "unknown-word"),
    Planted("unknown-scope", "scope: engine", "scope: §engines", "unknown-word"),
    Planted("unknown-severity", "severity: info", "severity: §fatal", "unknown-word"),
    Planted("unknown-class", "class: scheduling", "class: §schedule", "unknown-word"),
    Planted("unknown-confidence", "confidence: low", "confidence: §none", "unknown-word"),
    Planted("unknown-kind", "kind: look", "kind: §watch", "unknown-word"),
    Planted("unknown-level", "  critical: engine", "  §fatal: engine", "unknown-word"),
    Planted("unknown-state", "state: silent", "state: §quiet", "unknown-word"),
    Planted(
        "no-refutes",
        '- kind: look\n    what: the step time in {engine.log}\n    confirms: engine.step_time > 500ms\n    refutes: "see: nothing odd"',
        "- §kind: look\n    what: the step time\n    confirms: engine.step_time > 500ms",
        "missing-key",
    ),
    Planted("no-such-condition", "  2: engine.tpot", "  §3: engine.tpot", "no-such-condition"),
    Planted("alias", "remedies: [Wait]", "remedies: §&r [Wait]\nincidents: *r", "alias"),
    Planted("not-a-number", "{at: 65s", "{at: §soon", "not-a-number"),
    Planted("not-a-series", "engine.ready: 1x20}\n    base", "engine.ready: 1 §1xx20}\n    base", "not-a-series"),
    _when("no-window", "§slope(engine.requests_waiting) > 3", "not-a-condition"),
    _when("no-bracket", "max(engine.step_time[1m] §> 3", "not-a-condition"),
    _when("chained", "1 < engine.itl.p90 §< 2", "not-a-condition"),
    _when("unknown-unit", "engine.itl.p90 > §80ns", "not-a-condition"),
    _when("folded", ">-\n      engine.itl.p90 > 80ms\n      and §and engine.up == 1", "not-a-condition"),
    _when("bare-word", "§waiting > 3", "not-a-condition"),
)
"""Mistakes with which a file cannot be used at all."""

UNUSABLE = (
    _when("unknown-name", "§engine.itl_p90 > 80ms", "unknown-indicator"),
    _when("name-in-window", "slope(§engine.waiting[1m]) > 3", "unknown-indicator"),
    _when("no-suffix", "§engine.itl > 80ms", "unreadable-indicator"),
    _when("text", "§engine.version > 3", "unreadable-indicator"),
    _when("narrower-scope", "§gpu.power > 300", "wrong-scope"),
    _when("own-scope-over", "max(§engine.step_time) > 1s", "wrong-scope"),
    _when("mixed-scopes", "§engine.itl.p90 > 2 * gateway.itl.p90", "mixed-scopes"),
    _when("seconds-as-share", "engine.ttft.p95 > §80%", "unit-mismatch"),
    _when("share-as-seconds", "engine.kv_cache_usage > §3s", "unit-mismatch"),
    _when("bytes-against-tokens", "engine.response_size.mean > §engine.prompt_length.mean", "unit-mismatch"),
    _when("seconds-plus-bytes", "engine.ttft.p95 + §engine.response_size.mean > 3", "unit-mismatch"),
    _when("product-of-units", "engine.ttft.p95 * engine.generation_rate > §3s", "unit-mismatch"),
    _when("share-of-count", "engine.requests_running > §80%", "unit-mismatch"),
    _when("folded-unit", ">-\n      engine.up == 1 and\n      engine.ttft.p95 > §80%", "unit-mismatch"),
    _when("quoted-unit", '"engine.up == 1 and\\x20engine.ttft.p95 > §80%"', "unit-mismatch"),
    _run("removes", "§rm -f {engine.log}"),
    _run("kills", "ps aux | xargs §kill -9"),
    _run("restarts", "sudo systemctl §restart vllm"),
    _run("writes", "dmesg > §/tmp/kernel.txt"),
    _run("tees", "dmesg | §tee kernel.txt"),
    _run("hides", "§bash -c 'x'"),
    _run("quoted-command", "'cat {engine.log}; §kill {engine.core_pid}'"),
    Planted(
        "evidence-name",
        "evidence: [engine.itl.p90, engine.step_time]",
        "evidence: [engine.itl.p90, §engine.step]",
        "unknown-indicator",
    ),
    Planted(
        "case-name", "series: {engine.tpot.p90: 170msx20}", "series: {§engine.tpot_p90: 170msx20}", "unknown-indicator"
    ),
)
"""Mistakes that leave a rule without meaning or with a check that does harm."""

WRONG = (
    _when("counter", "§engine.preemptions > 5", "plain-counter"),
    _when("percent-as-number", "engine.kv_cache_usage > §90", "never-true"),
    _when("always", "engine.kv_cache_usage <= §100%", "always-true"),
    _when("below-zero", "engine.requests_waiting < §0", "never-true"),
    _when("state-of-two", "engine.up == §2", "state-value"),
    _when("same-sides", "§engine.itl.p90 > engine.itl.p90", "never-true"),
    _when("no-indicator", "3 > §2", "no-indicator"),
    _when("contradiction", "engine.requests_waiting > 5 and §engine.requests_waiting < 3", "contradiction"),
    _when("contradiction-below", "engine.itl.p90 > 80ms\n  - §engine.itl.p90 < 20ms", "contradiction"),
    _when("too-long", "§engine.itl.p90 > 80ms for 48h", "too-long"),
    _when("too-long-window", "§max(engine.itl.p90[36h]) > 80ms", "too-long"),
    _when("too-short-window", "§max(engine.itl.p90[2s]) > 80ms", "too-short"),
    Planted("repeated", "unless:", f"  - §{WHEN}\nunless:", "repeated-condition"),
    Planted("unless-repeats", "- engine.ready == 0", "- §engine.itl.p90 > 50ms", "unless-repeats-when"),
    Planted("idle-unless", "- engine.ready == 0", "- §engine.itl.p90 < 50ms", "idle-unless"),
    Planted("idle-fallback", "  2: engine", "  §1: none\n  2: engine", "idle-fallback"),
    Planted(
        "base-in-fallback",
        "2: engine.tpot.p90 > 160ms",
        "2: engine.tpot.p90 > 3 * §base(engine.tpot.p90)",
        "base-in-fallback",
    ),
    Planted(
        "missing-fallback",
        "- engine.tpot.p90 > 2 * base(engine.tpot.p90)",
        f"- {WHEN.replace('80', '90')}\n  - §engine.tpot.p50 > 2 * base(engine.tpot.p50)",
        "no-fallback",
    ),
    Planted(
        "constant-escalation",
        "critical: engine.itl.p90 > 1s",
        "critical: §engine.itl.p90 > 80ms",
        "constant-escalation",
    ),
    Planted("unknown-rule", "[ttft-high, queue-growing]", "[ttft-high, §queue-groving]", "unknown-rule"),
    Planted("explains-itself", "[ttft-high, queue-growing]", "[ttft-high, §explains-itself]", "explains-itself"),
    Planted("explains-twice", "[ttft-high, queue-growing]", "[ttft-high, §ttft-high]", "repeated-word"),
    Planted(
        "evidence-twice", "[engine.itl.p90, engine.step_time]", "[engine.itl.p90, §engine.itl.p90]", "repeated-word"
    ),
    Planted("placeholder", "the step time in {engine.log}", "the step time in {§engine.lgo}", "unknown-placeholder"),
    Planted("unknown-recipe", "recipe: step-load", "recipe: §step-laod", "unknown-recipe"),
    Planted("other-recipe", "perfconsole probe step-load", "perfconsole probe §repeat-prompt", "not-a-probe"),
    Planted("not-a-probe", "command: perfconsole probe step-load", "command: §curl", "not-a-probe"),
    Planted("acting-flame", "py-spy record --idle", "sync; §rm -rf /tmp/x; py-spy record --idle", "not-read-only"),
    Planted("no-idle", "py-spy record --idle", "py-spy §record", "flame-without-idle"),
    Planted("not-a-profile", "py-spy record --idle", "§py-spy dump --idle", "not-a-profile"),
    Planted(
        "same-answers", "refutes: profile.gpu_wait_ratio > 70%", "refutes: §profile.gpu_wait_ratio < 30%", "same-answer"
    ),
    Planted("taken-row", "row: S990", "row: §S22", "duplicate-row"),
    Planted(
        "unread-series",
        "series: {engine.tpot.p90: 170msx20}",
        "series: {engine.tpot.p90: 170msx20, §host.swap_out: 1x20}",
        "unread-series",
    ),
    Planted("after-the-series", "{at: 65s, state: silent}", "{at: §300s, state: silent}", "after-the-series"),
    Planted(
        "silent-and-likely",
        "{at: 65s, state: silent}",
        "{at: 65s, state: silent, verdict: §likely}",
        "contradicting-expectation",
    ),
    Planted(
        "severity-it-never-has", "verdict: likely}", "verdict: likely, severity: §warn}", "contradicting-expectation"
    ),
    Planted(
        "likely-and-missing",
        "verdict: likely}",
        "verdict: likely, missing: §engine.ready}",
        "contradicting-expectation",
    ),
    _span(
        "idle-escalation",
        "idle-escalation",
        "severity: info",
        "explains:",
        ("severity: info", "severity: critical"),
        ("  critical:", "  §critical:"),
    ),
    _span(
        "symptom-of-cause",
        "symptom-explains-cause",
        "class: scheduling",
        "cause:",
        ("class: scheduling", "class: symptom"),
        ("queue-growing", "§engine-frozen"),
    ),
    Planted("no-check", SOUND[SOUND.index("checks:") : SOUND.index("remedies:")], "checks: §[]\n", "no-check"),
    _span(
        "no-firing-case",
        "no-firing-case",
        "cases:",
        "{at: 65s, state: silent}",
        ("- int", "§- int"),
        ("state: firing", "state: pending"),
    ),
    _span(
        "no-silent-case",
        "no-silent-case",
        "cases:",
        "missing: engine",
        ("- int", "§- int"),
        ("state: silent", "state: pending"),
    ),
    _span(
        "no-undecided-case",
        "no-undecided-case",
        "cases:",
        "missing: engine",
        ("- int", "§- int"),
        ("state: undecided", "state: firing, verdict: possible"),
    ),
    Planted(
        "contradicting",
        "missing: engine.itl.p90}\n",
        "missing: engine.itl.p90}\n  - interval: 5s\n    series: {engine.tpot.p90: 170msx20}\n    expect: {at: 65s, state: §pending}\n",
        "contradicting-cases",
    ),
)
"""Mistakes that a rule survives and its author should not."""
