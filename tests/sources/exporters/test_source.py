"""The page of an exporter that somebody named."""

from __future__ import annotations

import pytest

from perfconsole.clock import ManualClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.sources.exporters.hosts import HostNames
from perfconsole.sources.exporters.source import ExporterSource, Site
from perfconsole.sources.http import FetchError, FetchKind, Reply
from tests.sources.enginepages import capture

NODE, GPUS = capture("node_exporter/gpu_host.prom"), capture("dcgm/old_names.prom")
HOST = Entity(Kind.HOST, "gpu-07")
ENGINE = Entity(Kind.ENGINE, "vllm@10.0.0.7:8000")
OTHER = Entity(Kind.ENGINE, "vllm@10.0.0.7:8001")
CARDS = (Entity(Kind.GPU, "gpu-07/0"), Entity(Kind.GPU, "gpu-07/1"))


class Pages:
    """Stands in for a fetcher: the same answer for ever."""

    def __init__(self, body: bytes | None, status: int = 200) -> None:
        self._body, self._status = body, status

    def get(self, path: str) -> Reply:
        """Give it, or refuse."""
        if self._body is None:
            raise FetchError(FetchKind.REFUSED, "nobody listens there")
        return Reply(self._status, self._body, "text/plain", 0.01, f"http://h{path}")

    def interrupt(self) -> None:
        """Nothing is in flight."""

    def close(self) -> None:
        """Nothing is open."""


def source(
    pages: Pages, *engines: Entity, place: str = "10.0.0.7", name: str = "", names: HostNames | None = None
) -> ExporterSource:
    """One exporter, elsewhere unless its place is empty."""
    site = Site(place, names or HostNames(), name, lambda: engines, here="laptop")
    return ExporterSource("exporter h:9100", pages, "/metrics", site, ManualClock())  # type: ignore[arg-type]  # stands in


def test_a_host_elsewhere_is_called_as_it_calls_itself() -> None:
    """Its page tells of a host, and every 5 s will do."""
    (batch,) = source(Pages(NODE)).poll(0.0, 0.0)
    assert (batch.entities, batch.kind, batch.cadence_s, batch.error) == ((HOST,), "host page", 5.0, None)


def test_two_exporters_of_one_host_mean_one_host() -> None:
    """Also where the second would call it otherwise."""
    names = HostNames()
    source(Pages(NODE), names=names).poll(0.0, 0.0)
    (batch,) = source(Pages(GPUS.replace(b"gpu-07", b"node-7.internal")), names=names).poll(0.0, 0.0)
    assert batch.entities == CARDS
    assert batch.kind == "gpu page"
    assert Link(Relation.HOST_HAS, HOST, CARDS[0]) in batch.links


@pytest.mark.parametrize(("name", "page", "host"), [("pool-a", NODE, "pool-a"), ("", b"node_load1 1\n", "10.0.0.7")])
def test_a_host_is_called_as_somebody_names_it_else_by_its_place(name: str, page: bytes, host: str) -> None:
    """Where it does not say its own name."""
    (batch,) = source(Pages(page), name=name).poll(0.0, 0.0)
    assert batch.entities == (Entity(Kind.HOST, host),)


def test_the_engines_at_a_host_are_its_own() -> None:
    """By the host of their URLs; the only one there uses all of its GPUs."""
    (batch,) = source(Pages(GPUS), ENGINE).poll(0.0, 0.0)
    assert Link(Relation.HOST_HAS, HOST, ENGINE) in batch.links
    assert [link.child for link in batch.links if link.relation is Relation.ENGINE_USES_GPU] == list(CARDS)


def test_of_several_engines_nobody_knows_which_uses_what() -> None:
    """No link is guessed."""
    (batch,) = source(Pages(GPUS), ENGINE, OTHER).poll(0.0, 0.0)
    assert not [link for link in batch.links if link.relation is Relation.ENGINE_USES_GPU]
    assert Link(Relation.HOST_HAS, HOST, OTHER) in batch.links


def test_the_pod_that_has_a_gpu_is_its_engine() -> None:
    """By the name of the pod in the engine's own name or in that of its host."""
    lent = GPUS.replace(b'gpu="1"', b'gpu="1",pod="llama-0",namespace="x"')
    pod = Entity(Kind.ENGINE, "vllm@llama-0.llama.svc:8000")
    (batch,) = source(Pages(lent), ENGINE, pod).poll(0.0, 0.0)
    uses = [(link.parent, link.child) for link in batch.links if link.relation is Relation.ENGINE_USES_GPU]
    assert uses == [(pod, CARDS[1])]


def test_an_exporter_here_tells_of_this_host() -> None:
    """Under the names that its own sources use, whatever the page says."""
    (batch,) = source(Pages(NODE), ENGINE, place="").poll(0.0, 0.0)
    assert (batch.entities, batch.links) == ((Entity(Kind.HOST, "laptop"),), ())
    (batch,) = source(Pages(GPUS), place="").poll(0.0, 0.0)
    assert batch.entities == (Entity(Kind.GPU, "0"), Entity(Kind.GPU, "1"))


def test_one_page_may_be_of_both() -> None:
    """A collector in front of them puts their series together."""
    (batch,) = source(Pages(NODE + GPUS)).poll(0.0, 0.0)
    assert batch.entities == (*CARDS, HOST)


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        (Pages(None), "nobody listens there"),
        (Pages(b"", 404), "HTTP 404"),
        (Pages(b"node_load1 1"), "stops in the middle"),
        (Pages(b"go_goroutines 7\n"), "its page is none of a DCGM exporter or a node_exporter"),
    ],
)
def test_what_is_no_page_is_said(pages: Pages, words: str) -> None:
    """And nothing is told of any host."""
    (batch,) = source(pages).poll(0.0, 0.0)
    assert batch.error is not None
    assert words in batch.error
    assert (batch.kind, batch.entities) == ("hardware page", ())
