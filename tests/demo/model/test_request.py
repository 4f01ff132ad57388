"""Requests know what is left to compute."""

from __future__ import annotations

import pytest

from perfconsole.demo.model.request import Ask, Request


def test_an_evicted_request_needs_all_of_its_tokens_again() -> None:
    """Prompt and output so far."""
    request = Request(1, Ask(10, 5), 0.0, computed=0, generated=3)
    assert request.needed == 13


def test_a_request_is_complete_with_its_last_token() -> None:
    """Not before."""
    assert not Request(1, Ask(10, 5), 0.0, generated=4).complete
    assert Request(1, Ask(10, 5), 0.0, generated=5).complete


@pytest.mark.parametrize(("prompt", "output"), [(0, 1), (1, 0)])
def test_empty_requests_do_not_exist(prompt: int, output: int) -> None:
    """Neither without a prompt nor without output."""
    with pytest.raises(ValueError, match="at least one token"):
        Ask(prompt, output)
