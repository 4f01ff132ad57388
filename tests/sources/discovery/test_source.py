"""Discovery as a whole, on fake hosts: programs that are known, containers, files, and words for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.errors import UsageError
from perfconsole.sources.discovery import readers
from perfconsole.sources.discovery.found import Found
from tests.sources.discovery.hosts import VLLM, Host, Look
from tests.sources.servers import Server, pages

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


def test_a_vllm_is_taken_by_its_command_line_and_no_port_of_its_tree_is_touched(host: Host) -> None:
    """Front-end, core and worker have titles in place of arguments; their ports speak other protocols."""
    with Server(pages(b"")) as front, Server(pages(b"")) as core, Server(pages(b"")) as worker:
        host.run(10, *VLLM, "--port", str(front.port), ports=[front.port])
        host.run(11, "VLLM::EngineCore", parent=10, ports=[core.port])
        host.run(12, "VLLM::Worker_TP0", parent=11, ports=[worker.port])
        look = Look(host)
        look.again(3)
        assert [server.connections for server in (front, core, worker)] == [0, 0, 0]
    how = f"command line of vLLM, port {front.port}"
    assert look.taken == [Found("engine", "vllm", f"http://127.0.0.1:{front.port}", "", 10, (), how)]
    assert look.untaken == ()


def test_several_api_servers_on_one_port_are_one_target(host: Host) -> None:
    """They share the socket, and only their parent has the arguments."""
    host.run(10, *VLLM, "--api-server-count", "2")
    host.run(11, "VLLM::APIServer_0", parent=10)
    host.run(12, "VLLM::APIServer_1", parent=10)
    inode = host.listen(11, 8000)
    host.share(12, inode)
    look = Look(host)
    look.again(2)
    assert [(found.url, found.pid) for found in look.taken] == [("http://127.0.0.1:8000", 10)]


def test_an_engine_that_starts_later_is_found_at_the_next_look_and_once(host: Host) -> None:
    """It loads its model for minutes before it listens; that its port opens then is no news."""
    look = Look(host)
    look.again()
    assert look.taken == []
    host.run(10, *VLLM)
    look.again()
    assert [found.how for found in look.taken] == ["command line of vLLM, port 8000; nothing listens on it yet"]
    host.listen(10, 8000)
    look.again(2)
    assert [found.url for found in look.taken] == ["http://127.0.0.1:8000"]


def test_a_shell_that_becomes_an_engine_by_exec_is_found(host: Host) -> None:
    """Its number and its start stay the same."""
    host.run(10, "/bin/bash", "run.sh")
    look = Look(host)
    look.again(20)
    host.run(10, *VLLM)
    look.again(15)
    assert [found.pid for found in look.taken] == [10]


def test_a_vllm_bench_is_no_engine(host: Host) -> None:
    """Its command line has both words and a port."""
    host.run(10, "/opt/bin/python3", "/opt/bin/vllm", "bench", "serve", "--port", "8000")
    look = Look(host)
    look.again(2)
    assert look.taken == []


def test_a_container_closes_no_port_of_the_host(host: Host) -> None:
    """The same number is another port there."""
    with Server(pages(ENGINE)) as server:
        host.run(10, *VLLM, "--port", str(server.port))
        host.contain(10, server.port)
        host.run(20, "/srv/start-model", ports=[server.port])
        look = Look(host)
        look.again(2)
    assert [found.url for found in look.taken] == [f"http://172.17.0.2:{server.port}", server.url]


def test_an_engine_of_another_user_is_found_by_its_command_line(host: Host) -> None:
    """Everybody may read that, unlike its descriptors."""
    host.run(10, *VLLM, "--port", "8001")
    host.listen(0, 8001)
    look = Look(host)
    look.again(2)
    assert [found.how for found in look.taken] == ["command line of vLLM, port 8001"]
    assert look.untaken == ()


def test_an_engine_in_a_container_is_found_at_the_address_of_its_network(host: Host) -> None:
    """Nobody on the host listens for it."""
    host.run(10, *VLLM, "--port", "8001")
    host.contain(10, 8001)
    look = Look(host)
    look.again()
    assert [found.url for found in look.taken] == ["http://172.17.0.2:8001"]


def test_a_published_container_is_found_at_the_port_of_the_host_and_not_twice(host: Host) -> None:
    """The proxy of the container runtime holds that port."""
    with Server(pages(ENGINE)) as server:
        host.run(10, *VLLM)
        host.contain(10, 8000)
        proxy = ("-proto", "tcp", "-host-port", str(server.port), "-container-ip", "172.17.0.2")
        host.run(30, "/usr/bin/docker-proxy", *proxy, "-container-port", "8000", ports=[server.port])
        look = Look(host)
        look.again(2)
        assert server.connections == 0
    assert [found.url for found in look.taken] == [server.url]


def test_litellm_is_found_with_the_upstreams_of_its_file(host: Host) -> None:
    """Keys and users in the file go nowhere."""
    text = """
model_list:
  - model_name: a
    litellm_params: {model: openai/a, api_base: "http://me:sk-1@127.0.0.1:8000/v1", api_key: sk-2}
  - model_name: b
    litellm_params: {model: openai/b, api_base: os.environ/BASE}
"""
    host.root.put("etc/litellm.yaml", text)
    host.run(
        20, "/opt/bin/python3", "/opt/bin/litellm", "--config", "/etc/litellm.yaml", "--port", "4001", ports=[4001]
    )
    look = Look(host)
    look.again()
    (found,) = look.taken
    assert (found.adapter, found.url, found.upstreams) == (
        "litellm",
        "http://127.0.0.1:4001",
        ("http://127.0.0.1:8000",),
    )


def test_an_unreadable_file_of_litellm_is_a_remark(host: Host) -> None:
    """It is taken all the same."""
    host.run(20, "/opt/bin/python3", "/opt/bin/litellm", "--config", "/gone.yaml", ports=[4000])
    look = Look(host)
    look.again()
    assert [found.upstreams for found in look.taken] == [()]
    assert look.taken[0].how == "command line of LiteLLM, port 4000; its configuration file cannot be read"


def test_vllm_router_is_found_with_its_page_and_its_workers(host: Host) -> None:
    """Its page has a port of its own."""
    urls = ("http://127.0.0.1:8000", "http://10.0.0.7:8000")
    argv = ("/opt/bin/vllm-router", "--worker-urls", *urls, "--port", "30001", "--prometheus-port", "29001")
    host.run(20, *argv, ports=[30001, 29001])
    look = Look(host)
    look.again(2)
    page = "http://127.0.0.1:29001/metrics"
    how = "command line of vllm-router, port 30001"
    assert look.taken == [Found("gateway", "vllm-router", "http://127.0.0.1:30001", page, 20, urls, how)]


def test_a_router_that_erased_its_arguments_is_found_by_its_page(host: Host) -> None:
    """One request to the port of the page, none to that of requests: it would go on to an engine."""
    with Server(pages(b"vllm_router_active_workers 2\n")) as page, Server(pages(ENGINE)) as front:
        host.root.put("proc/sys/net/ipv4/ip_local_port_range", "1 2\n")
        host.run(20, "vllm::router", ports=[page.port, front.port])
        look = Look(host)
        look.again(40)
        assert (page.connections, front.connections) == (1, 0)
    how = f"title of vllm-router, port {front.port}"
    assert look.taken == [Found("gateway", "vllm-router", front.url, f"{page.url}/metrics", 20, (), how)]


NGINX = """
http {
  upstream llm { server 127.0.0.1:8000; server 10.0.0.7:8000 backup; }
  server { listen 8081; location = /status { stub_status; } }
  server { listen 8080; location / { proxy_pass http://llm; } }
}
"""


def test_nginx_is_found_where_it_leads_to_an_engine(host: Host) -> None:
    """With its status page and all that it leads to."""
    host.root.put("etc/nginx/nginx.conf", NGINX)
    host.run(10, *VLLM, ports=[8000])
    host.run(20, "nginx: master process /usr/sbin/nginx -g daemon off;", ports=[8080, 8081])
    host.run(21, "nginx: worker process", parent=20)
    look = Look(host)
    look.again(2)
    urls = ("http://127.0.0.1:8000", "http://10.0.0.7:8000")
    how = "its configuration leads from port 8080 to port 8000"
    page = "http://127.0.0.1:8081/status"
    assert look.taken[1:] == [Found("gateway", "nginx", "http://127.0.0.1:8080", page, 20, urls, how)]


def test_nginx_in_front_of_something_else_is_not_taken(host: Host) -> None:
    """A web site is no gateway."""
    host.root.put("etc/nginx/nginx.conf", NGINX)
    host.run(20, "nginx: master process /usr/sbin/nginx", ports=[8080])
    look = Look(host)
    look.again()
    assert look.taken == []
    assert look.reason(8080).startswith("a proxy, but to no engine or gateway that is known")


def test_notes_are_few_and_never_hold_a_command_line(host: Host) -> None:
    """A key may stand on it; a load test may be hundreds of programs."""
    host.run(10, *VLLM, "--api-key", "sk-other", ports=[8000])
    for pid in range(100, 140):
        host.run(pid, "/opt/bin/python3", f"/srv/job{pid}.py", "--key", "sk-secret")
        host.connect(pid, 8000, near_port=50000 + pid)
    look = Look(host)
    batch = look.again(3)
    assert len(batch.notes) <= 12
    assert batch.notes[0].startswith("looked at 1 listening port and 42 processes of this host for engines (")
    assert not [text for text in (*batch.notes, repr(look.taken), repr(look.untaken)) if "sk-" in text]


def test_a_host_whose_sockets_cannot_be_read_is_an_error_in_words(tmp_path: Path) -> None:
    """With what to do."""
    host = Host(tmp_path)
    (tmp_path / "proc/net/tcp").unlink()
    batch = Look(host).again()
    assert batch.error is not None
    assert batch.error.startswith("cannot read the TCP sockets of this host")


def test_a_template_of_nginx_does_not_end_the_look(host: Host) -> None:
    """Everything else is found, at every look."""
    host.root.put("etc/nginx/nginx.conf", NGINX.replace("listen 8080", "listen ${PORT}"))
    host.run(10, *VLLM, ports=[8000])
    host.run(20, "nginx: master process /usr/sbin/nginx", ports=[8080])
    look = Look(host)
    batch = look.again(2)
    assert (batch.error, [found.url for found in look.taken]) == (None, ["http://127.0.0.1:8000"])
    assert "says no port that it takes requests at" in look.reason(8080)


def test_a_target_that_cannot_be_taken_is_said_and_tried_again(host: Host) -> None:
    """And what was found beside it is taken all the same."""
    host.run(10, *VLLM, "--port", "8000", ports=[8000])
    host.run(20, *VLLM, "--port", "8001", ports=[8001])
    look = Look(host)
    faults: list[Exception] = [UsageError("vllm:8000 is named twice"), KeyError("sk-secret")]

    def take(found: Found) -> None:
        if found.url.endswith(":8000") and faults:
            raise faults.pop(0)
        look.taken.append(found)

    look.source._handed._take = take
    reasons = [(look.again(), look.reason(8000))[1] for _ in range(3)]
    assert [found.url for found in look.taken] == ["http://127.0.0.1:8001", "http://127.0.0.1:8000"]
    assert reasons == [
        "found, but it cannot be watched: vllm:8000 is named twice",
        "found, but it cannot be watched: fault in perfconsole, please report it: KeyError",
        "",
    ]


def test_what_has_gone_is_given_up_once_and_found_anew(host: Host) -> None:
    """After ten minutes: before that an outage is what the engineer has to see."""
    host.run(10, *VLLM, ports=[8000])
    look = Look(host)
    look.again()
    host.stop(10)
    look.again(10, step_s=60.0)
    assert (look.gone, len(look.source.found)) == ([], 1)
    look.again(5, step_s=60.0)
    assert ([found.url for found in look.gone], look.source.found) == (["http://127.0.0.1:8000"], ())
    host.run(11, *VLLM, ports=[8000])
    look.again(2)
    assert [found.pid for found in look.taken] == [10, 11]


def test_a_process_without_its_port_and_a_port_without_its_process_are_there(host: Host) -> None:
    """One has closed it for a while, the other is another process of the same service by now."""
    with Server(pages(ENGINE)) as first, Server(pages(ENGINE)) as second:
        host.run(20, "/srv/start-model", ports=[first.port])
        host.run(21, "/srv/start-model", ports=[second.port])
        look = Look(host)
        look.again(2)
        host.stop(20)
        host.listen(0, first.port)
        look.again(20, step_s=60.0)
    assert (len(look.taken), look.gone) == (2, [])


def test_an_engine_that_loads_its_model_once_more_is_there(host: Host) -> None:
    """It has another number and no port for minutes."""
    host.run(10, *VLLM, ports=[8000])
    look = Look(host)
    look.again()
    host.stop(10)
    host.run(11, *VLLM)
    look.again(20, step_s=60.0)
    assert (len(look.taken), look.gone) == (1, [])


def test_a_short_absence_starts_the_time_anew(host: Host) -> None:
    """Nine minutes, a moment of life, and nine minutes again."""
    host.run(10, *VLLM, ports=[8000])
    look = Look(host)
    look.again()
    for _ in range(3):
        host.stop(10)
        look.again(9, step_s=60.0)
        host.run(10, *VLLM, ports=[8000])
        look.again()
    assert look.gone == []


def test_a_target_that_cannot_be_left_does_not_end_the_look(host: Host) -> None:
    """It is said once, as it is given up once."""
    host.run(10, *VLLM, ports=[8000])
    look = Look(host)
    look.again()
    host.stop(10)

    def drop(_found: Found) -> None:
        raise RuntimeError

    look.source._handed._drop = drop
    said = [(look.again(step_s=60.0), look.reason(8000))[1] for _ in range(13)]
    assert [bool(words) for words in said].count(True) == 1
    assert max(said) == "gone, but it cannot be left: fault in perfconsole, please report it: RuntimeError"


def test_an_odd_file_of_one_program_does_not_end_the_look(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken by what its command line says, with a remark."""

    def odd(_text: str) -> None:
        raise RecursionError

    monkeypatch.setattr(readers, "litellm_upstreams", odd)
    host.root.put("etc/litellm.yaml", "x: 1\n")
    host.run(10, *VLLM, ports=[8000])
    host.run(20, "/opt/bin/python3", "/opt/bin/litellm", "--config", "/etc/litellm.yaml", ports=[4000])
    look = Look(host)
    look.again()
    assert [found.adapter for found in look.taken] == ["vllm", "litellm"]
    assert "cannot be read (fault in perfconsole, please report it: RecursionError)" in look.taken[1].how


def test_ollama_is_found_by_its_process(host: Host) -> None:
    """Its runner has a port that is its own affair."""
    host.run(10, "/usr/local/bin/ollama", "serve", ports=[11434])
    host.run(11, "/usr/local/bin/ollama", "runner", "--model", "m", "--port", "31001", parent=10, ports=[31001])
    look = Look(host)
    look.again(2)
    assert [(found.adapter, found.url) for found in look.taken] == [("ollama", "http://127.0.0.1:11434")]
