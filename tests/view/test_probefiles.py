"""Tests of the files of a probe."""

from __future__ import annotations

from perfconsole.view.probefiles import ENDINGS, probe_name, probe_texts
from tests.view.probes import QUEUE_BOUND


def test_the_name_has_the_moment_and_the_recipe() -> None:
    """In UTC, so that names sort by time."""
    assert probe_name(QUEUE_BOUND) == "probe-20251009T085320Z-step-load"


def test_there_is_one_text_for_each_ending() -> None:
    """A page of Markdown and one of HTML, both with what it means."""
    texts = probe_texts(QUEUE_BOUND, "confirmed by it")
    assert tuple(texts) == ENDINGS
    assert texts[".md"].startswith("# Probe of ")
    assert texts[".html"].startswith("<!DOCTYPE html>")
    assert all("confirmed by it" in text for text in texts.values())
