"""How the console reads the simulated gateway: as LiteLLM, with a row for a series of its own.

LiteLLM tells nothing of the gaps between tokens. A callback of a team's own may, and a row of theirs then names it.
"""

from __future__ import annotations

from dataclasses import replace

from perfconsole.demo.model.gateway import GAPS
from perfconsole.sources.adapter import Metric
from perfconsole.sources.gateways.litellm import ADAPTER

_ROW = Metric("gateway.itl", GAPS, optional=True)
TABLE = replace(ADAPTER, metrics=(*ADAPTER.metrics, _ROW))
