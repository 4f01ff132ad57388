"""Who is probed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.probeaim import address_at, aims_of, engines_of, model_of, watched_with
from perfconsole.commands.watching import Watching
from perfconsole.config import Config, Target
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from tests.commands.probing import stage

if TYPE_CHECKING:
    from perfconsole.commands.probeaim import Aim

STEP, BOTH = "step-load", "through-and-around"
ENGINE, GATEWAY = "http://127.0.0.1:8000", "http://127.0.0.1:4000"


def _config(*targets: Target) -> Config:
    return Config(targets, DEFAULT, ())


def _aims(recipe: str, *urls: str, config: Config | None = None, token_env: str | None = None) -> tuple[Aim, ...]:
    return aims_of(recipe, urls, config or _config(), token_env)


def test_a_url_becomes_an_engine() -> None:
    """It is watched beside what the configuration names, and nothing else is looked for."""
    aims = _aims(STEP, ENGINE)
    assert aims[0].watched == Target("engine", ENGINE)
    watched = watched_with(_config(Target("gateway", GATEWAY)), aims)
    assert [target.layer for target in watched.targets] == ["gateway", "engine"]
    assert not watched.discover


def test_a_target_of_the_configuration() -> None:
    """The same place is the same target, with its name and its layer, and is watched once."""
    known = Target("gateway", "http://localhost:4000", "front")
    aims = _aims(STEP, GATEWAY, config=_config(known))
    assert aims[0].watched == known
    assert watched_with(_config(known), aims).targets == (known,)


def test_a_process_is_no_place() -> None:
    """An orchestrator that is named by its number stays what it is."""
    process = Target("orchestration", "4312")
    assert watched_with(_config(process), _aims(STEP, ENGINE, config=_config(process))).targets[0] == process


def test_gateway_and_engine() -> None:
    """In this order; one of them twice is a mistake."""
    assert [aim.watched.layer for aim in _aims(BOTH, GATEWAY, ENGINE) if aim.watched] == ["gateway", "engine"]
    with pytest.raises(UsageError, match="are one target"):
        _aims(BOTH, ENGINE, ENGINE)


def test_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the variable that the option or the configuration names, and never shown."""
    monkeypatch.setenv("MY_KEY", "hunter2")
    by_option = _aims(STEP, ENGINE, token_env="MY_KEY")[0]
    by_file = _aims(STEP, ENGINE, config=_config(Target("engine", ENGINE, token_env="MY_KEY")))[0]
    for aim in (by_option, by_file):
        assert aim.address.headers == (("Authorization", "Bearer hunter2"),)
        assert "hunter2" not in aim.shown + repr(aim.address)
    with pytest.raises(UsageError, match="is not set"):
        _aims(STEP, ENGINE, token_env="MY_OTHER_KEY")


def test_a_socket() -> None:
    """Is nobody's to poll, of this host, and must be told its model."""
    aim = _aims(STEP, "unix:/run/vllm.sock")[0]
    assert (aim.watched, aim.local, aim.shown) == (None, True, "unix:/run/vllm.sock")
    assert model_of(aim, "m") == "m"
    with pytest.raises(UsageError, match="--model"):
        model_of(aim, "")


def test_here_and_elsewhere() -> None:
    """Only a loopback address is surely this host."""
    assert _aims(STEP, ENGINE)[0].local
    assert not _aims(STEP, "http://gpu-07.example:8000")[0].local


def test_the_model(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The first one that is served, which is said where there are several; one that is not listed is told."""
    with stage(monkeypatch, "m", "lora") as made:
        aim = _aims(STEP, made.server.url)[0]
        assert model_of(aim, "") == "m"
        assert "serves 2 models; asking m" in capsys.readouterr().err
        assert model_of(aim, "lora") == "lora"
        assert capsys.readouterr().err == ""
        assert model_of(aim, "other") == "other"
        assert "does not list other; it lists m, lora" in capsys.readouterr().err


def test_a_target_that_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person can."""
    for models, status in (((), "200 OK"), (("m",), "404 Not Found")):
        with stage(monkeypatch, *models, status=status) as made:
            aim = _aims(STEP, made.server.url)[0]
            assert model_of(aim, "m") == "m"
            with pytest.raises(UsageError, match="--model"):
                model_of(aim, "")


def test_the_engine_behind() -> None:
    """A target that is one is its own; behind a gateway stands the only one that is watched, if there is only one."""

    def behind(recipe: str, *urls: str, also: tuple[Target, ...] = ()) -> list[str | None]:
        config = _config(*also)
        aims = _aims(recipe, *urls, config=config)
        found = engines_of(aims, Watching(watched_with(config, aims)))
        return [None if engine is None else engine.name for engine in found]

    front = Target("gateway", GATEWAY)
    others = (Target("engine", "http://h:1"), Target("engine", "http://h:2"))
    assert behind(STEP, ENGINE) == ["127.0.0.1:8000"]
    assert behind(BOTH, GATEWAY, ENGINE) == ["127.0.0.1:8000"] * 2
    assert behind(STEP, GATEWAY, also=(front,)) == [None]
    assert behind(STEP, GATEWAY, also=(front, others[0])) == ["h:1"]
    assert behind(STEP, GATEWAY, also=(front, *others)) == [None]
    assert behind(STEP, "unix:/run/s") == [None]


def test_an_address_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target of the configuration is asked with its key, by whatever name it is shown; nobody else gets one."""
    monkeypatch.setenv("MY_KEY", "hunter2")
    config = _config(
        Target("engine", "http://localhost:8000", token_env="MY_KEY"),
        Target("gateway", "http://a:b@127.0.0.1:4000"),
        Target("orchestration", "4312"),
    )
    assert address_at(ENGINE, config).headers == (("Authorization", "Bearer hunter2"),)
    assert address_at("http://***@127.0.0.1:4000", config).headers == (("Authorization", "Basic YTpi"),)
    assert address_at("http://127.0.0.1:8001", config).headers == ()
    assert address_at("unix:/run/s", config).unix == "/run/s"
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(UsageError, match="is not set"):
        address_at(ENGINE, config)


def test_a_url_that_was_copied_from_the_screen() -> None:
    """Has three stars in place of its password, which the configuration knows."""
    known = Target("engine", "http://a:b@127.0.0.1:8000")
    aim = _aims(STEP, "http://***@127.0.0.1:8000", config=_config(known))[0]
    assert aim.address.headers == (("Authorization", "Basic YTpi"),)
