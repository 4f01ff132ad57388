"""What users do, as calls: how long, in which order, and which of them begin with the same text. Pure.

Lengths are tokens. Nothing here knows words or bytes: load/bodies.py makes text of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OF_TASK = "task"
"""A text that only the calls of one task begin with."""
OF_ALL = "all"
"""A text that every request of the run begins with."""

LONG_FACTOR, LONG_MOST = 16, 8_192
"""Of long-prompt: times the prompt that was asked for, but no longer than this unless asked for."""
TURNS = 4
"""Of one conversation."""
TOOLS = 4
"""Calls of an agent that run at the same time."""
WARM_UP_TOKENS = 16
"""Of the answers of a warm-up, at most."""
_SAFE_TOKENS = 512
"""A prompt that any model takes even if it comes out five times as long."""
SYSTEM_FACTOR, SYSTEM_LEAST = 8, 1_024
"""Of shared-prefix: the common text is so many times the question, and at least so long."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request."""

    kind: str
    """Scenario it stands for; of mixed one of its parts."""
    prompt_tokens: int
    output_tokens: int
    prefix: str | None = None
    """Which shared text it begins with: OF_TASK, OF_ALL, or None for a text that is its own from the first token."""
    turn: int = 0
    """Turn of a conversation, from 1; 0 outside of one."""
    parts: tuple[int, ...] = ()
    """Tokens of the pieces of its prompt: in a conversation the messages of user and assistant in turn, else the
    shared text and its own. They add up to `prompt_tokens`. Empty where the prompt is of one piece."""


Task = tuple[tuple[Call, ...], ...]
"""Stages, one after the other; the calls of one stage run at the same time."""


def tasks(scenario: str, prompt_tokens: int, output_tokens: int, mix: tuple[int, ...], seed: int) -> Iterator[Task]:
    """Tasks without end. The same arguments give the same ones; `seed` turns the order of mixed.

    ValueError for a scenario that is not known, a length below 1, or a mix without a part.
    """
    row = period(scenario, prompt_tokens, output_tokens, mix)
    start = seed % len(row)
    return (row[(start + index) % len(row)] for index in count())


def period(scenario: str, prompt_tokens: int, output_tokens: int, mix: tuple[int, ...]) -> tuple[Task, ...]:
    """The tasks that `tasks` repeats: one, or of mixed as many as the mix has parts."""
    if prompt_tokens < 1 or output_tokens < 1:
        raise ValueError("a prompt and an answer have at least one token")
    names = _interleaved(mix) if scenario == "mixed" else (scenario,)
    return tuple(_task(name, prompt_tokens, output_tokens) for name in names)


def calls_per_task(scenario: str) -> int:
    """How many calls a task has; of mixed the most that one has. ValueError for a scenario that is not known."""
    return max(sum(map(len, task)) for task in period(scenario, 1, 1, _EACH))


def most_at_once(scenario: str) -> int:
    """How many calls of one task are under way at the same time, at most."""
    return max(len(stage) for task in period(scenario, 1, 1, _EACH) for stage in task)


def warm_up(scenario: str, prompt_tokens: int, output_tokens: int, requests: int) -> tuple[Call, ...]:
    """Calls that measure tokens per word: the longest prompt of the scenario and an eighth of it, in turn.

    Two lengths far apart give slope and overhead. A really long one comes second: with a tokenizer that nobody guessed
    it would be too long for the model. Each is a text of its own; answers are short.
    """
    row = period(scenario, prompt_tokens, output_tokens, _EACH)
    longest = max(call.prompt_tokens for task in row for stage in task for call in stage)
    lengths = (longest, max(1, longest // 8))
    late = longest > _SAFE_TOKENS
    return tuple(
        Call(scenario, lengths[(index + late) % 2], min(WARM_UP_TOKENS, output_tokens)) for index in range(requests)
    )


def _short_chat(prompt: int, output: int) -> Task:
    return ((Call("short-chat", prompt, output),),)


def _long_prompt(prompt: int, output: int) -> Task:
    return ((Call("long-prompt", max(prompt, min(LONG_MOST, prompt * LONG_FACTOR)), output),),)


def _long_conversation(prompt: int, output: int) -> Task:
    """Each turn repeats all that was said, with the answers, and asks a quarter of the first prompt more."""
    further = max(1, prompt // 4)
    talks = ((prompt, *(output, further) * turn) for turn in range(TURNS))
    return tuple(
        (Call("long-conversation", sum(said), output, OF_TASK, turn, said),) for turn, said in enumerate(talks, start=1)
    )


def _agent(prompt: int, output: int) -> Task:
    """A plan, tool calls at the same time with a piece of work each, and an answer from all that came back."""
    piece, result = max(1, prompt // 4), max(1, output // 2)
    plan = _agent_call(prompt, piece, output)
    tool = _agent_call(prompt, piece, result)
    final = _agent_call(prompt, piece + TOOLS * result, output)
    return (plan,), (tool,) * TOOLS, (final,)


def _agent_call(shared: int, own: int, output: int) -> Call:
    return Call("agent-fan-out", shared + own, output, OF_TASK, 0, (shared, own))


def _shared_prefix(prompt: int, output: int) -> Task:
    """The question is as long as asked for, the text before it comes on top."""
    common = max(SYSTEM_LEAST, min(LONG_MOST, prompt * SYSTEM_FACTOR))
    return ((Call("shared-prefix", common + prompt, output, OF_ALL, 0, (common, prompt)),),)


_MAKERS: dict[str, Callable[[int, int], Task]] = {
    "short-chat": _short_chat,
    "long-prompt": _long_prompt,
    "long-conversation": _long_conversation,
    "agent-fan-out": _agent,
    "shared-prefix": _shared_prefix,
}
_MIXED = ("short-chat", "long-prompt", "long-conversation")
"""Of mixed, in the order of the parts of its mix."""
_EACH = (1,) * len(_MIXED)


def _task(name: str, prompt: int, output: int) -> Task:
    if name not in _MAKERS:
        raise ValueError(f"no such scenario: {name}")
    return _MAKERS[name](prompt, output)


def _interleaved(mix: tuple[int, ...]) -> tuple[str, ...]:
    """The parts spread evenly: after any number of tasks each has its share, within one task."""
    if len(mix) > len(_MIXED) or min(mix, default=0) < 0 or not sum(mix):
        raise ValueError(f"a mix is up to {len(_MIXED)} numbers, not all 0: {mix}")
    total, given = sum(mix), [0] * len(mix)
    row = []
    for turn in range(1, total + 1):
        due = max(range(len(mix)), key=lambda part: mix[part] * turn / total - given[part])
        given[due] += 1
        row.append(_MIXED[due])
    return tuple(row)
