"""Tests of asking targets for their models: once, on a thread, and again when somebody wants it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from perfconsole.errors import UsageError
from perfconsole.sources.probetarget import keyless_target, probe_target
from perfconsole.tui.probemodels import Models
from tests.tui.probing import target

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.probeorders import Target
    from perfconsole.sources.servedmodels import Served


def asked(models: Models, url: str, address: Callable[[str], Target] = keyless_target) -> Served:
    """What a target has said, once it has."""
    told = threading.Event()
    models.ask(url, address, told.set)
    assert told.wait(10.0)
    return models.served(url)


def test_a_target_is_asked_once() -> None:
    """However often the page is drawn."""
    with target("m", "lora") as server:
        models = Models()
        assert models.served(server.url).models == ()
        assert asked(models, server.url).models == ("m", "lora")
        models.ask(server.url, keyless_target, pytest.fail)
        assert len(server.requests) == 1


def test_somebody_who_wants_it_asks_again() -> None:
    """What it said before is forgotten."""
    with target("m") as server:
        models = Models()
        asked(models, server.url)
        models.forget(server.url)
        assert models.served(server.url).models == ()
        assert asked(models, server.url).models == ("m",)
        assert len(server.requests) == 2


def test_the_key_of_the_target_goes_with_it() -> None:
    """And nothing secret into the URL."""
    with target("m") as server:
        asked(Models(), server.url, lambda url: probe_target(url, {"Authorization": "Bearer k"}))
        assert "Authorization: Bearer k" in server.requests[0]


@pytest.mark.parametrize(
    ("url", "error", "words"),
    [
        ("unix:/run/s", None, "a socket is not asked for its models"),
        ("http://127.0.0.1:1", UsageError("the variable is not set"), "the variable is not set"),
        ("http://127.0.0.1:1", RuntimeError("oops"), "fault in perfconsole, please report it: RuntimeError: oops"),
    ],
)
def test_what_goes_wrong_is_said(url: str, error: Exception | None, words: str) -> None:
    """A thread that ends without a word would leave people waiting."""

    def address(url: str) -> Target:
        if error is not None:
            raise error
        return keyless_target(url)

    assert words in asked(Models(), url, address).trouble
