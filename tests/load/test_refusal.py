"""Which option a refusal names, in the words of the servers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.refusal import refused_option

OPTIONS = ("ignore_eos", "max_tokens", "min_tokens", "stream_options", "top_k")
PYDANTIC = {
    "detail": [{"type": "extra_forbidden", "loc": ["body", "min_tokens"], "msg": "Extra inputs are not permitted"}]
}


@pytest.mark.parametrize(
    ("status", "body", "option"),
    [
        (400, '{"error":{"message":"Unrecognized request argument supplied: ignore_eos"}}', "ignore_eos"),
        (400, '{"error":{"message":"Unknown parameter: \'ignore_eos\'.","param":"ignore_eos"}}', "ignore_eos"),
        (
            400,
            (
                '{"error":{"message":"Unsupported parameter: \'max_tokens\' is not supported with this model. '
                "Use 'max_completion_tokens' instead.\"}}"
            ),
            "max_tokens",
        ),
        (422, json.dumps(PYDANTIC), "min_tokens"),
        (
            400,
            (
                "{'object': 'error', 'message': \"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), "
                "'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]\"}"
            ),
            "stream_options",
        ),
        (
            422,
            (
                "Failed to deserialize the JSON body into the target type: unknown field `ignore_eos`, expected one of "
                "`messages`, `model`, `max_tokens`, `stream_options`, `top_k`"
            ),
            "ignore_eos",
        ),
        (
            400,
            "litellm.UnsupportedParamsError: openai does not support parameters: {'top_k': -1}, for model=gpt",
            "top_k",
        ),
        (400, "generate() got an unexpected keyword argument 'min_tokens'", "min_tokens"),
        (400, "ignore_eos: Extra inputs are not permitted", "ignore_eos"),
    ],
)
def test_a_refusal_names_its_option(status: int, body: str, option: str) -> None:
    """OpenAI, vLLM, SGLang, TGI, routers, LiteLLM, Mistral."""
    assert refused_option(status, body, OPTIONS) == option


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 4096",
        ),
        (400, "min_tokens must be less than or equal to max_tokens=16, got 32."),
        (404, "The model `unknown` does not exist; ignore_eos"),
        (500, "Unknown parameter: ignore_eos"),
        (401, "not allowed: max_tokens"),
        (400, '{"error": "response_format is not supported by this backend"}'),
        (422, "unknown field `foo`, expected one of `ignore_eos`, `max_tokens`"),
        (400, "unknown field `min_tokens_per_beam`"),
        (400, ""),
    ],
)
def test_other_complaints_are_no_refusal_of_an_option(status: int, body: str) -> None:
    """Leaving an option out would not help, and would change what is measured."""
    assert refused_option(status, body, OPTIONS) is None


def test_only_what_was_sent_can_be_refused() -> None:
    """An option left out already is not found again, so that a caller comes to an end."""
    assert refused_option(400, "Unknown parameter: ignore_eos", ()) is None


@given(st.integers(0, 600), st.text(max_size=300))
def test_any_answer_is_read(status: int, body: str) -> None:
    """Garbage is no refusal and no error."""
    assert refused_option(status, body, OPTIONS) in {*OPTIONS, None}
