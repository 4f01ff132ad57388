"""Tests of the layers and their adapters by name."""

from __future__ import annotations

import pytest

from perfconsole.config import LAYERS as CONFIGURED
from perfconsole.sources.catalogue import LAYERS, adapters_of


def test_every_layer_of_a_configuration_is_there() -> None:
    """But for the exporters of hardware, whose pages are no table's."""
    assert {*LAYERS, "hardware"} == set(CONFIGURED)


@pytest.mark.parametrize(
    ("layer", "adapter"), [("engine", "vllm"), ("gateway", "litellm"), ("orchestration", "fastapi")]
)
def test_a_layer_has_its_adapters(layer: str, adapter: str) -> None:
    """By the name that a configuration gives them."""
    assert adapter in [each.name for each in adapters_of(layer)]


@pytest.mark.parametrize("layer", sorted(LAYERS))
def test_an_adapter_fills_only_its_layer(layer: str) -> None:
    """So that a page cannot be taken for one of another layer."""
    assert {m.indicator.partition(".")[0] for a in adapters_of(layer) for m in a.metrics} <= {layer}
