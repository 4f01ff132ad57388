"""Which saved profile speaks for an entity, and what has changed since it was taken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from math import isclose
from typing import TYPE_CHECKING

from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from perfconsole.model.snapshot import Baseline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.profile import Identity, Profile

FULL_S = 1800.0
"""Healthy seconds from which a profile has its full weight."""
BUILD = "build"
SINGLE = "1 at a time"
"""The load of a probe whose figures are saved: any other would be a figure under load."""
_MINUTE_S = 60.0

Change = tuple[str, float | str, float | str]
"""What differs, its value then, its value now."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A profile that speaks for an entity."""

    profile: Profile
    changes: tuple[Change, ...]
    """Build and settings that both know and that differ."""
    same_build: bool
    """Both know the build, and it is the same."""

    @property
    def kind(self) -> str:
        """The source of its figures in words, as evidence names it."""
        return _words(self.profile, self.changes)

    @property
    def build_changed(self) -> float | Missing:
        """1 where something differs, 0 where the build is known to be the same, else nothing is known."""
        return 1.0 if self.changes else 0.0 if self.same_build else Missing.NEVER

    def baselines(self) -> dict[str, Baseline]:
        """Healthy value of each indicator."""
        kind = self.kind
        return {v.name: Baseline(v.value, kind) for v in self.profile.values}


def recall(now: Identity, profiles: Iterable[Profile]) -> Recalled | None:
    """The profile that fits best: of the same entity, with the fewest changes, of watched traffic, full, the newest.

    What was watched under load is nearer to what is compared than single requests on a quiet engine.
    """
    found = [r for profile in profiles if (r := _compared(now, profile)) is not None]
    return min(found, key=lambda r: _distance(now, r), default=None)


def _distance(now: Identity, found: Recalled) -> tuple[bool, int, bool, bool, float]:
    profile = found.profile
    elsewhere = profile.identity.entity != now.entity
    return elsewhere, len(found.changes), bool(profile.probe), profile.healthy_s < FULL_S, -profile.wall


def _compared(now: Identity, profile: Profile) -> Recalled | None:
    """None where it is another one's, or where it is not known yet what is served.

    A profile without a model is only that of a namesake in which nothing differs. Gateways, orchestrators, hosts and
    GPUs have a name of their own: their figures hang on their place.
    """
    then = profile.identity
    if now.kind is Kind.ENGINE and then.model and not now.model:
        return None
    if then.kind is not now.kind or not _agree(then.adapter, now.adapter) or not _agree(then.model, now.model):
        return None
    changes = _changes(then, now)
    modelled = now.kind is Kind.ENGINE and bool(then.model and now.model)
    if not modelled and (then.entity != now.entity or (now.kind is Kind.ENGINE and changes)):
        return None
    return Recalled(profile, changes, bool(then.build) and then.build == now.build)


def _agree(then: str, now: str) -> bool:
    return not then or not now or then == now


def _changes(then: Identity, now: Identity) -> tuple[Change, ...]:
    build: list[Change] = [(BUILD, then.build, now.build)] if not _agree(then.build, now.build) else []
    current = dict(now.config)
    known = ((name, value, current[name]) for name, value in then.config if name in current)
    return (*build, *(change for change in known if not _equal(change[1], change[2])))


def _equal(a: float | str, b: float | str) -> bool:
    return isclose(a, b, rel_tol=1e-6) if isinstance(a, float) and isinstance(b, float) else a == b


def _words(profile: Profile, changes: tuple[Change, ...]) -> str:
    """`saved profile of 2026-11-30 (45 min)`, `probe of 2026-11-30, 1 at a time (9 s, 6 requests)`.

    Of another build or configuration it says which.
    """
    day = datetime.fromtimestamp(profile.wall, UTC).strftime("%Y-%m-%d")
    build = next((f"build {then}, " for name, then, _ in changes if name == BUILD), "")
    settings = [f"{n.partition('.')[2]} {_said(then)} then, {_said(now)} now" for n, then, now in changes if n != BUILD]
    despite = [f"saved despite {', '.join(profile.despite)}"] if profile.despite else []
    what, load = ("probe", f", {SINGLE}") if profile.probe else ("saved profile", "")
    return "; ".join([f"{what} of {build}{day}{load} ({weight_words(profile)})", *settings, *despite])


def weight_words(profile: Profile) -> str:
    """How much it rests on: `45 min`, below half an hour with its requests: `2 min, 31 requests`."""
    minutes = profile.healthy_s / _MINUTE_S
    length = f"{minutes:.0f} min" if minutes >= 1 else f"{profile.healthy_s:.0f} s"
    few = profile.healthy_s < FULL_S and profile.requests is not None
    return f"{length}, {profile.requests:.0f} requests" if few else length


def _said(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
