"""Which models a target serves."""

from __future__ import annotations

import json

import pytest

from perfconsole.sources.servedmodels import Served, served_models
from tests.sources.fetching import closed_port
from tests.sources.servers import Peer, Server, pages


def _list(*names: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def _asked(body: bytes, status: str = "200 OK") -> tuple[Served, Server]:
    def answer(peer: Peer) -> None:
        while True:
            peer.request()
            peer.page(body, status=status)

    with Server(answer) as server:
        return served_models(server.url, {"Authorization": "Bearer k"}), server


def test_the_names_in_their_order() -> None:
    """One question, with the key."""
    served, server = _asked(_list("Qwen/Qwen2.5-7B", "lora-1"))
    assert served == Served(("Qwen/Qwen2.5-7B", "lora-1"))
    assert len(server.requests) == 1
    assert server.requests[0].startswith("GET /v1/models ")
    assert "Authorization: Bearer k" in server.requests[0]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"data": 7}', b'{"data": [7, {}]}', b"[" * 9000, _list("", 7, "a\x1bb", "x" * 999)]
)
def test_pages_that_name_none(body: bytes) -> None:
    """It answered, and it must be said by a person."""
    served, _ = _asked(body)
    assert (served.models, served.answered) == ((), True)
    assert "names no model" in served.trouble
    assert served.option == "--model NAME"


@pytest.mark.parametrize(
    ("status", "words"), [("401 Unauthorized", "--token-env"), ("403 No", "--token-env"), ("404 No", "--model")]
)
def test_refusals(status: str, words: str) -> None:
    """A key that is missing, or a page that is."""
    served, _ = _asked(b"", status)
    assert served.answered
    assert status.split(maxsplit=1)[0] in served.trouble
    assert words in served.option


def test_nobody_there() -> None:
    """Is told apart from an answer."""
    served = served_models(f"http://127.0.0.1:{closed_port()}", {})
    assert not served.answered
    assert "refused" in served.trouble


def test_one_page_is_enough() -> None:
    """An answer of the usual form, from a server that closes."""
    with Server(pages(_list("m"))) as server:
        assert served_models(server.url, {}).models == ("m",)
