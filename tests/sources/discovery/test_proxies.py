"""From known proxies to targets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.afar import Afar
from perfconsole.sources.discovery.answer import Answer, Shape
from perfconsole.sources.discovery.configuration import of_servers
from perfconsole.sources.discovery.found import Found, Untaken
from perfconsole.sources.discovery.ground import Ground
from perfconsole.sources.discovery.known import Kind, Known
from perfconsole.sources.discovery.proxies import find_proxy, unclear_ports
from perfconsole.sources.discovery.proxyserver import ProxyServer, page_server
from perfconsole.sources.discovery.settings import Settings
from perfconsole.sources.gateways import nginx
from tests.sources.discovery.building import place, program, programs

if TYPE_CHECKING:
    from perfconsole.sources.discovery.place import Place

ADAPTER = replace(nginx.ADAPTER, name="proxy", title="Proxy", metrics_path="/page", page_port=9901, default_port=0)
KNOWN = Known(Kind("gateway", ADAPTER), 20, 1, ("/usr/bin/proxy", "-f", "x"), frozenset({20, 21}), frozenset({20}))
ENGINE = "http://127.0.0.1:8000"
GOALS = {("127.0.0.1", 8000), ("172.17.0.2", 8001)}
REMARK = "its configuration cannot be read"
PAGE = page_server("127.0.0.1", 9000, "/prom")


def door(port: int, *urls: str, tls: bool = False, models: bool = False) -> ProxyServer:
    """One that leads there."""
    return ProxyServer("127.0.0.1", port, tls, urls, "", models)


def settings(*servers: ProxyServer, named: tuple[tuple[str, str], ...] = (), remark: str = "") -> Settings:
    """What was read of it."""
    read = of_servers(servers, named)
    return Settings(0, 9901, read.upstreams, read.servers, remark, read.named)


def find(
    said: Settings, *places: Place, calls: tuple[int, ...] = (), afar: Afar | None = None
) -> Found | Untaken | None:
    """What the proxy comes to; its second process is the one that calls."""
    table = programs(program(20, *KNOWN.argv), program(21, *KNOWN.argv, parent=20))
    away = {20: afar} if afar else {}
    by_port = {each.port: each for each in places}
    return find_proxy(KNOWN, Ground(table, by_port, {20: said}, away, calls={21: frozenset(calls)}), GOALS)


def found(outcome: Found | Untaken | None) -> Found:
    """The target that it is."""
    assert isinstance(outcome, Found)
    return outcome


def test_the_door_that_leads_to_an_engine_is_the_target_and_the_page_has_its_own() -> None:
    """With the names of what is behind it."""
    said = settings(door(80, "http://10.0.0.9:1"), door(8080, ENGINE), PAGE, named=(("b/e0", ENGINE),))
    assert find(said) == Found(
        "gateway",
        "proxy",
        "http://127.0.0.1:8080",
        "http://127.0.0.1:9000/prom",
        20,
        ("http://10.0.0.9:1", ENGINE),
        "its configuration leads from port 8080 to port 8000",
        named=(("b/e0", ENGINE),),
    )


def test_a_page_may_be_of_another_kind_than_the_usual_one() -> None:
    """Then the adapter for that page takes it."""
    said = settings(door(80, ENGINE), replace(PAGE, adapter="proxy-plus"))
    assert found(find(said)).adapter == "proxy-plus"


def test_without_a_page_in_its_configuration_it_is_at_the_usual_port_if_that_is_its_own() -> None:
    """Another program may listen there."""
    said = settings(door(80, ENGINE))
    assert found(find(said, place(9901, 21))).page_url == "http://127.0.0.1:9901/page"
    assert found(find(said, place(9901, 30))).page_url == ""


def test_of_two_pages_the_one_that_is_there_is_taken() -> None:
    """A default may be switched off."""
    said = settings(door(80, ENGINE), PAGE, page_server("127.0.0.1", 9001, "/prom"))
    assert found(find(said, place(9001, 20))).page_url == "http://127.0.0.1:9001/prom"
    assert found(find(said)).page_url == "http://127.0.0.1:9000/prom"


def test_connections_tell_where_no_configuration_does() -> None:
    """The reason says both."""
    taken = found(find(settings(remark=REMARK), place(8080, 21), place(9901, 20), calls=(8000, 8001)))
    assert (taken.url, taken.page_url) == ("http://127.0.0.1:8080", "http://127.0.0.1:9901/page")
    assert taken.how == f"it holds connections to ports 8000, 8001; {REMARK}"
    told = found(find(settings(door(81)), place(81, 20), calls=(8000,)))
    assert (told.url, told.how.partition("; ")[2]) == (
        "http://127.0.0.1:81",
        "its configuration does not say where it leads",
    )


def test_connections_to_itself_lead_nowhere() -> None:
    """A check of its own door."""
    assert isinstance(find(settings(remark=REMARK), place(8080, 21), calls=(8080,)), Untaken)


def test_of_several_ports_none_is_guessed() -> None:
    """The usual one is taken where it is among them."""
    outcome = find(settings(remark=REMARK), place(8080, 20), place(8081, 20), calls=(8000,))
    assert isinstance(outcome, Untaken)
    assert outcome.reason == (
        "a proxy with connections to port 8000, but the port that it takes requests at cannot be told; "
        "name it with --gateway URL"
    )


def test_of_two_ports_the_one_that_gives_the_page_of_an_engine_takes_requests() -> None:
    """The other one has the page, whatever it says at a path that is not its own."""
    ports = (place(8080, 21), place(8081, 20))
    table = programs(program(20, *KNOWN.argv), program(21, *KNOWN.argv, parent=20))
    blind = {20: settings(remark=REMARK)}
    by_port = {each.port: each for each in ports}
    ground = Ground(table, by_port, blind, calls={21: frozenset({8000})})
    assert {each.port for each in unclear_ports([KNOWN], ground, {20, 21})} == {8080, 8081}
    passed_on, own = Answer(Shape.PAGE, "engine", "vllm"), Answer(Shape.PAGE, "gateway", "proxy")
    for first, second in ((passed_on, Answer(Shape.HTTP)), (Answer(Shape.HTTP), own)):
        taken = found(find_proxy(KNOWN, replace(ground, answers={8080: first, 8081: second}), GOALS))
        assert (taken.url, taken.page_url) == ("http://127.0.0.1:8080", "http://127.0.0.1:8081/page")


def test_ports_of_a_proxy_are_not_asked_where_an_engine_must_not_be() -> None:
    """The request would go on to it; nor are those of a proxy that calls nobody."""
    by_port = {8080: place(8080, 20), 8081: place(8081, 20)}
    ground = Ground({}, by_port, {}, calls={20: frozenset({8000})})
    shy = replace(KNOWN, kind=Kind("engine", replace(ADAPTER, proxy=False, never_read=("/metrics",))), pid=30)
    assert unclear_ports([KNOWN, shy], ground, {20}) == ()
    assert unclear_ports([KNOWN], replace(ground, calls={}), {20}) == ()
    assert unclear_ports([KNOWN], ground, set()) == ()


def test_what_leads_to_nothing_known_is_said_and_a_server_of_files_is_not() -> None:
    """One whose configuration cannot be read may lead anywhere."""
    outcomes = [find(each) for each in (settings(door(80, "http://10.0.0.9:1")), settings(remark=REMARK), settings())]
    reasons = [each.reason.partition("; name")[0] if isinstance(each, Untaken) else each for each in outcomes]
    assert reasons == ["a proxy, but to no engine or gateway that is known", REMARK, None]


def test_in_a_container_names_of_its_network_are_told_by_their_port() -> None:
    """It is reached where its port is published, else at its own address."""
    said = settings(door(80, "http://vllm:8001"), PAGE)
    taken = found(find(said, afar=Afar("172.17.0.3", frozenset({80, 9000}))))
    assert (taken.url, taken.page_url) == ("http://172.17.0.3:80", "http://172.17.0.3:9000/prom")
    assert isinstance(find(said), Untaken), "on the host a name without a dot is a host"
