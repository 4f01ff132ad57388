"""Discovery as a whole, on fake hosts: programs that are told by a page, that of an exporter or an agent among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sources.discovery.hosts import Host, Look
from tests.sources.servers import Server, pages

CAPTURES = Path(__file__).parent.parent.parent / "captures"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host on which nothing but init runs."""
    return Host(tmp_path)


@pytest.mark.parametrize(
    ("argv", "page", "adapter"),
    [
        (("/opt/bin/python3", "/opt/bin/celery-exporter"), "celery/load.prom", "celery"),
        (("/opt/bin/python3", "/opt/bin/langgraph", "dev"), "langgraph/runs.prom", "langgraph"),
        (("/opt/bin/python3", "/opt/lib/ray/dashboard/agent.py", "--port=1"), "ray-serve/load.prom", ""),
    ],
)
def test_orchestrators_are_told_by_their_pages(host: Host, argv: tuple[str, ...], page: str, adapter: str) -> None:
    """An exporter for one counts; an agent that promises no page at this port is not asked."""
    with Server(pages((CAPTURES / page).read_bytes())) as server:
        host.run(10, *argv, ports=[server.port])
        look = Look(host)
        look.again(2)
    found = [(each.layer, each.adapter, each.url) for each in look.taken]
    assert found == ([("orchestration", adapter, server.url)] if adapter else [])


def test_vllm_under_ray_is_found_by_the_page_of_the_agent(host: Host) -> None:
    """Requests come to another process of the same cluster; replicas and the agent's other ports are left alone."""
    with Server(pages(b'ray_vllm_num_requests_running{model_name="m"} 3.0\n')) as page, Server(pages(b"")) as other:
        host.run(9, "/opt/ray/raylet")
        agent = ("/opt/bin/python3", "-u", "/opt/lib/ray/dashboard/agent.py", f"--metrics-export-port={page.port}")
        host.run(10, *agent, parent=9, ports=[page.port, other.port])
        host.run(11, "ray::ProxyActor", parent=9, ports=[8000])
        host.run(12, "ray::ServeReplica:llm:LLMServer", parent=9)
        look = Look(host)
        look.again(3)
        assert other.connections == 0
    found = [(each.adapter, each.url, each.page_url) for each in look.taken]
    assert found == [("ray-serve", "http://127.0.0.1:8000", f"{page.url}/metrics")]
