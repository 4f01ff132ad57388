"""Who an entity is, from facts in words, numeric facts and the cards it uses."""

from __future__ import annotations

import pytest

from perfconsole.core.identity import identities, identity_of
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact, Missing
from perfconsole.model.snapshot import Indicator
from tests.view.pictures import snapshot

ENGINE = Entity(Kind.ENGINE, "vllm:8000")
CARD = Entity(Kind.GPU, "0")
CAP = "engine.max_num_seqs"


@pytest.mark.parametrize(
    ("name", "adapter"),
    [("vllm:8000", "vllm"), ("vllm@gpu-07:8000", "vllm"), ("prod", ""), ("10.0.0.7:8000", ""), ("localhost:8000", "")],
)
def test_the_program_of_an_engine_is_in_its_name(name: str, adapter: str) -> None:
    """Not where a person chose the name, and not while it is an address."""
    assert identity_of(Entity(Kind.ENGINE, name), {}, {}).adapter == adapter


@pytest.mark.parametrize(("origin", "counts"), [("argv", True), ("server-info", True), ("plateau", False), ("", False)])
def test_only_a_stated_cap_is_configuration(origin: str, *, counts: bool) -> None:
    """A plateau is what the load made of it."""
    who = identity_of(ENGINE, {"engine.max_num_seqs_origin": origin}, {CAP: 32.0})
    assert bool(who.config) == counts


def test_an_identity_is_read_from_a_snapshot() -> None:
    """Model, build, numeric facts that have a value, and the names of its own cards."""
    facts = (("engine.version", ENGINE, "0.32.0"), ("engine.model", ENGINE, "qwen"), ("gpu.name", CARD, "H200"))
    numbers = (("engine.tensor_parallel", 2.0), ("engine.max_model_len", Missing.NEVER), ("engine.ttft.p50", 0.2))
    seen = snapshot(
        entities=(ENGINE, CARD, Entity(Kind.PROCESS, "7")),
        facts=tuple(Fact(*row) for row in facts),
        indicators=tuple(Indicator(n, ENGINE, v, DEFAULT.unit(n)) for n, v in numbers),
        links=(Link(Relation.ENGINE_USES_GPU, ENGINE, CARD),),
    )
    found = identities(seen)
    assert set(found) == {ENGINE, CARD}
    assert (found[ENGINE].model, found[ENGINE].build) == ("qwen", "0.32.0")
    assert found[ENGINE].config == (("engine.tensor_parallel", 2.0), ("gpu.name", "H200"))
    assert found[CARD].model == "H200"


def test_every_setting_is_a_name_of_the_dictionary() -> None:
    """What does not exist would never differ."""
    from perfconsole.core.identity import SETTINGS  # noqa: PLC0415 - one test reads the table

    assert all(DEFAULT.find(name) for names in SETTINGS.values() for name in names)
