"""Reading YAML configurations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.sources.discovery.yamlconf import litellm_upstreams, port_in


def test_the_base_of_each_model_is_an_upstream_once() -> None:
    """Without user, key and path."""
    text = """
general_settings: {master_key: sk-1}
model_list:
  - {model_name: a, litellm_params: {model: openai/a, api_base: "http://u:p@h:8000/v1", api_key: sk-2}}
  - {model_name: a, litellm_params: {model: openai/a, api_base: "http://h:8000/v1?key=sk-3"}}
  - {model_name: b, litellm_params: {model: openai/b, base_url: "https://[::1]:8001"}}
"""
    assert litellm_upstreams(text) == ("http://h:8000", "https://[::1]:8001")


def test_a_base_may_come_from_an_anchor() -> None:
    """People write their defaults once."""
    text = "d: &d {api_base: 'http://h:1'}\nmodel_list: [{litellm_params: {<<: *d, model: a}}]"
    assert litellm_upstreams(text) == ("http://h:1",)


def test_what_is_no_yaml_is_none() -> None:
    """It is said to a person."""
    assert [litellm_upstreams(text) for text in ("a: [", "just a text")] == [None, None]


def test_the_port_of_an_engine_is_a_number_at_the_top() -> None:
    """Anything else is none."""
    assert [port_in(text) for text in ("port: 8001", "port: '8001'", "port: true", "port: 99999", "a: 1", "[")] == [
        8001,
        *[0] * 5,
    ]


@given(st.text(alphabet="ab:-[]{}&*<!|>'\"# \n", max_size=120))
def test_no_text_makes_it_raise(text: str) -> None:
    """Whatever the parser thinks of it."""
    assert litellm_upstreams(text) in (None, ())
    assert port_in(text) == 0
