"""Whether an MPS server runs on this host, from /proc: cheap enough for once a minute."""

from __future__ import annotations

from pathlib import Path

_SERVER = "nvidia-cuda-mps-server"
_SHOWN = _SERVER[:15]
"""The kernel keeps 15 characters of a name; the control program, which is no server, has the same ones."""


def is_server(pid: int, root: Path = Path("/")) -> bool:
    """Whether a process is an MPS server. Its command line is read only where its short name says so."""
    place = root / "proc" / str(pid)
    try:
        if (place / "comm").read_text(encoding="utf-8", errors="replace").strip() != _SHOWN:
            return False
        program = (place / "cmdline").read_bytes().split(b"\0")[0].decode("utf-8", "replace")
    except OSError:
        return False
    return program.rpartition("/")[2] == _SERVER


def server_runs(root: Path = Path("/")) -> bool:
    """Whether any process that this one can see is an MPS server."""
    try:
        pids = [int(entry.name) for entry in (root / "proc").iterdir() if entry.name.isdecimal()]
    except OSError:
        return False
    return any(is_server(pid, root) for pid in pids)
