"""`diagnose`: reports, scores and exit codes over files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.cli import main
from perfconsole.core.situation import judged
from perfconsole.diagnose.rulefile import load_folder, shipped_folder
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.situationfile import parse_situations, read_situations
from perfconsole.view.picture import Picture, no_trails
from perfconsole.view.situation import situation_text

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

HERE = Path(__file__).parents[1]
SITUATIONS, HOSTS = HERE / "situations", HERE / "hosts" / "healthy-hosts.yaml"
CAP = "id: cap\nstated: {engine.batch_fill: 1, engine.requests_waiting: 24, engine.kv_cache_usage: 0.3%s}\n"
SURE = ", engine.preemption_ratio: 0"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A situation in which requests wait for slots."""
    path = tmp_path / "cap.yaml"
    path.write_text(CAP % SURE)
    return path


def document(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    """Exit code and JSON document of `diagnose --json`."""
    code = main(["diagnose", "--json", *map(str, words)])
    return code, json.loads(capsys.readouterr().out)


def test_the_headline_with_its_evidence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong, the values, the first check; a likely warning is exit code 1."""
    code = main(["diagnose", str(file)])
    out = capsys.readouterr().out
    assert code == 1
    for words in ("Requests wait for a slot", "requests_waiting 24", "first check", "ruled out"):
        assert words in out


def test_the_document_is_that_of_check(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Findings with readings, the undecided with what they miss."""
    _, found = document(capsys, file)
    assert found["schema"] == 1
    assert found["findings"][0]["rule"] == "admission-cap"
    assert {"condition", "truth", "operands"} <= found["findings"][0]["readings"][0].keys()
    assert {"rule", "entity", "missing"} <= found["undecided"][0].keys()


def test_what_could_not_be_excluded_is_only_possible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 4."""
    (tmp_path / "cap.yaml").write_text(CAP % "")
    code, found = document(capsys, tmp_path)
    assert (code, found["findings"][0]["verdict"]) == (4, "possible")


def test_figures_that_say_nothing_name_what_would(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule that has to do with the one fact given, and the values that it lacks."""
    (tmp_path / "s.yaml").write_text("stated: {engine.chunked_prefill: 0}")
    code, found = document(capsys, tmp_path / "s.yaml")
    assert (code, found["findings"]) == (0, [])
    lacking = {u["rule"]: [m["name"] for m in u["missing"]] for u in found["undecided"]}
    assert "engine.requests_running" in lacking["head-never-fits"]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line for it, the report of the other, exit code 2."""
    (tmp_path / "bad.yaml").write_text("stated: [")
    code = main(["diagnose", str(tmp_path / "bad.yaml"), str(file)])
    captured = capsys.readouterr()
    assert code == 2
    assert "bad.yaml:2:1: not YAML" in captured.err
    assert "Requests wait for a slot" in captured.out


def test_a_single_file_that_cannot_be_read_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said twice."""
    (tmp_path / "bad.yaml").write_text("stated: [")
    assert main(["diagnose", str(tmp_path / "bad.yaml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_targets_are_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file has its own."""
    assert main(["diagnose", "--engine", "http://127.0.0.1:8000", str(file)]) == 2
    assert "leave targets out" in capsys.readouterr().err


def test_nothing_expected_is_nothing_to_score(file: Path) -> None:
    """It says so."""
    assert main(["diagnose", "--score", str(file)]) == 2


def score(capsys: pytest.CaptureFixture[str], *words: object) -> Any:  # noqa: ANN401 - a JSON document
    """The document of `diagnose --score --json`."""
    code, found = document(capsys, "--score", *words)
    assert code == 0
    return found


def test_incidents_on_record_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """An acceptable rule first in at least 95 of 100, among the first three in all; controls stay silent."""
    found = score(capsys, SITUATIONS)
    assert found["cases"] == 43
    assert found["top1"] >= 0.95 * found["cases"]
    assert found["top3"] == found["cases"]
    assert found["silent_ok"] == found["silent_cases"] == 3
    assert (found["wrong_likely"], found["absent_shown"]) == (0, 0)
    assert [c["id"] for c in found["per_case"] if c["present_lacking"]] == []


@pytest.mark.parametrize("history", ["lifetime", "none"])
def test_incidents_are_named_without_history(history: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In at least 90 of 100: a console opened in the middle of one has none."""
    found = score(capsys, "--baseline", history, SITUATIONS)
    assert found["top1"] >= 0.9 * found["cases"]
    assert found["silent_ok"] == found["silent_cases"]
    assert (found["wrong_likely"], found["absent_shown"]) == (0, 0)


def test_reported_figures_alone_mislead_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    """Never a wrong headline called likely; where nothing is said, the rule is open and names what it lacks."""
    found = score(capsys, "--figures", "stated", SITUATIONS)
    assert found["wrong_likely"] == 0
    for case in (c for c in found["per_case"] if c["expected"] and not c["ranked"]):
        lacking = {u["rule"]: u["missing"] for u in case["undecided"]}
        assert any(lacking.get(rule) for rule in case["expected"]), case["id"]


@pytest.mark.parametrize("history", ["given", "none"])
def test_healthy_hosts_are_left_in_peace(history: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Idle, full, starting, spinning, power-capped: nothing at warn or above but what a host allows itself."""
    found = score(capsys, "--baseline", history, HOSTS)
    assert found["silent_cases"] == 18
    assert [c["id"] for c in found["per_case"] if not c["silent_ok"]] == []


@pytest.mark.parametrize("name", ["007", "013", "021", "040", "055", "060", "064"])
def test_a_moment_written_by_the_console_is_judged_alike(name: str) -> None:
    """Several replicas, ranks, GPUs and processes with what belongs to what."""
    path = next(SITUATIONS.glob(f"{name}-*.yaml"))
    rules = load_folder(shipped_folder(), cases=False)[0]
    before, _ = judged(read_situations(path, DEFAULT).situations[0], rules, DEFAULT)
    text = situation_text(Picture(before, DEFAULT, no_trails, host="h", rules=tuple(rules)))
    after, _ = judged(parse_situations(text, Path("live.yaml"), DEFAULT).situations[0], rules, DEFAULT)

    def spoken(snapshot: Snapshot) -> list[tuple[str, str, str, str | None]]:
        return [(f.rule, str(f.entity), f.verdict, f.explained_by) for f in snapshot.findings]

    assert spoken(after) == spoken(before) != []
