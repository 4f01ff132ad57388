"""Which process of an engine does what, told from titles and command lines. Never reads anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_HELPER = re.compile(
    r"resource_tracker|semaphore_tracker|forkserver|compile_worker|(^|/)(sh|bash|dash|gcc|g\+\+|cc1plus|ld|nvcc|cicc|ptxas|ninja)(\s|$)"
)
"""Bookkeeping children of multiprocessing, and compilers that run for some seconds."""
_WRAPPER = re.compile(r"(^|/)(ba|da|a|z|fi)?sh$|(^|/)(sudo|su|timeout|tini|dumb-init|docker-init|uv|srun|nsys|strace)$")
"""Programs that carry the engine's whole command line in their own and stay: they start it and are no part of it."""
_FORWARDER = re.compile(r"(^|/)(docker-proxy|rootlessport|slirp4netns|kube-proxy|kubectl|sshd?|socat|systemd)(:|\s|$)")
"""Programs that hold a port for something that runs elsewhere."""


_START = r"^(?:\S*/)?(?:python[\d.]*(?:\s+-(?:[XW]\s+\S+|[A-Za-z]\S*))*\s+)?(?:\S*/)?"


def program(name: str) -> str:
    """Regular expression for the command lines that start a program: itself, its script, or `python -m` and its module.

    `name` is an expression too. That it stands at the start tells the program from one that only mentions it.
    """
    return _START + name


class Role(StrEnum):
    """Part that a process has in an engine; the role of its link."""

    FRONTEND = "frontend"
    CORE = "core"
    WORKER = "worker"
    HELPER = "helper"
    """Belongs to the engine and serves no request; not counted among its processes."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Regular expressions searched in process titles and command lines; an empty one matches nothing."""

    frontend: str = ""
    core: str = ""
    worker: str = ""
    launcher: tuple[str, ...] = ()
    """Command lines that start the engine."""

    def titled(self, title: str) -> Role | None:
        """Role that a title gives; None when it gives none."""
        pairs = ((Role.FRONTEND, self.frontend), (Role.CORE, self.core), (Role.WORKER, self.worker))
        return next((role for role, pattern in pairs if pattern and re.search(pattern, title)), None)

    def launches(self, argv: tuple[str, ...]) -> bool:
        """Whether this is the command line of the engine itself; a shell or wrapper around it is not."""
        if not argv or _WRAPPER.search(argv[0]):
            return False
        command = " ".join(argv)
        return any(re.search(pattern, command) for pattern in self.launcher)


def parse_argv(text: str) -> tuple[str, ...]:
    """Arguments of /proc/PID/cmdline; a process title stands there as one argument and padding."""
    stripped = text.rstrip("\0 ")
    return tuple(stripped.split("\0")) if stripped else ()


def is_helper(title: str) -> bool:
    """Whether a title or command line is that of a child that serves no request."""
    return bool(_HELPER.search(title))


def forwards(argv: tuple[str, ...]) -> bool:
    """Whether a program of this name holds ports for others."""
    return bool(argv) and bool(_FORWARDER.search(argv[0]))


def assign(roles: Roles, titles: dict[int, str], fronts: frozenset[int]) -> dict[int, Role]:
    """Role of each process of one engine; `fronts` are the launcher and those that listen on its port.

    A title decides. Without one, a front is front-end. Another process is a worker, but a helper where its command line
    says so, or where core or workers do have titles: then it is not one of them.
    """
    given = {pid: roles.titled(title) for pid, title in titles.items()}
    rest = Role.HELPER if {Role.CORE, Role.WORKER} & set(given.values()) else Role.WORKER
    found: dict[int, Role] = {}
    for pid, title in titles.items():
        guess = Role.HELPER if is_helper(title) else rest
        found[pid] = given[pid] or (Role.FRONTEND if pid in fronts else guess)
    return found
