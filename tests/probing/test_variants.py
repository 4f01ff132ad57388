"""Two kinds of request that differ in one thing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.extra import parse_extra
from perfconsole.probing.variants import VARIES, variants


@given(st.sampled_from(VARIES), st.integers(1, 100_000))
def test_variants_can_be_added_to_requests(vary: str, output_tokens: int) -> None:
    """Two labels, two additions that the load process takes."""
    (one, first), (two, second) = variants(vary, output_tokens)
    assert one != two
    assert parse_extra(first, "chat") != parse_extra(second, "chat")


def test_default_sampling_adds_nothing() -> None:
    """What the server does by itself is what is compared with neutral."""
    assert variants("sampling", 100)[0] == ("default", "")


def test_a_schema_is_all_that_differs() -> None:
    """Both answers may end by themselves."""
    (_, plain), (_, schema) = variants("schema", 100)
    added = json.loads(schema)
    wanted = added.pop("response_format")
    assert added == json.loads(plain)
    assert wanted["type"] == "json_schema"


@pytest.mark.parametrize(("output", "fields"), [(1, 2), (240, 20), (100_000, 48)])
def test_a_schema_is_about_as_long_as_the_answer(output: int, fields: int) -> None:
    """All its fields are required, so that no answer ends early."""
    schema = json.loads(variants("schema", output)[1][1])["response_format"]["json_schema"]["schema"]
    assert len(schema["properties"]) == fields
    assert schema["required"] == list(schema["properties"])


def test_what_cannot_be_varied_is_named() -> None:
    """With what can."""
    with pytest.raises(ValueError, match="to vary: colour; one of sampling, schema, media"):
        variants("colour", 1)
