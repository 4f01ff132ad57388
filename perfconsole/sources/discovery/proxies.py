"""From known proxies to targets: only one that leads to another target is a gateway. Pure.

Its configuration tells where it leads. Where that cannot be read, or is told to it while it runs, its connections do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import short_name
from perfconsole.sources.discovery.found import Found, Untaken
from perfconsole.sources.discovery.ground import HERE, listens, normal, own_ports, page_at, way_in
from perfconsole.sources.discovery.settings import Settings
from perfconsole.sources.discovery.weblink import place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from perfconsole.sources.discovery.ground import Ground
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place
    from perfconsole.sources.discovery.proxyserver import ProxyServer

    Goals = Collection[tuple[str, int]]

_NAME_IT = "name it with --gateway URL"
_PAGE = "/metrics"
_MOST_ASKED = 4
"""Ports of one proxy."""


def find_proxy(known: Known, ground: Ground, goals: Goals) -> Found | Untaken | None:
    """The target of a proxy; None for one that is no proxy at all."""
    leading = leading_of(known, ground, goals)
    if leading:
        return _by_configuration(known, ground, leading, goals)
    called = _called(known, ground)
    return _by_connections(known, ground, called) if called else _left(known, ground)


def leading_of(known: Known, ground: Ground, goals: Goals) -> list[ProxyServer]:
    """Doors of it that lead to something known, by its configuration."""
    settings = ground.settings.get(known.pid, Settings())
    contained = known.pid in ground.afar
    return [server for server in settings.servers if _leads(server, goals, ground, contained=contained)]


def _by_configuration(known: Known, ground: Ground, leading: list[ProxyServer], goals: Goals) -> Found | Untaken:
    settings = ground.settings[known.pid]
    if not any(each.port for each in leading):
        reason = f"a proxy, but its configuration says no port that it takes requests at; {_NAME_IT}"
        return _untaken(known, ground, reason)
    server = min((each for each in leading if each.port), key=lambda each: each.tls)
    how = f"its configuration leads from port {server.port} to {_goal_text(server, goals, ground)}"
    return _found(known, ground, server.url, settings, how)


def unclear_ports(known: Iterable[Known], ground: Ground, unsure: Collection[int]) -> tuple[Place, ...]:
    """Ports of proxies that have to be asked which of them takes requests, as nothing else tells.

    The request goes on to an engine. So there are none while one of those that are known must not be asked.
    """
    every = list(known)
    if any(_PAGE in each.kind.adapter.never_read for each in every):
        return ()
    doubtful = [each for each in every if each.pid in unsure and each.pid not in ground.afar and _called(each, ground)]
    ports = (port for each in doubtful for port in _candidates(each, ground) if not _told(each, ground))
    return tuple(ground.places[port] for port in ports if port in ground.places)


def _called(known: Known, ground: Ground) -> list[int]:
    """Ports of what is known that it holds connections to."""
    return sorted({port for pid in known.members for port in ground.calls.get(pid, ())} - _held(known, ground))


def _by_connections(known: Known, ground: Ground, called: list[int]) -> Found | Untaken:
    """A proxy of which nothing else is known."""
    settings = ground.settings.get(known.pid, Settings())
    goal = f"port{'s' if len(called) > 1 else ''} {', '.join(map(str, called))}"
    server = _door(known, ground, settings)
    if server is None:
        reason = f"a proxy with connections to {goal}, but the port that it takes requests at cannot be told"
        return _untaken(known, ground, f"{reason}; {_NAME_IT}")
    why = settings.remark or "its configuration does not say where it leads"
    return _found(known, ground, server, settings, f"it holds connections to {goal}; {why}")


def _door(known: Known, ground: Ground, settings: Settings) -> str | None:
    """URL of its port of requests: by its configuration, else the one that is told by what ports answered."""
    doors = sorted((each for each in settings.servers if each.port and not each.status_path), key=lambda each: each.tls)
    if doors:
        return doors[0].url
    port = _told(known, ground) or _answering(known, ground)
    place = ground.places.get(port)
    return f"http://{place.host if place else HERE}:{port}" if port else None


def _candidates(known: Known, ground: Ground) -> set[int]:
    """Its ports but for that of its page; none where there are too many to ask."""
    page = ground.settings.get(known.pid, Settings()).page_port
    mine = own_ports(known, ground, all_members=True) - {page}
    return mine if len(mine) <= _MOST_ASKED else set()


def _told(known: Known, ground: Ground) -> int:
    """Port of requests without asking: that of a flag, the usual one, or the only one; 0 for none."""
    mine, default = _candidates(known, ground), known.kind.adapter.default_port
    stated = ground.settings.get(known.pid, Settings()).port
    return stated or (default if default in mine else min(mine) if len(mine) == 1 else 0)


def _answering(known: Known, ground: Ground) -> int:
    """Port of requests by what ports answered: the one that gave the page of an engine, or not its own; 0 for none."""
    answers = {port: ground.answers[port] for port in _candidates(known, ground) if port in ground.answers}
    passed_on = [port for port, answer in answers.items() if answer.layer == "engine"]
    others = [port for port, answer in answers.items() if answer.adapter != known.kind.adapter.name]
    shown = len(others) < len(answers) == len(_candidates(known, ground))
    return passed_on[0] if len(passed_on) == 1 else others[0] if shown and len(others) == 1 else 0


def _left(known: Known, ground: Ground) -> Untaken | None:
    """Why a proxy is not taken; no word of one that serves files."""
    settings = ground.settings.get(known.pid, Settings())
    if settings.remark:
        return _untaken(known, ground, f"{settings.remark}; {_NAME_IT} if it leads to engines")
    reason = f"a proxy, but to no engine or gateway that is known; {_NAME_IT} if it leads to one"
    return _untaken(known, ground, reason) if settings.upstreams else None


def _found(known: Known, ground: Ground, url: str, settings: Settings, how: str) -> Found:
    page_url, adapter = page_of(known, ground, settings)
    if known.pid in ground.afar:
        url, page_url = (_moved(each, known, ground) for each in (url, page_url))
    return Found(known.kind.layer, adapter, url, page_url, known.pid, settings.upstreams, how, named=settings.named)


def page_of(known: Known, ground: Ground, settings: Settings) -> tuple[str, str]:
    """URL of the page of a proxy and the name of the adapter for it; no URL where nothing tells.

    As its configuration says; else at the port that the adapter says, or that was told by asking.
    """
    pages = [each for each in settings.servers if each.status_path]
    # A certificate is made out to another name; and what a default says may be switched off.
    status = min(pages, key=lambda each: (not listens(each.port, known, ground), each.tls), default=None)
    if status is not None:
        return f"{status.url}{status.status_path}", status.adapter or known.kind.adapter.name
    port = 0 if known.pid in ground.afar else _page_port(known, ground, settings)
    return page_at(port, known, ground), known.kind.adapter.name


def _page_port(known: Known, ground: Ground, settings: Settings) -> int:
    """Port of a page that no configuration names: the usual one, the one that answered with it, or the other of two."""
    if settings.page_port in own_ports(known, ground, all_members=True):
        return settings.page_port
    name, mine = known.kind.adapter.name, _candidates(known, ground)
    shown = [port for port in mine if port in ground.answers and ground.answers[port].adapter == name]
    rest = mine - {_answering(known, ground)}
    other = known.kind.adapter.page_port and len(rest) == 1 and len(mine) == len(rest) + 1
    return shown[0] if shown else min(rest) if other else 0


def _moved(url: str, known: Known, ground: Ground) -> str:
    """The URL as it is reached from here, of one that means the inside of a container."""
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    host, _, port = place.rpartition(":")
    outer = way_in(int(port), known, ground) if host == HERE else ("", 0)
    return f"{scheme}://{outer[0]}:{outer[1]}{slash}{path}" if outer[0] else url


def _leads(server: ProxyServer, goals: Goals, ground: Ground, *, contained: bool) -> bool:
    if not server.upstreams:
        return False
    return server.serves_models or any(_is_goal(url, goals, ground, contained=contained) for url in server.upstreams)


def _is_goal(url: str, goals: Goals, ground: Ground, *, contained: bool) -> bool:
    """Whether that is known. In a container a host without a dot is a name of its network: there the port decides."""
    host, port = normal(place_of(url), ground)
    name = contained and host != HERE and not set(host) & {".", ":"}
    return (host, port) in goals or (name and any(port == goal for _, goal in goals))


def _goal_text(server: ProxyServer, goals: Goals, ground: Ground) -> str:
    hit = [place_of(url)[1] for url in server.upstreams if _is_goal(url, goals, ground, contained=True)]
    return f"port {hit[0]}" if hit else "routes of the OpenAI API"


def _untaken(known: Known, ground: Ground, reason: str) -> Untaken:
    return Untaken(min(_held(known, ground), default=known.kind.adapter.default_port), known.pid, _name(known), reason)


def _held(known: Known, ground: Ground) -> set[int]:
    return {port for port, place in ground.places.items() if place.owners & known.members}


def _name(known: Known) -> str:
    """A title holds more than a name: `nginx: master process`."""
    return known.kind.adapter.title if known.titled else short_name(known.argv)
