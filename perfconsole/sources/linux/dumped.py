"""The processes whose stacks are dumped together, and what two dumps of them say. Never starts anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.stackdump import ProcessNow
from perfconsole.sources.linux.sourcelines import SourceLines
from perfconsole.sources.linux.taskstat import read_task_stat
from perfconsole.sources.linux.tree import ancestors
from perfconsole.stacks.dump import parse_dump, process_now, read_dumps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.model.stackdump import DumpReading, ThreadStack
    from perfconsole.model.suspect import Suspect


def family(suspects: Sequence[Suspect], pid: int, parents: Mapping[int, int]) -> tuple[Suspect, ...]:
    """The process and the Python processes of the same engine; of no engine, those below it."""
    engine = {s.pid for s in suspects if s.layer == "engine"}
    above = ancestors(parents, pid) if pid in engine else []
    top = next((number for number in reversed(above) if number in engine), pid)
    return tuple(s for s in suspects if s.pid == top or top in ancestors(parents, s.pid))


def dumped(
    members: Sequence[Suspect], given: Sequence[Mapping[int, tuple[str, str | None]]], base: str = ""
) -> DumpReading:
    """What two looks at these processes gave, read."""
    first, second = given
    return read_dumps([_one(m, first.get(m.pid), second.get(m.pid), base) for m in members])


def _one(
    member: Suspect, first: tuple[str, str | None] | None, second: tuple[str, str | None] | None, base: str
) -> ProcessNow:
    stat = read_task_stat(base, member.pid)
    bare = ProcessNow(
        member.pid, member.title, member.role, stat.state if stat else "X", (), "", gathered=False, odd=""
    )
    looks: list[tuple[ThreadStack, ...]] = []
    trouble = "" if stat else "it has ended"
    for look in (first, second):
        text, failed = look or ("", "py-spy did not answer")
        try:
            looks.append(() if failed else parse_dump(text))
        except ValueError as error:
            looks.append(())
            failed = str(error)
        trouble = trouble or failed or ""
    whole = process_now(bare, looks[0], looks[1], SourceLines(f"{base}/proc/{member.pid}/root").text)
    return replace(whole, trouble=trouble)
