"""The Python processes of a host, by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.suspect import Suspect
from perfconsole.sources.linux.pythons import Pythons, matching, owned
from perfconsole.sources.linux.taskstat import HZ
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path

EXE = "/usr/bin/python3.11"
SPAWN = ("python3", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(4)")
GATEWAY, FRONT, CORE, WORKER, OTHER = (
    Suspect(20, "gateway", "", "litellm", "python3 /venv/bin/litellm --config c.yaml", None, 1, "3.11"),
    Suspect(10, "engine", "frontend", "vllm", "python3 /venv/bin/vllm serve qwen", None, 1, "3.11"),
    Suspect(11, "engine", "core", "vllm", "VLLM::EngineCore", None, 1, "3.11"),
    Suspect(12, "engine", "worker", "vllm", "VLLM::Worker_TP0", None, 1, "3.11"),
    Suspect(30, "", "", "", "python3 /srv/jobs/reindex.py", None, 1, "3.11"),
)


@pytest.fixture
def root(tmp_path: Path) -> FakeRoot:
    """Make a host with no process."""
    root = FakeRoot(tmp_path)
    root.folder("proc")
    return root


def put(root: FakeRoot, pid: int, parent: int, *argv: str, exe: str = EXE, state: str = "S", ticks: int = 0) -> None:
    """Put a process with its program; one whose program is hidden where that is empty."""
    root.process(pid, parent, *argv, state=state, ticks=ticks)
    if exe:
        root.link(f"proc/{pid}/exe", exe)


def put_all(root: FakeRoot) -> None:
    """An engine of three, a gateway, and one that nothing knows."""
    for parent, suspect in ((1, OTHER), (1, FRONT), (10, CORE), (11, WORKER), (1, GATEWAY)):
        put(root, suspect.pid, parent, *suspect.title.split(" "))


def looked(root: FakeRoot, me: int = 0) -> tuple[Suspect, ...]:
    """What one look finds."""
    return Pythons(root.base, me=me).look(0.0)


def test_adapters_tell_layer_kind_and_role(root: FakeRoot) -> None:
    """By title or by command line, the outermost layer first and then the front-end, the core and the workers."""
    put_all(root)
    assert looked(root) == (GATEWAY, FRONT, CORE, WORKER, OTHER)


def test_a_server_of_agents_is_of_the_orchestration(root: FakeRoot) -> None:
    """Only processes of engines have a role."""
    put(root, 40, 1, "/venv/bin/python3", "/venv/bin/fastapi", "run", "main.py")
    assert [(s.layer, s.kind, s.role) for s in looked(root)] == [("orchestration", "fastapi", "")]


def test_a_child_has_the_layer_of_what_started_it(root: FakeRoot) -> None:
    """Without a role of its own; below an engine it is a worker."""
    put_all(root)
    put(root, 21, 20, *SPAWN)
    put(root, 13, 10, *SPAWN)
    found = {s.pid: (s.layer, s.kind, s.role) for s in looked(root)}
    assert (found[21], found[13]) == (("gateway", "litellm", ""), ("engine", "vllm", "worker"))


def test_the_layer_reaches_past_what_is_no_python(root: FakeRoot) -> None:
    """A shell between the two does not cut it."""
    put_all(root)
    put(root, 14, 10, "/bin/sh", "run.sh", exe="/usr/bin/dash")
    put(root, 15, 14, "python3", "helper.py")
    assert {s.pid: s.layer for s in looked(root)}[15] == "engine"


def test_helpers_are_left_out(root: FakeRoot) -> None:
    """They serve no request."""
    put(root, 10, 1, "python3", "-c", "from multiprocessing.resource_tracker import main;main(5)")
    put(root, 11, 1, "python3", "-c", "from multiprocessing.forkserver import main; main(3)")
    assert looked(root) == ()


def test_a_secret_in_a_command_line_is_not_shown(root: FakeRoot) -> None:
    """Lists and files go to colleagues."""
    put(root, 60, 1, "python3", "/srv/a.py", "--api-key", "abc")
    assert [s.title for s in looked(root) if s.pid == 60] == ["python3 /srv/a.py --api-key ***"]


def test_the_console_is_none_of_them(root: FakeRoot) -> None:
    """Nor is what started it, nor what it started to read the GPUs."""
    put_all(root)
    put(root, 50, 1, "python3", "/venv/bin/xonsh")
    put(root, 51, 50, "python3", "/venv/bin/perfconsole")
    put(root, 52, 51, "python3", "-P", "-m", "perfconsole.sources.nvml")
    assert [s.pid for s in looked(root, me=51)] == [20, 10, 11, 12, 30]


def test_what_is_no_python_is_left_out(root: FakeRoot) -> None:
    """Also a gateway that is known."""
    put(root, 60, 1, "nginx: master process /usr/sbin/nginx", exe="/usr/sbin/nginx")
    put(root, 61, 1, "vim", "python.txt", exe="/usr/bin/vim")
    assert looked(root) == ()


@pytest.mark.parametrize("state", ["Z", "X"])
def test_the_dead_are_left_out(root: FakeRoot, state: str) -> None:
    """They have no stacks."""
    put(root, 30, 1, "python3", "a.py", state=state)
    assert looked(root) == ()


@pytest.mark.parametrize(
    ("exe", "version"),
    [
        ("/usr/bin/python3.11", "3.11"),
        ("/opt/pypy/bin/pypy3", ""),
        ("/usr/bin/python3.12 (deleted)", "3.12"),
        ("", ""),
    ],
)
def test_the_version_is_that_of_the_program(root: FakeRoot, exe: str, version: str) -> None:
    """One that was replaced by an upgrade runs on; one that is hidden, of another user, is known by its first word."""
    put(root, 30, 1, "python3", "a.py", exe=exe)
    assert [s.python for s in looked(root)] == [version]


def test_a_python_inside_another_program_is_found_by_its_library(root: FakeRoot) -> None:
    """Where the command line speaks of it: not every map of a host is read."""
    for pid, argv in ((30, ("uwsgi", "--plugin=python3")), (31, ("uwsgi", "--ini=a.ini"))):
        put(root, pid, 1, *argv, exe="/usr/bin/uwsgi")
        root.put(f"proc/{pid}/maps", "7f00-7f01 r-xp 0 08:01 4 /usr/lib/libpython3.12.so.1.0\n")
    assert [(s.pid, s.python) for s in looked(root)] == [(30, "3.12")]


def test_cpu_is_what_was_used_between_two_looks(root: FakeRoot) -> None:
    """In cores; not known at the first one."""
    pythons = Pythons(root.base)
    put(root, 30, 1, "python3", "a.py", ticks=90 * HZ)
    first = pythons.look(10.0)
    put(root, 30, 1, "python3", "a.py", ticks=93 * HZ)
    assert [s.cpu for s in (*first, *pythons.look(12.0))] == [None, 1.5]


def test_a_process_that_came_between_two_looks_has_no_cpu_yet(root: FakeRoot) -> None:
    """Its whole life is no use now."""
    pythons = Pythons(root.base)
    pythons.look(10.0)
    put(root, 30, 1, "python3", "a.py", ticks=90)
    assert [s.cpu for s in pythons.look(12.0)] == [None]


def test_a_number_used_again_gives_no_negative_cpu(root: FakeRoot) -> None:
    """Less time than before: another process."""
    pythons = Pythons(root.base)
    put(root, 30, 1, "python3", "a.py", ticks=90)
    pythons.look(10.0)
    put(root, 30, 1, "python3", "b.py", ticks=5)
    assert [s.cpu for s in pythons.look(12.0)] == [0.0]


def test_the_busiest_of_a_role_stands_first(root: FakeRoot) -> None:
    """And of equals the one with the lower number."""
    pythons = Pythons(root.base)
    for ticks in (0, HZ):
        for pid in (30, 31, 32):
            put(root, pid, 1, "python3", "a.py", ticks=ticks if pid == 31 else 0)
        found = pythons.look(float(ticks))
    assert [s.pid for s in found] == [31, 30, 32]


def test_links_of_the_session_tell_what_no_title_does() -> None:
    """Layer and role are theirs, and so is the order."""
    agents, engine = Entity(Kind.ORCHESTRATOR, "agents"), Entity(Kind.ENGINE, "vllm:8000")
    links = (
        Link(Relation.ORCHESTRATOR_HAS_PROCESS, agents, Entity(Kind.PROCESS, "30")),
        Link(Relation.ENGINE_HAS_PROCESS, engine, Entity(Kind.PROCESS, "12"), "core"),
    )
    found = owned((FRONT, WORKER, OTHER), links)
    assert [(s.pid, s.layer, s.role) for s in found] == [
        (30, "orchestration", ""),
        (10, "engine", "frontend"),
        (12, "engine", "core"),
    ]


def test_other_links_tell_nothing_of_a_process() -> None:
    """A host has every one, and a GPU may have the same name."""
    links = (
        Link(Relation.HOST_HAS, Entity(Kind.HOST, "h"), Entity(Kind.PROCESS, "30")),
        Link(Relation.ENGINE_USES_GPU, Entity(Kind.ENGINE, "e"), Entity(Kind.GPU, "30")),
    )
    assert owned((OTHER,), links) == (OTHER,)


@pytest.mark.parametrize(
    ("word", "pids"),
    [
        ("12", [12]),
        ("99", []),
        ("vllm", [10, 11, 12]),
        ("Gateway", [20]),
        ("core", [11]),
        ("REINDEX", [30]),
        ("qwen", [10]),
        ("nothing", []),
    ],
)
def test_a_process_is_named_by_its_number_or_a_word(word: str, pids: list[int]) -> None:
    """A number is never looked for in titles."""
    assert [s.pid for s in matching((GATEWAY, FRONT, CORE, WORKER, OTHER), word)] == pids


def test_a_kind_layer_or_role_comes_before_a_title() -> None:
    """`worker` is the engine's worker, not each command line that has the word."""
    jobs = Suspect(31, "", "", "", "python3 worker.py", None, 1, "3.11")
    assert matching(iter((jobs, WORKER)), "worker") == (WORKER,)
