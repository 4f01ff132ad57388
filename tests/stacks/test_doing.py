"""What a thread does in one stack."""

from __future__ import annotations

import pytest

from perfconsole.model.stack import Frame
from perfconsole.stacks.doing import doing, user_frame
from tests.stacks.building import CALLBACK, LOOP, SELECT, WORKER, frames, source, unread

LIB = "/usr/lib/python3.11"
SITE = f"{LIB}/site-packages"


def test_a_loop_in_its_selector_is_idle() -> None:
    """Nothing but Python's own frames below the loop."""
    done = doing(frames(SELECT), unread)
    assert done.idle
    assert not done.blocked


@pytest.mark.parametrize(
    ("tail", "what"),
    [
        (f"get ({SITE}/requests/api.py:73);readinto ({LIB}/socket.py:706)", "socket"),
        (f"get ({SITE}/requests/api.py:73);readinto ({LIB}/socket.py:706);read ({LIB}/ssl.py:1107)", "ssl"),
        (f"create_connection ({SITE}/urllib3/util/connection.py:60);getaddrinfo ({LIB}/socket.py:962)", "dns"),
        (
            f"read_response ({SITE}/redis/connection.py:512);_read_from_socket ({SITE}/redis/_parsers/socket.py:65)",
            "socket",
        ),
        (
            f"run ({LIB}/subprocess.py:550);_communicate ({LIB}/subprocess.py:2080);select ({LIB}/selectors.py:415)",
            "subprocess",
        ),
        (f"Condition.wait ({LIB}/threading.py:327)", "notice"),
        (f"_RLock.acquire ({LIB}/threading.py:168)", "lock"),
        (f"loads ({LIB}/json/__init__.py:346);raw_decode ({LIB}/json/decoder.py:353)", "json"),
        (f"encode ({SITE}/tiktoken/core.py:124)", "tokenizer"),
        (
            "_find_and_load (<frozen importlib._bootstrap>:1176);get_data (<frozen importlib._bootstrap_external>:9)",
            "import",
        ),
        ("gc_collect_main (gcmodule.c:1200);visit_decref (gcmodule.c:400)", "gc"),
        ("sock_recv (socketmodule.c:3400);__libc_recv (libc.so.6)", "socket"),
        ("lock_PyThread_acquire_lock (_threadmodule.c:100);__futex_abstimed_wait_common64 (libc.so.6)", "lock"),
    ],
)
def test_names_tell_what_a_callback_waits_for_or_does(tail: str, what: str) -> None:
    """Below a callback of the loop, in Python and in C."""
    assert doing(frames(f"{CALLBACK};{tail}"), unread).what == what


def test_waiting_for_another_thread_below_a_callback_blocks_the_loop() -> None:
    """The same wait is idleness in a thread that has nothing else to do, and none in a job of a pool."""
    wait = f"result ({LIB}/concurrent/futures/_base.py:451)"
    assert doing(frames(f"{CALLBACK};{wait}"), unread).blocked
    assert doing(frames(f"_bootstrap ({LIB}/threading.py:1);output (/srv/app/main.py:9);{wait}"), unread).idle
    assert doing(frames(f"{WORKER};job (/srv/app/main.py:9);{wait}"), unread).blocked


def test_a_call_into_c_is_told_by_the_text_of_its_line() -> None:
    """py-spy sees the line that called `time.sleep`, and nothing below it."""
    done = doing(frames(CALLBACK), source(l40="    time.sleep(0.1)"))
    assert (done.what, done.call) == ("sleep", "time.sleep")
    assert done.blocked


def test_without_its_source_a_callback_is_busy() -> None:
    """It may compute or wait: nothing says that it waits."""
    done = doing(frames(CALLBACK), unread)
    assert done.what is None
    assert not done.blocked


@pytest.mark.parametrize(
    "tail",
    [
        f"data_received ({LIB}/asyncio/sslproto.py:5);read ({LIB}/ssl.py:920)",
        f"_accept_connection ({LIB}/asyncio/selector_events.py:166);accept ({LIB}/socket.py:294)",
        f"fetch (/srv/app/main.py:9);write ({SITE}/aiohttp/http_writer.py:90)",
        f"fetch (/srv/app/main.py:9);send_packed_command ({SITE}/redis/asyncio/connection.py:540)",
        f"fetch (/srv/app/main.py:9);AsyncClient.send ({SITE}/httpx/_client.py:1629)",
        f"fetch (/srv/app/main.py:9);read ({SITE}/httpcore/_backends/anyio.py:35)",
        f"_handle_recv ({SITE}/zmq/_future.py:500);recv_multipart ({SITE}/zmq/sugar/socket.py:800)",
    ],
)
def test_asynchronous_clients_never_block_the_loop(tail: str) -> None:
    """Their functions have the names of waits, and find their data ready."""
    done = doing(frames(f"{CALLBACK.rpartition(';')[0]};{tail}"), unread)
    assert (done.blocked, done.idle) == (False, False)


def test_a_blocking_call_inside_an_asynchronous_callback_blocks() -> None:
    """The user's frame stands between the loop's own code and the wait."""
    tail = f"data_received ({LIB}/asyncio/sslproto.py:5);parse (/srv/app/main.py:9);readinto ({LIB}/socket.py:706)"
    assert doing(frames(f"{CALLBACK.rpartition(';')[0]};{tail}"), unread).blocked


def test_a_line_that_cannot_be_read_is_said_to_be_so() -> None:
    """It may compute or wait; names that tell need no text."""
    assert doing(frames(CALLBACK), unread).unread
    assert not doing(frames(CALLBACK), source(l40="x = 1")).unread
    assert not doing(frames(f"{CALLBACK};readinto ({LIB}/socket.py:706)"), unread).unread


def test_waiting_for_the_interpreter_lock_is_no_blocking_call() -> None:
    """The thread would run if it could."""
    done = doing(frames(f"{CALLBACK};take_gil (ceval_gil.h:200);__futex_abstimed_wait_common64 (libc.so.6)"), unread)
    assert done.what is None


@pytest.mark.parametrize("start", [f"run ({SITE}/uvloop/__init__.py:92)", f"Server.run ({SITE}/uvicorn/server.py:75)"])
def test_a_loop_in_c_has_no_frame_for_its_selector(start: str) -> None:
    """uvloop ends in the function that runs it, also where a server chose it by a setting."""
    stack = f"<module> (vllm:10);{start};Runner.run ({LIB}/asyncio/runners.py:118)"
    assert doing(frames(stack), unread).idle


def test_a_thread_of_a_pool_at_its_queue_is_idle() -> None:
    """Its wait is written in C and has no frame."""
    assert doing(frames(WORKER), unread).idle


def test_a_loop_that_works_for_itself_is_not_idle() -> None:
    """Its innermost frame is the loop, not its selector."""
    assert not doing(frames(LOOP), unread).idle


def test_the_users_own_frame_is_the_innermost_outside_of_libraries() -> None:
    """The redis-like client in the user's own file counts, what it calls does not."""
    stack = frames(f"{CALLBACK};get (/srv/app/store.py:12);readinto ({LIB}/socket.py:706)")
    assert user_frame(stack, 3) == Frame("get", "/srv/app/store.py", 12)


def test_an_installed_application_stands_in_where_no_file_is_the_users() -> None:
    """An engine is installed like a library; a web framework is nobody's culprit."""
    tail = f"app ({SITE}/starlette/routing.py:70);generate ({SITE}/vllm/engine.py:5);readinto ({LIB}/socket.py:706)"
    found = user_frame(frames(f"{LOOP};{tail}"), 3)
    assert found == Frame("generate", f"{SITE}/vllm/engine.py", 5)


def test_an_empty_stack_is_neither_idle_nor_blocked() -> None:
    """A thread outside of Python."""
    done = doing((), unread)
    assert (done.idle, done.blocked) == (False, False)
