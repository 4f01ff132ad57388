"""Tests of whose GPUs are whose, of foreign processes, and of pairs of GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Absence, Missing, Sample
from perfconsole.sources.nvml.belonging import Card, belong

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.sources.nvml.belonging import Belonging

ENGINE, OTHER = Entity(Kind.ENGINE, "vllm:8000"), Entity(Kind.ENGINE, "vllm:8001")
GPUS = tuple(Entity(Kind.GPU, str(i)) for i in range(4))
FOREIGN = "gpu.foreign_processes"
FINE, NO_NVLINK, NO_ACCESS = (0, 0), (0, 5), (4, 5)


def card(index: int, *pids: int, **peers: tuple[int, int]) -> Card:
    """A GPU with processes; peers as g1=(0, 0)."""
    return Card(GPUS[index], frozenset(pids), {name[1:]: status for name, status in peers.items()})


def proc(root: Path, *pids: int, host: bool = True) -> Path:
    """A root with these processes, of the host's PID namespace or of another one."""
    for pid in pids:
        (root / "proc" / str(pid)).mkdir(parents=True)
    place = root / "proc/self/ns"
    place.mkdir(parents=True)
    (place / "pid").symlink_to("pid:[4026531836]" if host else "pid:[4026532777]")
    return root


def links(found: Belonging) -> list[tuple[Entity, Entity]]:
    """Engine and GPU of each link."""
    assert {link.relation for link in found.links} <= {Relation.ENGINE_USES_GPU}
    return [(link.parent, link.child) for link in found.links]


def value(found: Belonging, name: str, index: int) -> object:
    """Number or reason of one GPU; None where nothing is said."""
    said: dict[tuple[str, Entity], object] = {(s.key.indicator, s.key.entity): s.value for s in found.samples}
    said |= {(gap.indicator, gap.entity): gap.reason for gap in found.absences}
    return said.get((name, GPUS[index]))


def test_a_gpu_belongs_to_the_engine_with_a_process_on_it(tmp_path: Path) -> None:
    """And the others on it are foreign."""
    cards = [card(0, 10, 11, 99), card(1, 20)]
    found = belong(cards, {ENGINE: frozenset({10, 11}), OTHER: frozenset({20})}, proc(tmp_path, 10, 11, 20, 99))
    assert links(found) == [(ENGINE, GPUS[0]), (OTHER, GPUS[1])]
    assert value(found, FOREIGN, 0) == 1.0
    assert value(found, FOREIGN, 1) == 0.0
    assert found.notes == ()


def test_two_engines_on_one_gpu_are_both_its_owners(tmp_path: Path) -> None:
    """And foreign to each other: with one process each, one is."""
    found = belong([card(0, 10, 20)], {ENGINE: frozenset({10}), OTHER: frozenset({20})}, proc(tmp_path, 10, 20))
    assert links(found) == [(ENGINE, GPUS[0]), (OTHER, GPUS[0])]
    assert value(found, FOREIGN, 0) == 1.0


def test_an_mps_server_is_nobodys_load(tmp_path: Path) -> None:
    """It works for the engine."""
    root = proc(tmp_path, 10, 30)
    (root / "proc/30/comm").write_text("nvidia-cuda-mps\n", encoding="ascii")
    (root / "proc/30/cmdline").write_bytes(b"nvidia-cuda-mps-server\0")
    assert value(belong([card(0, 10, 30)], {ENGINE: frozenset({10})}, root), FOREIGN, 0) == 0.0


def test_a_gpu_of_nobody_has_no_foreign_processes(tmp_path: Path) -> None:
    """There is no owner that they could be foreign to."""
    found = belong([card(0, 10), card(1, 99)], {ENGINE: frozenset({10})}, proc(tmp_path, 10, 99))
    assert value(found, FOREIGN, 1) is Missing.NEVER


def test_without_engines_nothing_is_said(tmp_path: Path) -> None:
    """Not even what is missing."""
    found = belong([card(0, 10)], {}, proc(tmp_path, host=False))
    assert (found.links, found.samples, found.absences, found.notes) == ((), (), (), ())


def test_numbers_of_another_namespace_tell_nothing(tmp_path: Path) -> None:
    """In words; never a wrong number. A single engine still has the GPUs."""
    found = belong([card(0, 40001)], {ENGINE: frozenset({10})}, proc(tmp_path, 10, host=False))
    assert links(found) == [(ENGINE, GPUS[0])]
    assert value(found, FOREIGN, 0) is Missing.UNSUPPORTED
    assert "another PID namespace" in found.notes[0]


def test_in_a_container_one_number_that_is_there_by_chance_is_no_proof(tmp_path: Path) -> None:
    """All of them must be there."""
    root = proc(tmp_path, 10, 300, host=False)
    assert value(belong([card(0, 300, 40001)], {ENGINE: frozenset({10})}, root), FOREIGN, 0) is Missing.UNSUPPORTED


def test_on_the_host_a_process_that_just_ended_changes_nothing(tmp_path: Path) -> None:
    """Some of the numbers are there."""
    found = belong([card(0, 10, 555)], {ENGINE: frozenset({10}), OTHER: frozenset()}, proc(tmp_path, 10))
    assert value(found, FOREIGN, 0) == 1.0


def test_gpus_whose_processes_are_all_others_are_not_given_to_the_only_engine(tmp_path: Path) -> None:
    """They are seen, and are not its."""
    found = belong([card(0, 99)], {ENGINE: frozenset({10})}, proc(tmp_path, 10, 99))
    assert links(found) == []


def test_idle_gpus_are_given_to_the_only_engine(tmp_path: Path) -> None:
    """And to none of several."""
    root = proc(tmp_path, 10)
    assert links(belong([card(0), card(1)], {ENGINE: frozenset({10})}, root)) == [(ENGINE, GPUS[0]), (ENGINE, GPUS[1])]
    assert links(belong([card(0)], {ENGINE: frozenset({10}), OTHER: frozenset()}, root)) == []


def test_unknown_processes_say_nothing_of_foreign_ones(tmp_path: Path) -> None:
    """The helper gives the reason."""
    found = belong([Card(GPUS[0], None)], {ENGINE: frozenset({10})}, proc(tmp_path))
    assert value(found, FOREIGN, 0) is None


def test_pairs_are_those_of_one_owner(tmp_path: Path) -> None:
    """A pair across two owners does not count."""
    cards = [card(0, 10, g1=FINE, g2=NO_ACCESS), card(1, 10, g2=NO_ACCESS), card(2, 20)]
    found = belong(cards, {ENGINE: frozenset({10}), OTHER: frozenset({20})}, proc(tmp_path, 10, 20))
    assert [value(found, "gpu.p2p_ok", i) for i in range(2)] == [1.0, 1.0]
    assert [value(found, "gpu.nvlink_full_mesh", i) for i in range(2)] == [1.0, 1.0]
    assert value(found, "gpu.p2p_ok", 2) is Missing.UNSUPPORTED


def test_one_bad_pair_is_told_of_all_gpus_of_the_owner(tmp_path: Path) -> None:
    """NVLink and access are told apart."""
    cards = [card(0, 10, g1=FINE, g2=FINE), card(1, 10, g2=NO_NVLINK), card(2, 10)]
    found = belong(cards, {ENGINE: frozenset({10})}, proc(tmp_path, 10))
    assert [value(found, "gpu.p2p_ok", i) for i in range(3)] == [1.0] * 3
    assert [value(found, "gpu.nvlink_full_mesh", i) for i in range(3)] == [0.0] * 3


def test_an_unknown_pair_makes_the_answer_unknown(tmp_path: Path) -> None:
    """It may be the bad one."""
    found = belong([card(0, 10), card(1, 10)], {ENGINE: frozenset({10})}, proc(tmp_path, 10))
    assert value(found, "gpu.p2p_ok", 0) is Missing.SOURCE_DOWN


def test_a_helper_without_pairs_says_nothing_of_them(tmp_path: Path) -> None:
    """Nor does the console make it up."""
    cards = [Card(GPUS[i], frozenset({10})) for i in range(2)]
    found = belong(cards, {ENGINE: frozenset({10})}, proc(tmp_path, 10))
    assert not {name for name in ("gpu.p2p_ok", "gpu.nvlink_full_mesh") if value(found, name, 0) is not None}


def test_what_comes_out_is_of_the_model(tmp_path: Path) -> None:
    """Links, samples and absences as a batch takes them."""
    found = belong([card(0, 10)], {ENGINE: frozenset({10})}, proc(tmp_path, 10))
    assert found.links == (Link(Relation.ENGINE_USES_GPU, ENGINE, GPUS[0]),)
    assert all(isinstance(s, Sample) for s in found.samples)
    assert all(isinstance(gap, Absence) for gap in found.absences)
