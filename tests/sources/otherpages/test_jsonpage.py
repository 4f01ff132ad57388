"""Tests of the JSON of pages."""

from __future__ import annotations

import pytest

from perfconsole.sources.exposition import PageError
from perfconsole.sources.otherpages.jsonpage import document


def test_json_is_read() -> None:
    """Of any kind."""
    assert document(b'[{"a": 1}]', "no") == [{"a": 1}]


@pytest.mark.parametrize("body", [b"", b"# TYPE", b"\xff\xfe{", b"[" * 100_000])
def test_what_is_none_is_refused(body: bytes) -> None:
    """Text, bytes and brackets without end."""
    with pytest.raises(PageError, match="it is no list"):
        document(body, "it is no list")
