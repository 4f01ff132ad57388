"""Programs that are known by their command lines."""

from __future__ import annotations

import pytest

from perfconsole.sources.discovery.known import find_known, launched, titled
from tests.sources.discovery.building import program, programs

PYTHON = "/opt/bin/python3"
SERVE = (PYTHON, "/opt/bin/vllm", "serve", "m")


@pytest.mark.parametrize(
    ("argv", "adapter"),
    [
        (SERVE, "vllm"),
        ((PYTHON, "-m", "vllm.entrypoints.openai.api_server", "--model", "m"), "vllm"),
        ((PYTHON, "/opt/bin/litellm", "--config", "c.yaml"), "litellm"),
        (("/opt/bin/vllm-router", "--worker-urls", "http://a:1"), "vllm-router"),
        ((PYTHON, "-m", "vllm_router.launch_router", "--worker-urls", "http://a:1"), "vllm-router"),
        (("nginx: master process /usr/sbin/nginx -g daemon off;",), "nginx"),
    ],
)
def test_launchers_are_known(argv: tuple[str, ...], adapter: str) -> None:
    """By the tables of the adapters."""
    kind = launched(argv)
    assert kind is not None
    assert kind.adapter.name == adapter


@pytest.mark.parametrize(
    "argv",
    [
        ("/usr/bin/docker", "run", "vllm/vllm-openai", "python3", "-m", "vllm.entrypoints.openai.api_server"),
        ("/usr/bin/ssh", "gpu-07", "python3 -m vllm.entrypoints.openai.api_server"),
        ("/usr/bin/vim", "vllm.entrypoints.openai"),
        ("/bin/bash", "-c", "vllm serve m"),
        (PYTHON, "/opt/bin/vllm", "bench", "serve", "--port", "8000"),
        (PYTHON, "-m", "vllm.entrypoints.cli.main", "bench", "serve"),
        (PYTHON, "/opt/bin/vllm", "serve", "--help"),
        (PYTHON, "/srv/app.py"),
        (),
    ],
)
def test_those_who_only_mention_a_launcher_are_not(argv: tuple[str, ...]) -> None:
    """Clients, editors, shells, load generators, and what ends at once."""
    assert launched(argv) is None


def test_one_engine_has_all_that_descends_from_its_launcher() -> None:
    """A launcher below another one is a part of it; those who take requests are its fronts."""
    table = programs(
        program(10, *SERVE),
        program(11, *SERVE, parent=10),
        program(12, "VLLM::APIServer_0", parent=11),
        program(13, "VLLM::EngineCore", parent=11),
        program(20, PYTHON, "app.py"),
    )
    (known,) = find_known(table)
    assert (known.pid, known.members, known.fronts) == (10, frozenset({10, 11, 12, 13}), frozenset({10, 12}))
    assert not known.titled


def test_what_has_the_title_of_a_part_belongs_to_what_was_started_above_it() -> None:
    """Kong and APISIX are nginx by the titles of their workers."""
    master = "nginx: master process /usr/local/openresty/nginx/sbin/nginx -p /usr/local/kong -c nginx.conf"
    table = programs(program(10, master), program(11, "nginx: worker process", parent=10))
    found = [(known.kind.adapter.name, known.members) for known in find_known(table)]
    assert found == [("kong", frozenset({10, 11}))]


def test_two_engines_are_two() -> None:
    """In the order in which they were started."""
    table = programs(program(20, *SERVE), program(10, *SERVE), program(11, "VLLM::EngineCore", parent=10))
    assert [known.pid for known in find_known(table)] == [10, 20]


def test_a_front_end_without_its_launcher_is_known_by_its_title() -> None:
    """Nothing tells its arguments then; a core alone takes no requests."""
    table = programs(program(10, "VLLM::APIServer"), program(20, "VLLM::EngineCore"))
    (known,) = find_known(table)
    assert (known.pid, known.titled) == (10, True)


def test_a_title_that_several_have_is_that_of_the_one_with_a_front_end() -> None:
    """Dynamo runs the parts of vLLM and of SGLang under their own titles."""
    found = titled(("VLLM::Worker_TP0",))
    assert found is not None
    assert found[0].adapter.name == "vllm"


def test_a_front_end_may_have_a_command_line_of_its_own() -> None:
    """The launcher of TGI holds no port itself; its router does."""
    launcher = program(10, "/usr/bin/text-generation-launcher", "--model-id", "m")
    router = program(11, "/usr/bin/text-generation-router", "--port", "80", parent=10)
    (known,) = find_known(
        programs(launcher, router, program(12, "/usr/bin/text-generation-server", "serve", parent=10))
    )
    assert (known.pid, sorted(known.fronts)) == (10, [10, 11])
