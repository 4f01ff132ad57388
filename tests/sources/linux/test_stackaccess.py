"""Whether stacks can be read, and what helps where they cannot."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.linux.stackaccess import Refusal, Subject, look_at, refusal, standing, version_in
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

TOOL = "/opt/venv/bin/py-spy"
AGAIN = f"sudo {TOOL} dump --pid 7"
FINE = Subject(
    pid=7,
    title="/usr/bin/python3.11 /srv/app/main.py",
    state="S",
    owner=1000,
    me=1000,
    opens=True,
    may_trace=False,
    scope=0,
    container="",
    apart=False,
    python=(3, 11),
    pypy=False,
    readable=True,
    native_heavy=False,
)
"""A Python process of one's own that the kernel lets us read."""
SHUT = replace(FINE, opens=False, python=None, readable=False)
"""The same, and the kernel says no."""
MAP = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42                         {}\n"


def refused(subject: Subject) -> Refusal:
    """The refusal that there is."""
    found = refusal(subject, TOOL)
    assert found is not None
    return found


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make process 7 of user 1000, a Python with torch whose memory can be opened, on a plain host."""
    root = FakeRoot(tmp_path)
    root.process(7, 1, "/usr/bin/python3", "main.py")
    root.put("proc/7/status", "Name:\tpython3\nUid:\t1000\t1001\t1002\t1003\nGid:\t5\t5\t5\t5\n")
    root.put("proc/7/maps", MAP.format("/usr/bin/python3.11") + MAP.format("/x/libtorch_cpu.so"))
    root.link("proc/7/exe", "/usr/bin/python3.11")
    root.put("proc/7/mem")
    root.put("proc/self/status", "Name:\tperfconsole\nCapEff:\t0000000000000000\n")
    root.link("proc/7/ns/pid", "pid:[4026531836]")
    root.link("proc/self/ns/pid", "pid:[4026531836]")
    return root


def look(root: FakeRoot, **environment: str) -> Subject:
    """Process 7 of the tree, in an environment of its own."""
    return look_at(7, root.base, environment)


def test_nothing_speaks_against_a_python_process_that_opens() -> None:
    """Then there is nothing to say."""
    assert refusal(FINE, TOOL) is None


def test_the_kernel_has_the_last_word() -> None:
    """What usually makes it refuse does not count where it does not."""
    odd = replace(FINE, me=1, owner=1000, scope=2, container="docker", may_trace=False)
    assert refusal(odd, TOOL) is None


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("", "process 7 does not exist here"),
        ("Z", "process 7 has ended, its parent has not yet asked for its result"),
        ("X", "process 7 has ended, its parent has not yet asked for its result"),
    ],
)
def test_a_process_that_is_gone_is_told_before_anything_else(state: str, why: str) -> None:
    """Its memory does not open either, which would be another reason."""
    found = refused(replace(SHUT, state=state))
    assert (found.why, found.helps) == (why, ("take a process that runs (`perfconsole flame` lists them)",))


def test_a_process_of_another_user_needs_root() -> None:
    """The command that helps can be pasted as it is."""
    found = refused(replace(SHUT, owner=0))
    assert (found.why, found.helps) == ("process 7 belongs to another user (0)", (AGAIN,))


@pytest.mark.parametrize("scope", [1, 2])
def test_a_host_that_lets_only_root_read_others_can_be_asked_twice(scope: int) -> None:
    """As root this once, or for everybody until the next start."""
    found = refused(replace(SHUT, scope=scope))
    assert f"(kernel.yama.ptrace_scope is {scope})" in found.why
    assert found.helps == (AGAIN, "sudo sysctl kernel.yama.ptrace_scope=0 lifts it until the next start")


@pytest.mark.parametrize("me", [0, 1000])
def test_a_host_that_lets_nobody_has_to_be_started_again(me: int) -> None:
    """Not even root may: sudo would be bad advice."""
    found = refused(replace(SHUT, scope=3, me=me))
    assert "ptrace_scope is 3" in found.why
    assert found.helps == ("set it to 1 in /etc/sysctl.d and restart the host",)


@pytest.mark.parametrize(
    ("container", "helps"),
    [
        (
            "kubernetes",
            (
                "add securityContext: {capabilities: {add: [SYS_PTRACE]}} to the container",
                "kubectl debug -it POD --target=CONTAINER --profile=sysadmin",
            ),
        ),
        (
            "docker",
            (
                "start it with docker run --cap-add=SYS_PTRACE",
                "run py-spy on the host, which sees this process too",
            ),
        ),
        (
            "container",
            (
                "start the container with the capability SYS_PTRACE",
                "run py-spy on the host, which sees this process too",
            ),
        ),
    ],
)
def test_a_container_without_the_capability_has_its_own_help(container: str, helps: tuple[str, ...]) -> None:
    """Root inside of it may not either, so it comes before the user and the scope."""
    found = refused(replace(SHUT, container=container, me=0, scope=1))
    assert found.why == "this container has no capability SYS_PTRACE, which reading process 7 needs"
    assert found.helps == helps


def test_a_container_with_the_capability_is_like_a_host() -> None:
    """The reason is then another one."""
    assert "another user" in refused(replace(SHUT, container="docker", may_trace=True, owner=0)).why


def test_a_refusal_without_a_known_reason_still_names_a_command() -> None:
    """A security module, for one."""
    found = refused(replace(SHUT, me=0))
    assert (found.why, found.helps) == ("the kernel does not let this user read process 7", (AGAIN,))


def test_pypy_has_its_own_profiler() -> None:
    """py-spy knows only CPython."""
    found = refused(replace(FINE, pypy=True, python=None))
    assert (found.why, found.helps) == (
        "process 7 runs PyPy, whose stacks py-spy cannot read",
        ("use its own profiler (vmprof)",),
    )


def test_a_process_without_python_has_native_stacks_only() -> None:
    """Named by its program, without its folder and the colon of a title."""
    found = refused(replace(FINE, python=None, title="/usr/sbin/nginx: master process"))
    assert found.why == "process 7 (nginx) is no Python process: it has no Python stacks"
    assert found.helps == (
        "take the Python process behind it",
        "perf record -g -p 7 -- sleep 10 shows native stacks",
    )


def test_a_process_without_a_name_is_told_so() -> None:
    """A kernel thread may have none."""
    assert "(no name)" in refused(replace(FINE, python=None, title="")).why


def test_a_python_that_could_not_be_looked_for_is_no_reason() -> None:
    """Without its memory map nothing says that there is none."""
    assert refusal(replace(FINE, python=None, readable=False), TOOL) is None


def test_a_python_newer_than_py_spy_knows_needs_a_newer_one() -> None:
    """Its structures changed."""
    found = refused(replace(FINE, python=(3, 16)))
    assert found.why == "process 7 runs Python 3.16, and this py-spy knows versions up to 3.15"
    assert found.helps == ("install a newer one (pip install -U py-spy)",)


@pytest.mark.parametrize("python", [(3, 3), (3, 9), (3, 15)])
def test_versions_are_compared_as_numbers(python: tuple[int, int]) -> None:
    """3.9 is older than 3.15; both ends are known."""
    assert refusal(replace(FINE, python=python), TOOL) is None


def test_a_refusal_is_one_line_with_all_that_helps() -> None:
    """For the status line and the terminal."""
    assert Refusal("no", ("a", "b")).line() == "no; a; or b"
    assert Refusal("no", ()).line() == "no"


def test_what_explains_a_refusal_is_read_from_the_host(root: FakeRoot) -> None:
    """Owner, version and libraries of the process."""
    seen = look(root)
    assert (seen.title, seen.state, seen.owner, seen.me) == ("/usr/bin/python3 main.py", "S", 1000, os.geteuid())
    assert (seen.opens, seen.python, seen.pypy, seen.readable) == (True, (3, 11), False, True)
    assert (seen.native_heavy, seen.apart, seen.container, seen.scope, seen.may_trace) == (True, False, "", 0, False)


def test_whether_it_opens_is_asked_from_the_kernel(root: FakeRoot) -> None:
    """All else speaks for it, and its memory does not open."""
    (root.path / "proc/7/mem").unlink()
    assert not look(root).opens


def test_our_own_memory_opens() -> None:
    """On this very host, without a fake."""
    seen = look_at(os.getpid())
    assert (seen.opens, seen.owner, seen.apart) == (True, os.geteuid(), False)


def test_a_process_that_is_not_there_has_no_state(tmp_path: Path) -> None:
    """Nothing is read and nothing raises."""
    seen = look(FakeRoot(tmp_path))
    assert (seen.state, seen.owner, seen.opens, seen.python, seen.readable) == ("", None, False, None, False)


def test_the_capability_is_the_console_s_own(root: FakeRoot) -> None:
    """Bit 19 of those that are in effect."""
    root.put("proc/self/status", "CapPrm:\t0000000000000000\nCapEff:\t0000000000080000\n")
    assert look(root).may_trace


def test_the_scope_is_the_host_s(root: FakeRoot) -> None:
    """One number in a file."""
    root.put("proc/sys/kernel/yama/ptrace_scope", "2\n")
    assert look(root).scope == 2


def test_another_pid_namespace_sets_a_process_apart(root: FakeRoot) -> None:
    """It has another number inside its container."""
    root.link("proc/7/ns/pid", "pid:[4026532999]")
    assert look(root).apart


def test_kubernetes_is_told_from_the_environment(root: FakeRoot) -> None:
    """Before the container that it runs in."""
    root.put(".dockerenv")
    assert look(root, KUBERNETES_SERVICE_HOST="10.0.0.1").container == "kubernetes"


@pytest.mark.parametrize(
    ("path", "text", "container"),
    [
        (".dockerenv", "", "docker"),
        ("run/.containerenv", "", "container"),
        ("proc/1/cgroup", "0::/kubepods/pod1/x\n", "container"),
        ("proc/1/cgroup", "0::/init.scope\n", ""),
    ],
)
def test_a_container_leaves_its_marks(root: FakeRoot, path: str, text: str, container: str) -> None:
    """A file, or the control group of the first process."""
    root.put(path, text)
    assert look(root).container == container


def test_pypy_is_told_from_its_program_or_its_library(root: FakeRoot) -> None:
    """It may be embedded."""
    root.put("proc/7/maps", MAP.format("/opt/lib/libpypy3.10-c.so"))
    assert look(root).pypy


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (MAP.format("/usr/lib/libpython3.12.so.1.0"), (3, 12)),
        (MAP.format("/usr/lib/libpython3.6m.so.1.0"), (3, 6)),
        (MAP.format("/opt/bin/python3.10") + MAP.format("/lib/libc.so.6"), (3, 10)),
        (MAP.format("/usr/bin/python3.11 (deleted)"), (3, 11)),
        ("/usr/bin/python3.13t", (3, 13)),
        (MAP.format("/usr/lib/libpython3.so"), None),
        (MAP.format("/usr/lib/python3.11/lib-dynload/_ssl.so"), None),
        ("", None),
    ],
)
def test_the_version_is_told_from_the_files_of_python(text: str, version: tuple[int, int] | None) -> None:
    """Its program, also one that an upgrade has replaced, or its library; never a folder of that name."""
    assert version_in(text) == version


@pytest.mark.parametrize(
    ("before", "after", "alarm"), [("S", "T", True), ("R", "t", True), ("T", "T", False), ("S", "R", False)]
)
def test_a_process_that_stands_since_the_recording_is_an_alarm(
    tmp_path: Path,
    before: str,
    after: str,
    alarm: bool,  # noqa: FBT001 - a table row
) -> None:
    """With the command that wakes it; one that stood before is none."""
    root = FakeRoot(tmp_path)
    root.process(7, 1, "python3", state=after)
    words = standing(7, before, root.base)
    assert ("kill -CONT 7" in words) is alarm
    assert standing(8, before, root.base) == ""
