"""Tests of one `[[target]]` table: what it becomes, and what is refused with the path of the key."""

from __future__ import annotations

import tomllib

import pytest

from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.mappingerror import MappingError
from perfconsole.target import Target, request_headers, target_of

AGENTS = 'name = "agents"\nlayer = "orchestration"\nurl = "http://127.0.0.1:9000"\n'


def target(text: str) -> Target:
    """The target of this table."""
    return target_of(tomllib.loads(text), DEFAULT)


def fault(text: str) -> tuple[tuple[str | int, ...], str]:
    """Path and text of the mistake."""
    with pytest.raises(MappingError) as refused:
        target(text)
    return refused.value.path, str(refused.value)


def test_a_url_is_enough() -> None:
    """An engine, read by whatever its page turns out to be."""
    assert target('url = "h:1"') == Target("engine", "h:1")


def test_an_empty_map_is_none() -> None:
    """As a stub leaves it whose guesses are all comments."""
    assert target(f"{AGENTS}[metrics_map]\n").adapter is None


@pytest.mark.parametrize(
    ("metrics", "page_url"),
    [
        ("/internal/metrics", "http://127.0.0.1:9000/internal/metrics"),
        ("/metrics/", "http://127.0.0.1:9000/metrics/"),
        ("http://127.0.0.1:9001/metrics", "http://127.0.0.1:9001/metrics"),
        ("10.0.0.7:9001/metrics", "http://10.0.0.7:9001/metrics"),
        ("https://u:p@h/metrics", "https://u:p@h/metrics"),
    ],
)
def test_a_page_may_be_elsewhere(metrics: str, page_url: str) -> None:
    """On another path or another port."""
    assert target(f'{AGENTS}metrics = "{metrics}"').page_url == page_url


def test_what_it_calls_is_read_as_urls() -> None:
    """However they are copied."""
    assert target(f'{AGENTS}calls = ["h:1/v1", "http://g:2"]').upstreams == ("http://h:1", "http://g:2")


def test_a_known_table_may_be_named() -> None:
    """So that the page need not prove itself."""
    adapter = target(f'{AGENTS}adapter = "fastapi"\nhealth = "/ready"\n').adapter
    assert adapter is not None
    assert (adapter.name, adapter.health_path) == ("fastapi", "/ready")


def test_rows_make_an_adapter_with_the_paths_of_the_target() -> None:
    """Its name is that of the target."""
    text = f'{AGENTS}metrics = "/m"\nhealth = "/ready"\n[metrics_map]\n"orchestration.requests" = "x_total"\n'
    adapter = target(text).adapter
    assert adapter is not None
    assert (adapter.name, adapter.metrics_path, adapter.health_path) == ("agents", "/m", "/ready")


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("url = 'h:1'\nadaptr = 'x'", ("adaptr",), "did you mean 'adapter'?"),
        ("url = 'h:1'\nzzzzz = 'x'", ("zzzzz",), "known: name, layer, url"),
        ("url = 'ftp://x'", ("url",), "unknown scheme 'ftp'"),
        ("url = ''", ("url",), "no host in it"),
        ("url = '4312'", ("url",), "if 4312 is the port: localhost:4312"),
        ("url = 'h:1'\ntoken_env = 'sk-abc'", ("token_env",), "token_env must be the name of a variable"),
        ("url = 'h:1'\ncalls = 'x'", ("calls",), 'calls must be a list of texts: calls = ["URL"]'),
        ("url = 'h:1'\ncalls = ['a', 1]", ("calls", 1), "calls must be a list of texts"),
        ("url = 'h:1'\ncalls = ['ftp://x']", ("calls", 0), "unknown scheme 'ftp'"),
        ("url = 'h:1'\nmetrics_map = 'x'", ("metrics_map",), "a table: write [target.metrics_map]"),
        ("url = 'h:1'\nmetrics = 'http://'", ("metrics",), "not the URL of a target"),
        ("url = 'h:1'\nmetrics = 'http://h:2'", ("metrics",), "metrics needs the path of the page"),
        ("url = 'h:1'\nhealth = '/h'", ("health",), "health goes with adapter or metrics_map"),
        ("url = 'h:1'\nadapter = 'vllm'\nhealth = 'h'", ("health",), "health must be a path at the target"),
        ("url = 'h:1'\nadapter = 'vlm'", ("adapter",), "unknown adapter 'vlm'; did you mean 'vllm'?"),
        ("url = 'h:1'\nadapter = 'zzz'", ("adapter",), "known of the engine layer: "),
        ("url = 'h:1'\nadapter = 'litellm'", ("adapter",), "it is of the gateway layer"),
        ("layer = 'orchestration'\nurl = '4312'\nmetrics = '/m'", ("metrics",), "the target is a process"),
        ("layer = 'orchestration'\nurl = '4312'\nadapter = 'fastapi'", ("adapter",), "named by its process"),
        ("url = 'h:1'\n[metrics_map]\n'engine.ttft' = 3", ("metrics_map", "engine.ttft"), "a name in quotes"),
    ],
)
def test_a_mistake_has_the_path_of_its_key(text: str, path: tuple[str | int, ...], said: str) -> None:
    """And says what to do."""
    where, message = fault(text)
    assert where == path
    assert said in message


def test_a_password_is_not_repeated() -> None:
    """In a line that may end up anywhere."""
    assert "hunter2" not in fault("url = 'h:1'\nmetrics = 'http://u:hunter2@h:1?x'")[1]
    assert "hunter2" not in fault("url = 'http://u:hunter2@h:99999'")[1]
    assert "hunter2" not in fault("url = 'h:1'\ntoken_env = 'sk-hunter2'")[1]


def test_a_key_comes_from_the_variable_that_the_target_names() -> None:
    """And is nowhere else."""
    named = Target("engine", "h:1", token_env="KEY")
    assert request_headers(named, {"KEY": "s3"}) == {"Authorization": "Bearer s3"}
    assert request_headers(Target("engine", "h:1"), {"KEY": "s3"}) == {}


@pytest.mark.parametrize("variable", ["sk-abc", "UNSET"])
def test_a_key_that_cannot_be_had_is_refused_without_repeating_it(variable: str) -> None:
    """What stands there may be the key itself."""
    with pytest.raises(UsageError) as refused:
        request_headers(Target("engine", "h:1", token_env=variable), {})
    assert variable not in str(refused.value)


def test_a_page_of_hardware_is_a_target() -> None:
    """By its URL; what it tells shows on it."""
    found = target('layer = "hardware"\nurl = "http://gpu-07:9400/metrics"\nname = "gpu-07"')
    assert found == Target("hardware", "http://gpu-07:9400/metrics", "gpu-07")


@pytest.mark.parametrize("line", ['adapter = "dcgm"', 'log = "/x"', "calls = []", 'health = "/h"', "[metrics_map]"])
def test_other_keys_say_nothing_of_hardware(line: str) -> None:
    """Whoever writes them expects something that will not be."""
    path, words = fault(f'layer = "hardware"\nurl = "h:9100"\n{line}\n')
    assert path == (line.strip("[]").partition(" ")[0],)
    assert words.endswith("leave it out")


def test_no_adapter_is_of_the_hardware() -> None:
    """Where one of another layer is named, that is said."""
    assert "it is of the gateway layer" in fault('url = "h:1"\nadapter = "litellm"')[1]
