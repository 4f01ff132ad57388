"""Which ports may be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.policy import HIDDEN, NO_PERMISSION, Bounds, default_ports, sort_out
from perfconsole.sources.discovery.strangers import SERVICE
from tests.sources.discovery.building import place, program, programs

if TYPE_CHECKING:
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Program

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


def sorted_out(*table: Program, places: tuple[Place, ...]) -> tuple[list[int], dict[int, str]]:
    """Ports of these programs to ask, and reasons for the others."""
    free, reasons = sort_out({each.port: each for each in places}, Bounds(programs(*table), set(), set(), (1, 2)))
    return sorted(each.port for each in free), reasons


def test_an_engine_that_was_started_oddly_is_never_asked() -> None:
    """Reading the page of some empties a queue; nor is a port asked that may be its own."""
    odd = program(10, "python3", "/opt/bin/trtllm-serve", "disaggregated", "-c", "x.yaml")
    free, reasons = sorted_out(odd, places=(place(7000, 10), place(8000)))
    assert (free, reasons[8000]) == ([], NO_PERMISSION)
    assert reasons[7000].startswith("TensorRT-LLM, an engine that was started in a way that is not known here")


def test_an_exporter_for_an_orchestrator_is_asked() -> None:
    """Its page tells of the tasks; that of any other exporter does not."""
    table = program(10, "python3", "/opt/bin/celery-exporter"), program(20, "/opt/bin/redis_exporter")
    assert sorted_out(*table, places=(place(9808, 10), place(9121, 20)))[0] == [9808]


def test_an_agent_is_asked_at_the_port_where_it_promises_a_page() -> None:
    """At none of its others, of which it has many."""
    argv = ("python3", "-u", "/opt/lib/ray/dashboard/agent.py", "--metrics-export-port=7003", "--grpc-port=7001")
    ports = (7001, 7002, 7003, 7004)
    assert sorted_out(program(10, *argv), places=tuple(place(port, 10) for port in ports))[0] == [7003]


def test_a_port_at_which_a_proxy_takes_requests_is_not_usual() -> None:
    """Nobody is seen there, and what is asked goes on to whatever is behind it."""
    assert not {80, 10000} & default_ports()
    assert sorted_out(places=(place(80), place(4000)))[0] == [4000]
