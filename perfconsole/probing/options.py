"""The options of a probe, for the command and for a check that is written as one. What is not given is None."""

from __future__ import annotations

from argparse import ArgumentTypeError
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.probeplan import SCENARIOS, Caps, Slo
from perfconsole.probing.variants import SAMPLING, VARIES

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

CAPS, SLO = Caps(), Slo()
SPEEDS = (0.01, 100.0)
_MOST = 100_000_000


def add_options(parser: ArgumentParser) -> None:
    """All that says what is sent, and when it ends. What is not given is None: the recipe decides."""
    _add_load(parser)
    _add_requests(parser)
    _add_limits(parser)


def _add_load(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("load")
    add = group.add_argument
    levels = "so many requests at a time, one step each; by default 1, 2, 4 ... until more gives nothing more"
    add("--concurrency", "--steps", type=_list_of(_whole(1, 10_000)), metavar="N,N,..", help=levels)
    add("--rate", type=_list_of(_number(0.001, 100_000)), metavar="R,R,..", help="requests a second, at random moments")
    add("--burst", type=_list_of(_whole(1, 10_000)), metavar="N,N,..", help="so many at one moment")
    add("--replay", metavar="FILE", help="requests of a JSONL sample: t, prompt_tokens, output_tokens in each line")
    add("--speed", type=_number(*SPEEDS), metavar="F", help="with --replay: so many times as fast as recorded (1)")
    add("--requests-per-step", type=_whole(1, _MOST), metavar="N", help="counted requests of each step")
    add("--seconds", type=_number(0.5, 3_600), metavar="S", help="length of each step; by default 3 to 15 s")
    add("--warmup", type=_whole(0, 100), metavar="N", help="requests before the first step that are not counted (2)")
    add("--runs", type=_whole(1, 9), metavar="N", help="go through it so often, medians count (1)")
    add("--shed", type=_number(1, 600), metavar="S", help="pause so long at the end, then repeat the first step")
    add("--repeat", type=_whole(2, 20), metavar="N", help="repeat-prompt: how often one prompt is sent (2)")
    add("--count", type=_whole(1, 10_000), metavar="N", help="new-connections: how many (50)")
    add("--vary", choices=VARIES, help=f"compare-variants: what differs ({SAMPLING})")


def _add_requests(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("requests")
    add = group.add_argument
    add("--model", metavar="NAME", help="by default the first one that the target serves")
    add("--api", choices=("chat", "completions"), default="chat", help="chat by default")
    add("--scenario", choices=SCENARIOS, help="what users do (short-chat)")
    add("--mix", type=_mix, metavar="N:N:N", help="of mixed: short-chat, long-prompt and long-conversation (3:4:3)")
    add("--prompt-tokens", type=_whole(1, 1_000_000), metavar="N", help="length of a prompt, by the recipe 16 to 1024")
    add("--output-tokens", type=_whole(1, 100_000), metavar="N", help="length of an answer, by the recipe 4 to 256")
    add("--why", default="", metavar="TEXT", help="what you want to know by it; kept with the result")


def _add_limits(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    add = group.add_argument
    add("--slo-ttft", type=_number(0.001, 3_600), metavar="S", help=f"promise: TTFT p95 ({SLO.ttft_p95_s} s)")
    add("--slo-tpot", type=_number(0.0001, 60), metavar="S", help=f"promise: TPOT p90 ({SLO.tpot_p90_s} s)")
    add("--max-requests", type=_whole(1, _MOST), metavar="N", help=f"never send more ({CAPS.requests})")
    add("--max-tokens", type=_whole(1, _MOST), metavar="N", help=f"never ask for more ({CAPS.output_tokens})")
    add("--max-seconds", type=_number(1, 86_400), metavar="S", help=f"never take longer ({CAPS.seconds:.0f} s)")
    add(
        "--max-ttft",
        type=_number(0.01, 3_600),
        metavar="S",
        help=f"stop when first tokens take longer ({CAPS.ttft_s:g} s)",
    )
    add("--timeout", type=_number(0.1, 3_600), metavar="S", help=f"break a request off after ({CAPS.e2e_s:.0f} s)")


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return value

    return read


def _number(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and least <= value <= most):
            raise ArgumentTypeError(f"{text!r} is no number from {least:g} to {most:g}")
        return value

    return read


def _list_of(read: Callable[[str], float]) -> Callable[[str], tuple[float, ...]]:
    return lambda text: tuple(read(part.strip()) for part in text.split(","))


def _mix(text: str) -> tuple[int, ...]:
    parts = text.split(":")
    if len(parts) != 3:
        raise ArgumentTypeError(f"{text!r} is not N:N:N, such as 3:4:3")
    mix = tuple(_whole(0, 1_000)(part) for part in parts)
    if not any(mix):
        raise ArgumentTypeError(f"{text!r} has no part")
    return mix
