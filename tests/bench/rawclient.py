"""The least that can measure a stream: a socket for each, one epoll loop, times by the kernel. It judges the servers.

Run as a program: python -m tests.bench.rawclient PORT STREAMS ROUNDS TOKENS. Prints one line of JSON: TTFT and gaps as
distributions in microseconds. It knows the wire of the exact servers and nothing else.
"""

from __future__ import annotations

import gc
import json
import select
import socket
import struct
import sys
import time  # noqa: TID251 - moments are what it is for

_SO_TIMESTAMPNS = 35
_TEXT, _END = b'" tok"', b"0\r\n\r\n"
_NANO = 1_000_000_000
_UNPACK = struct.Struct("ll").unpack_from


class Stream:
    """One connection and its requests, one after the other."""

    def __init__(self, port: int, rounds: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.left = rounds
        self.began = 0
        self.last = 0

    def start(self, request: bytes) -> None:
        """Send a request."""
        self.began, self.last = time.time_ns(), 0
        self.left -= 1
        self.sock.send(request)


def _request(tokens: int) -> bytes:
    said = {"model": "exact", "messages": [{"role": "user", "content": "one two three"}], "max_tokens": tokens}
    body = json.dumps({**said, "stream": True, "stream_options": {"include_usage": True}}).encode()
    return b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


def _note(stream: Stream, moment: int, events: int, ttft: dict[int, int], gaps: dict[int, int]) -> None:
    """Events of one read: the last one has the stamp, the others lie evenly before it."""
    if stream.last == 0:
        first = (moment - stream.began) // 1000
        ttft[first] = ttft.get(first, 0) + 1
        events -= 1
        stream.last = moment if not events else stream.last
    if events and stream.last:
        gap = (moment - stream.last) // events // 1000
        gaps[gap] = gaps.get(gap, 0) + events
    stream.last = moment


def measure(port: int, streams: int, rounds: int, tokens: int) -> dict[str, dict[int, int]]:
    """All rounds of all streams."""
    request, epoll = _request(tokens), select.epoll()
    open_streams = {}
    for _ in range(streams):
        stream = Stream(port, rounds)
        open_streams[stream.sock.fileno()] = stream
        epoll.register(stream.sock.fileno(), select.EPOLLIN)
    ttft: dict[int, int] = {}
    gaps: dict[int, int] = {}
    for stream in open_streams.values():
        stream.start(request)
    running = streams
    while running:
        for fd, _ in epoll.poll():
            stream = open_streams[fd]
            data, control, _, _ = stream.sock.recvmsg(65536, 64)
            seconds, nanos = _UNPACK(control[0][2])
            if events := data.count(_TEXT):
                _note(stream, seconds * _NANO + nanos, events, ttft, gaps)
            if data.endswith(_END):
                if stream.left:
                    stream.start(request)
                else:
                    running -= 1
    return {"ttft": ttft, "gaps": gaps}


if __name__ == "__main__":
    gc.disable()
    sys.stdout.write(json.dumps(measure(*map(int, sys.argv[1:5]))) + "\n")
