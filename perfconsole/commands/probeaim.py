"""Who is probed: the URLs of the command as targets that are watched, and as addresses that the load goes to."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfconsole.commands.printing import say
from perfconsole.commands.sourcing import place_of
from perfconsole.config import Target
from perfconsole.errors import UsageError
from perfconsole.model.probeplan import THROUGH_AND_AROUND
from perfconsole.sources.layer import ENGINE
from perfconsole.sources.probetarget import is_unix, keyless_target, plain_url, probe_target, shown_target, with_user
from perfconsole.sources.servedmodels import served_models
from perfconsole.sources.web.address import parse_address
from perfconsole.target import request_headers

if TYPE_CHECKING:
    from perfconsole.commands.watching import Watching
    from perfconsole.config import Config
    from perfconsole.model.entity import Entity
    from perfconsole.model.probeorders import Target as Address
    from perfconsole.sources.directory import Member


@dataclass(frozen=True, slots=True)
class Aim:
    """One target of a probe."""

    url: str
    """As it was given; it may hold a password."""
    watched: Target | None
    """What polls it; None for a socket, which nobody polls."""
    address: Address

    @property
    def shown(self) -> str:
        """Fit to be shown."""
        return shown_target(self.url)

    @property
    def local(self) -> bool:
        """It is on this host."""
        return self.watched is None or not place_of(self.url)[0]


def aims_of(recipe: str, urls: tuple[str, ...], config: Config, token_env: str | None) -> tuple[Aim, ...]:
    """The targets; one that the configuration knows is that one. UsageError for what cannot be used."""
    layers = ("gateway", "engine") if recipe == THROUGH_AND_AROUND else ("engine",)
    found = tuple(_aim(url, layer, config, token_env) for url, layer in zip(urls, layers, strict=True))
    if len({(aim.address.host, aim.address.port, aim.address.unix) for aim in found}) < len(found):
        raise UsageError(
            f"{' and '.join(aim.shown for aim in found)} are one target; name the gateway, then the engine"
        )
    return found


def _aim(url: str, layer: str, config: Config, token_env: str | None) -> Aim:
    if is_unix(url):
        named = Target(layer, "http://localhost", token_env=token_env or "")
        return Aim(url, None, probe_target(url, request_headers(named, os.environ)))
    target = _known(url, config) or Target(layer, url)
    target = replace(target, token_env=token_env) if token_env else target
    return Aim(url, target, _keyed(url, target))


def address_at(url: str, config: Config) -> Address:
    """What a probe of the live screen connects to; the key of a target that the configuration knows goes with it.

    UsageError for what cannot be used, and for a key that is not there.
    """
    known = None if is_unix(url) else _known(url, config)
    return keyless_target(url) if known is None else _keyed(url, known)


def _known(url: str, config: Config) -> Target | None:
    """The target of the configuration at the same place."""
    return next((t for t in config.targets if not t.url.isdecimal() and place_of(t.url) == place_of(url)), None)


def _keyed(url: str, target: Target) -> Address:
    """The address of a URL, with the key of its target."""
    return probe_target(with_user(url, parse_address(target.url).user), request_headers(target, os.environ))


def watched_with(config: Config, aims: tuple[Aim, ...]) -> Config:
    """The configuration with the targets of the probe among the others; nothing else is looked for."""
    named = [aim.watched for aim in aims if aim.watched is not None]
    others = [t for t in config.targets if t.url.isdecimal() or place_of(t.url) not in {place_of(n.url) for n in named}]
    return replace(config, targets=(*others, *named), discover=False)


def model_of(aim: Aim, wanted: str) -> str | None:
    """The model to ask for, as the target names it; None for a target that does not answer, which is told.

    UsageError for one that names no model while nobody else does.
    """
    if aim.watched is None:
        if not wanted:
            raise UsageError(f"{aim.shown}: a socket is not asked for its models; name one with --model")
        return wanted
    served = served_models(plain_url(aim.address), dict(aim.address.headers))
    if not served.answered:
        say(f"{aim.shown} does not answer: {served.trouble}")
        return None
    if wanted:
        if served.models and wanted not in served.models:
            say(f"{aim.shown} does not list {wanted}; it lists {', '.join(served.models[:5])}")
        return wanted
    if not served.models:
        raise UsageError(f"{served.trouble}: add {served.option}")
    if len(served.models) > 1:
        say(f"{aim.shown} serves {len(served.models)} models; asking {served.models[0]} (--model names another)")
    return served.models[0]


def member_of(aim: Aim, watching: Watching) -> Member | None:
    """Who is watched at that address."""
    return None if aim.watched is None else watching.directory.at(place_of(aim.url))


def engines_of(aims: tuple[Aim, ...], watching: Watching) -> tuple[Entity | None, ...]:
    """The engine behind each target: itself, or the only one that is watched."""
    engines = watching.directory.members(ENGINE)
    only = engines[0] if len(engines) == 1 else None
    members = (member_of(aim, watching) for aim in aims)
    chosen = (member if member is not None and member.layer is ENGINE else only for member in members)
    return tuple(None if member is None else member.entity() for member in chosen)
