"""Tests of the JSON routes that state facts."""

from __future__ import annotations

from typing import cast

import pytest

from perfconsole.sources.adapter import Adapter, InfoFact
from perfconsole.sources.http import Fetcher, FetchError, FetchKind, Reply
from perfconsole.sources.inforoutes import InfoRoutes, named_in, read_info

CAP = "engine.max_num_seqs"


def adapter(*facts: InfoFact) -> Adapter:
    """A program that states these."""
    return Adapter("x", "X", ("x:",), "", "/m", "", "", "", (), (), (), info_facts=facts)


class Routes:
    """A server of JSON; None stands for a page that is not there, and b"..." for an answer that does not come."""

    def __init__(self, documents: dict[str, bytes | None]) -> None:
        self.documents = documents
        self.asked: list[str] = []

    def get(self, path: str) -> Reply:
        """The document, or 404."""
        self.asked.append(path)
        body = self.documents.get(path)
        if body == b"...":
            raise FetchError(FetchKind.TIMEOUT, "no answer")
        return Reply(404 if body is None else 200, body or b"", "application/json", 0.01, f"http://h{path}")


def told(fact: InfoFact, document: object) -> float | None:
    """The number that a document states."""
    facts = read_info(adapter(fact), {fact.route: document})
    return next((value for _, value, _ in facts.samples), None)


@pytest.mark.parametrize(
    ("fact", "document", "expected"),
    [
        (InfoFact(CAP, "/i", "a.0.n"), {"a": [{"n": 4}]}, 4.0),
        (InfoFact(CAP, "/i", "n", scale=2.0), {"n": 4}, 8.0),
        (InfoFact(CAP, "/i", "n", ceiling=1.0), {"n": 8192}, 1.0),
        (InfoFact(CAP, "/i", "n", times="m"), {"n": 4, "m": 1024}, 4096.0),
        (InfoFact(CAP, "/i", "n", times="m"), {"n": 4}, None),
        (InfoFact(CAP, "/i", "n", equals=("lpm", "dfs-weight")), {"n": "lpm"}, 1.0),
        (InfoFact(CAP, "/i", "n", equals=("lpm", "dfs-weight")), {"n": "fcfs"}, 0.0),
        (InfoFact(CAP, "/i", "n", equals=("true",)), {"n": True}, 1.0),
        (InfoFact(CAP, "/i", "n", equals=("true",)), {"n": None}, None),
        (InfoFact(CAP, "/i", "n"), {"n": True}, None),
        (InfoFact(CAP, "/i", "n"), {"n": None}, None),
        (InfoFact(CAP, "/i", "n.m"), {"n": 3}, None),
    ],
)
def test_a_number_is_read_as_its_row_says(fact: InfoFact, document: object, expected: float | None) -> None:
    """In the base unit; what is not there, or of another kind, is no number."""
    assert told(fact, document) == expected


def test_the_first_route_that_has_it_is_taken() -> None:
    """A route that was renamed is an alternate, and is not asked while the new one answers."""
    table = adapter(InfoFact(CAP, "/new", "n"), InfoFact(CAP, "/old", "n"))
    server = Routes({"/new": b'{"n": 4}', "/old": b'{"n": 5}'})
    assert InfoRoutes(cast("Fetcher", server)).facts(table).samples == ((CAP, 4.0, ()),)
    assert server.asked == ["/new"]


def test_the_older_route_is_asked_where_the_new_one_is_not_there() -> None:
    """An older release has the same fact under the older path."""
    table = adapter(InfoFact(CAP, "/new", "n"), InfoFact(CAP, "/old", "n"))
    server = Routes({"/new": None, "/old": b'{"n": 5}'})
    assert InfoRoutes(cast("Fetcher", server)).facts(table).samples == ((CAP, 5.0, ()),)


def test_what_a_route_said_holds_while_it_fails() -> None:
    """A route that fails for once says nothing new; a restart makes it forgotten."""
    table = adapter(InfoFact(CAP, "/i", "n"))
    server = Routes({"/i": b'{"n": 4}'})
    routes = InfoRoutes(cast("Fetcher", server))
    routes.facts(table)
    server.documents["/i"] = b"<html>"
    assert routes.facts(table).samples == ((CAP, 4.0, ()),)
    routes.forget()
    assert routes.facts(table).samples == ()


@pytest.mark.parametrize(
    ("document", "known"), [({"v": "1.0"}, True), ({"v": [1]}, True), ({"v": 3}, False), ({}, False), (None, False)]
)
def test_a_program_is_known_by_a_text_or_more(document: object, known: bool) -> None:  # noqa: FBT001
    """Any JSON may have a number under a common name."""
    assert named_in(document, "v") is known


def test_after_a_silence_no_further_route_is_asked() -> None:
    """Each would take as long, and the page waits; what was known stays known, and the next time all are asked."""
    table = adapter(InfoFact(CAP, "/a", "n"), InfoFact("engine.max_model_len", "/b", "n"))
    server = Routes({"/a": b'{"n": 4}', "/b": b'{"n": 9}'})
    routes = InfoRoutes(cast("Fetcher", server))
    before = routes.facts(table).samples
    server.documents["/a"] = b"..."
    assert routes.facts(table).samples == before
    assert server.asked == ["/a", "/b", "/a"]
    server.documents["/a"] = b'{"n": 5}'
    assert (CAP, 5.0, ()) in routes.facts(table).samples
