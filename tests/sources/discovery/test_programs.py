"""Reading the programs of a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.programs import ProgramTable
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_programs_come_change_and_go(tmp_path: Path) -> None:
    """A zombie has gone."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "a")
    root.process(11, 10, "b")
    table = ProgramTable(root.base)
    assert {pid: (program.parent, program.argv) for pid, program in table.look().items()} == {
        10: (1, ("a",)),
        11: (10, ("b",)),
    }
    root.process(11, 10, "b", state="Z")
    root.process(12, 10, "c")
    assert sorted(table.look()) == [10, 12]


def test_the_table_stays_the_same_while_nothing_changes(tmp_path: Path) -> None:
    """So that what is worked out of it need not be worked out again."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "a")
    table = ProgramTable(root.base)
    assert table.look() is table.look()


def test_an_old_process_is_read_anew_within_fifteen_looks(tmp_path: Path) -> None:
    """Or at once where somebody asks."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "a")
    root.process(11, 1, "a")
    table = ProgramTable(root.base)
    for _ in range(5):
        table.look()
    root.process(10, 1, "b")
    root.process(11, 1, "b")
    assert table.again([11])[11].argv == ("b",)
    assert [table.look()[10].argv for _ in range(15)][-1] == ("b",)


def test_a_title_hides_no_interpreter(tmp_path: Path) -> None:
    """The link to the program still leads to it."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "gunicorn: master [app]")
    root.link("proc/10/exe", "/opt/venv/bin/python3.12")
    root.process(11, 1, "/opt/bin/python3", "app.py")
    root.process(12, 1, "/usr/bin/nginx")
    assert {pid: program.python for pid, program in ProgramTable(root.base).look().items()} == {
        10: True,
        11: True,
        12: False,
    }


def test_arguments_are_remembered_when_a_title_takes_their_place(tmp_path: Path) -> None:
    """They tell ports that the title does not."""
    root = FakeRoot(tmp_path)
    argv = ("/opt/bin/python3", "/opt/bin/vllm-router", "--port", "30001")
    root.process(10, 1, *argv)
    table = ProgramTable(root.base)
    table.look()
    root.process(10, 1, "vllm::router")
    for _ in range(3):
        program = table.look()[10]
        assert (program.argv, program.former) == (("vllm::router",), argv)
    assert table.look() is table.look()
    root.process(10, 1, "vllm::router", start=200)
    assert table.again([10])[10].former == ()


def test_arguments_of_another_program_are_not_kept(tmp_path: Path) -> None:
    """It became this one by exec."""
    root = FakeRoot(tmp_path)
    root.process(10, 1, "/bin/bash", "start.sh")
    table = ProgramTable(root.base)
    table.look()
    root.process(10, 1, "vllm::router")
    assert table.look()[10].former == ()
