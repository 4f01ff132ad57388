"""What discovery says to a person."""

from __future__ import annotations

from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.discovery.found import Untaken
from perfconsole.sources.discovery.notes import MAX_LINES, notes
from perfconsole.sources.discovery.policy import NO_PERMISSION


def test_the_first_line_says_what_was_looked_at() -> None:
    """Also where nothing was found."""
    engines, gateways = (f"{len(adapters_of(layer))} kinds are known" for layer in ("engine", "gateway"))
    looked = "looked at 1 listening port and 214 processes of this host for engines"
    assert notes(1, 214, (), 0) == (f"{looked} ({engines}), gateways ({gateways}) and orchestrators (Python services)",)


def test_each_thing_has_a_line_with_port_program_and_reason() -> None:
    """As far as they are known."""
    untaken = (Untaken(9000, 7, "app.py", "hangs"), Untaken(8080, 0, "", "hangs"), Untaken(0, 8, "job.py", "calls"))
    assert notes(1, 1, untaken, 0)[1:] == (
        "port 9000, app.py (pid 7): hangs",
        "port 8080, a program that cannot be seen: hangs",
        "job.py (pid 8): calls",
    )


def test_programs_of_one_name_that_do_the_same_share_a_line() -> None:
    """The hint names the first of them."""
    untaken = [Untaken(0, pid, "job.py", f"calls; name it with --orchestrator {pid}") for pid in range(1, 33)]
    assert notes(1, 1, untaken, 0)[1:] == ("job.py (pid 1 and 31 more): calls; name it with --orchestrator 1",)


def test_ports_of_one_process_with_one_reason_share_a_line() -> None:
    """The same reason at another process is another line."""
    untaken = [*(Untaken(port, 7, "db", "many") for port in range(1, 11)), Untaken(20, 8, "db", "many")]
    assert notes(1, 1, untaken, 0)[1:] == (
        "ports 1, 2, 3, 4, 5, 6, 7, 8 and 2 more, db (pid 7): many",
        "port 20, db (pid 8): many",
    )


def test_ports_without_permission_share_a_line() -> None:
    """Up to eight of them by number."""
    untaken = [Untaken(port, 0, "", NO_PERMISSION) for port in range(1, 12)]
    assert notes(1, 1, untaken, 0)[1:] == (
        "no permission to see which process holds ports 1, 2, 3, 4, 5, 6, 7, 8 and 3 more (another user)",
    )


def test_there_are_never_more_than_a_dozen_lines() -> None:
    """The rest is counted."""
    untaken = [Untaken(port, port, f"p{port}", "answers HTTP") for port in range(1, 40)]
    untaken.append(Untaken(99, 0, "", NO_PERMISSION))
    told = notes(50, 50, untaken, 5)
    assert len(told) == MAX_LINES
    assert told[9] == "31 more things were not taken: perfconsole targets list"
    assert told[11] == "5 more ports left alone: system services, and what does not speak HTTP"


def test_control_characters_of_names_do_not_get_through() -> None:
    """A program may be called anything."""
    assert all(line.isprintable() for line in notes(1, 1, (Untaken(1, 1, "a\x1b[2J", "b\n"),), 0))
