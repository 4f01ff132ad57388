"""Lines to a pipe that is read late, or never."""

from __future__ import annotations

import os

from perfconsole.load.output import Output


def test_a_full_pipe_holds_nobody_up() -> None:
    """What does not fit now is written when there is room, in order."""
    reads, writes = os.pipe()
    output = Output(writes)
    lines = [b"%06d\n" % n * 100 for n in range(5000)]
    for line in lines:
        output.write(line)
        output.flush()
    assert not output.flush()
    got = b""
    while not output.flush():
        got += os.read(reads, 1 << 20)
    os.close(writes)
    while piece := os.read(reads, 1 << 20):
        got += piece
    os.close(reads)
    assert got == b"".join(lines)


def test_a_reader_that_is_gone_is_noticed() -> None:
    """Then there is nobody to work for."""
    reads, writes = os.pipe()
    os.close(reads)
    output = Output(writes)
    output.write(b"x\n")
    output.flush()
    os.close(writes)
    assert output.broken
