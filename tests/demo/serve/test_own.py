"""What the programs share: their script, their flags, their figures."""

from __future__ import annotations

from perfconsole.demo.scenarios import chosen
from perfconsole.demo.serve import own


def test_a_program_without_a_cue_stays_at_the_first_second() -> None:
    """However late it is."""
    assert own.Cue(chosen("all")).script.at(1e9).since_s == 0.0


def test_the_cue_starts_the_script() -> None:
    """At the moment that it names."""
    cue = own.Cue(chosen("all"))
    cue.begin(100.0)
    assert cue.script.at(103.0).since_s == 3.0


def test_flags_for_the_eye_are_let_through() -> None:
    """Those by which the console knows an engine."""
    argv = ["--simulates", "vllm", "serve", "--port", "81", "--scenario", "healthy"]
    known, _ = own.arguments(argv, "--port")
    assert known.port == 81


def test_figures_are_those_of_this_process() -> None:
    """CPU time and memory are real; only the start is told."""
    figures = own.figures(12.0)
    assert figures.start_epoch_s == 12.0
    assert figures.cpu_s > 0
    assert figures.resident_bytes > 1_000_000
    assert figures.open_fds > 2


def test_the_cue_leaves_out_what_the_play_stood_still() -> None:
    """A probe of a minute moves nothing on."""
    cue = own.Cue(chosen("all"))
    cue.begin(100.0)
    cue.standstill.hold(103.0)
    cue.standstill.release(163.0)
    assert cue.at(165.0).since_s == 5.0
