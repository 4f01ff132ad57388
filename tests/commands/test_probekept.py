"""Results that were kept."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.probekept import check_out, keep
from perfconsole.errors import UsageError
from perfconsole.probing.resultcodec import read, written
from tests.commands.running import perfconsole
from tests.view.probes import QUEUE_BOUND, QUEUED

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.model.proberesult import ProbeResult


def _slower(result: ProbeResult, factor: float) -> ProbeResult:
    """The same, with first tokens so many times as late."""
    steps = tuple(
        replace(step, ttft=replace(step.ttft, p50=step.ttft.p50 * factor, p90=step.ttft.p90 * factor))
        for step in result.steps
        if step.ttft.p50 is not None and step.ttft.p90 is not None
    )
    return replace(result, steps=steps)


@pytest.fixture(name="pair")
def _pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two results: first tokens of the second are half as late again."""
    before, after = tmp_path / "a.json", tmp_path / "b.json"
    before.write_text(written(QUEUE_BOUND))
    after.write_text(written(_slower(QUEUE_BOUND, 1.5)))
    return before, after


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("ttft_p50:+10%", 1),
        ("ttft_p50:+60%", 0),
        ("output_tokens_per_s:-5%", 0),
        ("output_tokens_per_s:-5%,ttft_p50:+10%", 1),
    ],
)
def test_limits_of_a_comparison(pair: tuple[Path, Path], rule: str, code: int) -> None:
    """One that is passed fails the run of a script."""
    run = perfconsole("probe", "compare", *pair, "--fail-on", rule)
    assert run.code == code
    assert run.out.startswith("perfconsole probe compare")


def test_a_limit_that_nothing_can_be_checked_by(tmp_path: Path) -> None:
    """Is no pass: of few requests there is no p99."""
    few = replace(QUEUE_BOUND, steps=QUEUED[:1])
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(written(few))
    run = perfconsole("probe", "compare", tmp_path / "a.json", tmp_path / "b.json", "--fail-on", "ttft_p99:+10%")
    assert run.code == 4


def test_a_limit_that_no_step_of_both_has(tmp_path: Path, pair: tuple[Path, Path]) -> None:
    """Is not kept: nothing was compared."""
    other = replace(QUEUE_BOUND, steps=tuple(replace(s, step=replace(s.step, label="x")) for s in QUEUED))
    (tmp_path / "c.json").write_text(written(other))
    run = perfconsole("probe", "compare", pair[0], tmp_path / "c.json", "--fail-on", "ttft_p50:+10%")
    assert run.code == 4
    assert "unchecked  ttft_p50:+10%: no step of both has it" in run.out


def test_a_comparison_for_scripts(pair: tuple[Path, Path]) -> None:
    """Differences and limits as one document."""
    run = perfconsole("probe", "compare", *pair, "--json", "--fail-on", "ttft_p50:+10%")
    assert run.document["schema"] == 1
    worse = [d for d in run.document["differences"] if d["outcome"] == "worse"]
    assert {d["metric"] for d in worse} == {"ttft_p50", "ttft_p90"}
    assert run.document["gates"][0]["passed"]


@pytest.mark.parametrize("rule", ["ttft", "ttft_p50:+10", "speed:+1%", "ttft_p50:-5%"])
def test_limits_that_are_none(pair: tuple[Path, Path], rule: str) -> None:
    """One line says how to write them."""
    run = perfconsole("probe", "compare", *pair, "--fail-on", rule)
    assert (run.code, run.out) == (2, "")
    assert "--fail-on" in run.err


@pytest.mark.parametrize("text", [None, "", "{}", "[" * 9000, '{"schema": 9, "plan": {}, "steps": []}'])
def test_files_that_are_no_result(pair: tuple[Path, Path], tmp_path: Path, text: str | None) -> None:
    """Are named with what is wrong."""
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    run = perfconsole("probe", "compare", pair[0], path)
    assert run.code == 2
    assert str(path) in run.err
    assert run.err.count("\n") == 1


def test_an_empty_archive() -> None:
    """Is said to be empty."""
    assert perfconsole("probe", "list").out == "no probe is kept here\n"


def test_the_archive(tmp_path: Path) -> None:
    """The newest first, with what was found; a file that is none is told and passed over."""
    older = replace(QUEUE_BOUND, began=QUEUE_BOUND.began - 86_400)
    for each in (older, QUEUE_BOUND):
        keep(each, "", None)
    folder = tmp_path / "state" / "perfconsole" / "probes"
    (folder / "zzz.json").write_text("{")
    run = perfconsole("probe", "list", "--json")
    assert [row["began"] for row in run.document["probes"]] == [QUEUE_BOUND.began, older.began]
    assert run.code == 0
    assert "zzz.json: no JSON" in run.err
    assert "knee at 16" in perfconsole("probe", "list").out


def test_keeping(tmp_path: Path) -> None:
    """Three files in the archive, and the one that was named, replaced and private."""
    out = tmp_path / "r.json"
    out.write_text("old")
    words, done = keep(QUEUE_BOUND, "It queues: confirmed", out)
    assert done
    assert words.endswith(f"(.json .md .html), {out}")
    assert read(out.read_text()) == QUEUE_BOUND
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["r.json"]


def test_a_pipe_in_place_of_a_file(tmp_path: Path) -> None:
    """Is written into, not replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    small = replace(QUEUE_BOUND, steps=())
    keep(small, "", pipe)
    data = os.read(reader, 1 << 20)
    os.close(reader)
    assert json.loads(data)["schema"] == 1
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What could not be written is told, and nothing half is left."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")
    out = tmp_path / "gone" / "r.json"
    assert keep(QUEUE_BOUND, "", out) == ("", False)
    said = capsys.readouterr().err
    assert "nothing was saved" in said
    assert f"--out {out}" in said


def test_places_that_take_nothing(tmp_path: Path) -> None:
    """Are told before a probe begins; a file that is there is fine."""
    (tmp_path / "there.json").write_text("")
    for good in (None, tmp_path / "new.json", tmp_path / "there.json"):
        check_out(good)
    for bad in (tmp_path, tmp_path / "none" / "r.json"):
        with pytest.raises(UsageError, match="--out"):
            check_out(bad)
