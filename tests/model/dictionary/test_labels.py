"""Short words for resources."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.dictionary.labels import _LABELS, label


def test_a_resource_has_a_word_and_the_rest_its_name() -> None:
    """Nothing is ever without one."""
    assert (label("engine.kv_cache_usage"), label("engine.ttft.p95")) == ("KV cache", "engine.ttft.p95")


def test_only_ratios_of_the_dictionary_have_words() -> None:
    """A misspelt name would never be found."""
    units = {name: entry.unit if (entry := DEFAULT.find(name)) else None for name in _LABELS}
    assert set(units.values()) == {"ratio"}, units
