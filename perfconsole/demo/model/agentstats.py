"""What the simulated agent counts of its own work, by the GenAI conventions of OpenTelemetry.

Pure: whoever does the work hands its times over.
"""

from __future__ import annotations

from perfconsole.demo.model.histogram import Histogram
from perfconsole.demo.model.pagetext import Labels, PageText

CHAT, TOOL = "chat", "execute_tool"
_SECONDS = tuple(0.01 * 2**n for n in range(14))
_TOKENS = (1, 4, 16, 64, 128, 256, 384, 512, 640, 768, 1024, 4096, 16384)
"""Finer than those of the conventions where the simulated prompts lie."""
_FROM: Labels = (("gen_ai_provider_name", "vllm"),)


class AgentStats:
    """Durations of model calls and tool calls, and tokens of the former; `call` and `tool` are the only writers."""

    def __init__(self) -> None:
        self._times = {name: Histogram(_SECONDS) for name in (CHAT, TOOL)}
        self._tokens = {name: Histogram(tuple(map(float, _TOKENS))) for name in ("input", "output")}

    def call(self, took_s: float, prompt: int, output: int) -> None:
        """A model call ended."""
        self._times[CHAT].observe(took_s)
        self._tokens["input"].observe(prompt)
        self._tokens["output"].observe(output)

    def tool(self, took_s: float) -> None:
        """A tool call ended."""
        self._times[TOOL].observe(took_s)

    def part(self, born: float) -> str:
        """`gen_ai_*`; an operation appears with its first end."""
        page = PageText(born)
        times = [((*_FROM, ("gen_ai_operation_name", n)), h) for n, h in self._times.items() if h.count]
        if times:
            page.histogram("gen_ai_client_operation_duration_seconds", times)
        chat: Labels = (*_FROM, ("gen_ai_operation_name", CHAT))
        tokens = [((*chat, ("gen_ai_token_type", n)), h) for n, h in self._tokens.items() if h.count]
        if tokens:
            page.histogram("gen_ai_client_token_usage", tokens)
        return page.text
