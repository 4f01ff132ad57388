"""What single frames are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.stack import Frame
from perfconsole.stacks.framekind import Origin, Sign, is_native, kinds, origin, short_file, traits

LIB = "/usr/lib/python3.11"
SITE = f"{LIB}/site-packages"


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        (f"{LIB}/socket.py", Origin.MACHINERY),
        ("selectors.py", Origin.MACHINERY),
        ("<frozen runpy>", Origin.MACHINERY),
        ("<string>", Origin.MACHINERY),
        ("libc.so.6", Origin.MACHINERY),
        ("", Origin.MACHINERY),
        ("/usr/local/bin/celery", Origin.MACHINERY),
        (f"{SITE}/uvicorn/server.py", Origin.MACHINERY),
        (f"{SITE}/redis/client.py", Origin.MACHINERY),
        (f"{SITE}/vllm/engine.py", Origin.PACKAGE),
        ("/srv/app/main.py", Origin.USER),
        ("/srv/requests/app.py", Origin.USER),
        ("app/main.py", Origin.USER),
    ],
)
def test_a_file_says_whose_code_it_is(file: str, whose: Origin) -> None:
    """Python's own, libraries that nobody mends here, an installed application, the user's."""
    assert origin(file) is whose


@pytest.mark.parametrize(
    ("function", "file", "sign"),
    [
        ("Handle._run", f"{LIB}/asyncio/events.py", Sign.LOOP),
        ("_worker", f"{LIB}/concurrent/futures/thread.py", Sign.POOL),
        ("WorkerThread.run", f"{SITE}/anyio/_backends/_asyncio.py", Sign.POOL),
        ("_find_and_load", "<frozen importlib._bootstrap>", Sign.IMPORT),
        ("take_gil", "ceval_gil.h", Sign.GIL),
        ("ClientSession._request", f"{SITE}/aiohttp/client.py", Sign.ASYNC),
        ("AsyncClient.send", f"{SITE}/httpx/_client.py", Sign.ASYNC),
    ],
)
def test_signs_are_set_by_name(function: str, file: str, sign: int) -> None:
    """Wherever Python is installed."""
    assert traits(Frame(function, file, 1)).signs & sign


def test_a_function_of_the_user_with_a_known_name_is_nothing_known() -> None:
    """`run` and `wait` are words that everybody uses."""
    for function in ("run", "wait", "select", "_worker"):
        found = traits(Frame(function, "/srv/app/main.py", 1))
        assert (found.wait, found.signs & Sign.RUNS) == (None, 0)


def test_traits_are_worked_out_once() -> None:
    """A few thousand frames make up every file."""
    frame = Frame("once", "/srv/app/once.py", 1)
    assert kinds((frame, frame)) == [traits(frame)] * 2
    assert traits(frame) is traits(Frame("once", "/srv/app/once.py", 1))


@pytest.mark.parametrize(
    ("file", "native"), [("gcmodule.c", True), ("libc.so.6", True), ("", True), ("a.py", False), ("vllm", False)]
)
def test_compiled_code_is_told_by_its_file(file: str, native: bool) -> None:  # noqa: FBT001 - a table row
    """A script without an ending is none."""
    assert is_native(file) is native


def test_paths_are_short_below_packages_and_python_itself() -> None:
    """The rest of them says nothing."""
    assert short_file(f"{SITE}/vllm/engine.py") == "vllm/engine.py"
    assert short_file(f"{LIB}/socket.py") == "socket.py"
    assert short_file("/srv/app/main.py") == "/srv/app/main.py"


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_names_make_it_raise(function: str, file: str) -> None:
    """A recorder may write anything."""
    traits(Frame(function, file, 1))
