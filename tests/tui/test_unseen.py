"""Tests of the page of what cannot be seen, as a screen."""

from __future__ import annotations

from tests.tui.screens import press


def test_what_cannot_be_seen_has_a_page() -> None:
    """Under its key, and as the last of the findings."""
    assert "CANNOT SEE" in press("u").shown
