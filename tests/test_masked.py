"""Secrets in command lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.masked import masked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("vllm serve qwen --api-key abc123 --port 8000", "vllm serve qwen --api-key *** --port 8000"),
        ("vllm serve qwen --api-key=abc123", "vllm serve qwen --api-key=***"),
        ("run --hf-token 'a b' x", "run --hf-token *** x"),
        ("env OPENAI_API_KEY=abc python a.py", "env OPENAI_API_KEY=*** python a.py"),
        ("curl -H 'Authorization: Bearer abc.def'", "curl -H 'Authorization: ***'"),
        ("gunicorn --bind redis://user:pw@host:6379/0", "gunicorn --bind redis://***@host:6379/0"),
        ("serve http://h/v1?api_key=abc&n=1", "serve http://h/v1?api_key=***&n=1"),
        ("python a.py sk-proj-0123456789abcdef", "python a.py ***"),
        ("python a.py hf_0123456789abcdefghij", "python a.py ***"),
        ("serve --enable-auth --port 8000", "serve --enable-auth --port 8000"),
        ("vllm serve --tokenizer-mode auto --max-tokens 8", "vllm serve --tokenizer-mode auto --max-tokens 8"),
        ("python -m uvicorn app:app", "python -m uvicorn app:app"),
    ],
)
def test_what_looks_secret_is_hidden_and_nothing_else(text: str, shown: str) -> None:
    """By the name of its flag or variable, its place in a URL, or how it begins; rather once too often."""
    assert masked(text) == shown


SECRETS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20).map(lambda text: f"x{text}q9z")


@given(
    SECRETS, st.sampled_from(("--api-key {}", "--password={}", "DB_PASSWORD={}", "pg://u:{}@h/d", "http://h/?token={}"))
)
def test_no_value_of_a_secret_flag_is_ever_shown(secret: str, form: str) -> None:
    """Whatever it is made of."""
    assert secret not in masked(f"serve {form.format(secret)} --port 1")


@given(st.text())
def test_hiding_twice_hides_no_more(text: str) -> None:
    """Text that was masked when it was read may be masked when it is shown."""
    assert masked(masked(text)) == masked(text)
