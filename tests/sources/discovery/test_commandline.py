"""Reading command lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.commandline import (
    port_of,
    script,
    short_name,
    unwrapped,
    value_of,
    values_of,
)

WORDS = st.lists(st.text(max_size=12) | st.sampled_from(["--port", "--port=1", "-m", "-c", "python3", "--urls", "80"]))


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("/usr/bin/python3.11", "-u", "/srv/app.py", "--key", "k"), "app.py"),
        (("python3", "-X", "dev", "-m", "uvicorn", "app:app"), "uvicorn"),
        (("python3", "-c", "import secret"), "python3"),
        (("python3",), "python3"),
        (("/usr/sbin/nginx", "-c", "x"), "nginx"),
        (("nginx: master process /usr/sbin/nginx -c /k",), "nginx"),
        (("sshd: me@pts/0",), "sshd"),
        (("VLLM::EngineCore",), "VLLM::EngineCore"),
        (("/bin/a\x1b[2Jb",), "a?[2Jb"),
        ((), ""),
    ],
)
def test_the_short_name_is_that_of_the_program_or_its_script(argv: tuple[str, ...], name: str) -> None:
    """Without arguments, folders and control characters."""
    assert short_name(argv) == name


def test_a_module_and_its_arguments_are_behind_the_interpreter() -> None:
    """Flags of the interpreter and their values are left out."""
    assert script(("python", "-W", "ignore", "-m", "vllm_router", "--port", "1")) == ("vllm_router", "--port", "1")


def test_a_title_that_holds_a_command_line_is_split() -> None:
    """With its quotes; a quote without an end is a mere letter."""
    assert unwrapped(("nginx: master process nginx -g 'daemon off;'",)) == ("nginx", "-g", "daemon off;")
    assert unwrapped(("nginx: master process nginx -g 'off",)) == ("nginx", "-g", "'off")
    assert unwrapped(("nginx: worker process",)) == ("nginx: worker process",)


def test_a_flag_may_have_several_values() -> None:
    """In one word, in the next, and in those after it up to the next flag."""
    argv = ("router", "--worker-urls", "a", "b", "--port", "1", "--worker_urls=c", "d")
    assert values_of(argv, ("--worker-urls",)) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("argv", "port"),
    [
        (("x", "--port", "8001"), 8001),
        (("x", "--port=8001"), 8001),
        (("x", "--port", "1", "--port", "2"), 2),
        (("x", "--port"), 0),
        (("x", "--port", "--host"), 0),
        (("x", "--port", "many"), 0),
        (("x", "--port", "0"), 0),
        (("x", "--port", "65536"), 0),
        (("x", "--port", "٣٣"), 0),
        (("x", "--port", "1" * 5000), 0),
        (("x", "8001"), 0),
    ],
)
def test_a_port_is_what_the_last_flag_says(argv: tuple[str, ...], port: int) -> None:
    """Nonsense is no port."""
    assert port_of(argv, ("--port",)) == port


def test_the_value_after_an_equals_sign_is_not_the_next_word() -> None:
    """An empty one stays empty."""
    assert value_of(("x", "--config=", "y"), ("--config",)) == ""
    assert value_of(("x", "--config=a", "y"), ("--config",)) == "a"


@given(WORDS)
def test_no_command_line_makes_it_raise(words: list[str]) -> None:
    """Titles and arguments are anybody's text."""
    argv = tuple(words)
    assert 0 <= port_of(argv, ("--port",)) <= 65535
    assert short_name(argv).isprintable()
    assert len(script(argv)) <= len(argv)
    assert set(values_of(argv, ("--urls",))) <= set(argv) | {word.partition("=")[2] for word in argv}
    assert unwrapped(argv) == argv or len(argv) == 1
