"""Tests of the way from a configuration to its sources."""

from __future__ import annotations

import pytest

from perfconsole.commands.sourcing import host_name
from perfconsole.commands.watching import Watching
from perfconsole.config import Config, Target
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind


def names(*targets: Target) -> list[str]:
    """Names of the sources of these targets, beside those of the host."""
    watching = Watching(Config(targets, DEFAULT, ()))
    sources = [*watching.pages, *watching.local()]
    for source in sources:
        source.close()
    return [s.name for s in sources if s.kind not in ("host", "gpu")]


def test_the_host_is_watched_without_any_target() -> None:
    """And its GPUs, also where there is no driver: that is said."""
    assert names() == []
    assert [s.kind for s in Watching(Config((), DEFAULT, ())).local()] == ["host", "gpu"]


def test_an_engine_on_this_host_has_its_processes_too() -> None:
    """Page and processes of a loopback port."""
    assert {"127.0.0.1:8000", "127.0.0.1:8000 processes"} <= set(names(Target("engine", "127.0.0.1:8000")))


def test_an_engine_elsewhere_has_only_its_page() -> None:
    """Processes of another host cannot be read."""
    assert names(Target("engine", "http://gpu-99.example:8000")) == ["gpu-99.example:8000"]


def test_an_engine_under_this_hosts_name_is_local() -> None:
    """The host's own name is as good as localhost."""
    here = host_name()
    assert len(names(Target("engine", f"http://{here.lower()}:8000"))) == 3


def test_an_ipv6_address_keeps_its_brackets() -> None:
    """So that commands can use it."""
    assert "[::1]:8000" in names(Target("engine", "http://[::1]:8000"))


def test_a_name_given_is_the_name_shown() -> None:
    """And sets two engines on one port apart."""
    assert names(Target("engine", "h:1/a", "a"), Target("engine", "h:1/b", "b")) == ["a", "b"]


def test_a_gateway_has_page_health_and_processes() -> None:
    """As an engine has."""
    found = names(Target("engine", "127.0.0.1:8000"), Target("gateway", "127.0.0.1:4000"))
    assert {"127.0.0.1:4000", "127.0.0.1:4000 processes"} <= set(found)


def test_an_orchestrator_elsewhere_has_only_its_page() -> None:
    """Its processes are out of reach."""
    assert names(Target("orchestration", "http://gpu-99.example:9000")) == ["gpu-99.example:9000"]


def test_an_orchestrator_may_be_a_number() -> None:
    """Then its process is all there is."""
    assert names(Target("orchestration", "4312")) == ["process 4312"]
    assert names(Target("orchestration", "4312", "agent")) == ["agent"]


def test_gpus_come_with_the_engines_they_serve() -> None:
    """A helper that was not started says so, and nothing else happens."""
    config = Config((Target("engine", "127.0.0.1:8000", "chat"),), DEFAULT, ())
    gpus = Watching(config)._gpus(["helper"])
    (batch,) = gpus.poll(0.0, 0.0)
    assert batch.error == "the GPU helper was not started"
    assert gpus._owners() == {Entity(Kind.ENGINE, "chat"): frozenset()}


def test_a_password_is_in_no_name() -> None:
    """Names are shown everywhere."""
    assert "hunter2" not in "".join(names(Target("engine", "http://me:hunter2@h:1")))


@pytest.mark.parametrize(
    "targets",
    [
        (Target("engine", "h:1"), Target("engine", "http://h:1/v1")),
        (Target("engine", "localhost:1"), Target("engine", "127.0.0.1:1")),
        (Target("engine", "a:1", "x"), Target("engine", "b:1", "x")),
    ],
)
def test_two_targets_that_would_share_a_name_are_refused(targets: tuple[Target, ...]) -> None:
    """One engine's values never mix with another's."""
    with pytest.raises(UsageError, match="name each target once"):
        names(*targets)


def test_an_exporter_that_somebody_named_is_asked_after_all_others() -> None:
    """And is under its own name."""
    found = names(Target("hardware", "http://gpu-99.example:9100/metrics"), Target("engine", "gpu-99.example:8000"))
    assert found == ["gpu-99.example:8000", "exporter gpu-99.example:9100"]


def test_an_exporter_of_this_host_is_not_looked_for_again() -> None:
    """Discovery would take it once more."""
    config = Config((Target("hardware", "127.0.0.1:9400"), Target("hardware", "gpu-99:9401")), DEFAULT, ())
    assert Watching(config)._exporter_ports() == frozenset({9400})
