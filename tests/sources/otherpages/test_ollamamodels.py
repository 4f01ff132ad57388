"""Tests of Ollama's list of loaded models as series: their bytes, the smallest context, and look-alikes refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.exposition import PageError
from perfconsole.sources.otherpages.converters import convert
from perfconsole.sources.otherpages.ollamamodels import loaded_models
from tests.sources.enginepages import capture

_BYTES = st.integers(0, 2**63 - 1)
_MODEL = st.fixed_dictionaries(
    {"name": st.text(), "size": _BYTES, "size_vram": _BYTES}, optional={"context_length": st.integers(0, 10**7)}
)


def values(body: bytes, name: str) -> list[float]:
    """Numbers of one name, in the order of the page."""
    page = convert("ollama-models", body)
    return [v for s, v in zip(page.series, page.values, strict=True) if s.name == name]


def test_each_model_has_its_bytes() -> None:
    """Two loaded models, one of them with a quarter in host memory."""
    body = capture("ollama/two.json")
    assert values(body, "ollama_loaded_models") == [2.0]
    assert values(body, "ollama_model_size_bytes") == [24e9, 6e9]
    assert values(body, "ollama_model_vram_bytes") == [18e9, 6e9]
    assert values(body, "ollama_host_bytes") == [6e9]


def test_of_several_contexts_the_smallest_counts() -> None:
    """It is where a prompt is cut first."""
    assert values(capture("ollama/two.json"), "ollama_context_length") == [8192.0]


def test_no_loaded_model_is_a_page_too() -> None:
    """They are unloaded after some idle minutes."""
    assert values(capture("ollama/none.json"), "ollama_loaded_models") == [0.0]
    assert values(b'{"models":null}', "ollama_loaded_models") == [0.0]


def test_a_release_that_tells_no_context_has_none() -> None:
    """Absent, and not 0."""
    assert values(capture("ollama/old.json"), "ollama_context_length") == []


@given(st.lists(_MODEL, max_size=4))
def test_every_list_of_that_form_is_read_whole(models: list[dict[str, int]]) -> None:
    """Whatever 64-bit numbers stand there, more on the device than in all among them."""
    body = json.dumps({"models": models}).encode()
    assert values(body, "ollama_loaded_models") == [float(len(models))]
    assert values(body, "ollama_model_vram_bytes") == [float(m["size_vram"]) for m in models]
    assert all(v >= 0 for v in values(body, "ollama_host_bytes"))


@given(st.binary(max_size=100))
def test_other_bytes_are_refused(body: bytes) -> None:
    """Never anything but a PageError."""
    with pytest.raises(PageError):
        loaded_models(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"data":[]}', id="the models of another API"),
        pytest.param(b'{"models":{}}', id="no list"),
        pytest.param(b'{"models":["llama3"]}', id="names only"),
        pytest.param(b'{"models":[{"name":"m","size":5}]}', id="a model that may be loaded"),
        pytest.param(b'{"models":[{"size":5,"size_vram":5}]}', id="no name"),
        pytest.param(b'{"models":[{"name":"m","size":-1,"size_vram":0}]}', id="negative"),
        pytest.param(b'{"models":[{"name":"m","size":1.5,"size_vram":0}]}', id="a fraction"),
        pytest.param(b'{"models":[{"name":"m","size":true,"size_vram":0}]}', id="a truth"),
        pytest.param(b'{"models":[{"name":"m","size":9223372036854775808,"size_vram":0}]}', id="beyond 64 bits"),
        pytest.param(b'{"models":[{"name":"m","size":1,"size_vram":1,"context_length":"8k"}]}', id="a text"),
        pytest.param(b'{"models":[', id="cut off"),
        pytest.param(b'{"models":' + b"[" * 100_000, id="nested too deep"),
    ],
)
def test_look_alikes_are_refused(body: bytes) -> None:
    """A list is taken whole or not at all."""
    with pytest.raises(PageError, match="no list of the loaded models of Ollama"):
        convert("ollama-models", body)
