"""The tables of names."""

from __future__ import annotations

import re

import pytest

from perfconsole.stacks import frametable
from perfconsole.stacks.framekind import THEMES_OF, Wait, Work
from perfconsole.stacks.frametable import LOOPS, POOLS, THEMES, WAITS, WORKS, every, first, rows


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (WAITS, {w.value for w in Wait}),
        (WORKS, {w.value for w in Work}),
        (THEMES, set(THEMES_OF)),
        (LOOPS, {"loop"}),
        (POOLS, {"pool"}),
    ],
)
def test_every_row_is_of_a_known_word(table: str, words: set[str]) -> None:
    """Three columns, of which the patterns compile."""
    assert {what for what, _, _ in rows(table)} <= words


def test_every_wait_and_work_has_a_row() -> None:
    """A kind that no name leads to would never be told."""
    assert {what for what, _, _ in rows(WAITS)} == {wait.value for wait in Wait}
    assert {what for what, _, _ in rows(WORKS)} == {work.value for work in Work}


def test_the_first_row_counts_and_all_themes_do() -> None:
    """A wait is one thing; work may be of several themes."""
    assert first(WAITS, "/socket.py", "getaddrinfo") == "dns"
    assert first(WAITS, "/socket.py", "nothing_of_it") is None
    assert every(THEMES, "/pydantic/main.py", "model_dump_json") == {"serialise"}


def test_native_stands_for_compiled_code() -> None:
    """By no file, a source in C, or a shared object."""
    assert first(WAITS, "/", "epoll_wait") == "selector"
    assert first(WAITS, "/libc.so.6", "__libc_recv") == "socket"
    assert first(WAITS, "/srv/app/main.py", "epoll_wait") is None


def test_packages_are_matched_as_whole_folders() -> None:
    """Somebody's `my_redis` is not redis."""
    assert re.match(frametable.CLIENTS, "/redis/client.py")
    assert not re.match(frametable.CLIENTS, "/my_redis/client.py")
