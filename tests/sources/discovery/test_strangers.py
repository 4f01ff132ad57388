"""Programs that are left alone."""

from __future__ import annotations

import pytest

from perfconsole.sources.discovery.strangers import SERVICE, is_console, refusal

PYTHON = "/opt/bin/python3"


@pytest.mark.parametrize(
    "argv",
    [
        ("/usr/sbin/sshd", "-D"),
        ("sshd: me [priv]",),
        ("/usr/lib/systemd/systemd-journald",),
        ("postgres: writer",),
        ("/usr/bin/redis-server 127.0.0.1:6379",),
        ("/usr/bin/containerd-shim-runc-v2",),
        ("/usr/bin/dockerd",),
        ("/usr/sbin/rpcbind",),
        ("/usr/sbin/chronyd",),
        ("/usr/bin/mongod",),
        ("/usr/bin/nvidia-persistenced",),
    ],
)
def test_system_services_are_only_counted(argv: tuple[str, ...]) -> None:
    """A host has dozens."""
    assert refusal(argv) == SERVICE


@pytest.mark.parametrize(
    "argv",
    [
        (PYTHON, "/srv/app.py"),
        (PYTHON, "-m", "uvicorn", "app:app"),
        (PYTHON, "/srv/initial.py"),
        ("/usr/bin/envoy",),
        ("/usr/bin/docker-proxy", "-host-port", "8000"),
        ("/usr/bin/dcgm-exporter",),
    ],
)
def test_others_may_be_asked(argv: tuple[str, ...]) -> None:
    """The page of the exporter of GPU figures is wanted."""
    assert refusal(argv) == ""


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        ((PYTHON, "-m", "sglang.launch_server"), "SGLang"),
        ((PYTHON, "/opt/bin/trtllm-serve", "m"), "TensorRT-LLM"),
        (("/opt/llama-server", "-m", "x"), "llama.cpp"),
        ((PYTHON, "/opt/bin/vllm", "bench", "serve"), "load generator"),
        ((PYTHON, "benchmark_serving.py"), "load generator"),
        ((PYTHON, "-m", "sglang.bench_serving"), "load generator"),
        (("/usr/bin/node_exporter",), 'layer = "hardware"'),
        ((PYTHON, "vllm_exporter.py"), "exporter"),
        (("ray::ServeReplica",), "Ray"),
        ((PYTHON, "-m", "ipykernel_launcher"), "notebook"),
    ],
)
def test_some_have_a_reason_of_their_own(argv: tuple[str, ...], word: str) -> None:
    """A person may wonder about them."""
    assert word in refusal(argv)


def test_a_console_is_known_by_its_program() -> None:
    """Not by a folder of that name."""
    assert is_console((PYTHON, "/opt/bin/perfconsole"))
    assert is_console((PYTHON, "-P", "-m", "perfconsole.sources.nvml"))
    assert not is_console((PYTHON, "/home/me/perfconsole/app.py"))


def test_a_part_of_a_simulated_host_is_no_console() -> None:
    """Its callers carry traffic, and those past the gateway must be seen."""
    assert not is_console((PYTHON, "-m", "perfconsole.demo.serve.callers", "--gateway-port", "46471"))
