"""Programs that discovery leaves alone, by name, and what to say of them. A table; nothing is read here.

System services and debuggers may take a request for an attack, so they are never asked. Load generators, notebooks and
exporters do answer, and are no part of the way of a request.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import basename, script, short_name

if TYPE_CHECKING:
    from perfconsole.sources.discovery.commandline import Argv

SERVICE = "a system service"
"""Counted and never named: a host has dozens."""

_SERVICES = re.compile(
    r"(systemd.*|init|sshd.*|rpc\..*|rpcbind|chronyd|ntpd|cupsd?|cups-.*|Xorg|Xvnc|Xwayland|dbus.*|avahi-daemon.*|dnsmasq"
    r"|named|unbound|exim\d*|master|postfix|dovecot|smbd|nmbd|snmpd|rsyslogd|polkitd|auditd|acpid|inetd|xinetd"
    r"|postgres|postmaster|pgbouncer|redis-.*|valkey-.*|keydb-server|memcached|mysqld.*|mariadbd|mongo[ds]"
    r"|etcd|beam\.smp|epmd|rabbitmq.*|nats-server|clickhouse.*|influxd|cassandra|java"
    r"|kubelet|kube-.*|k3s.*|containerd.*|dockerd|crio|podman|conmon|runc|cadvisor|calico.*|cilium.*|flannel.*|coredns"
    r"|consul|nomad|vault|haveged|multipathd|lvmetad|iscsid|nfsd|glusterfs.*|ceph-.*|slurm.*|munged|nvidia-.*|nv-hostengine"
    r"|raylet|gcs_server|plasma_store.*|ray)"
)
_DEBUGGERS = re.compile(r"gdbserver|gdb|lldb.*|debugpy.*|pydevd.*|py-spy|strace|rr")
_GENERATORS = re.compile(
    r"locust|k6|wrk2?|hey|oha|vegeta|bombardier|ab|siege|guidellm|genai-perf|aiperf|llmperf|evalscope|lm[-_]eval"
    r"|(benchmark|bench)_\w+(\.py)?|.*load_?gen\w*(\.py)?|.*loadtest\w*(\.py)?"
)
_GENERATOR_WORDS = re.compile(r"^(\S*/)?(vllm|sglang)(\.\S+)? bench\b|\bbench_serving\b|\bgenai_perf\b|(^|/)locust\b")
_NOTEBOOKS = re.compile(r"jupyter.*|ipykernel.*|tensorboard|mlflow|marimo|code-server|supervisord|circusd|honcho")
_EXPORTERS = re.compile(
    r".*[-_]exporter(\.py)?|prometheus|alertmanager|pushgateway|grafana.*|otelcol.*|telegraf|vmagent"
)
_GPU_EXPORTER = "dcgm-exporter"
_HOST_EXPORTERS = ("node_exporter", "node-exporter", "prometheus-node-exporter")
_HOST_EXPORTER = 'a node_exporter: /proc says more of this host; one elsewhere is a [[target]] with layer = "hardware"'
"""Its page is wanted, though not as a target."""
_CLIENTS = re.compile(
    r"docker|podman|nerdctl|kubectl|crictl|ssh|mosh.*|g?rep|egrep|rg|vim?|nvim|nano|emacs.*|less|tail|cat|watch|tmux.*"
    r"|screen|make|git|pip3?|strace|gdb|script"
)
"""Programs whose command line may quote the whole command line of another one."""
_ENGINES = (
    (re.compile(r"\bsglang\b.*\b(launch_server|serve)\b|\bsglang::|\bsglang_router\b"), "SGLang"),
    (re.compile(r"\btrtllm-serve\b|\btensorrt_llm\b.*\bserve\b"), "TensorRT-LLM"),
    (re.compile(r"^(\S*/)?llama-server\b|\bllama_cpp\.server\b"), "llama.cpp"),
    (re.compile(r"\btext-generation-(launcher|router|server)\b"), "TGI"),
    (re.compile(r"\blmdeploy\b.*\bserve\b"), "LMDeploy"),
    (re.compile(r"^(\S*/)?ollama\b"), "Ollama"),
    (re.compile(r"^(\S*/)?tritonserver\b"), "Triton"),
    (re.compile(r"\bmlc_llm\b.*\bserve\b"), "MLC-LLM"),
)
"""Engines, however they were started: reading the page of some of them empties a queue, so none is asked unknown."""
_WORKERS = re.compile(r"^ray::|/ray/(dashboard|_private|autoscaler)/")
_CONSOLE = re.compile(r"perfconsole(?!\.demo\.serve\b)(\.\w+)*")
"""But for the parts of a simulated host: they stand for programs of their own."""

_NOT_HTTP_TEXT = (
    "21 22 23 25 53 110 111 139 143 389 445 465 515 587 631 636 873 993 "
    "995 1433 1521 2049 2181 2379 2380 3306 3389 4369 5432 5672 5678 5900 5901 6000 6010 6379 "
    "9092 10250 11211 27017 27018 "
)
_NOT_HTTP_PORTS = frozenset(int(word) for word in _NOT_HTTP_TEXT.split())
"""Of well-known services that speak something else."""


def is_console(argv: Argv) -> bool:
    """Whether this is a perfconsole."""
    return any(_CONSOLE.fullmatch(basename(word)) for word in script(argv)[:1])


def watches(argv: Argv) -> bool:
    """Whether the program polls pages of others and so makes connections that carry no traffic."""
    return is_console(argv) or bool(_EXPORTERS.fullmatch(short_name(argv)))


def quotes_others(argv: Argv) -> bool:
    """Whether the program may carry the command line of another one, which then says nothing about itself."""
    return bool(argv) and bool(_CLIENTS.fullmatch(basename(argv[0])))


def is_generator(argv: Argv) -> bool:
    """Whether the program makes load, and so stands at the end of the way and not on it."""
    words = script(argv)
    return bool(words) and (
        bool(_GENERATORS.fullmatch(basename(words[0]))) or bool(_GENERATOR_WORDS.search(" ".join(words[:4])))
    )


def never_http(port: int) -> bool:
    """Whether the port belongs to a well-known service that speaks something else."""
    return port in _NOT_HTTP_PORTS


def refusal(argv: Argv) -> str:
    """Why a program must not be asked, as a clause for a person; empty when it may."""
    name, words = short_name(argv), " ".join(script(argv))
    if _SERVICES.fullmatch(name):
        return SERVICE
    if _DEBUGGERS.fullmatch(name) or "debugpy" in words:
        return "a debugger, or a program that runs under one"
    if is_generator(argv):
        return "a load generator, not part of the request's way"
    if _NOTEBOOKS.fullmatch(name):
        return "a notebook, an experiment server or a supervisor"
    if name in _HOST_EXPORTERS:
        return _HOST_EXPORTER
    if _EXPORTERS.fullmatch(name) and name != _GPU_EXPORTER:
        return "a Prometheus exporter or monitoring program, not part of the request's way"
    if _WORKERS.search(words):
        return "a part of Ray"
    engine = _engine(words)
    unknown = "an engine that was started in a way that is not known here; it was not asked: name it with --engine URL"
    return f"{engine}, {unknown}" if engine else ""


@lru_cache(maxsize=8192)
def is_engine(argv: Argv) -> bool:
    """Whether this looks like an engine, however it was started."""
    return bool(_engine(" ".join(script(argv))))


def _engine(words: str) -> str:
    return next((title for pattern, title in _ENGINES if pattern.search(words)), "")
