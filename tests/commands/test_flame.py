"""Tests of `perfconsole flame`: a recording said, saved, read again; and one line for each way to fail."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import SystemClock
from perfconsole.commands import flame
from tests.actions.sleepers import beside, sleeper, waiting
from tests.actions.stackwords import KILLED, LOOP, ON_CTRL_C, RECORDS
from tests.commands.running import perfconsole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.commands.running import Ran

ALL = ("--seconds", "1")


@pytest.fixture
def pid() -> Iterator[int]:
    """A Python process of our own."""
    with sleeper() as number:
        yield number


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often."""
    monkeypatch.setattr(flame, "_LOOK_S", 0.01)


def one_line(code: int, words: str, run: Ran) -> None:
    """It failed with this code and one line that has these words."""
    assert (run.code, run.out, run.err.count("\n")) == (code, "", 1), run
    assert words in run.err


def test_a_recording_is_said_and_saved(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its files are in the folder that was named, and nothing else is."""
    beside(tmp_path, monkeypatch, RECORDS)
    run = perfconsole("flame", pid, *ALL, "--out", tmp_path / "out")
    assert run.code == 0
    assert run.out.startswith("  40% ")
    assert "handle" in run.out
    saved = sorted(path.name.partition(".")[2] for path in (tmp_path / "out").iterdir())
    assert saved == ["folded", "json", "speedscope.json", "svg"]
    assert f"saved {tmp_path / 'out'}/flame-" in run.err


def test_without_a_folder_files_go_to_the_state_folder(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Private to the user; quiet means that not even that is said."""
    beside(tmp_path, monkeypatch, RECORDS)
    run = perfconsole("flame", pid, *ALL, "--json", "--quiet")
    assert (run.code, run.err) == (0, "")
    assert run.document["blocking"][0]["share"] == 0.4
    folder = tmp_path / "state" / "perfconsole" / "flames"
    assert len(list(folder.iterdir())) == 4
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_saved_recording_opens_again(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either form of it says the same."""
    beside(tmp_path, monkeypatch, RECORDS)
    perfconsole("flame", pid, *ALL, "--out", tmp_path / "out")
    for ending in ("*.folded", "*.speedscope.json"):
        (path,) = (tmp_path / "out").glob(ending)
        run = perfconsole("flame", "open", path, "--json")
        assert run.code == 0
        assert run.document["samples"] == 100
        assert run.document["threads"][0]["process"] == str(pid)


def test_options_reach_py_spy(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it calls them."""
    seen = tmp_path / "words.json"
    beside(tmp_path, monkeypatch, f"{RECORDS}\nimport json\njson.dump(words, open({str(seen)!r}, 'w'))")
    perfconsole("flame", pid, *ALL, "--rate", 20, "--native", "--subprocesses", "--no-idle", "--yes")
    words = json.loads(seen.read_text(encoding="utf-8"))
    assert words[words.index("--rate") + 1] == "20"
    assert {"--native", "--subprocesses"} <= set(words)
    assert not {"--idle", "--nonblocking"} & set(words)


@pytest.mark.parametrize("option", ["--native", "--blocking"])
def test_what_stops_the_process_wants_a_yes(
    option: str, pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is started before."""
    beside(tmp_path, monkeypatch, f"open({str(tmp_path / 'ran')!r}, 'w')")
    one_line(2, f"stop process {pid} for each sample; add --yes", perfconsole("flame", pid, *ALL, option))
    assert not (tmp_path / "ran").exists()


def test_without_py_spy_one_line_says_how_to_get_it(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tool is missing: exit code 6."""
    beside(tmp_path, monkeypatch, None)
    one_line(6, "pip install py-spy", perfconsole("flame", pid, *ALL))


def test_a_process_that_does_not_exist_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong number is the user's to put right."""
    beside(tmp_path, monkeypatch, RECORDS)
    one_line(2, "process 99999999 does not exist here", perfconsole("flame", 99999999, *ALL))


def test_a_process_that_is_no_python_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no Python stacks, and no permission would help."""
    beside(tmp_path, monkeypatch, RECORDS)
    with waiting(["/bin/cat"]) as cat:
        one_line(6, f"process {cat} (cat) is no Python process", perfconsole("flame", cat, *ALL))


def test_py_spy_that_is_killed_is_one_line(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing recorded there is nothing to say."""
    beside(tmp_path, monkeypatch, KILLED)
    words = f"py-spy could not record process {pid}: it was killed and said nothing"
    one_line(6, words, perfconsole("flame", pid, *ALL))


def test_py_spy_that_is_killed_late_leaves_what_it_has(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said as what it is."""
    beside(tmp_path, monkeypatch, f"with open(output, 'w') as file:\n    file.write({LOOP!r})\n{KILLED}")
    run = perfconsole("flame", pid, *ALL, "--quiet")
    assert run.code == 0
    assert "py-spy ended early: it was killed" in run.err
    assert run.out.startswith("  40% ")


def test_no_sample_at_all_is_one_line(pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no empty report."""
    beside(tmp_path, monkeypatch, "pass")
    one_line(2, f"no sample of process {pid}", perfconsole("flame", pid, *ALL))


def test_a_folder_that_takes_no_file_is_one_line_below_which_the_report_stands(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds of a stressed process are not thrown away."""
    beside(tmp_path, monkeypatch, RECORDS)
    (tmp_path / "file").touch()
    run = perfconsole("flame", pid, *ALL, "--out", tmp_path / "file" / "out")
    assert (run.code, run.err.count("\n")) == (2, 1)
    assert "nothing was saved in" in run.err
    assert run.out.startswith("  40% ")


def test_a_process_that_ends_during_the_recording_is_said(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen until then still counts."""
    beside(tmp_path, monkeypatch, RECORDS)
    run = perfconsole("flame", pid, "--seconds", 30, "--quiet")
    assert "the process ended after 0." in run.err
    assert "of 30 s; seen until then" in run.err


def test_ctrl_c_ends_the_recording_and_shows_what_there_is(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the exit code of an interrupt; the second one would leave."""
    ready = tmp_path / "ready"
    beside(tmp_path, monkeypatch, f"{ON_CTRL_C}open({str(ready)!r}, 'w')\ntime.sleep(30)")

    class Interrupted(SystemClock):
        """Ctrl-C once py-spy has begun."""

        def sleep(self, seconds: float) -> None:
            if ready.exists():
                ready.unlink()
                raise KeyboardInterrupt
            super().sleep(seconds)

    monkeypatch.setattr(flame, "SystemClock", Interrupted)
    run = perfconsole("flame", pid, "--quiet")
    assert (run.code, run.err) == (130, "")
    assert run.out.startswith("  40% ")


def test_a_process_that_stands_still_afterwards_is_an_alarm(
    pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that wakes it."""
    beside(tmp_path, monkeypatch, f"{RECORDS}\nos.kill(int(words[words.index('--pid') + 1]), signal.SIGSTOP)")
    run = perfconsole("flame", pid, *ALL, "--quiet")
    os.kill(pid, signal.SIGCONT)
    assert f"ALARM: process {pid} stands still since the recording (state T); kill -CONT {pid} wakes it" in run.err


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"\x00\xff garbage\n\x1b[31m", "no line of it is a folded stack"),
        (b"{", "it is no JSON"),
        (b'{"a": 1}', "not speedscope's JSON"),
        (b"", "it is empty"),
    ],
)
def test_a_file_that_is_no_recording_is_one_line(body: bytes, words: str, tmp_path: Path) -> None:
    """Never a traceback, and never an empty report that looks like good news."""
    path = tmp_path / "file"
    path.write_bytes(body)
    one_line(2, words, perfconsole("flame", "open", path))


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """A folder neither."""
    one_line(2, "No such file", perfconsole("flame", "open", tmp_path / "none"))
    one_line(2, "no plain file", perfconsole("flame", "open", tmp_path))


@pytest.mark.parametrize("words", [("open",), ("1", "2"), ("open", "a", "b", "c")])
def test_anything_but_one_process_or_one_file_is_refused(words: tuple[str, ...]) -> None:
    """Before anything is looked for."""
    one_line(2, "flame takes one process", perfconsole("flame", *words))


@pytest.mark.parametrize(
    ("option", "value"), [("--seconds", "0"), ("--seconds", "601"), ("--rate", "201"), ("--rate", "nan")]
)
def test_lengths_and_rates_have_their_limits(option: str, value: str) -> None:
    """A sampler above them may freeze what it looks at."""
    one_line(2, "is no number of", perfconsole("flame", "1", option, value))


def test_two_recordings_are_compared(tmp_path: Path) -> None:
    """Functions whose share changed, for people and for scripts."""
    now, before = tmp_path / "now", tmp_path / "before"
    now.write_text("a (x.py:1);b (x.py:2) 50\na (x.py:1);c (x.py:3) 50\n")
    before.write_text("a (x.py:1);b (x.py:2) 100\n")
    assert "CHANGED" in perfconsole("flame", "open", now, before).out
    document = json.loads(perfconsole("flame", "open", now, before, "--json").out)
    assert {change["function"]: (change["before"], change["now"]) for change in document["changed"]} == {
        "b": (1.0, 0.5),
        "c": (0.0, 0.5),
    }
