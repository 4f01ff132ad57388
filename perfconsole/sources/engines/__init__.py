"""One data file an engine; a file dropped here is known without another change."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from perfconsole.sources.flags import with_defaults
from perfconsole.sources.roles import Roles
from perfconsole.sources.shelf import adapters_in

if TYPE_CHECKING:
    from perfconsole.sources.adapter import Adapter
    from perfconsole.sources.flags import Stated


@cache
def adapters() -> tuple[Adapter, ...]:
    """Every engine adapter, by name."""
    return adapters_in(__name__, __path__)


def all_roles() -> Roles:
    """Roles of the processes of every engine known here, for a port of which nothing is known yet."""
    each = [adapter.processes for adapter in adapters()]
    return Roles(
        frontend="|".join(r.frontend for r in each if r.frontend),
        core="|".join(r.core for r in each if r.core),
        worker="|".join(r.worker for r in each if r.worker),
        launcher=tuple(pattern for r in each for pattern in r.launcher),
    )


def flags_of(argv: tuple[str, ...]) -> tuple[Stated, ...]:
    """Facts that a command line states, by the flags of the engine that it launches."""
    adapter = next((a for a in adapters() if a.processes.launches(argv)), None)
    return with_defaults(adapter, argv) if adapter else ()
