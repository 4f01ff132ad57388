"""A host on which nobody named a target: what the search says of it, and what its GPU source says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.snapshot import SourceHealth, SourceState
from perfconsole.view.glyphs import UNICODE
from perfconsole.view.picture import Picture
from tests.view.pictures import HOST, snapshot, source
from tests.view.serving import HOST_VALUES, indicators

if TYPE_CHECKING:
    from perfconsole.view.glyphs import Glyphs

LOOKED = "looked at 23 listening ports and 214 processes of this host"
UNTAKEN = (
    "port 3000 (grafana): its page has no series of a serving layer",
    "port 9100 (node_exporter): not asked, it is an exporter of the host",
)
NO_DRIVER = "no NVIDIA driver on this host: libnvidia-ml.so.1 is not found; install the driver"
HELPER = "the GPU helper (pid 4312) has not answered within 3 s; the driver may hang"

READ = source("gpu-07", kind="host")
SEARCH = source(
    "discovery",
    kind="discovery",
    cadence_s=2.0,
    notes=(f"{LOOKED} for engines, gateways and orchestrators", *UNTAKEN),
)
BEGUN = replace(SEARCH, answered=False, notes=(), silent_s=None)
FAILED = replace(SEARCH, state=SourceState.DOWN, reason="this host has no /proc")
NO_GPUS = source("gpus", kind="gpu", state=SourceState.ABSENT, reason=NO_DRIVER, notes=(NO_DRIVER,))
HELPER_DOWN = source("gpus", kind="gpu", state=SourceState.DOWN, reason=HELPER, silent_s=12.0)


def searched(*sources: SourceHealth, glyphs: Glyphs = UNICODE) -> Picture:
    """The host alone with its figures and these sources beside its own."""
    values = tuple(indicators(HOST_VALUES, HOST))
    seen = snapshot(entities=(HOST,), indicators=values, sources=(READ, *sources))
    return Picture(seen, DEFAULT, glyphs=glyphs)
