"""Tests of the source of a DCGM exporter: whose GPUs they are, what NVML keeps, Xids over time, and bad pages."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from perfconsole.clock import ManualClock
from perfconsole.model.entity import Entity, Kind, Link, Relation
from perfconsole.model.sample import Fact
from perfconsole.sources.dcgm import DcgmSource
from perfconsole.sources.http import Fetcher, Reply
from tests.sources.enginepages import capture
from tests.sources.fetching import SHORT, closed_port, fetcher
from tests.sources.servers import Server, hung, pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfconsole.model.sample import Batch

UUIDS = ("GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52", "GPU-a6158b59-2c1e-1e63-0068-9178c4298abd")
OLD = capture("dcgm/old_names.prom")
HOST = Entity(Kind.HOST, "gpu-07")


class Pages:
    """Stands in for a fetcher: one page after the other, the last one for ever."""

    def __init__(self, *bodies: bytes) -> None:
        self.bodies = list(bodies)

    def get(self, path: str) -> Reply:
        """Give the next page."""
        body = self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]
        return Reply(200, body, "text/plain", 0.01, f"http://h{path}")

    def interrupt(self) -> None:
        """Nothing is in flight."""

    def close(self) -> None:
        """Nothing is open."""


class Exporter:
    """A source on given pages, polled at given times."""

    def __init__(
        self,
        *bodies: bytes,
        indices: Mapping[str, str] | None = None,
        nvml_has: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.clock = ManualClock()
        self.source = DcgmSource(
            "127.0.0.1:9400",
            Pages(*bodies),  # type: ignore[arg-type]  # stands in for a fetcher
            indices=lambda: indices or {},
            nvml_has=lambda: nvml_has,
            host=HOST,
            clock=self.clock,
        )

    def poll(self, t: float = 0.0) -> Batch:
        """One poll."""
        self.clock.sleep(t - self.clock.now())
        (batch,) = self.source.poll(t, 1.7e9 + t)
        return batch

    def values(self, gpu: str, t: float = 0.0) -> dict[str, float]:
        """Plain numbers of one GPU."""
        return {
            s.key.indicator: s.value
            for s in self.poll(t).samples
            if s.key.entity == Entity(Kind.GPU, gpu) and isinstance(s.value, float)
        }


def test_a_page_becomes_figures_of_its_gpus() -> None:
    """With the host that they are in, and what they are called."""
    batch = Exporter(OLD).poll()
    gpus = (Entity(Kind.GPU, "0"), Entity(Kind.GPU, "1"))
    assert (batch.source, batch.kind, batch.error, batch.cadence_s) == ("dcgm 127.0.0.1:9400", "gpu page", None, 5.0)
    assert batch.entities == gpus
    assert batch.links == tuple(Link(Relation.HOST_HAS, HOST, gpu) for gpu in gpus)
    assert Fact("gpu.uuid", gpus[1], UUIDS[1]) in batch.facts
    assert Exporter(OLD).values("0")["gpu.power"] == 612.338


def test_a_gpu_is_the_one_that_nvml_has_under_its_uuid() -> None:
    """The two number them in different orders."""
    exporter = Exporter(OLD, indices={UUIDS[0]: "3", UUIDS[1]: "2"})
    assert exporter.values("3")["gpu.power"] == 612.338
    assert exporter.poll().facts == ()


def test_a_gpu_that_nvml_does_not_show_takes_no_other_ones_number() -> None:
    """A container may see the second card as its only one, number 0."""
    batch = Exporter(OLD, indices={UUIDS[1]: "0"}).poll()
    assert batch.entities == (Entity(Kind.GPU, "0"),)
    assert "the exporter's GPU 0 is none that NVML shows here: left out" in batch.notes


def test_what_nvml_says_now_is_left_to_it() -> None:
    """Of that GPU and that indicator, and not of others."""
    exporter = Exporter(
        OLD, nvml_has=frozenset({("gpu.power", "0"), ("gpu.xid", "0"), ("gpu.throttle_power_cap", "0")})
    )
    assert not {"gpu.power", "gpu.xid", "gpu.throttle_power_cap"} & exporter.values("0").keys()
    assert {"gpu.power", "gpu.throttle_power_cap"} <= exporter.values("1").keys()
    assert "gpu.temperature" in exporter.values("0")


def test_that_the_engine_is_active_stands_beside_the_word_of_nvml() -> None:
    """As a part of its own: the two are compared."""
    batch = Exporter(OLD, nvml_has=frozenset({("gpu.engine_active", "0")})).poll()
    found = [s for s in batch.samples if s.key.indicator == "gpu.engine_active"]
    assert [(s.key.labels, s.value) for s in found] == [
        ((("source", "dcgm"),), 0.981234),
        ((("source", "dcgm"),), 0.0),
    ]


def test_no_other_part_has_a_label() -> None:
    """They are the indicator itself, as NVML would give it."""
    batch = Exporter(OLD).poll()
    assert {s.key.labels for s in batch.samples if s.key.indicator != "gpu.engine_active"} == {()}
    assert len({s.key for s in batch.samples}) == len(batch.samples)


def test_clocks_held_down_are_a_share_of_the_last_minute() -> None:
    """The busy card was held by its power limit at every look, then no more; the idle bit is no reason."""
    free = OLD.replace(b'"570.86.15"} 4\n', b'"570.86.15"} 0\n')
    assert free != OLD
    exporter = Exporter(OLD, free)
    shares = [exporter.values("0", t)["gpu.throttle_power_cap"] for t in (0.0, 5.0, 30.0, 60.0)]
    assert shares == [1.0, 0.5, 1 / 3, 0.0]
    assert [v for name, v in Exporter(OLD).values("1").items() if "throttle" in name] == [0.0] * 6


def last(xid: int) -> bytes:
    """A page whose one card had this Xid last."""
    return f'DCGM_FI_DEV_XID_ERRORS{{gpu="0"}} {xid}\n'.encode()


def test_the_last_xid_counts_when_it_turns_into_another() -> None:
    """And the same number for ever is one event."""
    exporter = Exporter(last(0), last(79), last(79), last(48))
    found = [exporter.values("0", t) for t in (0.0, 5.0, 10.0, 15.0)]
    assert [f["gpu.xid"] for f in found] == [0.0, 1.0, 1.0, 2.0]
    assert [f["gpu.xid_lost"] for f in found] == [0.0, 1.0, 1.0, 1.0]
    assert found[3]["gpu.xid_memory"] == 1.0


def test_a_last_xid_of_before_is_said_and_not_counted() -> None:
    """It may be what the incident is about, and it may be years old: 0 would be as wrong as 1."""
    exporter = Exporter(last(79))
    assert exporter.poll(0.0).notes == ("GPU 0: its last Xid is 79, and the exporter does not say when that came",)
    assert "gpu.xid_lost" not in exporter.values("0", 1.0)


def test_an_xid_that_came_while_it_looked_needs_no_remark() -> None:
    """Its time is known."""
    exporter = Exporter(last(0), last(79))
    assert [exporter.poll(t).notes for t in (0.0, 5.0)] == [(), ()]


def counts(**xids: int) -> bytes:
    """A page that counts Xids in a window that slides."""
    lines = ['DCGM_EXP_XID_ERRORS_COUNT{gpu="0",xid="0"} 0\n', 'DCGM_FI_DEV_XID_ERRORS{gpu="0"} 31\n']
    lines += [f'DCGM_EXP_XID_ERRORS_COUNT{{gpu="0",xid="{name[1:]}"}} {n}\n' for name, n in xids.items()]
    return "".join(lines).encode()


def test_counted_xids_count_as_often_as_they_rise() -> None:
    """What slides out of the exporter's window stays for the hour, and the last number says nothing more."""
    exporter = Exporter(counts(x94=2), counts(x94=3, x31=1), counts(x31=1), counts(x94=1, x31=1), counts())
    found = [exporter.values("0", float(t)) for t in range(5)]
    assert [f["gpu.xid_memory"] for f in found] == [2.0, 3.0, 3.0, 4.0, 4.0]
    assert [f["gpu.xid_application"] for f in found] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert exporter.poll(6.0).notes == ()


def test_a_page_without_xids_says_nothing_of_them() -> None:
    """The fields are not on every page."""
    assert "gpu.xid" not in Exporter(b'DCGM_FI_DEV_GPU_TEMP{gpu="0"} 40\n').values("0")


def test_a_split_gpu_is_left_out_in_words() -> None:
    """Figures of an instance are not those of the card."""
    batch = Exporter(capture("dcgm/mig.prom")).poll()
    assert batch.entities == (Entity(Kind.GPU, "1"),)
    assert batch.notes == ("figures of MIG instances are left out: they are not those of a whole GPU",)


@pytest.mark.parametrize("number", ["", "nvidia0", "9999", "\N{ARABIC-INDIC DIGIT THREE}", "-1", "0\x1b[2J"])
def test_a_number_that_is_none_names_no_gpu(number: str) -> None:
    """And reaches the screen in safe characters only."""
    batch = Exporter(f'DCGM_FI_DEV_GPU_TEMP{{gpu="{number}"}} 40\n'.encode()).poll()
    assert (batch.entities, batch.samples) == ((), ())
    assert len(batch.notes) == 1
    assert "\x1b" not in batch.notes[0]


def test_a_thousand_gpus_are_not_believed() -> None:
    """No host has more than 64."""
    text = "".join(f'DCGM_FI_DEV_GPU_TEMP{{gpu="{number}"}} 40\n' for number in range(1000))
    assert len(Exporter(text.encode()).poll().entities) == 64


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "its page has no series of a DCGM exporter"),
        (capture("node_exporter/idle.prom"), "its page has no series of a DCGM exporter"),
        (b"<html></html>\n", "line 1"),
        (OLD[:-10], "page stops in the middle"),
        (b"\x00\xff" * 40, "line 1"),
    ],
)
def test_a_page_that_is_none_is_an_error_and_the_next_one_works(body: bytes, says: str) -> None:
    """No part of it is used."""
    exporter = Exporter(body, OLD)
    batch = exporter.poll()
    assert batch.error is not None
    assert says in batch.error
    assert (batch.samples, batch.entities) == ((), ())
    assert exporter.poll(5.0).error is None


@contextmanager
def asking(client: Fetcher) -> Iterator[DcgmSource]:
    """A source with a fetcher of its own."""
    source = DcgmSource("here", client, indices=dict, nvml_has=frozenset)
    try:
        yield source
    finally:
        source.close()


def test_a_live_exporter_is_read() -> None:
    """Over HTTP."""
    with Server(pages(OLD)) as server, fetcher(server) as client, asking(client) as source:
        (batch,) = source.poll(0.0, 0.0)
        assert (batch.error, len(batch.entities)) == (None, 2)
        assert server.requests[0].startswith("GET /metrics ")


def test_an_exporter_that_hangs_costs_one_time_out() -> None:
    """The deadline of the fetcher ends it."""
    with Server(hung()) as server, fetcher(server, SHORT) as client, asking(client) as source:
        (batch,) = source.poll(0.0, 0.0)
        assert batch.error is not None


@pytest.mark.parametrize(
    ("status", "says"), [("404 Not Found", "DCGM exporter's own port"), ("503 Service Unavailable", "503")]
)
def test_a_refusal_is_an_error_in_words(status: str, says: str) -> None:
    """With what to do about it."""
    with Server(pages(b"no", status=status)) as server, fetcher(server) as client, asking(client) as source:
        (batch,) = source.poll(0.0, 0.0)
        assert batch.error is not None
        assert says in batch.error


def test_nobody_there_is_an_error() -> None:
    """And not a fault."""
    with asking(Fetcher(f"http://127.0.0.1:{closed_port()}")) as source:
        (batch,) = source.poll(0.0, 0.0)
        assert batch.error is not None
