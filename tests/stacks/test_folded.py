"""Folded stacks of three recorders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.stack import Frame, Stack, ThreadKey
from perfconsole.stacks.folded import process_words, read_folded, thread_words, write_folded


def only(text: str) -> Stack:
    """The one stack of a text."""
    (stack,) = read_folded(text).stacks
    return stack


def test_a_line_of_py_spy_has_function_file_and_line() -> None:
    """Outermost frame first."""
    assert only("main (app.py:3);work (lib/w.py:40) 7\n").frames == (
        Frame("main", "app.py", 3),
        Frame("work", "lib/w.py", 40),
    )


def test_names_may_have_blanks_and_brackets() -> None:
    """The place is what stands in the last brackets."""
    assert only("f (g) (a b.py:1) 1").frames == (Frame("f (g)", "a b.py", 1),)


def test_the_process_and_the_thread_are_no_frames() -> None:
    """Of processes inside each other the innermost counts."""
    stack = only('process 1:"a";process 2:"b c";thread (3): MainThread;f (a.py:1) 2')
    assert stack.thread == ThreadKey('process 2:"b c"', "thread (3): MainThread")
    assert (process_words(stack.thread), thread_words(stack.thread)) == (("2", "b c"), ("3", "MainThread"))
    assert len(stack.frames) == 1


def test_a_command_line_is_read_without_its_secrets() -> None:
    """py-spy writes the whole of it."""
    stack = only('process 2:"serve --api-key abc";f (a.py:1) 2')
    assert stack.thread.process == 'process 2:"serve --api-key ***"'


def test_a_sample_without_a_frame_counts() -> None:
    """A thread outside of Python."""
    assert only(" 15") == Stack(ThreadKey("", ""), (), 15.0)


def test_austin_weighs_in_microseconds_of_threads() -> None:
    """`P;T;file:function:line`; a collection has a frame of its own."""
    profile = read_folded("P42;T0:43;a.py:main:3;:GC: 1500\nP42;T0:43;a.py:main:3 500\n")
    assert profile.unit == "s"
    assert profile.stacks[0].weight == pytest.approx(0.0015)
    assert profile.stacks[0].frames[0] == Frame("main", "a.py", 3)
    assert thread_words(profile.stacks[0].thread)[0] == "0:43"


def test_perf_names_python_functions_between_native_ones() -> None:
    """The task stands in front, the interpreter's trampoline in between."""
    stack = only("python-7/8;_start;py::work:/srv/a.py;sock_recv_[k] 3")
    assert stack.frames[1] == Frame("work", "/srv/a.py", 0)
    assert thread_words(stack.thread) == ("8", "python")


def test_lines_that_are_none_are_counted() -> None:
    """A file that was cut, or remarks of another tool."""
    profile = read_folded("f (a.py:1) 2\nnothing here\n# a remark\nf (a.py:1) nan\n")
    assert (profile.samples, profile.unread) == (2, 2)


@pytest.mark.parametrize("weight", ["1e308", "inf", "-1", "x", "9" * 400])
def test_a_weight_that_is_none_of_a_recording_makes_no_stack(weight: str) -> None:
    """Their sum would be no number either."""
    assert read_folded(f"f (a.py:1) {weight}\ng (a.py:2) 1\n").samples == 1


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    """Any text gives stacks or none."""
    read_folded(text)


FILES = st.text(st.characters(categories=("L", "N"), include_characters="/._"), min_size=1, max_size=12)
FRAMES = st.builds(Frame, st.from_regex(r"[a-z_<>.]{1,9}", fullmatch=True), FILES, st.integers(1, 9999))


@given(st.lists(st.tuples(st.lists(FRAMES, min_size=1, max_size=5), st.integers(1, 99)), min_size=1, max_size=5))
def test_what_is_written_is_read_again(stacks: list[tuple[list[Frame], int]]) -> None:
    """The same stacks with the same weights."""
    lines = "".join(f"{';'.join(f'{f.function} ({f.file}:{f.line})' for f in s)} {w}\n" for s, w in stacks)
    profile = read_folded(lines)
    assert read_folded(write_folded(profile)) == profile
