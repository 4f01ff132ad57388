"""Requests as they come over a connection: head and body, cut anywhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One whole request."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def bearer(self) -> str:
        """Key that the client showed; empty for none."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


def next_request(came: bytearray) -> Request | None:
    """Cut the first whole request off what came; None while it is not whole. ValueError for what is none."""
    end = came.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = came[:end].decode("latin-1").split("\r\n")
    method, target, _version = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if "transfer-encoding" in headers:
        raise ValueError("a body in chunks is not read")
    size = int(headers.get("content-length", "0"))
    if len(came) < end + 4 + size:
        return None
    body = bytes(came[end + 4 : end + 4 + size])
    del came[: end + 4 + size]
    path, _, query = target.partition("?")
    return Request(method, path, query, headers, body)
