"""Saving what is healthy, refusing what is not, and comparing with it afterwards."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from perfconsole.probing.resultcodec import written
from tests.commands.running import CAPTURES, Ran, perfconsole
from tests.probing.quietly import PROBED

if TYPE_CHECKING:
    from pathlib import Path

VLLM = CAPTURES / "vllm" / "series.prom.gz"


def save(*more: object, at: int = 45) -> Ran:
    """The first seconds of a recording: idle until 18 s, well under load until 50 s, then overloaded."""
    return perfconsole("baseline", "save", "--replay", VLLM, "--at", at, *more)


def check(at: int = 45) -> Ran:
    """The same recording, judged."""
    return perfconsole("check", "--replay", VLLM, "--at", at, "--json")


def listed() -> list[dict[str, Any]]:
    """The documents of the list."""
    found: list[dict[str, Any]] = json.loads(perfconsole("baseline", "list", "--json").out)
    return found


def test_what_was_healthy_is_saved_and_listed() -> None:
    """One line with whose it is and how much it rests on."""
    ran = save("--name", "night")
    assert (ran.code, ran.err) == (0, "")
    assert "saved night  engine/vllm  45 s, 52 requests" in ran.out
    line = perfconsole("baseline", "list").out.splitlines()[1]
    assert line.split()[:2] == ["night", "engine/vllm"]
    assert line.endswith("45 s, short  52")


def test_a_saved_profile_is_what_later_runs_compare_with() -> None:
    """The kind stands beside the value."""
    save()
    kinds = {i["baseline"]["kind"] for i in check().document["indicators"] if i["baseline"]}
    assert kinds == {"saved profile of 2026-11-29 (45 s, 52 requests)"}


def test_without_a_saved_profile_nothing_is_compared_with_one() -> None:
    """The recording of 45 s has no history of its own."""
    assert {i["baseline"] for i in check().document["indicators"]} == {None}


def test_the_same_engine_has_not_changed_its_build_only_where_that_is_known() -> None:
    """A recording does not say its version: missing, and never 0."""
    save()
    changed = next(i for i in check().document["indicators"] if i["name"] == "engine.build_changed")
    assert (changed["value"], changed["missing"]) == (None, "never")


def test_what_is_not_healthy_is_refused_and_named() -> None:
    """It would make trouble the yardstick."""
    ran = save(at=60)
    assert ran.code == 1
    assert "not healthy: admission-cap on engine/vllm" in ran.err
    assert listed() == []


def test_what_is_forced_says_so_wherever_it_is_used() -> None:
    """The finding is part of the profile."""
    assert save("--force", at=60).code == 0
    kinds = {i["baseline"]["kind"] for i in check().document["indicators"] if i["baseline"]}
    assert all("saved despite admission-cap, ttft-high" in kind for kind in kinds)
    assert "saved despite" in perfconsole("baseline", "show", "usual").out


def test_too_few_requests_are_refused_and_counted() -> None:
    """Also by force: there is nothing to save."""
    for more in ((), ("--force",)):
        ran = save(*more, at=10)
        assert ran.code == 4
        assert "engine/vllm is left out: 0 requests ended in 10 s, it takes 20" in ran.err


def test_an_engine_that_never_answers_gives_its_own_exit_code() -> None:
    """A port at which nothing listens."""
    ran = perfconsole("baseline", "save", "--engine", "http://127.0.0.1:9", "--for", "1", "-q")
    assert ran.code == 3
    assert "nothing was saved" in ran.err


def test_saving_again_under_the_same_name_replaces_it() -> None:
    """One profile for each name and identity."""
    save()
    save()
    assert len(listed()) == 1


def test_the_figures_are_shown_with_their_units() -> None:
    """And what each of them is."""
    save()
    shown = perfconsole("baseline", "show", "usual").out
    assert "45 s without trouble, 52 requests; short: 30 min give it full" in shown
    assert "max_num_seqs 4" in shown
    rows = {line.split()[0]: line for line in shown.splitlines() if line.strip().startswith("engine.")}
    assert "tokens/s" in rows["engine.generation_rate"]
    assert rows["engine.ttft.p95"].endswith(" s   whole stretch")


def test_the_documents_are_for_scripts() -> None:
    """List without figures, show with them, in base units; both name the file."""
    (saved,) = json.loads(save("--json").out)
    (line,) = listed()
    (shown,) = json.loads(perfconsole("baseline", "show", "usual", "--json").out)
    assert saved == shown
    assert "values" not in line
    assert line["file"] == shown["file"]
    assert shown["values"]["engine.ttft.p95"]["unit"] == "s"


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    """One line, exit code 2."""
    save()
    ran = perfconsole("baseline", "show", "nightly")
    assert (ran.code, ran.err) == (2, "perfconsole: no baseline is called 'nightly' (known: usual)\n")


def test_an_empty_list_says_how_to_begin() -> None:
    """On stderr: a script reads an empty list."""
    ran = perfconsole("baseline", "list")
    assert (ran.code, ran.out) == (0, "")
    assert "baseline save --for 30m" in ran.err


def test_a_name_that_is_no_file_name_is_refused_before_watching() -> None:
    """Nobody waits half an hour for that."""
    assert save("--name", "../up").code == 2


def test_flags_of_live_watching_beside_a_recording_are_refused() -> None:
    """They would do nothing."""
    assert save("--for", "30").code == 2


def test_a_damaged_profile_is_told_of_and_never_in_the_way(tmp_path: Path) -> None:
    """By each command that reads them."""
    folder = tmp_path / "state" / "perfconsole" / "baselines"
    folder.mkdir(parents=True)
    (folder / "odd.json").write_text("{")
    for command in (("check", "--replay", VLLM, "--at", "10"), ("baseline", "list")):
        ran = perfconsole(*command)
        assert ran.code == 0
        assert ran.err.count("odd.json: skipped, it is no JSON") == 1


def test_without_a_model_another_configuration_is_another_engine(tmp_path: Path) -> None:
    """A recording does not say what it served: nobody knows whether the figures are comparable."""
    save()
    ran = perfconsole("check", "--replay", _with_cap(tmp_path / "other", 2), "--at", 45, "--json")
    assert {i["baseline"] for i in ran.document["indicators"]} == {None}


def _with_cap(folder: Path, cap: int) -> Path:
    """A copy of the recording whose engine was started with another cap."""
    folder.mkdir()
    path = folder / "series.prom"
    path.write_bytes(gzip.decompress(VLLM.read_bytes()))
    meta = json.loads((VLLM.parent / "meta.json").read_text(encoding="utf-8"))
    meta["flags"] = meta["flags"].replace("--max-num-seqs 4", f"--max-num-seqs {cap}")
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return path


def probed(folder: Path, *more: object) -> Ran:
    """Save what a probe measured."""
    path = folder / "result.json"
    path.write_text(written(PROBED))
    return perfconsole("baseline", "save", "--probe", path, *more)


def test_a_probe_is_saved_under_a_name_of_its_own(tmp_path: Path) -> None:
    """It never replaces what was watched."""
    ran = probed(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("saved quiet  engine/vllm:8000  probe, 1 at a time, 10 s, 8 requests, ")
    assert perfconsole("baseline", "list").out.splitlines()[1].endswith("10 s, probe  8")


def test_a_probe_is_shown_with_what_it_rests_on_and_who_measured(tmp_path: Path) -> None:
    """Load, lengths, and which figures are the client's."""
    probed(tmp_path, "--name", "single")
    shown = perfconsole("baseline", "show", "single").out
    assert "a probe, 1 at a time (short-chat, 128 tokens in and 128 out): 10 s, 8" in shown
    rows = {line.split()[0]: line for line in shown.splitlines() if line.strip().startswith("engine.")}
    assert rows["engine.itl.p50"].endswith("whole stretch")
    assert rows["engine.tpot.p50"].endswith("by the client")


@pytest.mark.parametrize(
    "more", [("--for", "30"), ("--replay", VLLM), ("--engine", "http://127.0.0.1:9"), ("--force",), ("--log", "x.log")]
)
def test_a_probe_is_not_watched(tmp_path: Path, more: tuple[object, ...]) -> None:
    """Flags of watching would do nothing."""
    ran = probed(tmp_path, *more)
    assert ran.code == 2
    assert f"leave {more[0]} out" in ran.err


@pytest.mark.parametrize("text", ["", "{}", written(replace(PROBED, steps=()))])
def test_a_file_that_makes_no_yardstick_is_named(tmp_path: Path, text: str) -> None:
    """In one line, with what is wrong."""
    path = tmp_path / "other.json"
    path.write_text(text)
    ran = perfconsole("baseline", "save", "--probe", path)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert str(path) in ran.err
    assert listed() == []
