"""Tests of the page of a layer as a screen."""

from __future__ import annotations

import pytest

from perfconsole.view.picture import LAYERS
from tests.tui.screens import press, troubled


@pytest.mark.parametrize(("key", "layer"), list(enumerate(LAYERS, 1)))
def test_a_digit_opens_its_layer(key: int, layer: str) -> None:
    """The name of the layer is the title of the page."""
    assert press(str(key), first=troubled("a")).shown.split("\n")[1].startswith(layer.upper())


def test_another_digit_changes_the_layer_and_escape_goes_back_to_the_main_page() -> None:
    """Layers do not pile up."""
    assert "FINDINGS" in press("3", "4", "1", "escape", first=troubled("a")).shown
