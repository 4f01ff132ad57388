"""Tests of which commands of checks are run from the console: those that only read, by a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.checks import fill
from perfconsole.diagnose.readonly import acts, commands, script_acts
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.entity import Entity, Kind

READS = [
    "ps -o pid,stat,etime,args -p 4312",
    "ss -Htn state established '( sport = :8000 )' | awk '{print $4}' | sort | uniq -c",
    "curl -sS -o /dev/null -m 5 -w '%{http_code}\\n' http://127.0.0.1:8000/health",
    "dmesg -T | grep -iE 'xid.*(79|119)|fallen off; the bus' | tail",
    "nvidia-smi -i 0 --query-gpu=pcie.link.width.current --format=csv",
    "nvidia-smi dmon -i 0 -s pucm -c 5; nvidia-smi nvlink -e -i 0; nvidia-smi topo -m",
    "for p in 11 12; do cat /proc/$p/schedstat; done; sleep 2",
    "ls /proc/7/fd 2>/dev/null | wc -l 2>&1",
    "ip -s link; nstat -asz TcpRetransSegs; sysctl net.core.somaxconn; date -u",
    "sed -n 1,5p /proc/meminfo; taskset -cp 4312; date +%s",
    "pidstat -u -p 4312 1 5; dmesg --level=err --ctime; ss --tcp -4 --no-header; lspci -vv",
    "curl -sf --max-time 5 -H 'Accept: text/plain' https://h:8000/v1/models; curl -s http://h/get_server_info",
    """grep "$p's" 'it''s' < /proc/self/status; if ( ps ); then ps; fi""",
]
ACTS = [
    "kill -9 4312",
    "rm -rf /tmp/x",
    "ps; kill 1",
    "ps | xargs kill",
    "cat /etc/passwd > /tmp/x",
    "cat x >> y",
    "cat x &> y",
    "echo $(reboot)",
    "echo `reboot`",
    'echo "$(reboot)"',
    "sh -c reboot",
    "bash -c 'ps'",
    "eval ps",
    "sudo dmesg",
    "X=1 reboot",
    "x=rm; $x y",
    "for p in 1 2; do kill $p; done",
    "if true; then reboot; fi",
    "( reboot )",
    "ps && reboot",
    "ps\nreboot",
    "ps & reboot",
    "./ps",
    "(ps);reboot",
    "ps;;reboot",
    "ps|&reboot",
    "ps;>x",
    "ps >| x",
    "'' reboot",
    "nvidia-smi -r",
    "nvidia-smi -i 0 -pl 300",
    "nvidia-smi --gpu-reset -i 0",
    "nvidia-smi -c 1",
    "nvidia-smi mig -dci",
    "nvidia-smi -q -f /tmp/x",
    "curl -X POST http://h/",
    "curl -sd @/etc/passwd http://h/",
    "curl -o /tmp/x http://h/",
    "curl -O http://h/x",
    "curl -w %output{/tmp/x} http://h/",
    "curl http://h/flush_cache",
    "curl -s http://h:8000/sleep?level=1",
    "dmesg -C",
    "dmesg --clear",
    "sysctl -w a=1",
    "sysctl a=1",
    "date 0101",
    "date -s now",
    "hostname evil",
    "sort -o /tmp/x y",
    "uniq a b",
    "sed -i s/a/b/ x",
    "sed -n 5p -i x",
    "sed -n w/tmp/x",
    "awk '{print > \"/tmp/x\"}' y",
    "awk 'BEGIN{system(\"reboot\")}'",
    "ss -K dst 10.0.0.1",
    "ip link set eth0 down",
    "ip link s eth0 down",
    "taskset -p 1 4312",
    "journalctl --vacuum-size=1M",
    "kubectl delete pod x",
    "systemctl restart vllm",
    "py-spy dump --pid 1",
    "ps 'never closed",
    "diff <(ps) x",
    # a quoted operator is a word
    "cat '<' ; kill 1",
    "cat '<' x",
    'cat "|" x',
    r"cat \< ; kill 1",
    r"cat \; x",
    "curl '<' -XPOST '<' http://h/metrics",
    # comments
    "echo # it's\ntouch X #'",
    "ps # all",
    # words that only the shell knows
    "for o in -o; do sort $o /tmp/f g; done",
    "for o in -XPOST; do curl $o http://h/metrics; done",
    """for p in 'BEGIN{system("reboot")}'; do awk "$p"; done""",
    "sort *",
    "sort {-o,/tmp/x} y",
    "sort ~/x",
    "echo $[PATH=1]; ps",
    "echo ${x[PATH=1]}; ps",
    "for PATH in /tmp; do ps; done",
    "printf -v PATH /tmp; ps",
    "test -v 'x[PATH=1]'; ps",
    "ps () { ps | ps & }; ps",
    "time() { time | time & }; time",
    # programs in words
    "sed -n '1p ;w/tmp/x' f",
    "sed -n '1p ;etouch /tmp/e' f",
    "sed -n 1p f -i",
    """awk 'BEGIN{print "a;" > "/tmp/x"}'""",
    """awk 'BEGIN{f="system"; @f("reboot")}'""",
    "awk -f /tmp/x",
    "ps | uniq - /tmp/out",
    "ps | uniq -- -a /tmp/out",
    "nstat",
    "nstat -az",
    "nstat -s",
    "nstat -r",
    "pidstat -e reboot",
    "pidstat -de reboot",
    "lspci -Q",
    # abbreviations, and options as values of options
    "ss --kil dst x",
    "ss -4K dst x",
    "dmesg --clea",
    "nvidia-smi -l --gpu-reset",
    "nvidia-smi nvlink -s -r",
    "curl -m -XPOST http://h/metrics",
    "kubectl get pod --kubeconfig=/tmp/x",
    "kubectl version --profile-output=/tmp/x",
    "systemctl status -H h",
    # addresses
    "curl h/metrics",
    "curl file:///etc/passwd",
    "curl gopher://h/metrics",
    "curl http://h/slee%70",
    "curl 'http://h/{metrics,sleep}'",
    "curl 'http://h/[a-z]leep'",
    "curl http://h:30000/health_generate",
    "curl http://h/health/../sleep",
    "curl http://h/start_profile",
    "curl http://h/anything",
    "curl http://h/metrics http://h/abort",
    "curl -H 'Accept: x\n\nPOST /abort' http://h/metrics",
    "curl -H @/etc/passwd http://h/metrics",
]

RUN = [
    "activity-signals-disagree",
    "cold-kernels",
    "connection-cap",
    "cpu-clock-low",
    "cpu-contention",
    "cpu-quota-throttled",
    "descriptors-exhausted",
    "engine-asleep",
    "engine-down",
    "engine-frozen",
    "errors-high",
    "gateway-down",
    "gpu-lost",
    "gpu-memory-fault",
    "gpu-shared",
    "gpu-thermal-throttle",
    "host-memory-pressure",
    "kv-transfer-failing",
    "layers-on-cpu",
    "network-loss",
    "nvlink-fault",
    "orchestrator-down",
    "pcie-link-degraded",
    "peer-path-degraded",
    "probe-restart-loop",
    "scrape-slow-or-stale",
    "slow-weight-load",
    "traffic-bypasses-gateway",
    "upstream-lost",
]
"""Shipped rules whose commands are run."""
HOST = Entity(Kind.HOST, "h")


@pytest.mark.parametrize("line", READS)
def test_what_only_reads_is_run(line: str) -> None:
    """The commands of the table, pipes and loops among them."""
    assert script_acts(line) == ""


@pytest.mark.parametrize("line", ACTS)
def test_what_acts_or_is_not_known_is_refused_in_words(line: str) -> None:
    """Wherever in the line it stands."""
    assert script_acts(line) != ""


def test_a_refusal_names_the_command() -> None:
    """So that the reader sees which of several it was."""
    assert script_acts("ps; kill 1") == "kill is not on the list of commands that only read"


def test_a_command_without_a_shell_is_judged_word_by_word() -> None:
    """Signs of a shell are plain text there."""
    assert (acts(("grep", "a;b|c > d", "x")), acts(("kill", "1")) != "") == ("", True)


def test_simple_commands_are_found_behind_keywords() -> None:
    """Closing words run nothing."""
    line = "for p in 1 2; do ps -p $p | wc -l; done"
    assert list(commands(line)) == [("ps", "-p", "$p"), ("wc", "-l")]


@given(st.lists(st.sampled_from(["ps", ";", "|", "kill", "'", '"', "$(", ">", "&&", "x", "\n", "do", "(", ")", "#"])))
def test_a_line_with_a_command_that_acts_at_its_end_is_never_run(words: list[str]) -> None:
    """Whatever stands before it."""
    assert script_acts(" ".join([*words, "\nkill", "1"])) != "" or any(w in ("'", '"') for w in words)


def test_every_shipped_command_but_these_can_be_run() -> None:
    """What pauses a process, and what is no command but words, is left to the reader."""
    rules, _ = load_folder(shipped_folder(), cases=False)
    texts = [(rule.id, fill(c.text, HOST, _known)[0]) for rule in rules for c in rule.checks if c.kind == "run"]
    assert {name for name, text in texts if script_acts(text)} == {"hung-collective", "regression-after-change"}
    assert sorted({name for name, text in texts if not script_acts(text)}) == RUN


def _known(name: str, _entity: Entity) -> str:
    return "http://127.0.0.1:8000" if name.endswith(".url") else "1"
