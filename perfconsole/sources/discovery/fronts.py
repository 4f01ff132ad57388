"""From known programs to targets: which of their ports takes requests, where its page is, what it calls. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.afar import published
from perfconsole.sources.discovery.commandline import has_word, short_name, value_of
from perfconsole.sources.discovery.found import Found, Untaken, words_of
from perfconsole.sources.discovery.settings import Settings
from perfconsole.sources.discovery.weblink import place_of
from perfconsole.sources.roles import forwards

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from perfconsole.sources.discovery.afar import Afar
    from perfconsole.sources.discovery.answer import Answer
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.nginxconf import ProxyServer
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.program import Programs

_HERE = "127.0.0.1"
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Ground:
    """What the decision rests on."""

    programs: Programs
    places: Mapping[int, Place]
    settings: Mapping[int, Settings]
    """By first process."""
    afar: Mapping[int, Afar] = field(default_factory=dict)
    goals: Collection[tuple[str, int]] = ()
    """Hosts and ports that are watched or were found before."""
    own_addresses: Collection[str] = ()
    """Addresses of this host."""
    ephemeral: tuple[int, int] = (32768, 60999)
    answers: Mapping[int, Answer] = field(default_factory=dict)
    """What ports said that were asked before."""


@dataclass(frozen=True, slots=True)
class Fronts:
    """What the known programs came to."""

    found: tuple[Found, ...]
    untaken: tuple[Untaken, ...]
    ports: frozenset[int]
    """Ports of this host that are theirs, whoever may hold them: never to be asked."""


def find_fronts(known: tuple[Known, ...], ground: Ground) -> Fronts:
    """Targets of the known programs. A reverse proxy is one only if it leads to another target."""
    proxies = [each for each in known if each.kind.adapter.name == "nginx"]
    others = [_guarded(each, ground, _front) for each in known if each not in proxies]
    found = [each for each in others if isinstance(each, Found)]
    goals = {normal(place_of(each.url), ground) for each in found} | {normal(each, ground) for each in ground.goals}
    outcomes = [*others, *(_guarded(each, ground, partial(_proxy, goals=goals)) for each in proxies)]
    found = list({each.url: each for each in reversed(outcomes) if isinstance(each, Found)}.values())[::-1]
    untaken = [each for each in outcomes if isinstance(each, Untaken)]
    local = {port for each in found for host, port in (place_of(each.url),) if host in (_HERE, *ground.own_addresses)}
    pages = {place_of(each.page_url)[1] for each in found if each.page_url}
    return Fronts(tuple(found), tuple(untaken), frozenset(local | pages))


def _guarded(
    known: Known, ground: Ground, decide: Callable[[Known, Ground], Found | Untaken | None]
) -> Found | Untaken | None:
    """What one program came to; an oddity of it must not hide the others."""
    try:
        outcome = decide(known, ground)
        for url in (outcome.url, outcome.page_url or outcome.url) if isinstance(outcome, Found) else ():
            place_of(url)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it
        reason = f"{known.kind.adapter.title}, but where it listens cannot be told ({words_of(error)})"
        return Untaken(0, known.pid, short_name(known.argv), f"{reason}; name it with {_flag(known)} URL")
    return outcome


def normal(place: tuple[str, int], ground: Ground) -> tuple[str, int]:
    """The place with one name for this host."""
    host, port = place
    return (_HERE if host in ground.own_addresses else host), port


def _front(known: Known, ground: Ground) -> Found | Untaken | None:
    """The target of an engine or a gateway; None when nothing tells its port yet."""
    settings = ground.settings.get(known.pid, Settings())
    port, page = _ports(known, settings, ground)
    name, title = short_name(known.argv), known.kind.adapter.title
    place = ground.places.get(port)
    if not port and _own_ports(known, ground):
        return None
    if not port:
        reason = f"{title} by its title, but no port of it can be seen; name it with {_flag(known)} URL"
        return Untaken(0, known.pid, name, reason)
    if part := _no_port(known):
        return Untaken(0, known.pid, name, f"{title} {part}")
    if known.pid in ground.afar:
        host, outer = _way_in(port, known, ground)
        if not host:
            reason = f"{title} in a container whose address cannot be read; name it with {_flag(known)} URL"
            return Untaken(port, known.pid, name, reason)
    elif place is not None and _held_by_another(place, known, ground.programs):
        return Untaken(port, known.pid, name, f"{title} by its command line, but another program holds its port")
    elif _opens_later(port, known, ground):
        return Untaken(port, known.pid, name, f"{title} by its command line; nothing listens on its port yet")
    else:
        host, outer = (place.host if place else _HERE), port
    how = f"{'title' if known.titled else 'command line'} of {title}, port {outer}"
    remark = f"; {settings.remark}" if settings.remark else ""
    waiting = "; nothing listens on it yet" if not _listens(port, known, ground) else ""
    url = f"http://{host}:{outer}"
    adapter = known.kind.adapter.name
    page_url = _page_url(page, known, ground) if page != port else ""
    return Found(known.kind.layer, adapter, url, page_url, known.pid, settings.upstreams, how + waiting + remark)


def _page_url(page: int, known: Known, ground: Ground) -> str:
    """URL of a page on a port of its own, which may be bound to another address; empty for none."""
    place = ground.places.get(page)
    host, port = (place.host if place else _HERE), page
    if known.pid in ground.afar:
        host, port = _way_in(page, known, ground)
    return f"http://{host}:{port}/metrics" if page and host else ""


def _no_port(known: Known) -> str:
    """What an engine is that takes no requests at a port; empty for one that does."""
    if has_word(known.argv, ("--headless",)):
        return "without a front-end (--headless): the engine is watched where its requests arrive"
    return "that serves on a Unix socket, which cannot be watched" if value_of(known.argv, ("--uds",)) else ""


def _ports(known: Known, settings: Settings, ground: Ground) -> tuple[int, int]:
    """Port of requests, 0 while nothing tells it, and port of the page, 0 where that is the same."""
    if settings.port:
        return settings.port, settings.page_port
    mine = _own_ports(known, ground)
    default = known.kind.adapter.default_port
    if known.titled:
        return told_apart(mine, known, ground)
    others = mine - {settings.page_port}
    return (default if default in mine or len(others) != 1 else min(others)), settings.page_port


def _own_ports(known: Known, ground: Ground) -> set[int]:
    """Listening ports of its front-end, but for those that the kernel chose."""
    first, last = ground.ephemeral
    away = ground.afar.get(known.pid)
    held = {port for port, place in ground.places.items() if place.owners & known.fronts}
    return {port for port in (held if away is None else away.ports) if not first <= port <= last}


def told_apart(mine: set[int], known: Known, ground: Ground) -> tuple[int, int]:
    """Of ports without a command line: the port of requests and that of the page, both 0 while that is unclear."""
    adapter = known.kind.adapter
    if not adapter.page_port or len(mine) < _PAIR:
        return (adapter.default_port if adapter.default_port in mine else min(mine, default=0)), 0
    if adapter.page_port in mine or adapter.default_port in mine:
        page = adapter.page_port if adapter.page_port in mine else min(mine - {adapter.default_port})
        return (adapter.default_port if adapter.default_port in mine else min(mine - {page})), page
    oldest = _oldest(mine, ground)
    answer = ground.answers.get(oldest)
    if answer is None:
        return 0, 0
    other = min(mine - {oldest})
    return (oldest, other) if answer.layer == "engine" else (other, oldest)


def unclear(known: Iterable[Known], ground: Ground) -> tuple[Place, ...]:
    """Ports of known programs that have to be asked which of them has the page: one of each program.

    The one that was opened first, which is that of the page: the other one may pass the request on to an engine.
    """
    found = []
    for each in known:
        mine = _own_ports(each, ground)
        pair = each.titled and each.pid not in ground.afar and each.kind.adapter.page_port and len(mine) >= _PAIR
        if pair and not mine & {each.kind.adapter.page_port, each.kind.adapter.default_port}:
            found.append(ground.places[_oldest(mine, ground)])
    return tuple(found)


def _oldest(ports: Iterable[int], ground: Ground) -> int:
    """The port whose socket was opened first: the kernel numbers them in turn."""
    return min(ports, key=lambda port: (min(ground.places[port].inodes) if port in ground.places else 0, port))


def _listens(port: int, known: Known, ground: Ground) -> bool:
    away = ground.afar.get(known.pid)
    return port in (ground.places if away is None else away.ports)


def _opens_later(port: int, known: Known, ground: Ground) -> bool:
    """Whether it is a gateway that starts: its silence would be a fault, where an engine says that it loads."""
    waits = known.kind.layer == "gateway" and not _listens(port, known, ground)
    return waits and (_HERE, port) not in ground.goals


def _way_in(port: int, known: Known, ground: Ground) -> tuple[str, int]:
    """Host and port at which a program in a container is reached: a published port, else its own address."""
    away = ground.afar[known.pid]
    outer = published(ground.programs).get((away.address, port), 0)
    return (_HERE, outer) if outer else (away.address, port)


def _held_by_another(place: Place, known: Known, programs: Programs) -> bool:
    owners = [programs[pid] for pid in place.owners if pid in programs]
    return bool(owners) and not place.owners & known.members and not all(forwards(program.argv) for program in owners)


def _flag(known: Known) -> str:
    return f"--{known.kind.layer}"


def _proxy(known: Known, ground: Ground, goals: Collection[tuple[str, int]]) -> Found | Untaken | None:
    """The target of an nginx; None for one that is no proxy at all."""
    settings = ground.settings.get(known.pid, Settings())
    ports = [port for port, place in ground.places.items() if place.owners & known.members]
    port = min(ports, default=80)
    if settings.remark:
        return Untaken(
            port, known.pid, "nginx", f"{settings.remark}; name it with --gateway URL if it leads to engines"
        )
    leading = [server for server in settings.servers if _leads(server, goals, ground)]
    if not leading:
        reason = "a proxy, but to no engine or gateway that is known; name it with --gateway URL if it leads to one"
        return Untaken(port, known.pid, "nginx", reason) if settings.upstreams else None
    if not any(each.port for each in leading):
        reason = "a proxy, but its configuration says no port that it takes requests at; name it with --gateway URL"
        return Untaken(port, known.pid, "nginx", reason)
    server = min((each for each in leading if each.port), key=lambda each: each.tls)
    pages = [each for each in settings.servers if each.status_path]
    status = min(pages, key=lambda each: each.tls, default=None)  # a certificate is made out to another name
    away = ground.afar.get(known.pid)
    page_url = f"{status.url}{status.status_path}" if status else ""
    url = server.url
    if away is not None:
        url, page_url = (_moved(each, away.address) for each in (url, page_url))
    how = f"its configuration leads from port {server.port} to {_goal_text(server, goals, ground)}"
    return Found("gateway", "nginx", url, page_url, known.pid, settings.upstreams, how)


def _moved(url: str, address: str) -> str:
    return url.replace(f"//{_HERE}:", f"//{address}:", 1) if address else url


def _leads(server: ProxyServer, goals: Collection[tuple[str, int]], ground: Ground) -> bool:
    if not server.upstreams:
        return False
    return server.serves_models or any(normal(place_of(url), ground) in goals for url in server.upstreams)


def _goal_text(server: ProxyServer, goals: Collection[tuple[str, int]], ground: Ground) -> str:
    places = [normal(place_of(url), ground) for url in server.upstreams]
    hit = [port for host, port in places if (host, port) in goals]
    return f"port {hit[0]}" if hit else "routes of the OpenAI API"
