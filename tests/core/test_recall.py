"""Which profile speaks for an entity, and what it says has changed."""

from __future__ import annotations

import pytest

from perfconsole.core.recall import recall
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Missing
from tests.core.profiles import WALL, identity, profile


def test_the_same_engine_is_recalled_by_its_day_and_length() -> None:
    """Everything agrees: the figures hold, and nothing has changed."""
    found = recall(identity(), [profile()])
    assert found is not None
    assert (found.kind, found.build_changed) == ("saved profile of 2026-11-30 (45 min)", 0.0)


def test_another_address_is_the_same_engine() -> None:
    """Model and configuration decide, not the port."""
    found = recall(identity(entity="vllm:9000"), [profile()])
    assert found is not None
    assert found.build_changed == 0.0


@pytest.mark.parametrize("other", [{"model": "llama"}, {"adapter": "sglang"}, {"kind": Kind.GATEWAY}])
def test_another_model_program_or_kind_is_another_one(other: dict[str, object]) -> None:
    """Its figures say nothing here."""
    assert recall(identity(**other), [profile()]) is None


def test_another_build_serves_and_says_so() -> None:
    """The profile of the build before is what a regression is measured against."""
    found = recall(identity(build="0.33.0"), [profile()])
    assert found is not None
    assert found.build_changed == 1.0
    assert found.kind == "saved profile of build 0.32.0, 2026-11-30 (45 min)"


def test_another_configuration_serves_and_says_what() -> None:
    """Both values stand in the words of the evidence."""
    changed = (("engine.max_num_seqs", 8.0), ("gpu.name", "H200"))
    found = recall(identity(config=changed), [profile()])
    assert found is not None
    assert found.build_changed == 1.0
    assert found.kind == "saved profile of 2026-11-30 (45 min); max_num_seqs 32 then, 8 now"


def test_what_only_one_side_knows_is_no_change() -> None:
    """The command line of an engine elsewhere cannot be read."""
    found = recall(identity(config=(), build=""), [profile()])
    assert found is not None
    assert found.changes == ()


def test_an_unknown_build_is_not_called_unchanged() -> None:
    """Neither 0 nor 1."""
    found = recall(identity(build=""), [profile()])
    assert found is not None
    assert found.build_changed is Missing.NEVER


@pytest.mark.parametrize(
    ("entity", "cap", "found"), [("vllm:8000", 32.0, 1), ("vllm:9000", 32.0, 0), ("vllm:8000", 8.0, 0)]
)
def test_without_a_model_only_an_unchanged_namesake_will_do(entity: str, cap: float, found: int) -> None:
    """Nobody knows whether it served the same model."""
    for model in ("", "qwen"):
        who = identity(model=model, entity=entity, config=(("engine.max_num_seqs", cap),))
        assert (recall(who, [profile(model="")]) is not None) == bool(found)


def test_until_the_model_is_known_no_profile_of_a_model_speaks() -> None:
    """The facts of an engine come seconds after its first page."""
    assert recall(identity(model=""), [profile()]) is None


@pytest.mark.parametrize("kind", [Kind.GATEWAY, Kind.HOST, Kind.GPU, Kind.ORCHESTRATOR])
def test_what_is_no_engine_is_known_by_its_name(kind: Kind) -> None:
    """The figures of one gateway are not those of the next."""
    there = profile(kind=kind, entity="a")
    assert recall(identity(kind=kind, entity="a"), [there]) is not None
    assert recall(identity(kind=kind, entity="b"), [there]) is None


def test_a_profile_of_this_very_build_goes_before_a_newer_one_of_another() -> None:
    """After a roll-back the old figures hold again."""
    found = recall(identity(), [profile(name="here"), profile(name="newer", build="0.33.0", wall=WALL + 9)])
    assert found is not None
    assert found.profile.name == "here"


def test_the_entity_itself_goes_before_its_twin() -> None:
    """Of two engines alike each has its own figures."""
    found = recall(identity(), [profile(name="own"), profile(name="twin", entity="vllm:9000", wall=WALL + 9)])
    assert found is not None
    assert found.profile.name == "own"


def test_a_full_profile_goes_before_a_newer_short_one() -> None:
    """Two minutes do not outweigh forty-five."""
    found = recall(identity(), [profile(name="full"), profile(name="short", healthy_s=120.0, wall=WALL + 9)])
    assert found is not None
    assert found.profile.name == "full"


def test_of_two_alike_the_newer_one_speaks() -> None:
    """What is saved last holds."""
    found = recall(identity(), [profile(name="new", wall=WALL + 9), profile(name="old")])
    assert found is not None
    assert found.profile.name == "new"


def test_a_short_profile_says_how_short() -> None:
    """In minutes and requests."""
    found = recall(identity(), [profile(healthy_s=120.0, requests=31.0)])
    assert found is not None
    assert found.kind == "saved profile of 2026-11-30 (2 min, 31 requests)"


def test_what_stood_at_the_time_stays_with_the_profile() -> None:
    """Figures that were saved over a finding say so wherever they are used."""
    found = recall(identity(), [profile(despite=("admission-cap",))])
    assert found is not None
    assert found.kind.endswith("; saved despite admission-cap")


def test_every_figure_names_its_source() -> None:
    """The kind stands with each value."""
    found = recall(identity(), [profile(("engine.ttft.p95", 0.4))])
    assert found is not None
    assert found.baselines()["engine.ttft.p95"].kind == found.kind
    assert found.baselines()["engine.ttft.p95"].value == 0.4


def test_a_probe_says_that_it_is_one_and_its_load() -> None:
    """Whoever reads the evidence sees that the figure is one of a quiet engine."""
    found = recall(identity(), [profile(probe="short-chat", healthy_s=9.0, requests=6.0)])
    assert found is not None
    assert found.kind == "probe of 2026-11-30, 1 at a time (9 s, 6 requests)"


@pytest.mark.parametrize(("build", "name"), [("0.32.0", "watched"), ("0.31.0", "probed")])
def test_watched_traffic_goes_before_a_newer_probe_of_the_same_build(build: str, name: str) -> None:
    """It is nearer to what it is compared with; a probe of this build says more than traffic on another."""
    watched = profile(name="watched", build=build, healthy_s=120.0)
    found = recall(identity(), [watched, profile(name="probed", probe="short-chat", wall=WALL + 9)])
    assert found is not None
    assert found.profile.name == name
