"""From ports that were asked and programs that call engines to targets, and to reasons why the rest is none. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfconsole.sources.catalogue import adapters_of
from perfconsole.sources.discovery.answer import Answer, Shape
from perfconsole.sources.discovery.found import Found, Untaken
from perfconsole.sources.discovery.policy import HIDDEN, NO_PERMISSION, is_python, top_of
from perfconsole.sources.discovery.program import ancestors
from perfconsole.sources.discovery.strangers import SERVICE, refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.discovery.calls import Call
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs

_NAME_IT = "name it with --orchestrator URL to watch it"
_SAYS = {
    Shape.PAGE: "its page of metrics is of no program that perfconsole knows",
    Shape.HTTP: "answers HTTP and has no page of metrics",
    Shape.TLS: "speaks TLS, so it was not asked further; if it is a target, name it with its https URL",
    Shape.SILENT: "takes connections and does not answer within 1 s",
    Shape.OTHER: "does not speak plain HTTP; if it is a target with TLS, name it with its https URL",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known after a look."""

    programs: Programs
    places: Mapping[int, Place]
    free: Collection[int]
    """Ports that may be asked."""
    reasons: Mapping[int, str]
    """Of the ports that may not."""
    answers: Mapping[int, Answer]
    calls: tuple[Call, ...]
    goals: Mapping[int, tuple[str, str]]
    """Layer and URL of what is known, by port; the layer is empty where a user named it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the ports came to."""

    found: tuple[Found, ...]
    untaken: tuple[Untaken, ...]
    """The more telling ones first."""
    dcgm: tuple[str, ...]
    """URLs of pages of a DCGM exporter."""
    left_alone: int
    """Ports of system services, and those that speak no HTTP: not worth a word each."""
    calling: frozenset[int] = frozenset()
    """Ports of Python programs with lasting calls: one that says nothing now may be a blocked loop that recovers."""


def judge(evidence: Evidence) -> Verdict:
    """Decide on every port and every caller."""
    answered = [port for port in evidence.free if port in evidence.answers]
    engines = [found for port in answered if (found := _by_page(evidence, port)) is not None]
    groups = _by_program(evidence, [port for port in answered if evidence.answers[port].layer in ("", "orchestration")])
    services = [found for ports in groups if (found := _service(evidence, ports)) is not None]
    done = {port for found in services for port in _ports_of(evidence, found)}
    rest = [port for port in answered if port not in done and evidence.answers[port].layer not in ("engine", "gateway")]
    quiet = [port for port in rest if _unspoken(evidence, port)]
    said = [_why(evidence, port) for port in rest if port not in quiet and not _pending(evidence, port)]
    kept = {port: reason for port, reason in evidence.reasons.items() if reason not in (HIDDEN, SERVICE)}
    aside = [_untaken(evidence, port, reason) for port, reason in kept.items()]
    ordered = sorted([*said, *aside], key=_rank)
    return Verdict(
        (*engines, *services),
        (*_bare_callers(evidence), *ordered),
        tuple(f"{_url(evidence, port)}/metrics" for port in answered if evidence.answers[port].dcgm),
        len(quiet) + sum(reason == SERVICE for reason in evidence.reasons.values()),
        frozenset(port for port in answered if _is_python(evidence, port) and _calls_of(evidence, port)),
    )


def _url(evidence: Evidence, port: int) -> str:
    place, answer = evidence.places[port], evidence.answers.get(port)
    return f"http://{answer.host}:{port}" if answer and answer.host else place.url


def _by_page(evidence: Evidence, port: int) -> Found | None:
    """An engine or a gateway whose page says so."""
    answer = evidence.answers[port]
    if answer.layer not in ("engine", "gateway"):
        return None
    pid, url = top_of(evidence.places[port], evidence.programs), _url(evidence, port)
    how = f"its page has {answer.series} series"
    adapter = next((each for each in adapters_of(answer.layer) if each.name == answer.adapter), None)
    door = _door(evidence, port, adapter)
    read = door or (adapter is not None and adapter.proxy)  # at a proxy's own port a page is found only by its URL
    return Found(answer.layer, answer.adapter, door or url, f"{url}/metrics" if read else "", pid, (), how)


def _door(evidence: Evidence, port: int, adapter: Adapter | None) -> str:
    """URL of the port of requests of a program that has its page elsewhere; empty where the page is all that is seen.

    The usual port of requests, if a process of the same kin holds it and nothing else is known of it.
    """
    if adapter is None or not adapter.page_port or adapter.default_port in (0, port):
        return ""
    place = evidence.places.get(adapter.default_port)
    taken = place is None or place.port in evidence.goals or evidence.reasons.get(place.port) == HIDDEN
    return place.url if place is not None and not taken and _kin(evidence, port) & _kin(evidence, place.port) else ""


def _kin(evidence: Evidence, port: int) -> set[int]:
    """Holders of a port and all that they descend from, but for what started the whole host."""
    owners = evidence.places[port].owners
    return {pid for owner in owners for pid in (owner, *ancestors(evidence.programs, owner))} - {0, 1}


def _by_program(evidence: Evidence, ports: Iterable[int]) -> list[list[int]]:
    """Ports by the first process that holds them; those of unknown programs stand alone."""
    groups: dict[tuple[int, int], list[int]] = {}
    for port in sorted(ports):
        top = top_of(evidence.places[port], evidence.programs)
        groups.setdefault((top, 0 if top else port), []).append(port)
    return list(groups.values())


def _service(evidence: Evidence, ports: list[int]) -> Found | None:
    """The orchestrator that one program is; its page may have a port of its own."""
    if any(_pending(evidence, port) for port in ports):
        return None
    paged = [port for port in ports if _has_python_page(evidence, port)]
    bare = [port for port in ports if _bare_http(evidence.answers[port]) and _is_python(evidence, port)]
    calls = [call for port in ports for call in _calls_of(evidence, port)]
    own = [port for port in paged if not evidence.answers[port].generic]
    if paged and (own or calls):
        return _paged(evidence, (own or paged)[0], bare, calls)
    silent = [port for port in ports if evidence.answers[port].shape is Shape.SILENT and _is_python(evidence, port)]
    if not calls or not (bare or silent):
        return None
    port = (bare or silent)[0]
    how = f"a Python program that answers HTTP and calls {_goals_text(evidence, calls)}"
    if not bare:
        how = f"a Python program that takes connections, calls {_goals_text(evidence, calls)} and does not answer now"
    pid = top_of(evidence.places[port], evidence.programs)
    urls, name = _urls_of(evidence, calls), _name(evidence, pid)
    return Found("orchestration", "python" if bare else "", _url(evidence, port), "", pid, urls, how, name)


def _paged(evidence: Evidence, port: int, bare: list[int], calls: list[Call]) -> Found:
    """A Python program by its page. Where the page is all that its port has, another port takes the requests."""
    answer, pid = evidence.answers[port], top_of(evidence.places[port], evidence.programs)
    how = f"a Python program whose page has {answer.series} series"
    name = _name(evidence, pid)
    door, page_url = (bare[0], f"{_url(evidence, port)}/metrics") if bare else (port, "")
    if not answer.generic:
        if not _has_page_port(answer, port):
            door, page_url = port, ""
        return Found("orchestration", answer.adapter, _url(evidence, door), page_url, pid, (), how, name)
    how, urls = f"{how} and that calls {_goals_text(evidence, calls)}", _urls_of(evidence, calls)
    return Found("orchestration", answer.adapter, _url(evidence, door), page_url, pid, urls, how, name)


def _has_page_port(answer: Answer, port: int) -> bool:
    """Programs of that kind have their page on this port, and take requests on another one."""
    return any(each.name == answer.adapter and each.page_port == port for each in adapters_of("orchestration"))


def _urls_of(evidence: Evidence, calls: Iterable[Call]) -> tuple[str, ...]:
    """URLs of what is called, each once."""
    return tuple(dict.fromkeys(evidence.goals[call.port][1] for call in calls if call.port in evidence.goals))


def _name(evidence: Evidence, pid: int) -> str:
    """Short name of a program; empty when unknown."""
    program = evidence.programs.get(pid)
    return program.name if program else ""


def _has_python_page(evidence: Evidence, port: int) -> bool:
    answer = evidence.answers[port]
    return answer.layer == "orchestration" and not answer.copies and _is_python(evidence, port)


def _bare_http(answer: Answer) -> bool:
    return answer.shape is Shape.HTTP


def _is_python(evidence: Evidence, port: int) -> bool:
    return evidence.answers[port].python or is_python(evidence.places[port], evidence.programs)


def _ports_of(evidence: Evidence, found: Found) -> set[int]:
    """Ports that a found orchestrator explains: all of its program that were asked."""
    own = {int(found.url.rpartition(":")[2])}
    return own | {
        p for p in evidence.answers if found.pid and top_of(evidence.places[p], evidence.programs) == found.pid
    }


def _pending(evidence: Evidence, port: int) -> bool:
    """Whether another port of the same program has still to be asked."""
    top = top_of(evidence.places[port], evidence.programs)
    waiting = (each for each in evidence.free if each not in evidence.answers)
    return bool(top) and any(top_of(evidence.places[each], evidence.programs) == top for each in waiting)


def _calls_of(evidence: Evidence, port: int) -> list[Call]:
    """Lasting calls of the processes behind a port: of its holders, and of their children that serve nothing."""
    place = evidence.places[port]
    return [
        call
        for call in evidence.calls
        if call.lasting
        and (
            call.serves & place.inodes
            or (not _serves(evidence, call) and place.owners & set(ancestors(evidence.programs, call.pid)))
        )
    ]


def _serves(evidence: Evidence, call: Call) -> bool:
    return any(call.serves & place.inodes for place in evidence.places.values())


def _goals_text(evidence: Evidence, calls: Iterable[Call]) -> str:
    """`the engine on port 8000`."""
    port = min(call.port for call in calls)
    layer = evidence.goals.get(port, ("", ""))[0] or "target"
    return f"the {layer} on port {port}"


def _untaken(evidence: Evidence, port: int, reason: str) -> Untaken:
    place = evidence.places[port]
    pid = top_of(place, evidence.programs)
    calls = _calls_of(evidence, port)
    if calls and is_python(place, evidence.programs):
        reason = f"{reason}; it calls {_goals_text(evidence, calls)}: {_NAME_IT}"
    return Untaken(port, pid, evidence.programs[pid].name if pid else "", reason)


def _unspoken(evidence: Evidence, port: int) -> bool:
    """Neither HTTP nor Python: nothing that anybody would look for here."""
    return evidence.answers[port].shape is Shape.OTHER and not _is_python(evidence, port)


def _why(evidence: Evidence, port: int) -> Untaken:
    """Why a port that was asked is no target."""
    answer = evidence.answers[port]
    if not evidence.places[port].owners and not answer.http:
        return Untaken(port, 0, "", NO_PERMISSION)
    if answer.dcgm:
        return _untaken(evidence, port, "a DCGM exporter: figures of GPUs, which belong to the hardware")
    if answer.monitor:
        return _untaken(evidence, port, "a Prometheus exporter or monitoring program, not part of the request's way")
    if answer.copies:
        text = "its page has an engine's names without the engine's own labels, as routers copy them"
        return _untaken(evidence, port, f"{text}; name it with --gateway URL if it is one")
    if answer.generic and _has_python_page(evidence, port):
        text = "a Python program with a page of its own that calls no known engine"
        return _untaken(evidence, port, f"{text}; {_NAME_IT}")
    if answer.layer == "orchestration":
        whose = "it is no Python program" if evidence.places[port].owners else "its program cannot be seen"
        return _untaken(evidence, port, f"its page has {answer.series} series, but {whose}; {_NAME_IT}")
    wants = "; it wants a key for its page" if answer.locked else ""
    python = _is_python(evidence, port) and answer.shape in (Shape.HTTP, Shape.SILENT)
    idle = " and calls no known engine" if python and not _calls_of(evidence, port) else ""
    return _untaken(evidence, port, f"{_SAYS[answer.shape]}{idle}{wants}")


def _rank(untaken: Untaken) -> tuple[int, int]:
    """Engines that cannot be read and callers of engines first, then what answers HTTP, permissions last."""
    reason = untaken.reason
    order = (", an engine that", "; it calls", "HTTP", "page", "TLS", "connections", "exporter")
    place = next((i for i, mark in enumerate(order) if mark in reason), len(order))
    return (len(order) + 1 if reason == NO_PERMISSION else place), untaken.port


def _bare_callers(evidence: Evidence) -> list[Untaken]:
    """Programs that call what is known and serve nothing themselves, nor does the program they belong to."""
    mine = {id(call) for port in evidence.places for call in _calls_of(evidence, port)}
    found: dict[int, Untaken] = {}
    for call in evidence.calls:
        if call.lasting and id(call) not in mine and not _serves(evidence, call):
            program = evidence.programs[call.pid]
            goal = _goals_text(evidence, [call])
            hint = f"calls {goal} and serves no port; name it with --orchestrator {call.pid} to watch it"
            refused = refusal(program.argv)
            reason = f"calls {goal}: {refused}" if refused else hint
            found.setdefault(call.pid, Untaken(0, call.pid, program.name, reason))
    return list(found.values())
