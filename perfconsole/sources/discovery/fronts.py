"""From known programs to targets: which of their ports takes requests, where its page is, what it calls. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from perfconsole.sources.discovery.commandline import has_word, short_name, value_of
from perfconsole.sources.discovery.found import Found, Untaken, words_of
from perfconsole.sources.discovery.ground import HERE, held_by_another, listens, normal, own_ports, page_at, way_in
from perfconsole.sources.discovery.proxies import find_proxy, leading_of
from perfconsole.sources.discovery.settings import Settings
from perfconsole.sources.discovery.weblink import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfconsole.sources.discovery.ground import Ground
    from perfconsole.sources.discovery.known import Known
    from perfconsole.sources.discovery.place import Place

_PAIR = 2
_MOST_ASKED = 4
"""Ports of one program."""


@dataclass(frozen=True, slots=True)
class Fronts:
    """What the known programs came to."""

    found: tuple[Found, ...]
    untaken: tuple[Untaken, ...]
    ports: frozenset[int]
    """Ports of this host that are theirs, whoever may hold them: never to be asked."""
    unsure: frozenset[int] = frozenset()
    """Processes of proxies whose configuration leads to nothing known: their connections may tell."""


def find_fronts(known: tuple[Known, ...], ground: Ground) -> Fronts:
    """Targets of the known programs. A proxy for anything is one only if it leads to another target."""
    proxies = [each for each in known if each.kind.adapter.proxy]
    others = [_guarded(each, ground, _front) for each in known if each not in proxies]
    found = [each for each in others if isinstance(each, Found)]
    goals = {normal(place_of(each.url), ground) for each in found} | {normal(each, ground) for each in ground.goals}
    outcomes = [*others, *(_guarded(each, ground, partial(find_proxy, goals=goals)) for each in proxies)]
    found = list({each.url: each for each in reversed(outcomes) if isinstance(each, Found)}.values())[::-1]
    untaken = [each for each in outcomes if isinstance(each, Untaken)]
    local = {port for each in found for host, port in (place_of(each.url),) if host in (HERE, *ground.own_addresses)}
    pages = {place_of(each.page_url)[1] for each in found if each.page_url}
    unsure = [each for each in proxies if not leading_of(each, ground, goals)]
    callers = frozenset(pid for each in unsure for pid in each.members)
    return Fronts(tuple(found), tuple(untaken), frozenset(local | pages), callers)


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


def _front(known: Known, ground: Ground) -> Found | Untaken | None:
    """The target of an engine or a gateway; None when nothing tells its port yet."""
    settings = ground.settings.get(known.pid, Settings())
    port, page = _ports(known, settings, ground)
    name, title = short_name(known.argv), known.kind.adapter.title
    place = ground.places.get(port)
    if not port:
        return _without_port(known, ground)
    if part := _no_port(known):
        return Untaken(0, known.pid, name, f"{title} {part}")
    if known.pid in ground.afar:
        host, outer = way_in(port, known, ground)
        if not host:
            reason = f"{title} in a container whose address cannot be read; name it with {_flag(known)} URL"
            return Untaken(port, known.pid, name, reason)
    elif place is not None and held_by_another(place, known, ground.programs):
        return Untaken(port, known.pid, name, f"{_how(known)}, but another program holds its port")
    elif _opens_later(port, known, ground):
        return Untaken(port, known.pid, name, f"{_how(known)}; nothing listens on its port yet")
    else:
        host, outer = (place.host if place else HERE), port
    how = f"{'title' if known.titled else 'command line'} of {title}, port {outer}"
    remark = f"; {settings.remark}" if settings.remark else ""
    waiting = "; nothing listens on it yet" if not listens(port, known, ground) else ""
    url = f"http://{host}:{outer}"
    adapter = known.kind.adapter.name
    page_url = page_at(page, known, ground) if page != port else ""
    how += waiting + remark
    return Found(known.kind.layer, adapter, url, page_url, known.pid, settings.upstreams, how, named=settings.named)


def _without_port(known: Known, ground: Ground) -> Untaken | None:
    """What to say of a program whose port is not told; nothing while it is asked, or where it is found by its page."""
    mine = own_ports(known, ground)
    waits = mine and any(place.port not in ground.answers for place in unclear([known], ground))
    if waits or _has_a_page(known, ground):
        return None
    what = "which of its ports takes requests cannot be told" if mine else "no port of it can be seen"
    reason = f"{_how(known)}, but {what}; name it with {_flag(known)} URL"
    return Untaken(0, known.pid, short_name(known.argv), reason)


def _has_a_page(known: Known, ground: Ground) -> bool:
    """Whether a port was asked and has its page: then that is how it is found."""
    return any(answer.adapter == known.kind.adapter.name for answer in ground.answers.values())


def _how(known: Known) -> str:
    """What it is, and what said so."""
    return f"{known.kind.adapter.title} by its {'title' if known.titled else 'command line'}"


def _no_port(known: Known) -> str:
    """What an engine is that takes no requests at a port; empty for one that does."""
    if has_word(known.argv, ("--headless",)):
        return "without a front-end (--headless): the engine is watched where its requests arrive"
    return "that serves on a Unix socket, which cannot be watched" if value_of(known.argv, ("--uds",)) else ""


def _ports(known: Known, settings: Settings, ground: Ground) -> tuple[int, int]:
    """Port of requests, 0 while nothing tells it, and port of the page, 0 where that is the same."""
    if settings.port:
        return settings.port, settings.page_port
    mine = own_ports(known, ground)
    default = known.kind.adapter.default_port
    if known.titled:
        return told_apart(mine, known, ground)
    others = mine - {settings.page_port}
    shown = [port for port in others if port in ground.answers and ground.answers[port].layer == known.kind.layer]
    if not default and len(shown) == 1:
        return shown[0], settings.page_port
    return (default if default in mine or len(others) != 1 else min(others)), settings.page_port


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
    """Ports of known programs that have to be asked which of them has the page.

    Of a program whose page has a port of its own, the one that was opened first, which is that of the page: the other
    one may pass the request on to an engine. Of one that has no usual port, each of a few.
    """
    asked = (
        port
        for each in known
        if each.pid not in ground.afar and not each.kind.adapter.never_read and not each.kind.adapter.proxy
        for port in _unclear_ports(each, ground)
    )
    return tuple(ground.places[port] for port in asked if port in ground.places)


def _unclear_ports(known: Known, ground: Ground) -> list[int]:
    mine, adapter = own_ports(known, ground), known.kind.adapter
    if len(mine) < _PAIR:
        return []
    if known.titled:
        usual = mine & {adapter.page_port, adapter.default_port}
        return [_oldest(mine, ground)] if adapter.page_port and not usual else []
    settings = ground.settings.get(known.pid, Settings())
    told = adapter.default_port or settings.port or len(mine) > _MOST_ASKED
    return [] if told else sorted(mine - {settings.page_port})


def _oldest(ports: Iterable[int], ground: Ground) -> int:
    """The port whose socket was opened first: the kernel numbers them in turn."""
    return min(ports, key=lambda port: (min(ground.places[port].inodes) if port in ground.places else 0, port))


def _opens_later(port: int, known: Known, ground: Ground) -> bool:
    """Whether it is a gateway that starts: its silence would be a fault, where an engine says that it loads."""
    waits = known.kind.layer == "gateway" and not listens(port, known, ground)
    return waits and (HERE, port) not in ground.goals


def _flag(known: Known) -> str:
    return f"--{known.kind.layer}"
