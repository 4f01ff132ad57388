"""What users do, as calls."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.probeplan import SCENARIOS
from perfconsole.probing.scenario import Call, calls_per_task, most_at_once, period, tasks, warm_up

MIX = (3, 4, 3)
LENGTHS = st.integers(1, 100_000)


def _calls(scenario: str, prompt: int = 128, output: int = 64) -> list[Call]:
    return [call for stage in next(tasks(scenario, prompt, output, MIX, 0)) for call in stage]


def test_short_chat_is_exactly_what_was_asked_for() -> None:
    """Both lengths, and nothing shared."""
    assert _calls("short-chat") == [Call("short-chat", 128, 64)]


@pytest.mark.parametrize(("asked", "sent"), [(128, 2_048), (1_000, 8_192), (20_000, 20_000)])
def test_a_long_prompt_is_16_times_as_long_up_to_8k(asked: int, sent: int) -> None:
    """A longer one only where it was asked for."""
    assert _calls("long-prompt", asked)[0].prompt_tokens == sent


def test_each_turn_repeats_what_was_said_before() -> None:
    """A later prompt begins with the parts of the earlier, the answer and a new question."""
    turns = _calls("long-conversation")
    assert [call.turn for call in turns] == [1, 2, 3, 4]
    for before, after in pairwise(turns):
        assert after.parts == (*before.parts, 64, 32)


def test_an_agent_calls_its_tools_at_the_same_time() -> None:
    """A plan, four calls in parallel, an answer from all that came back."""
    plan, tools, final = next(tasks("agent-fan-out", 128, 64, MIX, 0))
    assert (len(plan), len(tools), len(final)) == (1, 4, 1)
    assert final[0].prompt_tokens == plan[0].prompt_tokens + 4 * tools[0].output_tokens


def test_a_shared_prefix_is_common_to_all_and_the_question_is_not() -> None:
    """The length that was asked for is the question's."""
    call = _calls("shared-prefix")[0]
    assert call.prefix == "all"
    assert call.parts == (1_024, 128)


@given(st.sampled_from(SCENARIOS), LENGTHS, LENGTHS, st.integers(0, 100))
def test_tasks_have_as_many_calls_as_said(scenario: str, prompt: int, output: int, seed: int) -> None:
    """No task has more, and one kind always as many; no stage is wider than said; parts add up."""
    for task in islice(tasks(scenario, prompt, output, MIX, seed), 12):
        sizes = [len(stage) for stage in task]
        assert sum(sizes) <= calls_per_task(scenario)
        assert scenario == "mixed" or sum(sizes) == calls_per_task(scenario)
        assert max(sizes) <= most_at_once(scenario)
        for call in (call for stage in task for call in stage):
            assert call.prompt_tokens >= 1
            assert call.output_tokens >= 1
            assert not call.parts or sum(call.parts) == call.prompt_tokens


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3).filter(any), st.integers(0, 50), st.integers(1, 60))
def test_a_mix_keeps_its_shares_all_along(mix: list[int], seed: int, many: int) -> None:
    """After any number of tasks no part is more than two away from its share, wherever the order began."""
    found = Counter(task[0][0].kind for task in islice(tasks("mixed", 10, 10, tuple(mix), seed), many))
    for kind, parts in zip(("short-chat", "long-prompt", "long-conversation"), mix, strict=False):
        assert abs(found[kind] - many * parts / sum(mix)) <= 2


def test_a_period_of_a_mix_has_each_part_as_often_as_said() -> None:
    """3:4:3 is three, four and three of ten."""
    row = Counter(task[0][0].kind for task in period("mixed", 10, 10, MIX))
    assert row == {"short-chat": 3, "long-prompt": 4, "long-conversation": 3}


@pytest.mark.parametrize("mix", [(), (0, 0, 0), (1, -1, 1), (1, 1, 1, 1)])
def test_a_mix_of_nothing_is_refused(mix: tuple[int, ...]) -> None:
    """Also one with more parts than there are."""
    with pytest.raises(ValueError, match="a mix is"):
        tasks("mixed", 10, 10, mix, 0)


def test_a_scenario_that_is_not_known_is_named() -> None:
    """And no other is sent in its place."""
    with pytest.raises(ValueError, match="no such scenario: chess"):
        tasks("chess", 10, 10, MIX, 0)


def test_a_prompt_of_nothing_is_refused() -> None:
    """Lengths are one token or more."""
    with pytest.raises(ValueError, match="at least one token"):
        tasks("short-chat", 0, 10, MIX, 0)


def test_a_warm_up_has_two_lengths_far_apart() -> None:
    """The longest that will come and an eighth of it; a really long one is not the first."""
    assert [call.prompt_tokens for call in warm_up("short-chat", 128, 64, 3)] == [128, 16, 128]
    assert [call.prompt_tokens for call in warm_up("long-prompt", 128, 64, 3)] == [256, 2_048, 256]
    assert {call.output_tokens for call in warm_up("long-prompt", 128, 64, 3)} == {16}
