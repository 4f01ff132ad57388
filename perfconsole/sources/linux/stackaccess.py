"""Whether the stacks of a process can be read here, and if not why and what helps. Never attaches to anything.

The question is put to the kernel in the very form that a reader of another process's memory puts it, by opening
/proc/PID/mem; the facts around it only explain a refusal.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.masked import masked
from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.linux.tree import read_argv

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLDEST, _NEWEST = (3, 3), (3, 15)
"""Versions of CPython whose structures py-spy 0.4.3 knows."""
_SYS_PTRACE = 19
_NOBODY = 3
"""Level of ptrace_scope at which not even root may, until the next start of the host."""
_LIBRARY = re.compile(
    r"/libpython(\d)\.(\d+)\w*\.so|/(?:bin|MacOS)/python(\d)\.(\d+)\w*(?: \(deleted\))?$", re.MULTILINE
)
"""Files of CPython as the kernel names them; a program that was replaced since its start is `(deleted)`."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A process whose stacks are wanted, and the host around it, as far as they can be read."""

    pid: int
    title: str
    state: str
    """As in TaskStat; empty for a process that is not there."""
    owner: int | None
    """User of the process."""
    me: int
    """User of the console."""
    opens: bool
    """The kernel lets us read its memory."""
    may_trace: bool
    """The console has the capability SYS_PTRACE."""
    scope: int
    """kernel.yama.ptrace_scope; 0 where there is none."""
    container: str
    """`kubernetes`, `docker` or `container` where the console runs in one; empty for none."""
    apart: bool
    """The process has a PID namespace of its own: another number inside."""
    python: tuple[int, int] | None
    """Version of the CPython in it; None where none was found."""
    pypy: bool
    readable: bool
    """Its memory map could be read, so that what was not found in it is not there."""
    native_heavy: bool
    """It has torch or CUDA loaded: stopping its many threads for every sample may freeze it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why stacks cannot be read, and the commands that would help on this host, in order."""

    why: str
    helps: tuple[str, ...]

    def line(self) -> str:
        """Both in one line."""
        return f"{self.why}; {'; or '.join(self.helps)}" if self.helps else self.why


def look_at(pid: int, base: str = "", environment: Mapping[str, str] = os.environ) -> Subject:
    """Read everything that explains a refusal."""
    stat = read_task_stat(base, pid)
    status = procfs.read_text(f"{base}/proc/{pid}/status")
    maps = procfs.read_text(f"{base}/proc/{pid}/maps")
    memory_map = "" if isinstance(maps, Missing) else maps
    exe = procfs.read_link(f"{base}/proc/{pid}/exe")
    own, its = procfs.read_link(f"{base}/proc/self/ns/pid"), procfs.read_link(f"{base}/proc/{pid}/ns/pid")
    return Subject(
        pid=pid,
        title=masked(" ".join(read_argv(base, pid))),
        state=stat.state if stat else "",
        owner=_field(status, "Uid"),
        me=os.geteuid(),
        opens=_opens(f"{base}/proc/{pid}/mem"),
        may_trace=bool((_field(procfs.read_text(f"{base}/proc/self/status"), "CapEff", 16) or 0) >> _SYS_PTRACE & 1),
        scope=_scope(base),
        container=_container(base, environment),
        apart=bool(own and its and own != its),
        python=version_in(f"{memory_map}\n{exe}"),
        pypy="pypy" in exe or "libpypy" in memory_map,
        readable=bool(memory_map),
        native_heavy="libtorch" in memory_map or "libcuda" in memory_map,
    )


def standing(pid: int, before: str, base: str = "") -> str:
    """What to say where a process that was in the state `before` stands still now; empty where it does not."""
    stat = read_task_stat(base, pid)
    if stat is None or stat.state not in "Tt" or before in "Tt":
        return ""
    return f"ALARM: process {pid} stands still since the recording (state {stat.state}); kill -CONT {pid} wakes it"


def refusal(subject: Subject, tool: str) -> Refusal | None:
    """Why its stacks cannot be read; None where nothing speaks against it. `tool` is the full path of py-spy."""
    who = f"process {subject.pid}"
    if not subject.state or subject.state in "ZX":
        gone = "has ended, its parent has not yet asked for its result" if subject.state else "does not exist here"
        return Refusal(f"{who} {gone}", ("take a process that runs (`perfconsole flame` lists them)",))
    if not subject.opens:
        return _not_permitted(subject, tool)
    if subject.pypy:
        return Refusal(f"{who} runs PyPy, whose stacks py-spy cannot read", ("use its own profiler (vmprof)",))
    if subject.readable and subject.python is None:
        return _no_python(subject)
    if subject.python and not _OLDEST <= subject.python <= _NEWEST:
        version = ".".join(map(str, subject.python))
        newest = ".".join(map(str, _NEWEST))
        return Refusal(
            f"{who} runs Python {version}, and this py-spy knows versions up to {newest}",
            ("install a newer one (pip install -U py-spy)",),
        )
    return None


def _no_python(subject: Subject) -> Refusal:
    name = (subject.title.split(" ")[0].rpartition("/")[2]).rstrip(":")
    return Refusal(
        f"process {subject.pid} ({name or 'no name'}) is no Python process: it has no Python stacks",
        ("take the Python process behind it", f"perf record -g -p {subject.pid} -- sleep 10 shows native stacks"),
    )


def _not_permitted(subject: Subject, tool: str) -> Refusal:
    """The kernel said no: the first of the usual reasons that is there."""
    again = f"sudo {tool} dump --pid {subject.pid}"
    if subject.scope == _NOBODY:
        return Refusal(
            "this host lets nobody read the memory of a running process (kernel.yama.ptrace_scope is 3)",
            ("set it to 1 in /etc/sysctl.d and restart the host",),
        )
    if subject.container and not subject.may_trace:
        return Refusal(
            f"this container has no capability SYS_PTRACE, which reading process {subject.pid} needs", _in(subject)
        )
    if subject.apart and subject.me != 0:
        return Refusal(
            f"process {subject.pid} runs in a container of its own, which only root of this host sees", (again,)
        )
    if subject.owner is not None and subject.me not in (subject.owner, 0):
        return Refusal(f"process {subject.pid} belongs to another user ({subject.owner})", (again,))
    if subject.scope and subject.me != 0:
        return Refusal(
            f"this host lets only root read other processes (kernel.yama.ptrace_scope is {subject.scope})",
            (again, "sudo sysctl kernel.yama.ptrace_scope=0 lifts it until the next start"),
        )
    return Refusal(f"the kernel does not let this user read process {subject.pid}", (again,))


def _in(subject: Subject) -> tuple[str, ...]:
    if subject.container == "kubernetes":
        return (
            "add securityContext: {capabilities: {add: [SYS_PTRACE]}} to the container",
            "kubectl debug -it POD --target=CONTAINER --profile=sysadmin",
        )
    if subject.container == "docker":
        return ("start it with docker run --cap-add=SYS_PTRACE", "run py-spy on the host, which sees this process too")
    return ("start the container with the capability SYS_PTRACE", "run py-spy on the host, which sees this process too")


def _field(text: str | Missing, name: str, base: int = 10) -> int | None:
    found = None if isinstance(text, Missing) else re.search(rf"^{name}:\s+([0-9a-fA-F]+)", text, re.MULTILINE)
    return int(found[1], base) if found else None


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _scope(base: str) -> int:
    found = procfs.number(procfs.read_text(f"{base}/proc/sys/kernel/yama/ptrace_scope"))
    return 0 if isinstance(found, Missing) else int(found)


def _container(base: str, environment: Mapping[str, str]) -> str:
    if "KUBERNETES_SERVICE_HOST" in environment:
        return "kubernetes"
    if os.path.exists(f"{base}/.dockerenv"):  # noqa: PTH110 - paths here are joined strings
        return "docker"
    groups = procfs.read_text(f"{base}/proc/1/cgroup")
    marked = not isinstance(groups, Missing) and re.search(r"docker|containerd|kubepods|libpod|lxc", groups)
    return "container" if marked or os.path.exists(f"{base}/run/.containerenv") else ""  # noqa: PTH110 - as above


def version_in(text: str) -> tuple[int, int] | None:
    """Version of the CPython that a memory map or the path of a program names."""
    found = _LIBRARY.search(text)
    if not found:
        return None
    major, minor = (found[1], found[2]) if found[1] else (found[3], found[4])
    return int(major), int(minor)
