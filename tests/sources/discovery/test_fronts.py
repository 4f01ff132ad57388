"""From known programs to targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.afar import Afar
from perfconsole.sources.discovery.answer import Answer, Shape
from perfconsole.sources.discovery.found import Found, Untaken
from perfconsole.sources.discovery.fronts import Fronts, find_fronts, unclear
from perfconsole.sources.discovery.ground import Ground
from perfconsole.sources.discovery.known import find_known
from perfconsole.sources.discovery.nginxconf import read_servers
from perfconsole.sources.discovery.settings import Settings, by_flags
from tests.sources.discovery.building import place, program, programs

if TYPE_CHECKING:
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Program

SERVE = ("/opt/bin/python3", "/opt/bin/vllm", "serve", "m")


PAGE = Answer(Shape.PAGE, "gateway", "vllm-router")
EMPTY = Answer(Shape.HTTP)
PASSED_ON = Answer(Shape.PAGE, "engine", "vllm")


def asked_first(table: list[Program], *places: Place) -> tuple[Place, ...]:
    """Ports of known programs that have to be asked."""
    every = programs(*table)
    return unclear(find_known(every), Ground(every, {each.port: each for each in places}, {}))


def fronts(
    table: list[Program],
    *places: Place,
    afar: dict[int, Afar] | None = None,
    nginx: str = "",
    answers: dict[int, Answer] | None = None,
) -> Fronts:
    """What the known ones of these programs come to."""
    every = programs(*table)
    known = find_known(every)
    settings = {each.pid: by_flags(each) for each in known}
    if nginx:
        servers = read_servers(nginx, lambda _pattern: ())
        urls = tuple(url for server in servers for url in server.upstreams)
        settings |= {each.pid: Settings(upstreams=urls, servers=servers) for each in known if "nginx" in each.argv[0]}
    ground = Ground(
        every,
        {each.port: each for each in places},
        settings,
        afar or {},
        own_addresses={"10.0.0.5"},
        answers=answers or {},
    )
    return find_fronts(known, ground)


def urls(result: Fronts) -> list[str]:
    """Where the targets are."""
    return [found.url for found in result.found]


def test_without_a_flag_the_default_counts_until_something_else_listens() -> None:
    """The port may stand in a file or in the environment."""
    assert urls(fronts([program(10, *SERVE)])) == ["http://127.0.0.1:8000"]
    assert urls(fronts([program(10, *SERVE)], place(8123, 10))) == ["http://127.0.0.1:8123"]
    assert urls(fronts([program(10, *SERVE)], place(8000, 10), place(8123, 10))) == ["http://127.0.0.1:8000"]
    assert urls(fronts([program(10, *SERVE)], place(40000, 10))) == ["http://127.0.0.1:8000"]


def test_a_gateway_is_taken_once_it_listens() -> None:
    """It loads for half a minute, and all that time it would be down."""
    table = [program(10, "/opt/bin/python3", "/opt/bin/litellm", "--port", "4000")]
    early, ready = fronts(table), fronts(table, place(4000, 10))
    assert (urls(early), urls(ready)) == ([], ["http://127.0.0.1:4000"])
    assert [each.reason for each in early.untaken] == ["LiteLLM by its command line; nothing listens on its port yet"]


def test_a_port_of_a_worker_is_not_the_front() -> None:
    """Although nothing else listens yet."""
    table = [program(10, *SERVE), program(11, "VLLM::EngineCore", parent=10)]
    assert urls(fronts(table, place(8123, 11))) == ["http://127.0.0.1:8000"]


def test_a_port_that_another_program_holds_is_not_its() -> None:
    """The engine is about to fail; its command line says nothing of the other program."""
    table = [program(10, *SERVE, "--port", "8001"), program(20, "/usr/bin/other")]
    result = fronts(table, place(8001, 20))
    assert result.found == ()
    assert result.untaken == (
        Untaken(8001, 10, "vllm", "vLLM by its command line, but another program holds its port"),
    )


def test_a_port_bound_to_one_address_is_reached_there() -> None:
    """Nobody listens at the loopback address."""
    result = fronts([program(10, *SERVE)], place(8000, 10, host="10.0.0.5"))
    assert (urls(result), result.ports) == (["http://10.0.0.5:8000"], frozenset({8000}))


def test_two_servers_of_one_port_are_one_target() -> None:
    """Each has a socket of its own."""
    table = [program(10, *SERVE), program(20, *SERVE)]
    assert [found.pid for found in fronts(table, place(8000, 10, 20)).found] == [10]


def test_titled_processes_without_a_launcher_are_found_where_they_listen() -> None:
    """Nothing else tells the port."""
    table = [program(10, "VLLM::APIServer_0", parent=1)]
    unseen = fronts(table)
    assert (unseen.found, unseen.untaken[0].port) == ((), 0)
    assert "no port of it can be seen; name it with --engine URL" in unseen.untaken[0].reason
    result = fronts(table, place(8123, 10), place(8200, 10))
    assert (urls(result), result.found[0].how) == (["http://127.0.0.1:8123"], "title of vLLM, port 8123")


def test_engines_without_a_port_are_said() -> None:
    """They would look as if they were down for ever."""
    result = fronts([program(10, *SERVE, "--headless"), program(20, *SERVE, "--uds", "/run/v.sock")])
    assert result.found == ()
    assert ["--headless" in each.reason for each in result.untaken] == [True, False]
    assert "Unix socket" in result.untaken[1].reason


def test_a_container_is_reached_at_its_own_address() -> None:
    """Before it listens and after; without an address it has to be named."""
    table = [program(10, *SERVE)]
    assert urls(fronts(table, afar={10: Afar("172.17.0.2", frozenset())})) == ["http://172.17.0.2:8000"]
    assert urls(fronts(table, afar={10: Afar("172.17.0.2", frozenset({9000}))})) == ["http://172.17.0.2:9000"]
    lost = fronts(table, afar={10: Afar("", frozenset({8000}))})
    assert "name it with --engine URL" in lost.untaken[0].reason
    assert lost.ports == frozenset()


ROUTER = [program(10, "vllm::router")]


def test_a_router_without_arguments_is_told_by_its_usual_ports() -> None:
    """One of the two is enough."""
    for ports in ((30000, 29000), (30000, 7001), (7000, 29000)):
        (found,) = fronts(ROUTER, *(place(port, 10) for port in ports)).found
        assert found.url == f"http://127.0.0.1:{ports[0]}"
        assert found.page_url == f"http://127.0.0.1:{ports[1]}/metrics"


def test_else_the_port_that_was_opened_first_is_asked_for_the_page() -> None:
    """The other one would pass the request on to an engine; nothing is decided before the answer."""
    places = (place(7001, 10), place(7000, 10))  # the inode of each is its number
    assert [each.port for each in asked_first(ROUTER, *places)] == [7000]
    assert fronts(ROUTER, *places).found == ()
    for answer, port, page in ((PAGE, 7001, 7000), (EMPTY, 7001, 7000), (PASSED_ON, 7000, 7001)):
        (found,) = fronts(ROUTER, *places, answers={7000: answer}).found
        assert (found.url, found.page_url) == (f"http://127.0.0.1:{port}", f"http://127.0.0.1:{page}/metrics")


def test_the_page_is_where_its_own_port_is_bound() -> None:
    """Or in the network of the container."""
    table = [program(10, "vllm-router", "--worker-urls", "http://a:1", "--port", "30001")]
    (found,) = fronts(table, place(30001, 10, host="10.0.0.5"), place(29000, 10)).found
    assert (found.url, found.page_url) == ("http://10.0.0.5:30001", "http://127.0.0.1:29000/metrics")
    (found,) = fronts(table, afar={10: Afar("172.17.0.2", frozenset())}).found
    assert (found.url, found.page_url) == ("http://172.17.0.2:30001", "http://172.17.0.2:29000/metrics")


def test_nobody_else_is_asked() -> None:
    """Arguments or usual ports tell enough, and so does a lone port."""
    assert asked_first([program(10, *SERVE)], place(7000, 10), place(7001, 10)) == ()
    assert asked_first(ROUTER, place(7000, 10)) == ()
    assert asked_first(ROUTER, place(30000, 10), place(7001, 10)) == ()


NGINX = "nginx: master process nginx"


def lead(upstream: str, route: str = "/", listen: str = "8080") -> str:
    """A configuration that leads there."""
    return f"http {{ server {{ listen {listen}; location {route} {{ proxy_pass {upstream}; }} }} }}"


def test_a_proxy_to_an_own_address_leads_to_this_host() -> None:
    """However its configuration writes it."""
    for host in ("127.0.0.1", "localhost", "10.0.0.5"):
        result = fronts([program(10, *SERVE), program(20, NGINX)], nginx=lead(f"http://{host}:8000"))
        assert [found.adapter for found in result.found] == ["vllm", "nginx"]


def test_a_proxy_for_routes_of_models_is_taken_wherever_it_leads() -> None:
    """Its engines may run on other hosts."""
    result = fronts([program(20, NGINX)], nginx=lead("http://gpu-07:8000", "/v1/"))
    how = "its configuration leads from port 8080 to routes of the OpenAI API"
    assert result.found == (Found("gateway", "nginx", "http://127.0.0.1:8080", "", 20, ("http://gpu-07:8000",), how),)


def test_a_web_server_that_is_no_proxy_is_not_worth_a_word() -> None:
    """It serves files."""
    result = fronts([program(20, NGINX)], nginx="http { server { listen 80; root /srv; } }")
    assert (result.found, result.untaken) == ((), ())


def test_a_proxy_without_a_port_is_said() -> None:
    """A template, or a socket file."""
    result = fronts([program(20, NGINX)], place(8080, 20), nginx=lead("http://gpu-07:8000", "/v1/", "${PORT}"))
    assert result.found == ()
    assert [(each.port, "says no port that it takes requests at" in each.reason) for each in result.untaken] == [
        (8080, True)
    ]


def test_an_oddity_of_one_program_hides_no_other() -> None:
    """Whatever it is: the rest is found, and it is said of which program something cannot be told."""
    every = programs(program(10, *SERVE), program(20, *SERVE))
    settings = {10: Settings(port=8000), 20: Settings(port=99999)}
    result = find_fronts(find_known(every), Ground(every, {}, settings))
    assert urls(result) == ["http://127.0.0.1:8000"]
    assert [(each.pid, each.program) for each in result.untaken] == [(20, "vllm")]
    assert "vLLM, but where it listens cannot be told (not the URL of a target" in result.untaken[0].reason


def test_a_plain_status_page_comes_before_one_with_tls() -> None:
    """The certificate of a door is made out to another name than the loopback address."""
    status = "location = /s { stub_status; }"
    door = f"server {{ listen 443 ssl; {status} location /v1/ {{ proxy_pass http://gpu-07:8000; }} }}"
    plain = f"server {{ listen 127.0.0.1:8081; {status} }}"
    for blocks, page in ((door + plain, "http://127.0.0.1:8081/s"), (door, "https://127.0.0.1:443/s")):
        (found,) = fronts([program(20, NGINX)], nginx=f"http {{ {blocks} }}").found
        assert (found.url, found.page_url) == ("https://127.0.0.1:443", page)


def test_a_proxy_in_a_container_is_reached_there() -> None:
    """Its page too."""
    text = "http { server { listen 80; location /s { stub_status; } location / { proxy_pass http://10.0.0.5:8000; } } }"
    table = [program(10, *SERVE), program(20, NGINX)]
    found = fronts(table, afar={20: Afar("172.17.0.3", frozenset({80}))}, nginx=text).found[-1]
    assert (found.url, found.page_url) == ("http://172.17.0.3:80", "http://172.17.0.3:80/s")


WORKER = program(10, "/opt/bin/python3", "-m", "dynamo.vllm", "--model", "m")


def test_a_program_without_a_usual_port_is_asked_which_of_its_ports_has_the_page() -> None:
    """One that it has alone is it; of many none is asked."""
    pair = (place(7000, 10), place(7001, 10))
    assert urls(fronts([WORKER], place(7000, 10))) == ["http://127.0.0.1:7000"]
    assert [each.port for each in asked_first([WORKER], *pair)] == [7000, 7001]
    assert asked_first([WORKER], *(place(port, 10) for port in range(7000, 7005))) == ()
    assert fronts([WORKER], *pair) == Fronts((), (), frozenset())
    page = Answer(Shape.PAGE, "engine", "dynamo")
    assert urls(fronts([WORKER], *pair, answers={7000: EMPTY, 7001: page})) == ["http://127.0.0.1:7001"]
    (untaken,) = fronts([WORKER], *pair, answers={7000: EMPTY, 7001: EMPTY}).untaken
    assert untaken.reason.endswith("which of its ports takes requests cannot be told; name it with --engine URL")
