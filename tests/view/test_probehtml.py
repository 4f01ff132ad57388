"""Tests of the HTML page of a probe: whole, escaped, and sufficient to itself."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from perfconsole.view.probehtml import probe_html
from tests.view.flames import HOSTILE, NAMES
from tests.view.probes import EMPTY, QUEUE_BOUND, RESULTS, named

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult

VOID = ("meta", "link", "img", "br", "hr", "input")
SCRIPT = "</dd><script>alert(1)</script><img src=http://evil.example/x>"


class Reader(HTMLParser):
    """Elements, their texts, and whether each was closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It ends, and no other one."""
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One without content."""
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """What is read."""
        self.text += f" {data}"


def read(result: ProbeResult, meaning: str = "") -> Reader:
    """The page, read."""
    reader = Reader()
    reader.feed(probe_html(result, meaning))
    reader.close()
    return reader


@pytest.mark.parametrize("name", RESULTS)
def test_every_element_is_closed_in_its_turn(name: str) -> None:
    """Whatever was found."""
    assert read(RESULTS[name]).open == []


@settings(max_examples=20)
@given(NAMES.filter(bool))
def test_no_text_from_outside_becomes_an_element(words: str) -> None:
    """The same elements stand there as for a harmless name, but for labels of loads that find no room."""
    found, harmless = ([tag for tag, _ in read(named(text), text).seen if tag != "text"] for text in (words, "x"))
    assert found == harmless
    probe_html(named(words)).encode("utf-8")


def test_it_has_no_script_and_asks_for_nothing() -> None:
    """Not even where a model is called so."""
    seen = read(named(SCRIPT), SCRIPT).seen
    assert not {"script", "img", "link", "iframe", "object", "a"} & {tag for tag, _ in seen}
    assert not {"src", "href", "onload", "style"} & {name for _, attributes in seen for name in attributes}
    policy = next(a["content"] for tag, a in seen if tag == "meta" and "http-equiv" in a)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "url(" not in probe_html(QUEUE_BOUND)


def test_verdict_curves_tables_and_words_are_on_it() -> None:
    """In this order."""
    page = read(QUEUE_BOUND, "confirmed: probe.knee 16 < 20")
    assert [tag for tag, _ in page.seen].count("svg") == 3
    places = [
        page.text.index(words)
        for words in (
            "knee at 16: queueing",
            "confirmed: probe.knee 16 < 20",
            "TTFT, time to first token",
            "Steps",
            "The client itself",
            "Distributions",
            "Environment",
            "What the words mean",
            "What it cannot say",
        )
    ]
    assert places == sorted(places)


def test_it_follows_the_reader_and_the_printer() -> None:
    """Dark or light, and black on white on paper."""
    page = probe_html(QUEUE_BOUND)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert page.count("<td") > 100


def test_nothing_measured_has_no_pictures_of_it() -> None:
    """But the page is whole."""
    page = read(EMPTY)
    assert "no step can be used" in page.text


def test_control_characters_are_written_as_their_escapes() -> None:
    """A browser would drop or obey them."""
    assert "\x1b" not in probe_html(named(HOSTILE))
    assert "\\x1b[31mred" in read(named(HOSTILE)).text
