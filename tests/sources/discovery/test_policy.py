"""Which ports may be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.policy import HIDDEN, NO_PERMISSION, Bounds, sort_out
from perfconsole.sources.discovery.strangers import SERVICE
from tests.sources.discovery.building import place, program, programs

if TYPE_CHECKING:
    from perfconsole.sources.discovery.place import Place

TABLE = programs(
    program(10, "python3", "app.py"),
    program(11, "python3", "app.py", parent=10),
    program(20, "/usr/bin/tool"),
    program(30, "/usr/bin/docker-proxy"),
    program(40, "VLLM::Worker_TP0"),
)


def decide(
    *places: Place, quiet: set[int] | None = None, taken: set[int] | None = None
) -> tuple[list[int], dict[int, str]]:
    """Ports to ask in their order, and reasons for the others."""
    bounds = Bounds(TABLE, quiet or set(), taken or set(), (32768, 60999))
    free, reasons = sort_out({each.port: each for each in places}, bounds)
    return [each.port for each in free], reasons


def test_usual_ports_come_first_and_then_python() -> None:
    """So that what is looked for is found before the time of a round is used up."""
    assert decide(place(3999, 20), place(7000, 10), place(8000, 30))[0] == [8000, 7000, 3999]


def test_watched_ports_and_known_programs_are_hidden() -> None:
    """They need no word."""
    assert decide(place(9000, 20), place(9001, 10), quiet={10}, taken={9000}) == ([], {9000: HIDDEN, 9001: HIDDEN})


def test_a_port_nobody_is_seen_at_is_asked_only_if_it_is_usual() -> None:
    """A default port of an engine or a gateway, or of the exporter of GPU figures."""
    free, reasons = decide(place(8000), place(4000), place(30000), place(9400), place(7777))
    assert (sorted(free), reasons) == ([4000, 8000, 9400, 30000], {7777: NO_PERMISSION})


def test_well_known_ports_of_other_services_are_left_alone() -> None:
    """Whatever program holds them."""
    assert decide(place(5432, 20), place(22, 10)) == ([], {5432: SERVICE, 22: SERVICE})


def test_ports_are_counted_over_all_processes_of_a_program() -> None:
    """Parent and children together have four."""
    free, reasons = decide(place(1001, 10), place(1002, 10), place(1003, 11, 10), place(1004, 10, 11))
    assert (free, len(reasons)) == ([], 4)


def test_a_chosen_port_beside_another_is_left_alone() -> None:
    """The other one may be asked."""
    free, reasons = decide(place(7000, 10), place(40000, 10), place(40001, 20))
    assert (free, list(reasons)) == ([7000, 40001], [40000])


def test_a_worker_without_its_front_end_is_not_asked() -> None:
    """Its ports speak no HTTP, and it may hold on to a GPU after its engine has died."""
    free, reasons = decide(place(28600, 40))
    assert (free, reasons) == ([], {28600: "a process of vLLM whose front-end is not there; it was not asked"})
