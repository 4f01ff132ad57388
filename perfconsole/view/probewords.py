"""The words of a probe, said alike on the page, in the report and in the files: its plan, its verdict, its terms."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.probeplan import (
    COMPARE_VARIANTS,
    NEW_CONNECTIONS,
    RECIPES,
    REPEAT_PROMPT,
    STEP_LOAD,
    THROUGH_AND_AROUND,
    Shape,
)
from perfconsole.model.proberesult import ENDED, P95_FROM, P99_FROM
from perfconsole.view.units import duration, number, said_in, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.model.probeplan import ProbePlan, Slo, Step
    from perfconsole.model.proberesult import Goodput, Headroom, Knee, StepResult, Thresholds

RECIPE_WORDS = dict(
    zip(
        RECIPES,
        (
            "rising load, step by step",
            "one prompt, then the same again",
            "pairs of requests that differ in one thing",
            "the same requests through the gateway and straight to the engine",
            "small requests, each on a new connection",
        ),
        strict=True,
    )
)
_SCENARIOS = {
    "short-chat": "short questions and answers",
    "long-prompt": "long prompts, short answers",
    "long-conversation": "conversations that grow",
    "agent-fan-out": "tasks of several calls, some of them at once",
    "shared-prefix": "prompts that begin alike",
}
_TASKS = ("long-conversation", "agent-fan-out")
"""Scenarios in which a task has several calls, and each repeats what was said before."""
LONG_FACTOR, LONG_MOST = 16, 8_192
COMMON_FACTOR, COMMON_LEAST = 8, 1_024
"""How much longer prompts are than asked for: those of long-prompt, and the common text of shared-prefix."""
_PARTS = ("short-chat", "long-prompt", "long-conversation")
_TELLING = {
    REPEAT_PROMPT: ("probe.ttft_repeat_ratio", "probe.prefix_hit_ratio"),
    COMPARE_VARIANTS: ("probe.neutral_speedup", "probe.plain_speedup", "probe.text_speedup", "probe.itl_growth"),
    THROUGH_AND_AROUND: ("probe.bypass_ttft_ratio", "probe.chunk_burst_ratio", "gateway.adder_growth"),
    NEW_CONNECTIONS: ("probe.connect.p50", "probe.connect.p99", "probe.resolve.p99"),
}
"""Values in which a recipe answers what it was asked."""
_LIMITS = {"queue": "queueing", "prefill": "prefill", "decode": "decode", "client": "the client"}
KNEE = "knee"
"""The mark of the step at the knee; every other mark is a warning."""
WITHHELD = f"p95 needs {P95_FROM} requests, p99 {P99_FROM}"
DEFINITIONS = (
    ("TTFT", "time to first token: from the intended start, on an open connection, to the first text of any kind"),
    ("TTFO", "to the first text of the answer itself, where reasoning comes before it"),
    ("ITL", "inter-token latency: time between two deliveries, divided by the tokens that the later one brought"),
    ("TPOT", "time per output token of one request: (e2e - TTFT) / (tokens - 1)"),
    ("e2e", "from the intended start to the last text"),
    ("tok/s", "output tokens a second of all requests together, by the server's own count where it gives one"),
    ("per stream", "tok/s of one of the streams that run at the same time"),
    ("burst", "the requests that start together when a step begins; their TTFT is kept apart"),
    ("dlvd", "delivered: mean of the requests in flight / what was asked for; ! below 97%: the load was not there"),
    ("err", "requests that did not end well, time-outs too; they are in no latency"),
    ("lag", "from the kernel's stamp of an arrival until this client had it: how late the client itself was"),
    ("late", "from the intended start of a request until its bytes were sent"),
    ("merged", "share of reads that held more than one delivery: the times between those are spread evenly"),
    ("goodput", "requests a second that kept what users are promised, in TTFT and in TPOT; good: their share"),
    (
        "run, wait",
        "requests in the engine's batch and before it, means of its own numbers; KV: the highest of its cache",
    ),
    ("knee", "the last step before more load brought waiting instead of tokens"),
    ("client", "a step that this client limited: it says nothing of the server, and is never the knee"),
    ("a dash", f"- is a percentile that is withheld: {WITHHELD}; of fewer it would be little else than the maximum"),
)


def step_name(step: Step) -> str:
    """Shortest name of a load: 16, 12/s, burst 64, 2x; behind its label where it has one."""
    amount = number(step.amount)
    name = {Shape.RATE: f"{amount}/s", Shape.BURST: f"burst {amount}", Shape.REPLAY: f"{amount}x"}
    return f"{step.label} {name.get(step.shape, amount)}".strip()


def load_words(shape: Shape, amounts: str) -> str:
    """`16 at a time`."""
    return {
        Shape.CONCURRENCY: f"{amounts} at a time",
        Shape.RATE: f"{amounts} requests/s, at random moments",
        Shape.BURST: f"{amounts} at one moment",
        Shape.REPLAY: f"a recorded sample at {amounts} times its speed",
    }[shape]


def axis_words(plan: ProbePlan) -> str:
    """What the amounts of its steps count."""
    shapes = {step.shape for step in plan.steps}
    if shapes == {Shape.RATE}:
        return "requests/s asked for"
    return "requests at a time" if shapes <= {Shape.CONCURRENCY, Shape.BURST} else "load"


def ladder_words(plan: ProbePlan) -> str:
    """Steps in the order in which they are sent: `1, 2, 4 at a time`, labels with their loads."""
    parts = []
    for (shape, labelled), group in groupby(plan.steps, key=lambda step: (step.shape, bool(step.label))):
        steps = list(group)
        names = [step_name(step) if labelled else number(step.amount) for step in steps]
        parts.append(load_words(shape, ", ".join(names)) if not labelled else ", ".join(names))
    return "; ".join(parts) or "no step"


def length_words(plan: ProbePlan) -> str:
    """How long a step lasts: `each until 32 requests have ended or 15 s are over`."""
    requests = sorted({step.requests for step in plan.steps if step.requests is not None})
    seconds = sorted({step.seconds for step in plan.steps if step.seconds is not None})
    ends = [f"{_reach(requests)} requests have ended"] if requests else []
    ends += [f"{_reach(seconds)} s are over"] if seconds else []
    return f"each until {' or '.join(ends)}" if ends else ""


def _reach(values: Sequence[float]) -> str:
    low, high = number(values[0]), number(values[-1])
    return low if low == high else f"{low} to {high}"


def scenario_words(plan: ProbePlan) -> str:
    """`short-chat: short questions and answers`."""
    if plan.scenario == "mixed":
        parts = ", ".join(f"{share} {name}" for share, name in zip(plan.mix, _PARTS, strict=False))
        return f"mixed: {parts}"
    meaning = _SCENARIOS.get(plan.scenario)
    return f"{plan.scenario}: {meaning}" if meaning else plan.scenario


def tokens_words(plan: ProbePlan) -> str:
    """How long prompts and answers are, and whether a prefix cache may help."""
    return f"{_prompts(plan.scenario, plan.prompt_tokens)}, answers of {number(plan.output_tokens)}; {_alike(plan)}"


def _prompts(scenario: str, tokens: int) -> str:
    """By the scenario they are longer than what was asked for."""
    long = number(max(tokens, min(LONG_MOST, tokens * LONG_FACTOR)))
    if scenario == "long-prompt":
        return f"prompts of {long} tokens"
    if scenario == "mixed":
        return f"prompts of {number(tokens)} to {long} tokens"
    if scenario == "shared-prefix":
        common = number(max(COMMON_LEAST, min(LONG_MOST, tokens * COMMON_FACTOR)))
        return f"prompts of {common} common tokens and {number(tokens)} more"
    more = ", longer with each turn" if scenario in _TASKS else ""
    return f"prompts of {number(tokens)} tokens{more}"


def _alike(plan: ProbePlan) -> str:
    repeats = not {step.prompt for step in plan.steps} <= {"unique"} or plan.scenario == "shared-prefix"
    if repeats:
        return "prompts repeat, so a prefix cache may help"
    if plan.scenario in (*_TASKS, "mixed"):
        return "those of one task begin alike, so a prefix cache may help"
    return "no two prompts begin alike"


def slo_words(slo: Slo) -> str:
    """What users are promised."""
    return f"TTFT p95 {duration(slo.ttft_p95_s)} and TPOT p90 {duration(slo.tpot_p90_s)}"


def cap_words(plan: ProbePlan) -> str:
    """When it stops by itself."""
    caps = plan.caps
    return (
        f"above {caps.error_ratio:.0%} errors (a request of over {duration(caps.e2e_s)} is one), "
        f"when first tokens take over {duration(caps.ttft_s)}, when the KV cache passes {caps.kv_usage:.0%}, "
        "and when a critical finding appears"
    )


def headline(plan: ProbePlan, knee: Knee | None, steps: Sequence[StepResult], values: Mapping[str, float]) -> str:
    """What it found, in one sentence: the knee of a step load, what was compared in any other recipe."""
    if plan.recipe == STEP_LOAD:
        return knee_words(plan, knee, steps)
    told = [indicator_words(name, values[name]) for name in _TELLING.get(plan.recipe, ()) if name in values]
    return "; ".join(told) or "nothing could be compared"


def knee_words(plan: ProbePlan, knee: Knee | None, steps: Sequence[StepResult]) -> str:
    """`knee at 16: queueing (more than half of the time something waited)`."""
    if knee is None:
        return "no knee yet"
    why = f" ({knee.why})" if knee.why else ""
    limit = _LIMITS.get(knee.limit, "")
    unit = " requests/s" if {step.shape for step in plan.steps} == {Shape.RATE} else ""
    if knee.concurrency is not None:
        return f"knee at {number(knee.concurrency)}{unit}{f': {limit}' if limit else ''}{why}"
    if knee.limit == "client":
        return f"no knee can be told: the client was the limit{why}"
    held = [result.step.amount for result in steps if result.valid]
    if not held:
        return f"no knee: no step can be used{why}"
    return f"no knee up to {number(max(held))}{unit}{f', {limit} begins to limit' if limit else ''}{why}"


def indicator_words(name: str, value: float) -> str:
    """`TTFT of a first request / TTFT of its identical repeat: 2.4x`."""
    entry = DEFAULT.find(name)
    if entry is None:
        return f"{name}: {number(value)}"
    meaning, part = entry.definition.partition(";")[0], name.removeprefix(entry.name).lstrip(".")
    return f"{meaning}{f', {part}' if part else ''}: {value_words(name, value)}"


def value_words(name: str, value: float) -> str:
    """Value of an indicator in its unit."""
    entry = DEFAULT.find(name)
    meaning = " (highest load with TTFT p95 below twice the first step's)" if name == "probe.knee" else ""
    return shown(value, said_in(name, entry.unit if entry else "")).strip() + meaning


def goodput_words(goodput: Goodput | None, slo: Slo) -> str:
    """The highest rate within what is promised, where, and which share keeps it (95% interval); else why not."""
    if goodput is None or goodput.requests_per_s is None:
        return (goodput.why if goodput else "") or "not known"
    at = f" at {number(goodput.concurrency)}" if goodput.concurrency is not None else ""
    share = ""
    if goodput.low is not None and goodput.high is not None:
        share = f"{goodput.low * 100:.0f}-{goodput.high:.0%} "
    within = f"{share}within TTFT {duration(slo.ttft_p95_s)}, TPOT {duration(slo.tpot_p90_s)}"
    return f"{number(goodput.requests_per_s)} requests/s{at}: {within}"


def headroom_words(headroom: Headroom | None) -> str:
    """What is left beside the traffic, and whether it takes more of it; else why that cannot be said."""
    if headroom is None:
        return "not known"
    traffic, capacity = headroom.traffic_per_s, headroom.capacity_per_s
    if headroom.ratio is None or traffic is None or capacity is None:
        known = f"capacity {number(capacity)} requests/s" if capacity is not None else ""
        return "; ".join(words for words in (known, headroom.why) if words) or "not known"
    takes = f"; {_takes(headroom.takes)}" if headroom.takes else ""
    return f"{number(headroom.ratio)}x: capacity {number(capacity)}, traffic {number(traffic)} requests/s{takes}"


def capacity_words(plan: ProbePlan, goodput: Goodput | None, headroom: Headroom | None) -> list[tuple[str, str]]:
    """Goodput and headroom of a step load; other recipes do not look for them."""
    if plan.recipe != STEP_LOAD:
        return []
    return [("goodput", goodput_words(goodput, plan.slo)), ("headroom", headroom_words(headroom))]


def reasons(plan: ProbePlan, goodput: Goodput | None, headroom: Headroom | None) -> list[tuple[str, str]]:
    """What goodput and headroom rest on, where they are known."""
    told = []
    if goodput and goodput.requests_per_s is not None and goodput.why:
        told.append(("goodput", goodput.why))
    if headroom and headroom.ratio is not None and headroom.why:
        told.append(("headroom", headroom.why))
    return told if plan.recipe == STEP_LOAD else []


def _takes(takes: Sequence[tuple[float, bool]]) -> str:
    """`takes +30%, not +50%`."""
    good = [f"{factor - 1:+.0%}" for factor, fits in takes if fits]
    bad = [f"{factor - 1:+.0%}" for factor, fits in takes if not fits]
    parts = [f"takes {', '.join(good)}"] if good else []
    parts += [f"{'not' if good else 'does not take'} {', '.join(bad)}"] if bad else []
    return ", ".join(parts)


def ended_words(notes: Sequence[str]) -> str:
    """Why the ladder ended before its last load; empty where it did not."""
    return next((note.removeprefix(ENDED) for note in notes if note.startswith(ENDED)), "")


def threshold_words(plan: ProbePlan, found: Thresholds | None, steps: Sequence[StepResult]) -> list[tuple[str, str]]:
    """From which load of a step load on something is passed; `never` where it was not."""
    rising = [step for step in plan.steps if step.shape in (Shape.CONCURRENCY, Shape.RATE)]
    if found is None or plan.recipe != STEP_LOAD or not rising:
        return []
    servers = [step.server for step in steps if step.server is not None]
    queue = any(server.waiting is not None and server.max_num_seqs for server in servers)
    tail = any(step.ttft.p95 is not None for step in steps)
    lowest = step_name(min(rising, key=lambda step: step.amount))
    least = "a single request" if lowest == "1" else f"the lowest load ({lowest})"
    return [
        ("TTFT grown", f"p50 at 1.5 times that of {least}: {_from(found.ttft_grown)}"),
        ("TPOT grown", f"p50 at 1.5 times that of {least}: {_from(found.tpot_grown)}"),
        ("TTFT tail", f"p95 above 3 times p50: {_from(found.tail) if tail else 'not known'}"),
        ("waiting", f"above 2 x max_num_seqs: {_from(found.waiting) if queue else 'not known'}"),
    ]


def _from(load: float | None) -> str:
    return "never" if load is None else f"from {number(load)} on"


def mark_word(result: StepResult, knee: Knee | None = None) -> str:
    """What a step is marked with: knee, client, cut, empty, failed or outlier; never by colour alone."""
    if not result.valid:
        return _void_word(result)
    if result.outlier:
        return "outlier"
    return KNEE if knee and knee.concurrency == result.step.amount and not result.step.label else ""


def _void_word(result: StepResult) -> str:
    if result.cut:
        return "cut"
    if result.client_limited:
        return "client"
    return "failed" if result.requests else "empty"


def error_words(result: StepResult) -> str:
    """`3 timeout, 2 status`."""
    return ", ".join(f"{count} {kind}" for kind, count in result.error_kinds)
