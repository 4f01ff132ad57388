"""What a person sees on stderr while a probe runs: a line for each step that has ended, and one that moves."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from perfconsole.commands.printing import say
from perfconsole.probing.progress import left_s, phase_words, step_now, step_words
from perfconsole.view.plain import plain
from perfconsole.view.units import duration, number

if TYPE_CHECKING:
    from perfconsole.model.proberesult import StepResult
    from perfconsole.probing.conductor import Conductor

_EVERY_S = 0.5
_WIDEST = 118


class Teller:
    """Says each thing once; the moving line only on a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._told = 0
        self._moved = float("-inf")
        self._moves = not quiet and sys.stderr.isatty()
        self._width = min(_WIDEST, shutil.get_terminal_size().columns - 1)

    def tell(self, conductor: Conductor, now: float) -> None:
        """What is new at `now` (monotonic seconds)."""
        for result in conductor.results[self._told :]:
            self._wipe()
            if not self._quiet:
                say(step_line(result))
        self._told = len(conductor.results)
        if self._moves and now - self._moved >= _EVERY_S:
            self._moved = now
            line = plain(moving_line(conductor, now))[: self._width]
            sys.stderr.write(f"\r{line:{self._width}}")
            sys.stderr.flush()

    def end(self) -> None:
        """Wipe the moving line."""
        self._wipe()

    def _wipe(self) -> None:
        if self._moves:
            sys.stderr.write(f"\r{'':{self._width}}\r")
            sys.stderr.flush()


def step_line(result: StepResult) -> str:
    """One step in one line."""
    rate = "no tokens" if result.output_tokens_per_s is None else f"{number(result.output_tokens_per_s)} tokens/s"
    first = f", TTFT p50 {duration(result.ttft.p50)}" if result.ttft.p50 is not None else ""
    gap = f", TPOT p50 {duration(result.tpot.p50)}" if result.tpot.p50 is not None else ""
    failed = f", {result.errors} of {result.requests} failed" if result.errors else ""
    void = "" if result.valid else f" (not valid: {result.why})"
    return f"{step_words(result.step)}: {rate}{first}{gap}{failed}{void}"


def moving_line(conductor: Conductor, now: float) -> str:
    """Where it stands."""
    step = step_now(conductor)
    parts = [f"perfconsole: {phase_words(conductor)}"]
    if step is not None:
        parts.append(f"{step.done} done, {step.inflight} under way")
        parts += [f"{step.errors} failed"] if step.errors else []
        parts += [f"{number(step.tokens_per_s)} tokens/s"] if step.tokens_per_s is not None else []
    return f"{', '.join(parts)}; {duration(round(left_s(conductor, now)))} at most, ctrl+c ends it"
