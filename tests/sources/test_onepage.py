"""Tests of reading one page: from a file, packed or not, and from a server that may have it in several places."""

from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING

import pytest

from perfconsole.errors import UsageError
from perfconsole.sources.http import FetchError
from perfconsole.sources.onepage import MAX_BYTES, OnePage, from_file, from_stdin, from_url
from tests.sources.servers import Peer, Server, raw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATHS = ("/metrics", "/status")


def serving(table: dict[str, bytes]) -> Callable[[Peer], None]:
    """A server with these pages, and 404 for all else."""

    def script(peer: Peer) -> None:
        while True:
            path = peer.request().split(" ")[1]
            if path in table:
                peer.page(table[path])
            else:
                peer.page(b"none", status="404 Not Found")

    return script


def knows(page: OnePage) -> bool | str:
    """Knows pages that begin with `x`, takes those with `y` for pages of metrics."""
    return True if page.body.startswith(b"x") else False if page.body.startswith(b"y") else "no metrics page"


def found(table: dict[str, bytes], end: str = "") -> tuple[OnePage, list[str]]:
    """The page found below a URL, and the paths that were asked for."""
    with Server(serving(table)) as server:
        page = from_url(server.url + end, PATHS, knows, {})
        return page, [request.split(" ")[1] for request in server.requests]


def test_a_saved_page_is_read_as_it_is(tmp_path: Path) -> None:
    """With the name of its file."""
    (tmp_path / "p.prom").write_bytes(b"x 1\n")
    assert from_file(tmp_path / "p.prom") == OnePage(b"x 1\n", openmetrics=False, where=str(tmp_path / "p.prom"))


def test_a_copy_that_lost_its_last_newline_is_whole(tmp_path: Path) -> None:
    """From a server it would be a cut; editors leave it out."""
    (tmp_path / "p").write_bytes(b"x 1\nx 2")
    assert from_file(tmp_path / "p").body == b"x 1\nx 2\n"


def test_a_packed_page_is_unpacked(tmp_path: Path) -> None:
    """Told by its first bytes, whatever it is called."""
    (tmp_path / "p").write_bytes(gzip.compress(b"x 1\n# EOF\n"))
    page = from_file(tmp_path / "p")
    assert (page.body, page.openmetrics) == (b"x 1\n# EOF\n", True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"# t 1700000000\nx 1\n", "check --replay"),
        (gzip.compress(b"x 1\n" * 99)[:20], "damaged gzip file"),
        (b"\x1f\x8bgarbage", "damaged gzip file"),
        (b"x" * (MAX_BYTES + 1), "larger than 16 MiB"),
        (gzip.compress(b"x" * (MAX_BYTES + 1), 1), "larger than 16 MiB"),
    ],
    ids=["empty", "blank", "recording", "cut", "broken", "large", "bomb"],
)
def test_what_is_no_page_says_so(tmp_path: Path, content: bytes, said: str) -> None:
    """In one line with the name of the file."""
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(UsageError) as refused:
        from_file(tmp_path / "p")
    assert str(refused.value).startswith(f"{tmp_path}/p: ")
    assert said in str(refused.value)


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    """With the reason of the system."""
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        from_file(tmp_path)


def test_standard_input_is_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """From curl, for one."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x 1\n")))
    assert from_stdin().body == b"x 1\n"


@pytest.mark.parametrize(
    ("table", "end", "path", "asked"),
    [
        ({"/metrics": b"x", "/status": b"x"}, "", "/metrics", ["/metrics"]),
        ({"/status": b"x"}, "", "/status", ["/metrics", "/status"]),
        ({"/metrics": b"y", "/status": b"x"}, "", "/status", ["/metrics", "/status"]),
        ({"/metrics": b"<html>", "/status": b"y"}, "", "/status", ["/metrics", "/status"]),
        ({"/metrics": b"y"}, "", "/metrics", ["/metrics", "/status"]),
        ({"/my/page": b"x"}, "/my/page", "/my/page", ["/my/page"]),
        ({"/my/metrics": b"x"}, "/my", "/my/metrics", ["/my", "/my/metrics"]),
        ({"/metrics/": b"x"}, "/metrics/", "/metrics/", ["/metrics/"]),
        ({"/metrics": b"x"}, "/v1", "/metrics", ["/metrics"]),
        ({"/metrics": b"x"}, "/health", "/metrics", ["/metrics"]),
    ],
)
def test_a_page_is_looked_for_where_it_may_be(table: dict[str, bytes], end: str, path: str, asked: list[str]) -> None:
    """One that is known at once, else one of metrics, and never a route that may cost a generation."""
    page, paths = found(table, end)
    assert (page.path, paths) == (path, asked)


def test_a_server_without_a_page_says_where_it_was_asked() -> None:
    """It answers, so that the URL may be wrong."""
    with pytest.raises(FetchError, match=r"no page of metrics at /metrics \(no metrics page\), /status \(HTTP 404\)"):
        found({"/metrics": b"<html>"})


def test_a_server_that_does_not_answer_is_asked_once() -> None:
    """Every further path would only take its time again."""
    with Server(raw(b"nonsense\r\n\r\n")) as server, pytest.raises(FetchError):
        from_url(server.url, PATHS, knows, {})
    assert len(server.requests) == 1


def test_a_password_is_not_in_the_error() -> None:
    """Nor anywhere that is shown."""
    with Server(serving({})) as server, pytest.raises(FetchError) as refused:
        from_url(server.url.replace("//", "//me:hunter2@"), PATHS, knows, {})
    assert "hunter2" not in str(refused.value)


def test_headers_are_sent() -> None:
    """The key of a target that wants one."""
    with Server(serving({"/metrics": b"x"})) as server:
        from_url(server.url, PATHS, knows, {"Authorization": "Bearer k"})
        assert "Authorization: Bearer k" in server.requests[0]
