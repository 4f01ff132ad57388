"""Tests of who is watched and who calls whom."""

from __future__ import annotations

from perfconsole.model.entity import BEHIND, Entity, Kind, Link, Relation
from perfconsole.sources.directory import Directory, Member
from perfconsole.sources.layer import ENGINE, GATEWAY, ORCHESTRATOR, Layer

VLLM, OTHER = Entity(Kind.ENGINE, "vllm:8000"), Entity(Kind.ENGINE, "vllm:8001")
PROXY, FRONT = Entity(Kind.GATEWAY, "litellm:4000"), Entity(Kind.GATEWAY, "nginx:80")
AGENT = Entity(Kind.ORCHESTRATOR, "agent:9000")
_LAYERS = {Kind.ENGINE: ENGINE, Kind.GATEWAY: GATEWAY, Kind.ORCHESTRATOR: ORCHESTRATOR}


def member(entity: Entity, *calls: int, guessing: bool = True, settled: bool = True, host: str = "") -> Member:
    """A target of this host on the port of its name, with the ports that its configuration names."""
    layer: Layer = _LAYERS[entity.kind]
    place = (host, int(entity.name.rpartition(":")[2]))
    upstreams = tuple(("", port) for port in calls)
    return Member(layer, lambda: entity, lambda: settled, place, guessing=guessing, upstreams=lambda: upstreams)


def directory(*members: Member) -> Directory:
    """All of them."""
    found = Directory()
    for each in members:
        found.add(each)
    return found


def test_with_nothing_known_it_stands_in_front_of_every_engine() -> None:
    """Somebody named it for a reason."""
    proxy = member(PROXY)
    links = directory(member(VLLM), member(OTHER), proxy).links(proxy, 0.0)
    assert links == tuple(Link(Relation.GATEWAY_TO_ENGINE, PROXY, engine) for engine in (VLLM, OTHER))


def test_one_that_was_only_found_is_not_put_in_front_of_anything() -> None:
    """A Python service on the same host may have nothing to do with the engine."""
    agent = member(AGENT, guessing=False)
    assert directory(member(VLLM), agent).links(agent, 0.0) == ()


def test_its_configuration_says_what_it_calls() -> None:
    """And no other engine is linked."""
    proxy = member(PROXY, 8001)
    links = directory(member(VLLM), member(OTHER), proxy).links(proxy, 0.0)
    assert links == (Link(Relation.GATEWAY_TO_ENGINE, PROXY, OTHER),)


def test_what_it_calls_may_be_out_of_sight() -> None:
    """Then it stands in front of none of those that are seen."""
    proxy = member(PROXY, 7777)
    assert directory(member(VLLM), proxy).links(proxy, 0.0) == ()


def test_a_name_of_a_container_network_is_told_by_its_port() -> None:
    """`http://vllm:8000` in a compose file; two engines of that port leave it open."""
    proxy = member(PROXY)
    proxy.upstreams = lambda: [("vllm", 8000)]
    found = directory(member(VLLM), member(OTHER), proxy)
    assert [link.child for link in found.links(proxy, 0.0)] == [VLLM]
    found.add(member(Entity(Kind.ENGINE, "vllm@gpu-07:8000"), host="gpu-07"))
    assert found.links(proxy, 0.0) == ()


def test_a_connection_is_a_link() -> None:
    """For as long as callers may take to open the next one."""
    agent, engine = member(AGENT, guessing=False), member(VLLM)
    found = directory(engine, agent)
    agent.calls[engine] = 100.0
    assert found.links(agent, 700.0) == (Link(Relation.ORCHESTRATOR_TO_ENGINE, AGENT, VLLM),)
    assert found.links(agent, 701.0) == ()


def test_through_a_gateway_it_reaches_the_engines_behind_it() -> None:
    """Agents that call a gateway are linked to both."""
    agent, proxy = member(AGENT, 4000), member(PROXY, 8000)
    links = directory(member(VLLM), member(OTHER), proxy, agent).links(agent, 0.0)
    assert links == (
        Link(Relation.ORCHESTRATOR_TO_ENGINE, AGENT, VLLM, BEHIND),
        Link(Relation.ORCHESTRATOR_TO_GATEWAY, AGENT, PROXY),
    )


def test_a_gateway_in_front_of_a_gateway_reaches_its_engines() -> None:
    """nginx before LiteLLM before the engine: what both count is one request."""
    front, proxy = member(FRONT, 4000), member(PROXY, 8000)
    links = directory(member(VLLM), proxy, front).links(front, 0.0)
    assert links == (
        Link(Relation.GATEWAY_TO_ENGINE, FRONT, VLLM, BEHIND),
        Link(Relation.GATEWAY_TO_GATEWAY, FRONT, PROXY),
    )


def test_a_gateway_in_front_of_agents_is_linked_to_them_and_to_their_engines() -> None:
    """What it sends is not what comes to the engines."""
    front, agent = member(FRONT, 9000), member(AGENT, 8000)
    links = directory(member(VLLM), agent, front).links(front, 0.0)
    assert [(link.relation, link.child) for link in links] == [
        (Relation.GATEWAY_TO_ENGINE, VLLM),
        (Relation.GATEWAY_TO_ORCHESTRATOR, AGENT),
    ]


def test_an_agent_is_linked_to_the_gateway_that_it_calls_itself() -> None:
    """One behind that counts the same requests once more."""
    agent, front, proxy = member(AGENT, 80), member(FRONT, 4000), member(PROXY, 8000)
    links = directory(member(VLLM), proxy, front, agent).links(agent, 0.0)
    assert [link.child for link in links] == [VLLM, FRONT]


def test_two_gateways_that_call_each_other_end_the_search() -> None:
    """A loop in somebody's configuration is no loop here."""
    front, proxy = member(FRONT, 4000), member(PROXY, 80, 8000)
    assert VLLM in {link.child for link in directory(member(VLLM), proxy, front).links(front, 0.0)}


def test_a_provisional_name_is_not_linked() -> None:
    """The link would outlive it."""
    proxy = member(PROXY)
    assert directory(member(VLLM, settled=False), proxy).links(proxy, 0.0) == ()


def test_ports_are_those_of_this_host() -> None:
    """What listens elsewhere takes no port here."""
    assert directory(member(VLLM), member(OTHER, host="gpu-07")).ports() == {8000}


def test_one_that_is_taken_out_is_called_by_nobody() -> None:
    """And has no port any more."""
    agent, engine = member(AGENT, guessing=False), member(VLLM)
    found = directory(engine, agent)
    agent.calls[engine] = 1.0
    found.remove(VLLM)
    assert (found.links(agent, 2.0), found.ports()) == ((), frozenset({9000}))


def test_owners_are_engines_of_final_names_with_their_processes() -> None:
    """GPUs are tied to them."""
    known, unknown, proxy = member(VLLM), member(OTHER, settled=False), member(PROXY)
    known.pids = proxy.pids = frozenset({7, 8})
    assert directory(known, unknown, proxy).owners() == {VLLM: frozenset({7, 8})}
