"""A program that answers as vLLM does and writes a log: `loggingengine.py PORT_FILE PAGE LOG`, ended by its stdin."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWERS = {"/metrics": b"", "/health": b"", "/version": b'{"version": "0.11.0"}'}


class Handler(BaseHTTPRequestHandler):
    """Knows three routes."""

    def do_GET(self) -> None:
        """Answer a request."""
        body = ANSWERS.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


def main() -> None:
    """Write the log to stdout, then serve until stdin ends or a line of it says what else to write."""
    port_file, page, log = map(Path, sys.argv[1:4])
    ANSWERS["/metrics"] = page.read_bytes()
    sys.stdout.buffer.write(log.read_bytes())
    sys.stdout.buffer.flush()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port_file.write_text(str(server.server_port))
    for line in sys.stdin:
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
