"""A little blocking client that keeps every byte, for tests of servers: it knows just enough of HTTP to find an end."""

from __future__ import annotations

import json
import select
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from perfconsole.clock import SystemClock

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

_CLOCK = SystemClock()
_GIVE_UP_S = 10.0
_PATHS = {"chat": "/v1/chat/completions", "completions": "/v1/completions"}


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    status: int
    headers: dict[str, str]
    chunks: tuple[bytes, ...]
    """As they were framed; the one and only part of a body without chunks."""

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(self.chunks)

    @property
    def events(self) -> list[dict[str, Any]]:
        """JSON of each event but [DONE]."""
        lines = self.body.replace(b"\r\n", b"\n").split(b"\n")
        data = [line.removeprefix(b"data:").strip() for line in lines if line.startswith(b"data:")]
        return [json.loads(each) for each in data if each != b"[DONE]"]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        """The delta of each event of a chat that has one."""
        return [event["choices"][0]["delta"] for event in self.events if event.get("choices")]

    @property
    def texts(self) -> list[str]:
        """Content of each delta that has one, the empty ones too."""
        return [delta["content"] for delta in self.deltas if "content" in delta and "role" not in delta]

    @property
    def usage(self) -> dict[str, Any] | None:
        """The last usage that was said."""
        said = [event["usage"] for event in self.events if event.get("usage")]
        return said[-1] if said else None


def wait_for(condition: Callable[[], object]) -> None:
    """Return as soon as it holds; AssertionError when it does not come to that."""
    deadline = _CLOCK.now() + _GIVE_UP_S
    while not condition():
        assert _CLOCK.now() < deadline, "it never came to that"
        _CLOCK.sleep(0.001)


class Asking:
    """One connection."""

    def __init__(self, port: int = 0, *, unix: Path | None = None, tls: ssl.SSLContext | None = None) -> None:
        sock = socket.socket(socket.AF_UNIX) if unix else socket.create_connection(("127.0.0.1", port))
        if unix:
            sock.connect(str(unix))
        sock.settimeout(_GIVE_UP_S)
        self._sock = tls.wrap_socket(sock, server_hostname="127.0.0.1") if tls else sock
        self._came = b""
        self.reads: list[bytes] = []
        """What each read gave."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sock.close()

    def send(self, tokens: int = 4, prompt: str = "one two three", api: str = "chat", **fields: object) -> None:
        """Ask for a streamed completion; other fields of the body as they are, `bearer` as the key."""
        bearer = fields.pop("bearer", None)
        said: dict[str, object] = {"model": "exact", "max_tokens": tokens, "stream": True}
        said["stream_options"] = {"include_usage": True}
        said |= {"messages": [{"role": "user", "content": prompt}]} if api == "chat" else {"prompt": prompt}
        body = json.dumps({name: value for name, value in (said | fields).items() if value is not None}).encode()
        self.request(f"POST {_PATHS[api]}", body, *([f"Authorization: Bearer {bearer}"] if bearer else []))

    def request(self, line: str, body: bytes = b"", *headers: str) -> None:
        """Send any request."""
        lines = [f"{line} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}", *headers, "", ""]
        self._sock.sendall("\r\n".join(lines).encode() + body)

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._sock.sendall(data)

    def ask(self, tokens: int = 4, prompt: str = "one two three", api: str = "chat", **fields: object) -> Reply:
        """Ask and wait for the whole answer."""
        self.send(tokens, prompt, api, **fields)
        return self.reply()

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON of any shape
        """JSON of a page."""
        self.request(f"GET {path}")
        return json.loads(self.reply().body)

    def reply(self) -> Reply:
        """The next answer; ConnectionError where the connection ends before it does."""
        head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        return Reply(int(head[0].split(" ")[1]), headers, self._body(headers))

    def silent(self) -> bool:
        """Whether there is nothing to be read now."""
        return not self._came and not select.select([self._sock], [], [], 0.0)[0]

    def take(self, size: int) -> bytes:
        """Read exactly so many bytes."""
        while len(self._came) < size:
            self._more()
        found, self._came = self._came[:size], self._came[size:]
        return found

    def chunked(self) -> Reply:
        """The rest of an answer whose head was read."""
        return Reply(200, {}, self._body({"transfer-encoding": "chunked"}))

    def _body(self, headers: dict[str, str]) -> tuple[bytes, ...]:
        if headers.get("transfer-encoding") == "chunked":
            chunks: list[bytes] = []
            while size := int(self.until(b"\r\n"), 16):
                chunks.append(self.take(size + 2)[:-2])
            assert self.take(2) == b"\r\n"
            return tuple(chunks)
        if "content-length" in headers:
            return (self.take(int(headers["content-length"])),)
        return (self.rest(),)

    def until(self, end: bytes) -> bytes:
        """Read to the end that is given, itself included."""
        while end not in self._came:
            self._more()
        found, _, self._came = self._came.partition(end)
        return found + end

    def rest(self) -> bytes:
        """Read until the server closes; ConnectionResetError where it does not do so in order."""
        try:
            while True:
                self._more()
        except ConnectionAbortedError:
            return self._came

    def _more(self) -> None:
        data = self._sock.recv(65536)
        if not data:
            raise ConnectionAbortedError
        self.reads.append(data)
        self._came += data
