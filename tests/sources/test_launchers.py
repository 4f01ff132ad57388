"""Tests of the command lines by which programs are known: each one by its own table and by no other."""

from __future__ import annotations

import pytest

from perfconsole.sources import engines, gateways, orchestrators

ADAPTERS = (*engines.adapters(), *gateways.adapters(), *orchestrators.adapters())
LINES = [
    ("vllm", "/usr/bin/python3 /usr/local/bin/vllm serve meta-llama/Llama-3.1-8B --port 8000"),
    ("vllm", "vllm serve litellm/router --served-model-name vllm-router"),
    ("vllm", "python3.12 -m vllm.entrypoints.openai.api_server --model nginx"),
    ("vllm", "/opt/venv/bin/python -X dev -u -m vllm.entrypoints.cli.main serve m"),
    ("vllm", "python -m vllm serve m"),
    ("vllm-router", "vllm-router --worker-urls http://127.0.0.1:8000 http://127.0.0.1:8001 --policy round_robin"),
    ("vllm-router", "/usr/bin/python3 /usr/local/bin/vllm-router --host 0.0.0.0 --port 30000"),
    ("vllm-router", "/opt/vllm/bin/vllm-router"),
    ("vllm-router", "vllm::router"),
    ("vllm-router", "python -m vllm_router.launch_router --worker-urls http://vllm:8000 --service-discovery"),
    ("vllm-router", "python3 -m vllm_router.launch_server --model serve"),
    ("vllm-router", "vllm-router --worker-urls http://serve:8000"),
    (
        "production-stack",
        "vllm-router --port 8001 --service-discovery static --static-backends http://h:8000 --routing-logic session",
    ),
    ("production-stack", "python3 /usr/local/bin/vllm-router --service-discovery k8s --engine-stats-interval 15"),
    ("production-stack", "python -m vllm_router.app --port 8001 --service-discovery static"),
    ("production-stack", "python3 src/vllm_router/app.py --port 8001 --service-discovery k8s"),
    ("smg", "smg launch --worker-urls http://gpu1:8000 http://gpu2:8000 --policy cache_aware"),
    ("smg", "/usr/local/bin/smg --worker-urls http://vllm:8000"),
    ("smg", "/usr/bin/python3 /usr/local/bin/sglang-router launch --pd-disaggregation --prefill http://p:30000 9001"),
    ("smg", "python -m sglang_router.launch_router --worker-urls http://serve:8000"),
    ("smg", "python3 -m sglang_router.launch_server --model-path m --dp-size 4"),
    ("smg", "python -m smg.launch_router --worker-urls grpc://h:50051"),
    ("smg", "python -m smg launch --worker-urls http://h:8000"),
    ("smg", "smg serve --backend sglang --dp-size 2"),
    ("smg", "sglang::router"),
    ("smg", "smg::router"),
    ("epp", "/app/epp --pool-name llama-pool --pool-namespace llm --grpc-port 9002 --metrics-port 9090"),
    ("epp", "/epp -poolName vllm-llama3-8b -grpcPort 9002 -grpcHealthPort 9003"),
    ("epp", "/app/epp --v 4 --config-file /config/default-plugins.yaml"),
    ("litellm", "/usr/bin/python3 /usr/local/bin/litellm --config /etc/litellm/vllm.yaml --port 4000"),
    ("litellm", "litellm --model hosted_vllm/serve --api_base http://127.0.0.1:8000/v1"),
    ("litellm", "litellm"),
    ("litellm", "python -m litellm --config c.yaml"),
    ("litellm", "gunicorn: master [litellm.proxy.proxy_server:app]"),
    ("litellm", "python /app/litellm/proxy/proxy_cli.py --config /app/config.yaml"),
    ("nginx", "nginx: master process /usr/sbin/nginx -g daemon off;"),
    ("nginx", "/usr/sbin/nginx -c /etc/nginx/nginx.conf"),
    ("nginx", "nginx"),
    ("haproxy", "/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid -S /run/haproxy-master.sock"),
    ("haproxy", "haproxy -W -db -f /usr/local/etc/haproxy/haproxy.cfg"),
    ("haproxy", "haproxy -sf 7 -x sockpair@5 -Ws -f /etc/haproxy/haproxy.cfg"),
    ("envoy", "/usr/local/bin/envoy -c /etc/envoy/envoy.yaml --concurrency 1 --use-dynamic-base-id -l warn"),
    ("envoy", "envoy --config-yaml {} --service-cluster vllm --log-level info"),
    ("envoy", "/venv/lib/python3.11/site-packages/envoy/bin/envoy -c e.yaml"),
    ("envoy-ai", "aigw run /etc/aigw/config.yaml --admin-port 1064"),
    ("envoy-ai", "/app -configPath /c.yaml -extProcAddr unix:///etc/ai-gateway-extproc-uds/run.sock -adminPort 1064"),
    ("envoy-ai", "/usr/bin/extproc -configPath /etc/filter-config/filter-config.yaml -logLevel info"),
    ("traefik", "traefik --configfile=/etc/traefik/traefik.yml"),
    ("traefik", "/usr/local/bin/traefik --entrypoints.web.address=:80 --metrics.prometheus=true"),
    ("traefik", "traefik"),
    ("fastapi", "/venv/bin/python /venv/bin/fastapi run app.py --port 9000"),
    ("fastapi", "fastapi dev vllm/serve.py"),
    ("trtllm", "/usr/bin/python3 /usr/local/bin/trtllm-serve meta-llama/Llama-3.1-8B --host 0.0.0.0 --port 8000"),
    ("trtllm", "trtllm-serve serve /models/dynamo --backend pytorch --max_batch_size 64 --tp_size 4"),
    ("trtllm", "python3 -m tensorrt_llm.commands.serve m --tp_size 2"),
    ("triton", "tritonserver --model-repository=/models --http-port 8000 --metrics-port 8002"),
    ("triton", "/opt/tritonserver/bin/tritonserver --model-store /models/vllm"),
    (
        "lmdeploy",
        "/opt/py3/bin/python /opt/py3/bin/lmdeploy serve api_server Qwen/Qwen3-32B --server-port 23333 --tp 2",
    ),
    ("lmdeploy", "python3 -m lmdeploy serve api_server internlm/internlm3-8b-instruct"),
    ("lmdeploy", "python -m lmdeploy.serve.openai.api_server --model m"),
    ("nim", "python3 -m nim_llm_sdk.entrypoints.launch"),
    (
        "nim",
        "/opt/nim/llm/.venv/bin/python3 -m vllm_nvext.entrypoints.openai.api_server --served-model-name meta/llama3",
    ),
    ("dynamo", "python -m dynamo.vllm --model Qwen/Qwen3-0.6B --max-num-seqs 3"),
    ("dynamo", "/opt/dynamo/venv/bin/python3 -m dynamo.sglang --model-path m --tp 2"),
    ("dynamo", "python3 -m dynamo.trtllm --model-path m --extra-engine-args agg.yaml"),
    ("dynamo", "python -m dynamo.frontend --http-port 8000 --router-mode kv"),
    ("dynamo", "dynamo-run in=http out=vllm Qwen/Qwen3-4B"),
    ("ollama", "/usr/local/bin/ollama serve"),
    ("ollama", "ollama serve"),
    ("xinference", "/usr/bin/python3 /usr/local/bin/xinference-local --host 0.0.0.0 --port 9997"),
    ("xinference", "xinference-worker -e http://10.0.0.5:9997 -H 10.0.0.7"),
    # None of them: programs that only mention one, or share its name.
    ("", "python agent.py --backend litellm --engine vllm serve"),
    ("", "tail -f /var/log/nginx -n 5"),
    ("", "grep vllm serve"),
    ("", "haproxy_exporter --haproxy.scrape-uri=http://127.0.0.1/;csv"),
    ("", "/usr/local/bin/pilot-agent proxy router --domain default.svc"),
    ("", "tail -f /var/log/haproxy -n 5"),
    ("", "traefik-certs-dumper file --watch"),
    ("", "python agent.py --gateway envoy -c e.yaml"),
    ("", "uvicorn app:app --port 9000"),
    ("", "python3 train.py"),
    ("", "nginx-prometheus-exporter -nginx.scrape-uri http://127.0.0.1/stub_status"),
    ("", "nginx: worker process"),
    ("", "VLLM::EngineCore"),
    ("", "vllm bench serve --model m"),
    ("llamacpp", "llama-server -m serve.gguf"),
    ("", "python smgtools.py launch"),
    ("", "trtllm-serve disaggregated -c disagg.yaml"),
    ("", "trtllm-build --checkpoint_dir ckpt"),
    ("", "perf_analyzer -m tritonserver"),
    ("", "lmdeploy chat Qwen/Qwen3-8B"),
    ("", "lmdeploy serve proxy --server-port 8000"),
    ("", "/usr/local/bin/ollama runner --model /root/.ollama/models/blobs/sha256-6a07 --port 41234"),
    ("", "ollama run llama3.1"),
    ("", "xinference launch --model-name qwen3"),
    ("", "serve run app:deployment"),
    ("", "dynamo-run in=dyn://a.b.c out=vllm"),
    ("", "epp check manifest.pp"),
]


@pytest.mark.parametrize(("name", "line"), LINES)
def test_a_command_line_is_known_by_one_table_at_most(name: str, line: str) -> None:
    """By its own, and by no other."""
    known = [adapter.name for adapter in ADAPTERS if adapter.processes.launches(tuple(line.split()))]
    assert known == ([name] if name else [])


@pytest.mark.parametrize(
    ("name", "port", "page"),
    [
        ("vllm", 8000, 0),
        ("litellm", 4000, 0),
        ("vllm-router", 30000, 29000),
        ("nginx", 80, 0),
        ("fastapi", 8000, 0),
        ("production-stack", 8001, 0),
        ("smg", 30000, 29000),
        ("epp", 9090, 0),
        ("trtllm", 8000, 0),
        ("triton", 8000, 8002),
        ("lmdeploy", 23333, 0),
        ("nim", 8000, 0),
        ("ollama", 11434, 0),
        ("nginx-vts", 80, 0),
        ("haproxy", 0, 0),
        ("envoy", 10000, 9901),
        ("envoy-ai", 1064, 0),
        ("traefik", 80, 8080),
    ],
)
def test_ports_without_a_flag_are_known(name: str, port: int, page: int) -> None:
    """Where it serves requests, and where its page is if that is elsewhere."""
    (adapter,) = [a for a in ADAPTERS if a.name == name]
    assert (adapter.default_port, adapter.page_port) == (port, page)
    assert bool(adapter.page_flags) is (bool(page) and not adapter.proxy)  # those of a proxy are in its configuration
