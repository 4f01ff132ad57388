"""Lines before a body."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.load.httphead import authority, path, request_head
from perfconsole.model.probeorders import Target


def _lines(*headers: tuple[str, str], prefix: str = "") -> list[str]:
    return (
        request_head(Target("http", "h", 8000, prefix=prefix, headers=headers), "chat").decode("latin-1").split("\r\n")
    )


@pytest.mark.parametrize("prefix", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/v1/completions"])
def test_v1_is_not_doubled(prefix: str) -> None:
    """However a base URL is given."""
    assert path(prefix, "chat") == "/v1/chat/completions"
    assert path(prefix, "completions") == "/v1/completions"


@pytest.mark.parametrize("prefix", ["/team/a", "/team/a/", "team/a", "/team/a/v1"])
def test_a_path_in_front_stays(prefix: str) -> None:
    """A gateway may route by it."""
    assert path(prefix, "chat") == "/team/a/v1/chat/completions"


@pytest.mark.parametrize("prefix", ["/a b", "/a\r\nX: y", "/ü"])
def test_a_path_that_is_none_is_refused(prefix: str) -> None:
    """It would split the request."""
    with pytest.raises(ValueError, match="escaped"):
        path(prefix, "chat")


def test_an_api_that_is_not_known_is_refused() -> None:
    """There are two."""
    with pytest.raises(ValueError, match="no such API: embeddings"):
        path("", "embeddings")


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Target("http", "h", 80), "h"),
        (Target("https", "h", 443), "h"),
        (Target("https", "h", 80), "h:80"),
        (Target("http", "::1", 8000), "[::1]:8000"),
        (Target("http", "", 0, unix="/run/s"), "localhost"),
    ],
)
def test_host_has_the_port_where_it_is_not_the_usual(target: Target, shown: str) -> None:
    """As RFC 9110 wants it; an address of version 6 stands in brackets."""
    assert authority(target) == shown


def test_the_head_ends_where_the_length_begins() -> None:
    """So that it is made once for all requests."""
    lines = _lines(("Authorization", "Bearer k"))
    assert lines[0] == "POST /v1/chat/completions HTTP/1.1"
    assert lines[-1] == "Content-Length: "
    assert {"Host: h:8000", "Accept: text/event-stream", "Connection: keep-alive"} < set(lines)
    assert "Authorization: Bearer k" in lines


def test_headers_given_take_the_place_of_ours() -> None:
    """A virtual host, or another user agent."""
    lines = _lines(("host", "model.example"), ("USER-AGENT", "x"))
    assert [line for line in lines if line.lower().startswith(("host:", "user-agent:"))] == [
        "host: model.example",
        "USER-AGENT: x",
    ]


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding", "Connection", "Expect"])
def test_headers_that_make_another_message_are_refused(name: str) -> None:
    """The probe sets them."""
    with pytest.raises(ValueError, match=f"sets {name} itself"):
        _lines((name, "1"))


@pytest.mark.parametrize("name", ["", "a b", "a:", "a\r\nb", "ü"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    """By the characters of RFC 9110."""
    with pytest.raises(ValueError, match="no name of a header"):
        _lines((name, "1"))


def test_a_value_that_is_none_is_refused_without_being_said() -> None:
    """It may be a key."""
    with pytest.raises(ValueError, match="X-Key") as error:
        _lines(("X-Key", "secret\r\nX: y"))
    assert "secret" not in str(error.value)


@given(st.text(max_size=20))
def test_no_value_adds_a_line(value: str) -> None:
    """Whatever is in it: either it is refused, or the head has as many lines as without."""
    try:
        lines = _lines(("X-Any", value))
    except ValueError:
        return
    assert len(lines) == len(_lines(("X-Any", "plain")))
    assert not any("\n" in line for line in lines)
