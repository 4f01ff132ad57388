"""What a py-spy of our own writes: folded stacks that say something, and its words for stacks of this moment."""

from __future__ import annotations

import json

from tests.stacks.building import CALLBACK, SELECT, folded

SLEEPS = f"{CALLBACK};wait (/usr/lib/python3.11/threading.py:320)"
LOOP = folded((SELECT, 60), (SLEEPS, 40))
"""An event loop that one callback blocks in 40 of 100 samples."""
RECORDS = f"open(output, 'w').write({LOOP!r})"
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
ON_CTRL_C = (
    f"def end(*_):\n    with open(output, 'w') as file:\n        file.write({LOOP!r})\n    os._exit(0)\n"
    "signal.signal(signal.SIGINT, end)\n"
)
"""Writes them when it is told to end."""
WORK = {"name": "work", "filename": "/srv/app/main.py", "short_filename": "main.py", "line": 7}
REDUCE = {"name": "all_reduce", "filename": "torch/distributed/distributed_c10d.py", "line": 2000}


def threads(*frames: dict[str, object]) -> str:
    """What py-spy prints of one thread that holds the interpreter lock, innermost frame first."""
    numbers = {"pid": 7, "thread_id": 1, "os_thread_id": 7}
    return json.dumps([{**numbers, "thread_name": "Main", "active": True, "owns_gil": True, "frames": list(frames)}])


DUMPS = f"print({threads(WORK)!r})"
