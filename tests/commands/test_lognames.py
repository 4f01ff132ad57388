"""Tests of the logs that a person names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perfconsole.commands.lognames import NamedLog, UnclaimedLogs, logs_of, named_logs, refuse_strangers
from perfconsole.errors import UsageError
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.directory import Directory, Member
from perfconsole.sources.layer import ENGINE

KNOWN = (("a", "127.0.0.1:8000", "http://127.0.0.1:8000", "8000"), ("127.0.0.1:8001", "http://127.0.0.1:8001", "8001"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A file."""
    path = tmp_path / "out.log"
    path.touch()
    return path


def member(name: str, port: int) -> Member:
    """An engine of this host."""
    entity = Entity(Kind.ENGINE, name)
    url = f"http://127.0.0.1:{port}"
    return Member(ENGINE, lambda: entity, place=("", port), url=url, source=f"127.0.0.1:{port}")


def test_a_file_alone_and_one_of_an_engine(log: Path) -> None:
    """The engine by name, URL, place or port."""
    assert named_logs([str(log), f"vllm:8000={log}", f"http://h:1={log}"]) == (
        NamedLog("", str(log)),
        NamedLog("vllm:8000", str(log)),
        NamedLog("http://h:1", str(log)),
    )


def test_a_path_may_hold_an_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is there is meant."""
    monkeypatch.chdir(tmp_path)
    Path("a=b.log").touch()
    assert named_logs(["a=b.log", f"{tmp_path}/a=b.log"])[0] == NamedLog("", "a=b.log")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no file"),
        ("a=", "names no file"),
        ("/nowhere/x.log", "--log /nowhere/x.log: cannot be read: No such file"),
        ("a=/nowhere/x.log", "No such file"),
        ("/", "is no regular file"),
        ("a\0b", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    """At once, with the path."""
    with pytest.raises(UsageError, match=words):
        named_logs([text])


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """It would be read empty, or wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is no regular file"):
        named_logs([str(tmp_path / "pipe")])


def test_a_log_of_an_engine_that_is_not_watched_is_refused() -> None:
    """With those that are."""
    with pytest.raises(UsageError, match=r"b=/l: no such engine is watched; watched: a, 127.0.0.1:8001"):
        refuse_strangers([NamedLog("b", "/l")], KNOWN)


def test_a_log_of_nobody_is_refused_where_several_are_watched() -> None:
    """With what to write."""
    with pytest.raises(UsageError, match=r"2 engines are watched .*ENGINE=FILE"):
        refuse_strangers([NamedLog("", "/l")], KNOWN)
    refuse_strangers([NamedLog("", "/l")], KNOWN[:1])


@pytest.mark.parametrize("name", ["a", "8000", "vllm:8000", "http://127.0.0.1:8000/", "127.0.0.1:8000"])
def test_an_engine_has_several_names(name: str) -> None:
    """Also the one that it will have when its page is read."""
    refuse_strangers([NamedLog(name, "/l")], KNOWN)


def test_each_engine_has_its_own_logs() -> None:
    """By flags and by its table in the configuration."""
    directory = Directory()
    first, second = directory.add(member("vllm:8000", 8000)), directory.add(member("vllm:8001", 8001))
    flags = (NamedLog("vllm:8000", "/a"), NamedLog("8001", "/b"))
    assert logs_of(first, directory, flags, "/c")() == ("/c", "/a")
    assert logs_of(second, directory, flags, "")() == ("/b",)
    assert logs_of(second, directory, (), "")() == ()


def test_a_file_alone_is_the_only_engines() -> None:
    """Until a second one is found: then nobody can tell."""
    directory = Directory()
    first = directory.add(member("vllm:8000", 8000))
    files = logs_of(first, directory, (NamedLog("", "/a"),), "")
    assert files() == ("/a",)
    directory.add(member("vllm:8001", 8001))
    assert files() == "--log /a: 2 engines are watched (vllm:8000, vllm:8001); say whose it is: --log ENGINE=FILE"


def test_a_log_of_an_engine_that_is_not_found_is_remarked() -> None:
    """While engines are looked for it may still come; until then a typing error shows."""
    directory = Directory()
    directory.add(member("vllm:8000", 8000))
    source = UnclaimedLogs((NamedLog("vllm:9000", "/a"), NamedLog("8000", "/b"), NamedLog("", "/c")), directory, ENGINE)
    (batch,) = source.poll(1.0, 1.0)
    assert batch.notes == ("--log vllm:9000=/a: no such engine is watched; watched: vllm:8000",)
    directory.add(member("sglang:9000", 9000))
    (batch,) = source.poll(2.0, 2.0)
    assert batch.notes == ()
