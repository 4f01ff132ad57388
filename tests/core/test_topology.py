"""Which entity belongs to which."""

from __future__ import annotations

import pytest

from perfconsole.core.topology import Topology
from perfconsole.model.entity import Entity, Kind, Link, Relation
from tests.core.building import ENGINE, GATEWAY, GPU, HOST, OTHER, PROCESS

GPU1 = Entity(Kind.GPU, "1")
USES = Link(Relation.ENGINE_USES_GPU, ENGINE, GPU)
OTHER_USES = Link(Relation.ENGINE_USES_GPU, OTHER, GPU1)
HAS = Link(Relation.ENGINE_HAS_PROCESS, ENGINE, PROCESS, "frontend")
HOSTS = (Link(Relation.HOST_HAS, HOST, ENGINE), Link(Relation.HOST_HAS, HOST, OTHER))
BEHIND = (Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, ENGINE), Link(Relation.GATEWAY_TO_ENGINE, GATEWAY, OTHER))


def topology(*links: Link) -> Topology:
    """A topology that one source described."""
    made = Topology()
    made.replace("source", links)
    return made


WHOLE = topology(USES, OTHER_USES, HAS, *HOSTS, *BEHIND)


@pytest.mark.parametrize(
    ("entity", "kind", "related"),
    [
        (ENGINE, Kind.ENGINE, (ENGINE,)),
        (ENGINE, Kind.GPU, (GPU,)),
        (ENGINE, Kind.HOST, (HOST,)),
        (ENGINE, Kind.GATEWAY, (GATEWAY,)),
        (GATEWAY, Kind.ENGINE, (ENGINE, OTHER)),
        (GATEWAY, Kind.GPU, (GPU, GPU1)),
        (HOST, Kind.GPU, (GPU, GPU1)),
        (PROCESS, Kind.HOST, (HOST,)),
        (GPU, Kind.ENGINE, (ENGINE,)),
        (GPU, Kind.PROCESS, ()),
        (OTHER, Kind.PROCESS, ()),
        (ENGINE, Kind.RANK, ()),
    ],
)
def test_related_follows_links_only_up_or_only_down(entity: Entity, kind: Kind, related: tuple[Entity, ...]) -> None:
    """Own GPUs, own host, own gateway; never a neighbour's through the host or gateway they share."""
    assert WHOLE.related(entity, kind) == related


def test_what_a_source_no_longer_says_is_dropped() -> None:
    """A new description replaces the old one of the same source."""
    made = topology(USES)
    made.replace("source", [Link(Relation.ENGINE_USES_GPU, ENGINE, GPU1)])
    assert made.related(ENGINE, Kind.GPU) == (GPU1,)


def test_sources_do_not_drop_each_others_links() -> None:
    """What another source said stays."""
    made = topology(USES)
    made.replace("other", [HAS])
    assert made.links == (HAS, USES)


def test_a_link_said_twice_stays_while_one_still_says_it() -> None:
    """The first source that drops it does not take it from the second."""
    made = topology(USES)
    made.replace("other", [USES])
    made.replace("source", [])
    assert made.links == (USES,)


def test_a_link_said_twice_goes_with_the_last_word() -> None:
    """Once nobody says it, it is gone."""
    made = topology(USES)
    made.replace("other", [USES])
    made.replace("source", [])
    made.replace("other", [])
    assert made.related(ENGINE, Kind.GPU) == ()


def test_saying_the_same_again_rebuilds_nothing() -> None:
    """A poll a second with the same links costs no rebuild, whoever said them first."""
    made = topology(USES)
    made.replace("other", [USES])
    before = made.links
    made.replace("other", [USES])
    assert made.links is before


def test_an_answer_is_not_kept_beyond_its_links() -> None:
    """A question asked before a link came is answered anew after it."""
    made = topology()
    made.related(ENGINE, Kind.GPU)
    made.replace("source", [USES])
    assert made.related(ENGINE, Kind.GPU) == (GPU,)


def test_forgetting_drops_the_links_at_either_end() -> None:
    """Nothing leads to what is gone."""
    made = topology(USES, HAS, *HOSTS)
    made.forget(ENGINE)
    assert made.links == (HOSTS[1],)


def test_a_forgotten_entity_returns_when_it_is_named_again() -> None:
    """A source that still sees it brings its links back."""
    made = topology(USES)
    made.forget(GPU)
    made.replace("source", [USES])
    assert made.related(ENGINE, Kind.GPU) == (GPU,)


def test_roles_tell_processes_apart() -> None:
    """Children are found by the role of their link."""
    core = Entity(Kind.PROCESS, "99")
    made = topology(HAS, Link(Relation.ENGINE_HAS_PROCESS, ENGINE, core, "core"))
    assert made.roles(ENGINE, "core") == [core]


@pytest.mark.parametrize(
    ("one", "other", "touch"),
    [(ENGINE, ENGINE, True), (ENGINE, GPU, True), (GPU, ENGINE, True), (GPU, GPU1, False), (ENGINE, OTHER, False)],
)
def test_touch_is_belonging_either_way(one: Entity, other: Entity, touch: bool) -> None:  # noqa: FBT001 - a table row
    """Two engines of one host do not touch; an engine and its GPU do, asked from either side."""
    assert WHOLE.touch(one, other) is touch


@pytest.mark.parametrize(
    ("one", "other", "beside"),
    [(GPU, GPU1, False), (GPU, Entity(Kind.GPU, "2"), True), (GPU, ENGINE, False), (ENGINE, OTHER, False)],
)
def test_parts_of_one_engine_are_beside_each_other(one: Entity, other: Entity, beside: bool) -> None:  # noqa: FBT001
    """Two GPUs of one engine are; the GPU of another engine and the engines themselves are not."""
    both = Link(Relation.ENGINE_USES_GPU, ENGINE, Entity(Kind.GPU, "2"))
    assert topology(*WHOLE.links, both).beside(one, other) is beside


def test_links_that_run_in_a_circle_end() -> None:
    """A description that names an engine above its own host is answered all the same."""
    made = topology(HOSTS[0], Link(Relation.ENGINE_HAS_PROCESS, ENGINE, HOST))
    assert made.related(ENGINE, Kind.GPU) == ()
