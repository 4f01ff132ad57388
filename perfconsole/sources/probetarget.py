"""Where a probe sends its requests: the URL that a person gave, as the load process connects to it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING
from urllib.parse import unquote

from perfconsole.errors import UsageError
from perfconsole.model.probeorders import Target
from perfconsole.sources.web.address import parse_address, redact, validate_url

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNIX = "unix:"
_HIDDEN = "***"
"""In the place of a user and a password that are not shown."""
_ALL_OF_IT = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - an address to connect to, not to listen on


def is_unix(text: str) -> bool:
    """Whether it names a Unix socket: `unix:/run/vllm.sock`."""
    return text.strip().startswith(_UNIX)


def shown_target(text: str) -> str:
    """The URL, fit to be shown and kept: without user, password and query. UsageError for what is none."""
    return f"{_UNIX}{_socket(text)}" if is_unix(text) else redact(validate_url(text))


def probe_target(text: str, headers: Mapping[str, str]) -> Target:
    """The target of a URL, with the headers of its requests. UsageError for what cannot be used.

    A user and a password in the URL become a header, unless one is given.
    """
    if is_unix(text):
        return Target("http", "localhost", 80, unix=_socket(text), headers=tuple(headers.items()))
    address = parse_address(validate_url(text))
    scheme, host, port = address.origin
    every = dict(headers)
    if address.user and "authorization" not in {name.lower() for name in every}:
        pair = unquote(address.user).encode()
        every["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return Target(scheme, _ALL_OF_IT.get(host, host), port, prefix=address.prefix, headers=tuple(every.items()))


def plain_url(target: Target) -> str:
    """Base URL of a target that is no socket, without what is secret in it: that is in its headers."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{target.scheme}://{host}:{target.port}{target.prefix}"


def keyless_target(text: str) -> Target:
    """The target of a URL as it is shown: whatever is secret in it was taken out, and nobody knows it."""
    return probe_target(text if is_unix(text) else with_user(text, ""), {})


def with_user(text: str, user: str) -> str:
    """A URL as it was given; one without a user, or as it is shown, gets this `user:password`, still quoted."""
    address = parse_address(text)
    if address.user not in ("", _HIDDEN):
        return text
    return f"{address.scheme}://{f'{user}@' if user else ''}{address.shown}{address.prefix}"


def _socket(text: str) -> str:
    path = text.strip().removeprefix(_UNIX)
    path = path.removeprefix("//") if path.startswith("///") else path
    if not path.startswith("/") or not path.isprintable() or len(path.encode()) > 107:
        raise UsageError(f"not the path of a socket: {path[:120]!r}; write unix:/PATH")
    return path
