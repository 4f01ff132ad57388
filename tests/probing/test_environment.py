"""What a result depends on."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.core.identity import identities
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.probing.environment import environment_of, identity_from
from tests.probing.fakeload import ENGINE
from tests.view.pictures import indicator, snapshot

CARDS = (Entity(Kind.GPU, "0"), Entity(Kind.GPU, "1"))
MACHINE = {"host.kernel": "6.18", "gpu.driver": "570.1"}
PICTURE = replace(
    snapshot(
        indicators=(
            indicator("engine.max_num_seqs", 256.0, ENGINE),
            indicator("engine.tensor_parallel", 1.0, ENGINE),
            indicator("gpu.sm_clock", 1.98e9, CARDS[0]),
            indicator("gpu.mem_total", 80.0 * (1 << 30), CARDS[0]),
            indicator("gpu.power_limit", Missing.UNSUPPORTED, CARDS[0]),
            indicator("gpu.mig", 0.0, CARDS[0]),
            indicator("gpu.foreign_processes", 2.0, CARDS[0]),
        ),
        facts=(
            Fact("engine.version", ENGINE, "0.32.0"),
            Fact("engine.model", ENGINE, "Qwen/Qwen2.5-7B"),
            Fact("engine.max_num_seqs_origin", ENGINE, "argv"),
            *(Fact("gpu.name", card, "NVIDIA H200") for card in CARDS),
        ),
    ),
    entities=(ENGINE, *CARDS),
)


def test_engine_and_settings() -> None:
    """What it is, which build, and what it was started with."""
    found = environment_of(PICTURE, ENGINE, MACHINE)
    engine = {name: value for name, value in found.items() if name.startswith("engine.")}
    assert engine == {
        "engine.name": "vllm:8000",
        "engine.program": "vllm",
        "engine.version": "0.32.0",
        "engine.model": "Qwen/Qwen2.5-7B",
        "engine.max_num_seqs": "256",
        "engine.tensor_parallel": "1",
    }


def test_cards() -> None:
    """What a card is, and who else is on it; what it does not say is left out."""
    found = environment_of(PICTURE, ENGINE, MACHINE)
    assert {name: value for name, value in found.items() if name.startswith("gpu.0")} == {
        "gpu.0.name": "NVIDIA H200",
        "gpu.0.memory": "80.0 GiB",
        "gpu.0.sm_clock": "1980 MHz",
        "gpu.0.other_processes": "2",
    }
    assert found["gpu.1.name"] == "NVIDIA H200"


def test_only_the_cards_of_the_engine() -> None:
    """Where it is known which are its own."""
    linked = replace(PICTURE, links=(Link(Relation.ENGINE_USES_GPU, ENGINE, CARDS[1]),))
    assert {name for name in environment_of(linked, ENGINE, {}) if name.startswith("gpu.")} == {"gpu.1.name"}


def test_the_machine_alone() -> None:
    """Without a picture, or an engine in it, the host is still known; names are in order."""
    assert environment_of(None, ENGINE, MACHINE) == MACHINE
    assert list(environment_of(None, None, MACHINE)) == ["gpu.driver", "host.kernel"]
    assert environment_of(snapshot(), ENGINE, {})["engine.name"] == "vllm:8000"


def test_the_identity_comes_back() -> None:
    """So that what was measured is recalled for this engine, with all that is known of it."""
    linked = tuple(Link(Relation.ENGINE_USES_GPU, ENGINE, card) for card in CARDS)
    picture = replace(PICTURE, links=linked)
    assert identity_from(environment_of(picture, ENGINE, MACHINE)) == identities(picture)[ENGINE]


def test_of_two_kinds_of_cards_nobody_knows_which_is_the_engines() -> None:
    """Then the card is no part of who it is."""
    found = identity_from({"engine.name": "vllm:8000", "gpu.0.name": "H200", "gpu.1.name": "T4"})
    assert found is not None
    assert found.config == ()


def test_a_setting_that_is_no_number_is_left_out() -> None:
    """Somebody may have written the file by hand."""
    found = identity_from({"engine.name": "a", "engine.max_num_seqs": "many", "engine.max_model_len": "inf"})
    assert found is not None
    assert found.config == ()


def test_without_an_engine_there_is_no_identity() -> None:
    """A socket that nobody polls."""
    assert identity_from(MACHINE) is None
