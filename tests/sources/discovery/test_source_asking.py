"""Discovery as a whole: what it asks, what it must not ask, and what it makes of the answers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.discovery.found import Found
from tests.sources.discovery.hosts import APP, SHORT, VLLM, Host, Look
from tests.sources.servers import Server, hung, pages, raw

if TYPE_CHECKING:
    from pathlib import Path

FASTAPI = b'http_requests_total{handler="/ask",method="POST",status="2xx"} 3.0\npython_info{version="3.11"} 1.0\n'
CLIENT = b'python_info{version="3.11"} 1.0\nprocess_cpu_seconds_total 4.0\n'
ENGINE = b'vllm:num_requests_running{model_name="m",engine="0"} 3.0\n'
NOT_FOUND = b"not here"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host on which nothing but init runs."""
    return Host(tmp_path)


def test_a_port_that_a_user_named_is_neither_asked_nor_taken(host: Host) -> None:
    """The user has given it a name and a key of its own."""
    with Server(pages(ENGINE)) as server:
        host.run(10, *VLLM, "--port", "8000", ports=[8000])
        host.run(20, *APP, ports=[server.port])
        look = Look(host, taken=[8000, server.port])
        look.again(3)
        assert server.connections == 0
    assert look.taken == []


@pytest.mark.parametrize(
    "argv",
    [
        ("/usr/sbin/sshd", "-D"),
        ("postgres: checkpointer",),
        ("/usr/bin/redis-server *:6379",),
        ("/usr/sbin/mysqld",),
        ("/usr/bin/etcd",),
        ("/usr/bin/kubelet",),
        ("/lib/systemd/systemd-resolved",),
        ("/usr/lib/xorg/Xorg", ":0"),
        ("/opt/bin/python3", "-m", "debugpy", "--listen", "5678", "app.py"),
        ("/usr/bin/gdbserver", ":1", "app"),
        ("/opt/bin/python3", "/opt/bin/trtllm-serve", "disaggregated"),
        ("/opt/bin/python3", "-m", "mlc_llm", "serve", "m"),
        ("/opt/bin/python3", "/opt/bin/locust"),
        ("/opt/bin/python3", "/opt/bin/jupyter-lab"),
        ("/opt/bin/python3", "/opt/bin/perfconsole", "demo"),
    ],
    ids=lambda argv: str(argv[-1]).rpartition("/")[2],
)
def test_programs_that_must_not_be_asked_see_no_connection(host: Host, argv: tuple[str, ...]) -> None:
    """Some take a request for an attack, some for work, and an engine is known by its command line."""
    with Server(pages(FASTAPI)) as server:
        host.run(10, *argv, ports=[server.port])
        look = Look(host)
        look.again(8, step_s=15.0)
        assert server.connections == 0
    assert [found for found in look.taken if found.layer != "engine"] == []


@pytest.mark.parametrize(
    ("adapter", "argv"),
    [
        ("sglang", ("/opt/bin/python3", "-m", "sglang.launch_server", "--model-path", "m")),
        ("llamacpp", ("/opt/bin/llama-server", "-m", "m.gguf")),
        ("trtllm", ("/opt/bin/python3", "/opt/bin/trtllm-serve", "m")),
        ("trtllm", ("/opt/bin/python3", "-m", "tensorrt_llm.commands.serve", "m")),
    ],
)
def test_a_known_engine_is_taken_without_a_request(host: Host, adapter: str, argv: tuple[str, ...]) -> None:
    """Reading the page of some empties a queue, and what is known need not be asked."""
    with Server(pages(ENGINE)) as server:
        host.run(10, *argv, "--port", str(server.port), ports=[server.port])
        look = Look(host)
        look.again(8, step_s=15.0)
        assert server.connections == 0
    assert [(found.adapter, found.url) for found in look.taken] == [(adapter, server.url)]


def test_the_console_and_its_children_are_never_asked(host: Host) -> None:
    """They would answer for ever."""
    with Server(pages(FASTAPI)) as own, Server(pages(FASTAPI)) as child:
        host.run(10, *APP, ports=[own.port])
        host.run(11, *APP, parent=10, ports=[child.port])
        look = Look(host, own_pid=10)
        look.again(3)
        assert (own.connections, child.connections) == (0, 0)
    assert look.taken == []


def test_a_program_with_many_ports_is_not_asked(host: Host) -> None:
    """Workers of distributed programs have such."""
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(pages(FASTAPI))) for _ in range(4)]
        host.run(10, *APP, ports=[server.port for server in servers])
        look = Look(host)
        look.again(2)
        assert sum(server.connections for server in servers) == 0
    assert "listens on 4 ports" in look.reason(servers[0].port)


def test_chosen_ports_are_asked_only_where_a_program_has_one(host: Host) -> None:
    """A second port out of the kernel's range is one of a worker; a lone one may be a service of a test."""
    with Server(pages(FASTAPI)) as lone, Server(pages(FASTAPI)) as first, Server(pages(FASTAPI)) as second:
        assert lone.port >= 32768
        host.run(10, *APP, ports=[lone.port])
        host.run(20, *APP, ports=[first.port, second.port])
        look = Look(host)
        look.again(2)
        assert (lone.connections > 0, first.connections, second.connections) == (True, 0, 0)
    assert [found.url for found in look.taken] == [lone.url]


def test_an_engine_with_an_odd_command_line_is_known_by_its_page(host: Host) -> None:
    """Only one GET of /metrics is sent, whatever it is."""
    with Server(pages(ENGINE)) as server:
        host.run(10, "/srv/start-model", ports=[server.port])
        look = Look(host)
        look.again(40)
        assert [request.split("\r\n")[0] for request in server.requests] == ["GET /metrics HTTP/1.1"]
    assert look.taken == [Found("engine", "vllm", server.url, "", 10, (), "its page has vllm: series")]


def test_copies_of_an_engines_series_make_no_engine(host: Host) -> None:
    """Routers use the same names, without the label of the model."""
    with Server(pages(b'vllm:num_requests_running{server="http://10.0.0.7:8000"} 1.0\n')) as server:
        host.run(10, "/srv/router", ports=[server.port])
        look = Look(host)
        look.again()
    assert look.taken == []
    assert "as routers copy them" in look.reason(server.port)


def test_a_gateway_is_known_by_its_page(host: Host) -> None:
    """Its program may be called anything."""
    with Server(pages(b"litellm_in_flight_requests 1.0\n" + CLIENT)) as server:
        host.run(10, *APP, ports=[server.port])
        look = Look(host)
        look.again()
    assert [(found.layer, found.adapter) for found in look.taken] == [("gateway", "litellm")]


def test_a_python_program_with_the_page_of_a_web_framework_is_an_orchestrator(host: Host) -> None:
    """By what that exports."""
    with Server(pages(FASTAPI)) as server:
        host.run(10, *APP, ports=[server.port])
        look = Look(host)
        look.again(2)
    assert [(found.adapter, found.url) for found in look.taken] == [("fastapi", server.url)]


def test_a_page_that_any_python_program_may_have_counts_once_it_calls_an_engine(host: Host) -> None:
    """Until then it may be a training job; the page is not asked for again."""
    with Server(pages(CLIENT)) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[server.port])
        look = Look(host)
        look.again(2)
        assert len(look.taken) == 1
        assert look.reason(server.port).startswith("a Python program with a page of its own that calls no known engine")
        host.connect(20, 8000)
        look.again(2)
        assert server.connections == 1
    assert [(found.adapter, found.url) for found in look.taken[1:]] == [("prometheus-client", server.url)]


def test_the_same_page_of_another_kind_of_program_is_none(host: Host) -> None:
    """Go programs export process figures too."""
    with Server(pages(b"process_cpu_seconds_total 4.0\n")) as server:
        host.run(10, "/opt/bin/some-go-service", ports=[server.port])
        look = Look(host)
        look.again()
    assert look.taken == []
    assert "of no program that perfconsole knows" in look.reason(server.port)


@pytest.mark.parametrize("name", ["node_cpu_seconds_total", "prometheus_build_info", "otelcol_process_uptime"])
def test_pages_of_those_who_watch_others_are_not_taken(host: Host, name: str) -> None:
    """Even in Python, and with copies of an engine's series."""
    with Server(pages(name.encode() + b" 1\n" + ENGINE + CLIENT)) as server:
        host.run(10, *APP, ports=[server.port])
        look = Look(host)
        look.again()
    assert look.taken == []
    assert "not part of the request's way" in look.reason(server.port)


def test_a_dcgm_page_is_told_once_and_is_no_target(host: Host) -> None:
    """The hardware layer reads it where NVML fails."""
    with Server(pages(b'DCGM_FI_DEV_GPU_UTIL{gpu="0"} 5\n')) as server:
        host.run(10, "/usr/bin/gpu-page", ports=[server.port])
        look = Look(host)
        look.again(5)
        assert server.connections == 1
    assert (look.dcgm, look.taken) == ([f"{server.url}/metrics"], [])


def test_a_dcgm_page_that_cannot_be_used_does_not_end_the_look(host: Host) -> None:
    """It is said, and told again at the next look."""
    with Server(pages(b'DCGM_FI_DEV_GPU_UTIL{gpu="0"} 5\n')) as server:
        host.run(10, "/usr/bin/gpu-page", ports=[server.port])
        look = Look(host)
        told: list[str] = []

        def on_dcgm(url: str) -> None:
            told.append(url)
            if len(told) == 1:
                raise RuntimeError

        look.source._on_dcgm = on_dcgm
        first = look.again()
        look.again(2)
    assert "a DCGM exporter that cannot be read: fault in perfconsole" in " ".join(first.notes)
    assert (len(told), first.error) == (2, None)


def test_a_silent_python_program_is_taken_once_it_was_seen_calling_twice(host: Host) -> None:
    """A client that connects once is no orchestrator."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[server.port])
        host.connect(20, 8000)
        look = Look(host)
        look.again()
        assert [found.layer for found in look.taken] == ["engine"]
        look.again()
    how = "a Python program that answers HTTP and calls the engine on port 8000"
    engine = "http://127.0.0.1:8000"
    assert look.taken[1:] == [Found("orchestration", "python", server.url, "", 20, (engine,), how, "app.py")]


def test_a_silent_python_program_that_calls_nobody_is_not_taken(host: Host) -> None:
    """There are dozens of them on a host."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[server.port])
        look = Look(host)
        look.again(4)
    assert [found.layer for found in look.taken] == ["engine"]
    assert look.reason(server.port) == "answers HTTP and has no page of metrics and calls no known engine"


def test_calls_of_a_worker_that_shares_the_port_count(host: Host) -> None:
    """The parent of a pre-forking server only holds the socket."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP)
        host.run(21, *APP, parent=20)
        host.share(21, inode := host.listen(20, server.port))
        host.connect(21, 8000)
        look = Look(host)
        look.again(3)
    assert inode
    assert [(found.layer, found.pid) for found in look.taken] == [("engine", 10), ("orchestration", 20)]


def test_a_program_that_calls_and_serves_nothing_is_named_with_a_hint(host: Host) -> None:
    """A batch job or a load generator looks alike: the user decides."""
    host.run(10, *VLLM, ports=[8000])
    host.run(20, *APP)
    host.connect(20, 8000)
    look = Look(host)
    batch = look.again(3)
    assert [found.layer for found in look.taken] == ["engine"]
    hint = "calls the engine on port 8000 and serves no port; name it with --orchestrator 20 to watch it"
    assert f"app.py (pid 20): {hint}" in batch.notes


def test_a_load_generator_with_a_web_page_is_not_taken(host: Host) -> None:
    """It calls an engine and answers HTTP, as an orchestrator does."""
    with Server(pages(NOT_FOUND)) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, "/opt/bin/python3", "/opt/bin/locust", "-f", "x.py", ports=[server.port])
        host.connect(20, 8000)
        look = Look(host)
        look.again(4)
    assert [found.layer for found in look.taken] == ["engine"]
    assert "a load generator" in look.reason(server.port)


def test_a_web_server_that_hangs_and_calls_the_engine_is_taken(host: Host) -> None:
    """A blocked event loop is what the engineer came for."""
    with Server(hung()) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, "/opt/bin/python3", "/opt/bin/uvicorn", "app:app", ports=[server.port])
        host.connect(20, 8000)
        look = Look(host, limits=SHORT)
        look.again(3)
    assert [(found.layer, found.adapter) for found in look.taken] == [("engine", "vllm"), ("orchestration", "")]


def test_a_page_on_a_port_of_its_own_belongs_to_the_port_that_takes_requests(host: Host) -> None:
    """start_http_server of prometheus_client makes such a port."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as front, Server(pages(CLIENT)) as page:
        host.root.put("proc/sys/net/ipv4/ip_local_port_range", "1 2\n")
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[front.port, page.port])
        host.connect(20, 8000)
        look = Look(host)
        look.again(3)
    assert [(found.url, found.page_url) for found in look.taken[1:]] == [(front.url, f"{page.url}/metrics")]
    assert look.untaken == ()


def test_a_target_that_somebody_watches_by_now_is_not_found_again_at_its_other_ports(host: Host) -> None:
    """Whoever takes it in names its port from then on."""
    with Server(pages(NOT_FOUND, status="404 Not Found")) as front, Server(pages(CLIENT)) as page:
        host.root.put("proc/sys/net/ipv4/ip_local_port_range", "1 2\n")
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[front.port, page.port])
        host.connect(20, 8000)
        look = Look(host)
        look.again(2)
        look.named.add(front.port)
        look.again(10, step_s=15.0)
        assert (front.connections, page.connections) == (1, 1)
    assert [found.url for found in look.taken[1:]] == [front.url]


@pytest.mark.parametrize("by_user", [False, True])
def test_other_ports_of_what_is_watched_are_left_alone(host: Host, *, by_user: bool) -> None:
    """Whether its page told what it is or a user did, it may open further ports for its workers."""
    with Server(pages(ENGINE)) as engine, Server(pages(CLIENT)) as worker:
        host.root.put("proc/sys/net/ipv4/ip_local_port_range", "1 2\n")
        host.run(20, "/srv/start-model", ports=[engine.port])
        look = Look(host, taken=[engine.port] if by_user else [])
        look.again(2)
        host.run(21, "/opt/bin/python3", "worker.py", parent=20, ports=[worker.port])
        look.again(2)
        assert worker.connections == 0
    assert [found.url for found in look.taken] == ([] if by_user else [engine.url])


def test_a_process_that_a_user_named_is_neither_asked_nor_spoken_of(host: Host) -> None:
    """By its number, as one without a port is."""
    with Server(pages(CLIENT)) as server:
        host.run(10, *VLLM, ports=[8000])
        host.run(20, *APP, ports=[server.port])
        host.run(21, *APP)
        host.connect(21, 8000)
        look = Look(host, pids=[20, 21])
        batch = look.again(3)
        assert server.connections == 0
    assert len(look.taken) == len(batch.notes) == 1


def test_garbage_is_no_http_and_a_word_only_where_python_is(host: Host) -> None:
    """A database of an unknown name is of no interest here."""
    with Server(raw(b"\x00\x01garbage\r\n\r\n")) as mine, Server(raw(b"\x00\x01garbage\r\n\r\n")) as other:
        host.run(20, *APP, ports=[mine.port])
        host.run(30, "/usr/bin/db", ports=[other.port])
        look = Look(host)
        batch = look.again()
    assert look.reason(mine.port).startswith("does not speak plain HTTP")
    assert look.reason(other.port) == ""
    assert batch.notes[-1].startswith("1 more port left alone")


def test_a_huge_page_is_cut_off(host: Host) -> None:
    """2 MB are the most that a stranger may send."""
    with Server(pages(b"x" * (3 * 2**20))) as server:
        host.run(20, *APP, ports=[server.port])
        look = Look(host)
        look.again()
        assert server.sent <= 2.5 * 2**20
    assert look.reason(server.port).startswith("answers HTTP")


def test_a_port_of_somebody_else_is_asked_only_where_targets_usually_are(host: Host) -> None:
    """Without its process nobody knows what it is."""
    with Server(pages(ENGINE)) as server:
        host.listen(0, server.port)
        look = Look(host)
        batch = look.again(2)
        assert server.connections == 0
    assert look.taken == []
    assert batch.notes[1:] == (f"no permission to see which process holds port {server.port} (another user)",)


def test_a_forwarder_is_asked_like_any_program(host: Host) -> None:
    """What is behind it may run on another host or in a namespace that cannot be seen."""
    with Server(pages(ENGINE)) as server:
        host.run(30, "/usr/bin/kubectl", "port-forward", "svc/llm", ports=[server.port])
        look = Look(host)
        look.again()
    assert [(found.layer, found.url) for found in look.taken] == [("engine", server.url)]
