"""The index of the pages of rules."""

from __future__ import annotations

from perfconsole.diagnose.rulefile import LAYERS, load_rule
from perfconsole.view.rulesindex import index_markdown
from tests.diagnose.planted import SOUND


def test_each_rule_is_one_line_below_its_layer() -> None:
    """With its page, how bad it can be, its class and its title; a layer without rules is left out."""
    gpu = load_rule(SOUND.replace("id: planted", "id: other").replace("layer: engine", "layer: gpu"), "other.yaml")
    lines = index_markdown([gpu, load_rule(SOUND, "planted.yaml")], LAYERS).splitlines()
    assert [line for line in lines if line.startswith("## ")] == ["## engine (1)", "## gpu (1)"]
    assert "| [planted](planted.md) | info, up to critical | scheduling | Tokens come slowly |" in lines
