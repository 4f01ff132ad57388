"""Words of a check's command that change the host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.diagnose.harm import harmful
from perfconsole.diagnose.rulefile import load_folder, shipped_folder


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("rm -rf /tmp/x", "rm"),
        ("/bin/rm x", "/bin/rm"),
        ("ps aux | xargs -r kill -9", "kill"),
        ("sudo systemctl --no-pager restart vllm", "restart"),
        ("service vllm restart", "restart"),
        ("docker restart vllm", "restart"),
        ("kubectl -n prod delete pod x", "delete"),
        ("echo 1 > /proc/sys/vm/drop_caches", "/proc/sys/vm/drop_caches"),
        ("ps aux >> log", "log"),
        ("ps aux 2> errors", "errors"),
        ("dmesg | tee kernel.txt", "tee"),
        ("dmesg -C", "-C"),
        ("sysctl -w vm.swappiness=1", "-w"),
        ("sed -i s/a/b/ {engine.log}", "-i"),
        ("find / -name core -delete", "-delete"),
        ("nvidia-smi -i {gpu.index} --gpu-reset", "--gpu-reset"),
        ("nvidia-smi -pl 300", "-pl"),
        ("curl -X POST {engine.url}/sleep", "POST"),
        ("curl -sd '{}' {engine.url}/abort", "-sd"),
        ("timeout 5 rm x", "rm"),
        ("A=1 rm x", "rm"),
        ("echo $(kill 1)", "kill"),
        ("for p in {engine.rank_pids}; do kill $p; done", "kill"),
        ("if true; then reboot; fi", "reboot"),
        ("bash -c 'ps'", "bash"),
        ("python3 -c 'print(1)'", "python3"),
        ("ip link set eth0 down", "set"),
        ("ps\nrm x", "rm"),
    ],
)
def test_a_word_that_acts_is_found(line: str, word: str) -> None:
    """At its column, whatever stands in front of it."""
    assert line.index(word) + 1 in [column for _, _, column in harmful(line)]


@pytest.mark.parametrize(
    "line",
    [
        "ps aux 2>&1 >/dev/null",
        "ps aux 2> /dev/null",
        "systemctl status vllm",
        "grep -c 'rm -rf' {engine.log}",
        "awk '$1 > 5 {print $2}' {engine.log}",
        "nvidia-smi nvlink -e -i {gpu.index}",
        "nvidia-smi dmon -i {gpu.index} -s pucm -c 5",
        "curl -s -o /dev/null -w '%{size_download}' {engine.url}/metrics",
        "for p in {engine.rank_pids}; do py-spy dump --pid $p; done",
        "cat kill tee rm",
        "kubectl describe pod -l app={engine.model}",
        "own-tool --look",
    ],
)
def test_a_line_that_looks_passes(line: str) -> None:
    """Words of another command, of a pattern or of a program text are no commands."""
    assert list(harmful(line)) == []


def test_every_shipped_check_only_looks() -> None:
    """Of those that are run on the host as they are."""
    rules, _ = load_folder(shipped_folder(), cases=False)
    lines = [check.text for rule in rules for check in rule.checks if check.kind in ("run", "dump")]
    assert [line for line in lines if list(harmful(line))] == []


@given(st.text())
def test_any_text_is_read_to_its_end(line: str) -> None:
    """Columns lie inside the line."""
    assert all(1 <= column <= len(line) for _, _, column in harmful(line))
