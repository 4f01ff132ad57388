"""Roles of the processes of an engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.roles import Role, Roles, assign, forwards, is_helper, parse_argv, program

VLLM = Roles("VLLM::APIServer", "VLLM::EngineCore", "VLLM::Worker", (r"vllm(\s|.*\s)serve", r"vllm\.entrypoints"))


def test_a_command_line_is_cut_at_its_zeros() -> None:
    """Arguments may hold blanks."""
    assert parse_argv("vllm\0serve\0my model\0") == ("vllm", "serve", "my model")


def test_a_title_is_one_argument_without_its_padding() -> None:
    """A process that renames itself leaves zeros behind."""
    assert parse_argv("VLLM::EngineCore\0\0\0\0") == ("VLLM::EngineCore",)


def test_no_command_line_is_empty() -> None:
    """Kernel threads and zombies have none."""
    assert parse_argv("") == ()


@pytest.mark.parametrize(
    ("argv", "launches"),
    [
        (("/venv/bin/python3", "/venv/bin/vllm", "serve", "m"), True),
        (("python", "-m", "vllm.entrypoints.openai.api_server"), True),
        (("/bin/bash", "-c", "vllm serve m"), False),
        (("timeout", "60", "vllm", "serve", "m"), False),
        (("python", "other.py"), False),
        ((), False),
    ],
)
def test_the_engine_itself_is_told_from_what_wraps_it(argv: tuple[str, ...], launches: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """A shell carries the same words and is no part of the engine."""
    assert VLLM.launches(argv) is launches


def test_an_empty_pattern_matches_nothing() -> None:
    """An engine without titles leaves them empty."""
    assert Roles().titled("anything") is None
    assert not Roles().launches(("anything",))


@pytest.mark.parametrize(
    ("name", "expected"), [("/usr/bin/docker-proxy", True), ("sshd: user", True), ("python3", False), ("sshfs", False)]
)
def test_forwarders_are_known_by_name(name: str, expected: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """They hold a port for something elsewhere."""
    assert forwards((name, "-x")) is expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("/usr/bin/python3 -c from multiprocessing.resource_tracker import main;main(5)", True),
        ("python -c from multiprocessing.semaphore_tracker import main;main(5)", True),
        ("python -c from multiprocessing.forkserver import main; main(3)", True),
        ("python -m torch._inductor.compile_worker --pickler=x", True),
        ("/bin/sh -c vllm serve m", True),
        ("/usr/local/cuda/bin/nvcc -o x", True),
        ("ninja", True),
        ("python -c from multiprocessing.spawn import spawn_main; spawn_main(4)", False),
        ("VLLM::Worker_TP0", False),
        ("python /srv/refresh", False),
        ("python app.py --ld x", False),
        ("", False),
    ],
)
def test_helpers_are_known_by_their_title(title: str, expected: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """Bookkeeping of multiprocessing, shells and compilers; never what does the work."""
    assert is_helper(title) is expected


def test_titles_decide_and_the_rest_are_helpers() -> None:
    """Where core and workers have titles, a process without one is neither."""
    titles = {1: "vllm serve m", 2: "VLLM::EngineCore", 3: "VLLM::Worker_TP0", 4: "python -c something"}
    assert assign(VLLM, titles, frozenset({1})) == {
        1: Role.FRONTEND,
        2: Role.CORE,
        3: Role.WORKER,
        4: Role.HELPER,
    }


def test_without_titles_listeners_are_front_end_and_others_workers() -> None:
    """Bookkeeping children are helpers all the same."""
    titles = {1: "server", 2: "server", 3: "server", 4: "python -c from multiprocessing.resource_tracker import main"}
    assert assign(Roles(launcher=("server",)), titles, frozenset({1, 2})) == {
        1: Role.FRONTEND,
        2: Role.FRONTEND,
        3: Role.WORKER,
        4: Role.HELPER,
    }


def test_a_titled_process_that_inherited_the_listener_keeps_its_role() -> None:
    """A forked core holds the front-end's socket too."""
    assert assign(VLLM, {2: "VLLM::EngineCore"}, frozenset({2})) == {2: Role.CORE}


@given(st.dictionaries(st.integers(1, 9), st.text()), st.frozensets(st.integers(1, 9)))
def test_every_process_gets_one_role(titles: dict[int, str], fronts: frozenset[int]) -> None:
    """No title makes it raise or leaves a process out."""
    assert assign(VLLM, titles, fronts).keys() == titles.keys()


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        ("router --port 1", True),
        ("/usr/local/bin/router", True),
        ("python3.12 /venv/bin/router -v", True),
        ("/usr/bin/python -X dev -u -m router", True),
        ("python -W error -m router", True),
        ("python run.py router", False),
        ("my-router", False),
        ("tail router", False),
        ("routers", False),
    ],
)
def test_a_program_is_known_where_its_command_line_starts_it(line: str, starts: bool) -> None:  # noqa: FBT001 - a parametrized expectation
    """By itself, as a script or as a module; a mere mention of it does not count."""
    assert Roles(launcher=(program(r"router(?=\s|$)"),)).launches(tuple(line.split())) is starts
