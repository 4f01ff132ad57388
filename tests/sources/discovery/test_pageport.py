"""Pages on ports of their own, of targets that are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.clock import ManualClock
from perfconsole.sources.discovery.pageport import SHARED_S, Behind, Doors, door_of
from tests.sources.discovery.hosts import VLLM, Host

if TYPE_CHECKING:
    from pathlib import Path


def test_the_page_of_a_router_is_where_its_command_line_says(tmp_path: Path) -> None:
    """By flag or by default."""
    host = Host(tmp_path)
    host.run(20, "vllm-router", "--worker-urls", "http://a:1", "--prometheus-port", "29001", ports=[30000, 29001])
    host.run(30, "vllm-router", "--worker-urls", "http://a:1", ports=[30001])
    assert Doors(ManualClock(), host.root.path).behind(30000).page_url == "http://127.0.0.1:29001/metrics"
    assert Doors(ManualClock(), host.root.path).behind(30001).page_url == "http://127.0.0.1:29000/metrics"


def test_a_router_that_erased_its_arguments_has_it_on_its_other_port(tmp_path: Path) -> None:
    """One of two ports was named, so the other one is known."""
    host = Host(tmp_path)
    host.run(20, "vllm::router", ports=[7000, 7001])
    assert Doors(ManualClock(), host.root.path).behind(7000).page_url == "http://127.0.0.1:7001/metrics"


def test_most_programs_have_it_on_the_port_itself(tmp_path: Path) -> None:
    """And of a port where nobody is seen nothing is known."""
    host = Host(tmp_path)
    host.run(20, *VLLM, ports=[8000])
    host.listen(0, 9000)
    assert [Doors(ManualClock(), host.root.path).behind(port).page_url for port in (8000, 9000, 7000)] == ["", "", ""]


def test_a_host_without_tables_has_none(tmp_path: Path) -> None:
    """It never raises."""
    assert Doors(ManualClock(), tmp_path).behind(8000) == Behind()


def test_a_program_is_known_by_its_process(tmp_path: Path) -> None:
    """Before a single route is asked."""
    host = Host(tmp_path)
    host.run(20, "vllm::router", ports=[7000, 7001])
    host.run(30, "python", "serve.py", ports=[9000])
    adapters = [Doors(ManualClock(), host.root.path).behind(port).adapter for port in (7000, 9000)]
    assert [adapter.name if adapter else None for adapter in adapters] == ["vllm-router", None]


def test_a_process_with_one_port_has_a_door(tmp_path: Path) -> None:
    """Of several nobody knows which it is."""
    host = Host(tmp_path)
    host.run(20, "python", "serve.py", ports=[9000])
    host.run(30, "python", "serve.py", ports=[9001, 9002])
    host.run(40, "python", "work.py")
    assert [door_of(pid, host.root.path) for pid in (20, 30, 40, 99)] == ["http://127.0.0.1:9000", "", "", ""]


def test_the_page_of_a_proxy_is_where_its_configuration_says(tmp_path: Path) -> None:
    """At the path that it has there."""
    host = Host(tmp_path)
    text = "server { listen 8080; location / { proxy_pass http://127.0.0.1:8000; } }"
    text += " server { listen 8081; location /s { stub_status; } }"
    host.root.put("etc/nginx/nginx.conf", f"http {{ {text} }}")
    host.run(20, "nginx: master process /usr/sbin/nginx", ports=[8080, 8081])
    found = Doors(ManualClock(), host.root.path).behind(8080)
    assert (found.page_url, found.adapter and found.adapter.name) == ("http://127.0.0.1:8081/s", "nginx")
    assert found.upstreams == ("http://127.0.0.1:8000",)


def test_those_who_ask_together_share_a_look(tmp_path: Path) -> None:
    """64 targets at the start are one look through all processes; what came since is seen by the next one."""
    host = Host(tmp_path)
    clock = ManualClock()
    doors = Doors(clock, host.root.path)
    assert doors.behind(8000) == Behind()
    host.run(10, *VLLM, ports=[8000])
    assert doors.behind(8000) == Behind()
    clock.sleep(SHARED_S)
    assert doors.behind(8000).adapter is not None
