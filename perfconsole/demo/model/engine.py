"""The simulated engine: continuous batching with chunked prefill, a KV cache in blocks, eviction with recompute.

Owns the queues, the cache and the steps. All that its page shows follows from them; it knows of no scenario.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.demo.model.enginestats import EngineStats
from perfconsole.demo.model.kvcache import BlockPool
from perfconsole.demo.model.request import Ending, Request

if TYPE_CHECKING:
    from perfconsole.demo.model.request import Ask


@dataclass(frozen=True, slots=True)
class EngineSize:
    """How large and how fast the engine is; the times are those of a step at full clocks."""

    max_num_seqs: int = 32
    blocks: int = 2400
    block_tokens: int = 16
    step_tokens: int = 2048
    """Most tokens computed in a step, prompts and outputs together (max_num_batched_tokens)."""
    max_model_len: int = 8192
    """Longest request in tokens, prompt and output together."""
    step_s: float = 0.014
    sequence_s: float = 0.0003
    """Added by each sequence of the batch: its keys and values are read in every step."""
    prompt_token_s: float = 0.00003

    def __post_init__(self) -> None:
        if self.blocks * self.block_tokens < self.max_model_len:
            raise ValueError("one request of full length must fit, or the engine would wait for ever")

    def duration(self, parts: list[tuple[Request, int]]) -> float:
        """Seconds of a step at full clocks."""
        tokens = sum(tokens for _, tokens in parts if tokens > 1)
        return self.step_s + len(parts) * self.sequence_s + tokens * self.prompt_token_s


@dataclass(frozen=True, slots=True)
class _Step:
    """One pass of the model that is on its way."""

    parts: tuple[tuple[Request, int], ...]
    """Requests and how many of their tokens are computed."""
    end: float


@dataclass(frozen=True, slots=True)
class Progress:
    """What became of a request: its first token, or its end; of one that wants to know each, any token."""

    number: int
    generated: int
    ending: Ending | None


class EngineModel:
    """One engine; `submit`, `abort` and `advance` with times that never fall are the only ways in."""

    def __init__(self, size: EngineSize, start: float) -> None:
        self.size = size
        self.start = start
        self.stats = EngineStats()
        self.running: list[Request] = []
        self.waiting: deque[Request] = deque()
        self.clock_ratio = 1.0
        """Clocks of the GPU against its highest; slower clocks make longer steps."""
        self._pool = BlockPool(size.blocks, size.block_tokens)
        self._t = start
        self._step: _Step | None = None
        self._scheduled = start

    @property
    def kv_usage(self) -> float:
        """Share of the KV cache that is taken."""
        return self._pool.usage

    @property
    def queued(self) -> int:
        """Requests that the last step had no room for; what came since then is not seen yet, as in a real engine."""
        return sum(request.arrived <= self._scheduled for request in self.waiting)

    @property
    def due(self) -> float | None:
        """When the step on its way ends; None where nothing is computed."""
        return None if self._step is None else self._step.end

    def submit(self, number: int, ask: Ask, t: float) -> None:
        """A request arrives. One that could never fit is not taken by the front-end, so it does not come here."""
        if ask.prompt + ask.output > self.size.max_model_len:
            raise ValueError(f"{ask.prompt} + {ask.output} tokens are more than {self.size.max_model_len}")
        self.waiting.append(Request(number, ask, t))

    def abort(self, number: int) -> None:
        """The caller has left; unknown numbers have ended before."""
        for queue in (self.running, self.waiting):
            request = next((r for r in queue if r.number == number), None)
            if request is not None:
                queue.remove(request)
                self._pool.release(request)
                self.stats.ended[Ending.ABORT] += 1

    def advance(self, now: float) -> list[Progress]:
        """Run the steps that end until `now`; gives what is to be told, in order."""
        found: list[Progress] = []
        while True:
            if self._step is None and (t := self._next_start()) <= now:
                self._step = self._schedule(t)
            if self._step is None:
                self._t = max(self._t, now)
                return found
            if self._step.end > now:
                return found
            step, self._step = self._step, None
            found += self._finish(step)
            self._t = step.end

    def _next_start(self) -> float:
        """When the next step can begin: at once, or with the next arrival where nothing runs."""
        if self.running or not self.waiting:
            return self._t
        return max(self._t, self.waiting[0].arrived)

    def stand_still(self, now: float) -> None:
        """Nothing was computed until now: the process was stopped. What was on its way goes on from here."""
        if now <= self._t:
            return
        if self._step is not None and self._step.end < now:
            self._step = replace(self._step, end=now)
        self._t = now

    def _schedule(self, t: float) -> _Step | None:
        """Who takes part in the next step: the running first, then those waiting if nobody was evicted for them."""
        self._scheduled = t
        parts: list[tuple[Request, int]] = []
        budget = self.size.step_tokens
        evictions = self.stats.preemptions
        while len(parts) < len(self.running) and budget > 0:
            request = self.running[len(parts)]
            tokens = min(request.needed, budget)
            if not self._make_room(request, tokens):
                break
            parts.append((request, tokens))
            budget -= tokens
        if self.stats.preemptions == evictions:
            parts += self._admit(t, budget)
        return _Step(tuple(parts), t + self.size.duration(parts) / self.clock_ratio) if parts else None

    def _make_room(self, request: Request, tokens: int) -> bool:
        """Blocks for its next tokens, at the cost of the youngest; False when it was itself the youngest."""
        while not self._pool.grow(request, tokens):
            victim = self.running.pop()
            self._evict(victim)
            if victim is request:
                return False
        return True

    def _evict(self, victim: Request) -> None:
        self._pool.release(victim)
        victim.computed = 0
        victim.preemptions += 1
        self.stats.preemptions += 1
        self.waiting.appendleft(victim)

    def _admit(self, t: float, budget: int) -> list[tuple[Request, int]]:
        parts: list[tuple[Request, int]] = []
        while self.waiting and len(self.running) < self.size.max_num_seqs and budget > 0:
            request = self.waiting[0]
            tokens = min(request.needed, budget)
            if request.arrived > t or not self._pool.grow(request, tokens):
                break
            self.running.append(self.waiting.popleft())
            request.admitted = t if request.admitted is None else request.admitted
            parts.append((request, tokens))
            budget -= tokens
        return parts

    def _finish(self, step: _Step) -> list[Progress]:
        """Write down what a step computed; requests that were aborted during it are left out."""
        before = self.stats.prompt_tokens + self.stats.generation_tokens
        found = [self._emit(request, step.end) for request, tokens in step.parts if request.compute(tokens)]
        self.stats.step_tokens.observe(self.stats.prompt_tokens + self.stats.generation_tokens - before)
        return [progress for progress in found if progress is not None]

    def _emit(self, request: Request, t: float) -> Progress | None:
        request.generated += 1
        self.stats.generation_tokens += 1
        first = request.first_token is None
        if first:
            request.first_token = t
            self.stats.prompt_tokens += request.ask.prompt
            self.stats.ttft.observe(t - request.arrived)
        else:
            self.stats.itl.observe(t - request.last_token)
        request.last_token = t
        if request.complete:
            self.running.remove(request)
            self._pool.release(request)
            self.stats.finish(request, t, Ending.LENGTH)
            return Progress(request.number, request.generated, Ending.LENGTH)
        return Progress(request.number, request.generated, None) if first or request.ask.each else None
