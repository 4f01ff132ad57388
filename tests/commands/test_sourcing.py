"""Tests of the way from one target to its sources and its place among the others."""

from __future__ import annotations

import os

import pytest

from perfconsole.commands.sourcing import Sourcing, host_name, local_port, place_of, split_page
from perfconsole.config import Config, Target
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.sources.discovery.found import Found
from perfconsole.sources.discovery.pageport import Behind
from perfconsole.sources.exporters.source import ExporterSource
from perfconsole.sources.gateways import litellm
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.service import ServiceSource
from tests.sources.servers import Server, pages

ENGINE = Target("engine", "127.0.0.1:8000", "chat")
CHAT = Entity(Kind.ENGINE, "chat")


def sourcing(*targets: Target) -> Sourcing:
    """With these entered."""
    found = Sourcing(Config(targets, DEFAULT, ()))
    for target in targets:
        found.sources(target)
    return found


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", host_name()])
def test_names_of_this_host_are_one_place(host: str) -> None:
    """A configuration may use any of them."""
    assert place_of(f"http://{host}:8000/v1") == ("", 8000)


def test_a_place_elsewhere_has_its_host() -> None:
    """And no local port."""
    assert (place_of("http://gpu-99.example:8000"), local_port("http://gpu-99.example:8000")) == (
        ("gpu-99.example", 8000),
        0,
    )


def test_the_url_of_a_page_is_cut_in_two() -> None:
    """An absent one stays absent."""
    assert split_page("http://h:9001/internal/metrics") == ("http://h:9001", "/internal/metrics")
    assert split_page("") == ("", "")


def test_a_gateway_that_names_its_engines_is_linked_to_those_only() -> None:
    """By its table in the configuration."""
    other = Target("engine", "127.0.0.1:8001", "other")
    gateway = Target("gateway", "127.0.0.1:4000", "proxy", upstreams=("http://localhost:8000/v1",))
    made = sourcing(ENGINE, other, gateway)
    (member,) = made.directory.members(GATEWAY)
    link = Link(Relation.GATEWAY_TO_ENGINE, Entity(Kind.GATEWAY, "proxy"), CHAT)
    assert made.directory.links(member, 0.0) == (link,)


def test_urls_on_its_page_name_them_too() -> None:
    """What is no URL says nothing."""
    made = sourcing(ENGINE)
    (source,), _ = made.sources(Target("gateway", "127.0.0.1:4000", "proxy"))
    assert isinstance(source, ServiceSource)
    source.page.upstreams = frozenset({"http://127.0.0.1:8000/v1", "None", "http://[", "http://elsewhere.example:1"})
    (member,) = made.directory.members(GATEWAY)
    assert [link.child for link in made.directory.links(member, 0.0)] == [CHAT]


def test_a_found_service_is_linked_by_what_is_seen_only() -> None:
    """It may have nothing to do with the engine beside it."""
    found = Found("orchestration", "python", "http://127.0.0.1:9000", "", 7, (), "it calls the engine")
    made = sourcing(ENGINE)
    made.sources(Target("orchestration", found.url), found)
    member = made.directory.members()[-1]
    assert (member.adapter(), member.how, made.directory.links(member, 0.0)) == ("python", "it calls the engine", ())


def test_a_table_of_its_own_is_used_from_the_first_poll() -> None:
    """Nobody has to guess what the page is."""
    (source,), _ = sourcing().sources(Target("gateway", "127.0.0.1:4000", "proxy", adapter=litellm.ADAPTER))
    assert isinstance(source, ServiceSource)
    assert source.page.adapter is litellm.ADAPTER


def test_a_page_elsewhere_is_asked_there() -> None:
    """The health route stays at the door."""
    target = Target("gateway", "127.0.0.1:4000", page_url="http://127.0.0.1:29000/metrics")
    (source,), _ = sourcing().sources(target)
    assert isinstance(source, ServiceSource)
    assert (source._pages.path, source._pages.apart) == ("/metrics", True)


def test_a_key_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page elsewhere may be anybody's; another port of the same host is the same owner's."""
    monkeypatch.setenv("KEY", "secret")
    sent = [
        sourcing()
        .sources(Target("gateway", "http://127.0.0.1:4000", token_env="KEY", page_url=f"http://{host}:9001/metrics"))[
            0
        ][0]
        ._page_get._fetcher._headers  # type: ignore[attr-defined]
        for host in ("127.0.0.1", "h.example")
    ]
    assert ["secret" in str(headers) for headers in sent] == [True, False]


def test_a_member_is_shown_without_its_password() -> None:
    """The list of targets goes everywhere."""
    assert sourcing(Target("engine", "http://me:hunter2@127.0.0.1:8000")).directory.members()[0].url == (
        "http://***@127.0.0.1:8000"
    )


def test_a_process_with_a_port_of_its_own_is_watched_at_that_port() -> None:
    """By its number alone nobody would see whether it answers."""
    with Server(pages(b"{}")) as server:
        (source,), local = sourcing().sources(Target("orchestration", str(os.getpid())))
    assert isinstance(source, ServiceSource)
    assert (source.name, source.page._address, len(local)) == (f"pid-{os.getpid()}", f"127.0.0.1:{server.port}", 1)


def test_an_exporter_is_asked_at_its_page() -> None:
    """At /metrics unless its URL or `metrics` says otherwise; the key goes along."""
    place = "http://127.0.0.1:9400"
    targets = (
        Target("hardware", place),
        Target("hardware", f"{place}/gpus"),
        Target("hardware", place, page_url=f"{place}/x/metrics"),
    )
    made = [sourcing().exporter(target, pytest.fail) for target in targets]
    assert all(isinstance(source, ExporterSource) for source in made)
    assert [source._path for source in made if isinstance(source, ExporterSource)] == [
        "/metrics",
        "/gpus",
        "/x/metrics",
    ]


def test_an_exporter_elsewhere_knows_the_engines_at_its_host() -> None:
    """By the host in their URLs."""
    found = sourcing(Target("engine", "http://gpu-99:8000", "far"), ENGINE)
    source = found.exporter(Target("hardware", "http://gpu-99:9100/metrics"), pytest.fail)
    assert isinstance(source, ExporterSource)
    assert (source._site.place, source._site.engines()) == ("gpu-99", [Entity(Kind.ENGINE, "far")])


def test_names_of_upstreams_come_with_what_was_found() -> None:
    """Its page says the name where its configuration says the place."""
    found = Found("gateway", "nginx", "http://127.0.0.1:80", "", 7, (), "", named=(("b/e0", "http://localhost:8000"),))
    made = sourcing(ENGINE)
    made.sources(Target("gateway", found.url), found)
    assert made.directory.members()[-1].names() == {"b/e0": ("", 8000)}


def test_whom_a_named_gateway_calls_is_told_by_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its process is known; where none of that is watched it is anybody's guess again."""
    told = ("http://127.0.0.1:8000",), ("http://10.9.9.9:1",)
    called = []
    for upstreams in told:
        behind = Behind(litellm.ADAPTER, "", (), upstreams)
        monkeypatch.setattr(
            "perfconsole.sources.discovery.pageport.Doors.behind", lambda _doors, _port, behind=behind: behind
        )
        made = sourcing(ENGINE, Target("engine", "127.0.0.1:8001", "other"))
        (source,), _ = made.sources(Target("gateway", "127.0.0.1:4000", "proxy"))
        assert isinstance(source, ServiceSource)
        assert source._identify().adapter is litellm.ADAPTER
        called.append([link.child.name for link in made.directory.links(made.directory.members(GATEWAY)[0], 0.0)])
    assert called == [[CHAT.name], sorted([CHAT.name, "other"])]
