"""The exact server as a program: `python -m tests.load.exactserver [--port N] [--bound] [NAME=VALUE ...]`.

Prints one line of JSON with its URL, and serves until SIGTERM; with --bound also until its input closes.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import signal
import sys
from pathlib import Path

from tests.load.exactserver.server import ExactServer
from tests.load.exactserver.settings import from_words
from tests.sources.servers import tls_context


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(prog="exactserver", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--unix", type=Path)
    parser.add_argument("--tls", type=Path, help="file with a key and a certificate")
    parser.add_argument("--bound", action="store_true", help="end when standard input closes")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE")
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    tls = tls_context(given.tls) if given.tls else None
    server = ExactServer(from_words(given.settings), port=given.port, tls=tls, unix=given.unix)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    sys.stdout.write(json.dumps({"url": server.url, "port": server.port}) + "\n")
    sys.stdout.flush()
    gc.disable()  # a collection takes milliseconds, and there are no cycles in what comes and goes
    server.run(bound_to=sys.stdin.fileno() if given.bound else None)


main()
