"""Tests of whose page it is that came."""

from __future__ import annotations

import pytest

from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.whosepage import joined, read_page, recognise, whose

ROW = (Metric("engine.requests_running", "x:running"),)
PLAIN = Adapter("plain", "P", ("x:",), "", "/m", "", "", "", (), (), ROW)
LABELLED = Adapter("labelled", "L", ("x:",), "model_name", "/m", "", "", "", (), (), ROW)
BARE = Adapter("bare", "B", ("running",), "", "/m", "", "", "", (), (), ROW, requires_series=("running", "cap"))
STUB = Adapter("stub", "S", ("nginx_",), "", "/m", "", "", "", (), (), ROW, converter="stub-status")
STATUS = b"Active connections: 7 \nserver accepts handled requests\n 1 2 3 \nReading: 0 Writing: 5 Waiting: 2 \n"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"x:running 1\n", "plain"),
        (b'x:running{model_name="m"} 1\n', "labelled"),
        (b"running 1\ncap 4\n", "bare"),
        (b"running 1\n", ""),
        (b"y:running 1\n", ""),
        (STATUS, "stub"),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_a_page_is_taken_by_what_only_its_program_has(body: bytes, name: str) -> None:
    """Prefix, label and names decide; a page that nobody can read is nobody's."""
    found = whose(body, (LABELLED, PLAIN, BARE, STUB))
    assert (found.name if found else "") == name


def test_the_first_table_that_fits_takes_it() -> None:
    """Those that ask for less come later."""
    page = PageParser().parse(b'x:running{model_name="m"} 1\n')
    assert recognise(page, (PLAIN, LABELLED)) is PLAIN


def test_the_fault_of_a_page_is_that_of_its_only_reader() -> None:
    """Of several the one of plain text, which most pages are."""
    with pytest.raises(PageError, match="stub_status"):
        read_page(b"<html>\n", PageParser(), (STUB,))
    with pytest.raises(PageError, match="line 1"):
        read_page(b"<html>\n", PageParser(), (STUB, PLAIN))


def test_pages_of_one_program_are_one() -> None:
    """Series and values in their order, and what is of which type."""
    first, second = (PageParser().parse(f"# TYPE {n} gauge\n{n} {v}\n".encode()) for n, v in (("a", 1), ("b", 2)))
    whole = joined(first, second)
    assert ([s.name for s in whole.series], whole.values) == (["a", "b"], [1.0, 2.0])
    assert whole.types == {"a": "gauge", "b": "gauge"}
