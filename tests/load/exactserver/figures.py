"""The counters and histograms of the exact server, and the page of them: names, labels and buckets are those of vLLM.

Times are those at which tokens were written, so the page and the truth log say the same.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.load.exactserver.schedule import Schedule
    from tests.load.exactserver.truth import Truth

_SECONDS = (0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0)
_TTFT = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, *_SECONDS, 160.0, 640.0, 2560.0)
_ITL = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, *_SECONDS)
_MINUTES = (10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0)
_REQUEST = (0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, *_MINUTES)
_LENGTH = tuple(float(digit * 10**power) for power in range(6) for digit in (1, 2, 5))
_STEP = (1.0, *(float(2**power) for power in range(3, 15)))
_ENDS = {"done": "length", "aborted": "abort", "in-band": "error"}
BLOCK_TOKENS = 16


class Spread:
    """One histogram."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, labels: str) -> list[str]:
        """Its lines on a page."""
        lines, total = [f"# TYPE {name} histogram"], 0
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True):
            total += count
            lines.append(f'{name}_bucket{{engine="0",le="{bound}",{labels}}} {total}.0')
        return [
            *lines,
            f'{name}_count{{engine="0",{labels}}} {total}.0',
            f'{name}_sum{{engine="0",{labels}}} {self._sum!r}',
        ]


class Figures:
    """Everything on the page that is not read off the schedule."""

    def __init__(self, started: float) -> None:
        self._started = started
        self.tokens = self.prompt_tokens = self.cached_tokens = self.looked_up = 0
        self.statuses: dict[str, int] = {}
        self.ends = dict.fromkeys(("stop", "length", "abort", "error", "repetition"), 0)
        self.ttft, self.itl = Spread(_TTFT), Spread(_ITL)
        names = ("e2e_request_latency", "request_queue_time", "request_inference_time", "request_prefill_time")
        self._request = {f"{name}_seconds": Spread(_REQUEST) for name in (*names, "request_decode_time")}
        self._request["request_time_per_output_token_seconds"] = Spread(_ITL)
        lengths = ("request_prompt_tokens", "request_generation_tokens", "request_params_n")
        self._request |= {name: Spread(_LENGTH) for name in lengths}
        self._step = Spread(_STEP)

    def wrote(self, truth: Truth, moment: int, count: int) -> None:
        """`count` tokens of a request were written at this moment, which is not yet in its record."""
        self.tokens += count
        if truth.wrote_ns:
            gap = (moment - truth.wrote_ns[-1]) * 1e-9 / count
            for _ in range(count):
                self.itl.add(gap)
            return
        self.ttft.add((moment - truth.arrival_ns) * 1e-9)
        self.prompt_tokens += truth.prompt_tokens
        self.cached_tokens += truth.cached_tokens

    def took(self, truth: Truth) -> None:
        """The prompt of a request was looked up in the prefix cache."""
        self.looked_up += truth.prompt_tokens

    def stepped(self, tokens: int) -> None:
        """So many tokens were given out together."""
        self._step.add(tokens)

    def answered(self, status: int) -> None:
        """A completion request got this status."""
        group = f"{status // 100}xx"
        self.statuses[group] = self.statuses.get(group, 0) + 1

    def ended(self, truth: Truth) -> None:
        """A request is over."""
        reason = truth.finish if truth.ended == "done" else _ENDS.get(truth.ended, "error")
        self.ends[reason] += 1
        if truth.ended != "done" or truth.admitted_mono is None:
            return
        first, last, count = truth.wrote_ns[0], truth.wrote_ns[-1], len(truth.wrote_ns)
        queue = (truth.admitted_mono - truth.arrival_mono) * 1e-9
        decode, ttft = (last - first) * 1e-9, (first - truth.arrival_ns) * 1e-9
        self._request["e2e_request_latency_seconds"].add(ttft + decode)
        self._request["request_queue_time_seconds"].add(queue)
        self._request["request_prefill_time_seconds"].add(max(0.0, ttft - queue))
        self._request["request_decode_time_seconds"].add(decode)
        self._request["request_inference_time_seconds"].add(max(0.0, ttft - queue) + decode)
        self._request["request_time_per_output_token_seconds"].add(decode / max(1, count - 1))
        self._request["request_prompt_tokens"].add(truth.prompt_tokens)
        self._request["request_generation_tokens"].add(count)
        self._request["request_params_n"].add(1.0)

    def page(self, schedule: Schedule, model: str) -> bytes:
        """The page as vLLM 0.32 has it."""
        name = f'model_name="{model}"'
        lines = self._process() + self._gauges(schedule, name) + self._counters(schedule, name)
        spreads = {"time_to_first_token_seconds": self.ttft, "inter_token_latency_seconds": self.itl, **self._request}
        for metric, spread in {**spreads, "iteration_tokens_total": self._step}.items():
            lines += spread.lines(f"vllm:{metric}", name)
        return ("\n".join(lines) + "\n").encode()

    def _process(self) -> list[str]:
        took = os.times()
        lines = ["# TYPE process_start_time_seconds gauge", f"process_start_time_seconds {self._started!r}"]
        lines += ["# TYPE process_cpu_seconds_total counter", f"process_cpu_seconds_total {took.user + took.system!r}"]
        lines.append("# TYPE http_requests_total counter")
        for group, count in self.statuses.items():
            handler = 'handler="/v1/chat/completions",method="POST"'
            lines.append(f'http_requests_total{{{handler},status="{group}"}} {count}.0')
        return lines

    def _gauges(self, schedule: Schedule, name: str) -> list[str]:
        waiting = len(schedule.queue)
        blocks = max(2, schedule.settings.kv_tokens // BLOCK_TOKENS)
        used = min(1.0, schedule.held / BLOCK_TOKENS / (blocks - 1))
        cache = (
            f'block_size="{BLOCK_TOKENS}",cache_dtype="auto",enable_prefix_caching="{schedule.settings.prefix_cache}"'
        )
        cache += f',gpu_memory_utilization="0.9",num_gpu_blocks="{blocks}",kv_cache_memory_bytes="1073741824"'
        cache += (
            f',kv_cache_size_tokens="{blocks * BLOCK_TOKENS}",kv_cache_max_concurrency="{schedule.settings.slots}.0"'
        )
        return [
            *_series("num_requests_running", "gauge", {name: len(schedule.running)}),
            *_series("num_requests_waiting", "gauge", {name: waiting}),
            *_series(
                "num_requests_waiting_by_reason",
                "gauge",
                {f'{name},reason="capacity"': waiting, f'{name},reason="deferred"': 0},
            ),
            *_series("engine_sleep_state", "gauge", {f'{name},sleep_state="awake"': 1}),
            *_series("kv_cache_usage_perc", "gauge", {name: used}),
            *_series("cache_config_info", "gauge", {cache: 1}),
        ]

    def _counters(self, schedule: Schedule, name: str) -> list[str]:
        computed = self.prompt_tokens - self.cached_tokens
        sources = {"local_compute": computed, "local_cache_hit": self.cached_tokens, "external_kv_transfer": 0}
        return [
            *_series("prefix_cache_queries_total", "counter", {name: self.looked_up}),
            *_series("prefix_cache_hits_total", "counter", {name: self.cached_tokens}),
            *_series("num_preemptions_total", "counter", {name: schedule.preemptions}),
            *_series("prompt_tokens_total", "counter", {name: self.prompt_tokens}),
            *_series(
                "prompt_tokens_by_source_total",
                "counter",
                {f'{name},source="{source}"': count for source, count in sources.items()},
            ),
            *_series("generation_tokens_total", "counter", {name: self.tokens}),
            *_series(
                "request_success_total",
                "counter",
                {f'finished_reason="{reason}",{name}': count for reason, count in self.ends.items()},
            ),
            *_series("admission_rejections_total", "counter", {name: 0}),
        ]


def _series(metric: str, kind: str, values: dict[str, float]) -> list[str]:
    lines = [f'vllm:{metric}{{engine="0",{labels}}} {float(value)!r}' for labels, value in values.items()]
    return [f"# TYPE vllm:{metric} {kind}", *lines]
