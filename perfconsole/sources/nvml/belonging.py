"""Whose GPUs are whose, and what follows: processes of others on them, and whether all pairs of one owner are joined.

NVML numbers processes by the PID namespace of the host. Where these are not the numbers of this process's own /proc,
nothing may be concluded from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.model.entity import Link, Relation
from perfconsole.model.sample import Absence, Missing, Sample, SeriesKey
from perfconsole.sources.nvml.mps import is_server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfconsole.model.entity import Entity

FOREIGN = "gpu.foreign_processes"
"""Filled here, in the console, which knows whose processes are whose; the helper only says why it cannot be."""
PAIRS = {"gpu.p2p_ok": 0, "gpu.nvlink_full_mesh": 1}
"""Indicator -> which of the two statuses of a pair it is about; status 0 is fine."""
_HOST_NAMESPACE = "pid:[4026531836]"
"""The kernel gives the first PID namespace of a machine this number."""
_UNSEEN = (
    "the processes on the GPUs are numbered by another PID namespace than this one: which engine uses which GPU, and "
    "what else runs there, cannot be told; run perfconsole on the host, or in a container with --pid=host"
)


@dataclass(frozen=True, slots=True)
class Card:
    """One GPU as far as belonging goes."""

    entity: Entity
    pids: frozenset[int] | None
    """None where the processes on it are not known."""
    peers: Mapping[str, tuple[int, int]] | None = None
    """Name of another GPU -> statuses of the pair; None where the helper knows nothing of pairs."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """What is known of owners in one poll."""

    links: tuple[Link, ...] = ()
    samples: tuple[Sample, ...] = ()
    absences: tuple[Absence, ...] = ()
    notes: tuple[str, ...] = field(default=())


def belong(cards: Sequence[Card], owners: Mapping[Entity, frozenset[int]], root: Path = Path("/")) -> Belonging:
    """The owners are engines with their processes; a GPU belongs to those that have a process on it.

    Where the processes tell nothing, a single engine has all GPUs. Of several engines none is guessed.
    """
    every = frozenset[int]().union(*(card.pids or frozenset() for card in cards))
    seen = not every or _seen(every, owners, root)
    uses = {engine: [c for c in cards if c.pids and c.pids & pids] for engine, pids in owners.items()}
    if len(owners) == 1 and not any(uses.values()) and not (every and seen):
        uses = {engine: list(cards) for engine in owners}
    said = [_foreign(card, uses, owners, root, seen=seen) for card in cards if owners and card.pids is not None]
    said += [value for used in uses.values() for value in _pairs(used)]
    return Belonging(
        tuple(Link(Relation.ENGINE_USES_GPU, engine, c.entity) for engine, used in uses.items() for c in used),
        tuple(value for value in said if isinstance(value, Sample)),
        tuple(value for value in said if isinstance(value, Absence)),
        (_UNSEEN,) if owners and not seen else (),
    )


def _seen(pids: frozenset[int], owners: Mapping[Entity, frozenset[int]], root: Path) -> bool:
    """Whether these numbers are those of this /proc: in the host's namespace any of them, elsewhere each of them."""
    if any(pids & own for own in owners.values()):
        return True
    there = [pid for pid in pids if (root / "proc" / str(pid)).exists()]
    return len(there) == len(pids) or (bool(there) and _on_host(root))


def _on_host(root: Path) -> bool:
    try:
        return (root / "proc/self/ns/pid").readlink().name == _HOST_NAMESPACE
    except OSError:
        return False


def _foreign(
    card: Card,
    uses: Mapping[Entity, Sequence[Card]],
    owners: Mapping[Entity, frozenset[int]],
    root: Path,
    *,
    seen: bool,
) -> Sample | Absence:
    """Processes on a GPU that are not its owner's; an MPS server works for the others and is nobody's load.

    Of several engines on it the one with most processes counts as its owner: the others are foreign to that one.
    """
    if not card.pids:
        return Sample(SeriesKey(FOREIGN, card.entity), 0.0)
    if not seen:
        return Absence(FOREIGN, card.entity, Missing.UNSUPPORTED)
    mine = [owners[engine] & card.pids for engine, used in uses.items() if card in used]
    if not mine:
        return Absence(FOREIGN, card.entity, Missing.NEVER)
    others = card.pids - max(mine, key=len)
    return Sample(SeriesKey(FOREIGN, card.entity), float(sum(not is_server(pid, root) for pid in others)))


def _pairs(cards: Sequence[Card]) -> list[Sample | Absence]:
    """Whether all pairs of one owner's GPUs are joined, told of each of them; one GPU has no pairs."""
    if not cards or any(card.peers is None for card in cards):
        return []
    if len(cards) == 1:
        return [Absence(name, cards[0].entity, Missing.UNSUPPORTED) for name in PAIRS]
    pairs = [_status(one, other) for one, other in combinations(cards, 2)]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return [Absence(name, card.entity, Missing.SOURCE_DOWN) for name in PAIRS for card in cards]
    joined = {name: float(all(pair[which] == 0 for pair in known)) for name, which in PAIRS.items()}
    return [Sample(SeriesKey(name, card.entity), value) for name, value in joined.items() for card in cards]


def _status(one: Card, other: Card) -> tuple[int, int] | None:
    """Statuses of a pair, which one of the two tells."""
    return (one.peers or {}).get(other.entity.name) or (other.peers or {}).get(one.entity.name)
