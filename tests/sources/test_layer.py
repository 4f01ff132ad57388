"""Tests of the table of layers: every name that it leads to is one of the dictionary."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR, Layer


@pytest.mark.parametrize("layer", [ENGINE, GATEWAY, ORCHESTRATOR], ids=lambda layer: layer.noun)
def test_up_and_health_time_exist_in_every_layer(layer: Layer) -> None:
    """With the kind of entity that the layer has."""
    entries = [DEFAULT.find(name) for name in (layer.name("up"), layer.name("health_time"), layer.moves)]
    assert {entry.scope for entry in entries if entry} == {layer.kind}


def test_no_route_runs_a_model() -> None:
    """LiteLLM's /health calls each one."""
    assert "/health" not in GATEWAY.health_routes
