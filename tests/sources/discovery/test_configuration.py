"""What configurations come to."""

from __future__ import annotations

from perfconsole.sources.discovery.configuration import certain


def test_a_name_that_means_two_places_means_none() -> None:
    """Nor is one kept that cannot be shown, or that leads nowhere."""
    pairs = [("a", "http://h:1"), ("b", "http://h:2"), ("a", "http://h:1"), ("b", "http://h:3"), ("c", ""), ("\n", "x")]
    assert certain([*pairs, ("n" * 129, "http://h:4")]) == (("a", "http://h:1"),)
