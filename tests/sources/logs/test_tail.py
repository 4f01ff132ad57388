"""Tests of one growing file: head and end at first sight, then what is appended, through rotation and truncation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.sample import Missing
from perfconsole.sources.logs.tail import BEHIND_BYTES, END_BYTES, HEAD_BYTES, POLL_BYTES, Piece, Tail, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def log(tmp_path: Path) -> Iterator[tuple[Path, Tail]]:
    """A file with two lines, and its reader."""
    path = tmp_path / "out.log"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(str(path))
    yield path, tail
    tail.close()


def pieces(tail: Tail) -> list[Piece]:
    """What it reads now."""
    found = tail.read()
    assert not isinstance(found, Unreadable), found
    return found


def text(tail: Tail) -> bytes:
    """All that it reads now."""
    return b"".join(piece.data for piece in pieces(tail))


def append(path: Path, data: bytes) -> None:
    """As an engine writes."""
    with path.open("ab") as file:
        file.write(data)


def test_what_stands_there_comes_first(log: tuple[Path, Tail]) -> None:
    """And is known to be older."""
    (piece,) = pieces(log[1])
    assert (piece.data, piece.fresh, piece.gap) == (b"one\ntwo\n", False, False)


def test_then_only_what_is_appended(log: tuple[Path, Tail]) -> None:
    """Nothing twice."""
    path, tail = log
    pieces(tail)
    assert pieces(tail) == []
    append(path, b"three\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.fresh) == (b"three\n", True)


def test_a_line_that_comes_in_two_parts_is_one(log: tuple[Path, Tail]) -> None:
    """Its first part waits."""
    path, tail = log
    pieces(tail)
    append(path, b"thr")
    assert text(tail) == b""
    append(path, b"ee\nfo")
    assert text(tail) == b"three\n"


def test_a_rotated_file_is_read_to_its_end(log: tuple[Path, Tail]) -> None:
    """Then the new one from its beginning."""
    path, tail = log
    pieces(tail)
    append(path, b"last\n")
    path.rename(path.with_suffix(".1"))
    path.write_bytes(b"first\n")
    assert text(tail) == b"last\nfirst\n"


def test_a_truncated_file_is_read_anew(log: tuple[Path, Tail]) -> None:
    """As after copytruncate."""
    path, tail = log
    pieces(tail)
    path.write_bytes(b"new\n")
    assert text(tail) == b"new\n"


def test_of_a_large_file_both_ends_are_read(tmp_path: Path) -> None:
    """The middle is a gap, and no half line comes out of it."""
    path = tmp_path / "big.log"
    line = b"x" * 99 + b"\n"
    path.write_bytes(b"head\n" + line * 100_000 + b"tail\n")
    tail = Tail(str(path))
    head, end = pieces(tail)
    assert len(head.data) <= HEAD_BYTES
    assert len(end.data) <= END_BYTES
    assert (head.gap, end.gap) == (False, True)
    assert head.data.startswith(b"head\n")
    assert end.data.endswith(b"tail\n")
    assert {len(part) for part in end.data.split(b"\n")[:-2]} == {99}
    append(path, b"more\n")
    assert text(tail) == b"more\n"
    tail.close()


def test_a_poll_reads_a_bounded_amount(log: tuple[Path, Tail]) -> None:
    """The rest at the next one."""
    path, tail = log
    pieces(tail)
    append(path, b"y" * 63 + b"\n")
    append(path, (b"y" * 63 + b"\n") * (POLL_BYTES // 64))
    assert len(text(tail)) == POLL_BYTES
    assert len(text(tail)) == 64


def test_far_behind_the_middle_is_left_out(log: tuple[Path, Tail]) -> None:
    """What is newest counts."""
    path, tail = log
    pieces(tail)
    append(path, b"z" * (BEHIND_BYTES + 100) + b"\nend\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.gap) == (b"end\n", True)


def test_a_line_without_end_costs_little(log: tuple[Path, Tail]) -> None:
    """Ten megabytes of one line are let go; the line after it is read."""
    path, tail = log
    pieces(tail)
    for _ in range(10):
        append(path, b"z" * POLL_BYTES)
        assert len(text(tail)) < 2 * POLL_BYTES
    append(path, b"\nend\n")
    assert text(tail) == b"end\n"


def test_progress_bars_end_their_lines(log: tuple[Path, Tail]) -> None:
    """They return the carriage, and write on."""
    path, tail = log
    pieces(tail)
    append(path, b"10%\r20%\rdone\n")
    assert text(tail) == b"10%\n20%\ndone\n"


def test_a_file_that_is_not_there_may_come(tmp_path: Path) -> None:
    """Until then it says so."""
    path = tmp_path / "later.log"
    tail = Tail(str(path))
    missing = tail.read()
    assert isinstance(missing, Unreadable)
    assert missing.reason is Missing.NOT_EXPORTED
    path.write_bytes(b"here\n")
    assert text(tail) == b"here\n"
    tail.close()


def test_a_file_that_went_away_says_so(log: tuple[Path, Tail]) -> None:
    """And what comes in its place is seen for the first time, also where it got the number of the old one."""
    path, tail = log
    pieces(tail)
    path.unlink()
    assert isinstance(tail.read(), Unreadable)
    path.write_bytes(b"again\nand again\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.fresh) == (b"again\nand again\n", False)
    append(path, b"new\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.fresh) == (b"new\n", True)


def test_a_file_that_comes_back_goes_on(log: tuple[Path, Tail]) -> None:
    """Where it was, with the half line that was read of it."""
    path, tail = log
    append(path, b"thr")
    pieces(tail)
    away = path.rename(path.with_suffix(".away"))
    assert isinstance(tail.read(), Unreadable)
    away.rename(path)
    append(path, b"ee\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.fresh, piece.gap) == (b"three\n", True, False)


def test_the_last_words_before_a_file_goes_away_are_read(log: tuple[Path, Tail]) -> None:
    """They say why its process ended; then it says that it is not there."""
    path, tail = log
    pieces(tail)
    append(path, b"last\n")
    path.unlink()
    assert text(tail) == b"last\n"
    assert isinstance(tail.read(), Unreadable)


def test_of_a_rotated_file_all_is_read(log: tuple[Path, Tail]) -> None:
    """More than a poll takes."""
    path, tail = log
    pieces(tail)
    append(path, b"a\n" * POLL_BYTES + b"last\n")
    path.rename(path.with_suffix(".1"))
    path.write_bytes(b"first\n")
    found = pieces(tail)
    assert b"".join(piece.data for piece in found) == b"a\n" * POLL_BYTES + b"last\nfirst\n"
    assert not any(piece.gap for piece in found)


def test_of_a_rotated_file_that_is_far_ahead_the_end_is_read(log: tuple[Path, Tail]) -> None:
    """With a gap before it."""
    path, tail = log
    pieces(tail)
    append(path, b"z" * (BEHIND_BYTES + 100) + b"\nlast\n")
    path.rename(path.with_suffix(".1"))
    path.write_bytes(b"first\n")
    assert [(piece.data, piece.gap) for piece in pieces(tail)] == [(b"last\n", True), (b"first\n", False)]


def test_a_truncated_file_that_grew_past_the_place_is_read_anew(log: tuple[Path, Tail]) -> None:
    """Between two polls: what stood before the place tells."""
    path, tail = log
    pieces(tail)
    path.write_bytes(b"new one\nnew two\nnew three\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.fresh, piece.gap) == (b"new one\nnew two\nnew three\n", True, True)
    append(path, b"four\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.gap) == (b"four\n", False)


def test_a_writer_that_does_not_append_leaves_a_hole(log: tuple[Path, Tail]) -> None:
    """It is not read: what comes after it is."""
    path, tail = log
    pieces(tail)
    place = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(0)
        file.seek(place)
        file.write(b"three\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.gap) == (b"three\n", True)
    append(path, b"four\n")
    (piece,) = pieces(tail)
    assert (piece.data, piece.gap) == (b"four\n", False)


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    """Opening one would wait, or take from its reader."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found = Tail(str(path)).read()
    assert isinstance(found, Unreadable)
    assert found.reason is Missing.UNSUPPORTED


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    """It says what is wrong."""
    found = Tail(str(tmp_path)).read()
    assert isinstance(found, Unreadable)
    assert "no regular file" in found.words


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=12))
def test_however_it_is_cut_every_line_comes_once(parts: list[bytes]) -> None:
    """In its order, and only whole."""
    import tempfile  # noqa: PLC0415 - a fixture of a folder is made once for all examples

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.touch()
        tail = Tail(str(path))
        read = text(tail)
        for part in parts:
            append(path, part)
            read += text(tail)
        tail.close()
    whole = b"".join(parts).replace(b"\r", b"\n")
    assert read == whole[: whole.rfind(b"\n") + 1]
