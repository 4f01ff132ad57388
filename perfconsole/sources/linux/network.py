"""Traffic, drops and retransmissions of the network namespace the console runs in. Never counts loopback."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfconsole.model.sample import Missing
from perfconsole.sources.linux import procfs
from perfconsole.sources.linux.rates import Rates, Window
from perfconsole.sources.linux.refreshed import Refreshed
from perfconsole.sources.linux.values import every, highest, ratio, total

if TYPE_CHECKING:
    from perfconsole.sources.linux.rates import Growth
    from perfconsole.sources.linux.values import Values

_TRAFFIC = ("net.rx", "net.tx", "net.drops", "net.errors", "net.error_ratio")
_FACT_S = 60.0
_LEAST_SEGMENTS_S = 100.0
"""Below this many sent segments a second a ratio of retransmissions is chance."""
_MEGABIT = 1_000_000 / 8
_COLUMNS = 16


@dataclass(frozen=True, slots=True)
class LinkTotals:
    """Totals of one interface since it came up: bytes and packets, both directions."""

    rx: float
    tx: float
    packets: float
    errors: float
    drops: float


_TCP = ("Tcp.RetransSegs", "Tcp.OutSegs")
_OVERFLOWS = "TcpExt.ListenOverflows"


def parse_net_dev(text: str) -> dict[str, LinkTotals]:
    """Totals by interface of /proc/net/dev, loopback included."""
    found: dict[str, LinkTotals] = {}
    for line in text.splitlines():
        name, colon, rest = line.partition(":")
        fields = rest.split()
        if colon and len(fields) >= _COLUMNS and all(field.isdecimal() for field in fields):
            n = [float(field) for field in fields]
            found[name.strip()] = LinkTotals(n[0], n[8], n[1] + n[9], n[2] + n[10], n[3] + n[11])
    return found


def parse_protocols(text: str, wanted: tuple[str, ...]) -> dict[str, float]:
    """Totals of `Protocol.Field` names, from the line pairs of /proc/net/snmp and /proc/net/netstat.

    The two files have some 250 fields; the lines of other protocols are not even split.
    """
    protocols = {name.partition(".")[0] for name in wanted}
    found: dict[str, float] = {}
    for names, numbers in pairwise(text.splitlines()):
        protocol, _, fields = names.partition(":")
        if protocol not in protocols or not numbers.startswith(f"{protocol}:"):
            continue
        cells = dict(zip(fields.split(), numbers.partition(":")[2].split(), strict=False))
        for name in wanted:
            cell = cells.get(name.removeprefix(f"{protocol}."), "")
            if cell.lstrip("-").isdecimal():
                found[name] = float(cell)
    return found


def parse_conntrack(text: str) -> float | Missing:
    """Insert failures over all cores of /proc/net/stat/nf_conntrack (hexadecimal columns under a head line)."""
    head, *rows = text.splitlines() or [""]
    names = head.split()
    if "insert_failed" not in names:
        return Missing.UNSUPPORTED
    column = names.index("insert_failed")
    cells = [fields[column] for fields in map(str.split, rows) if len(fields) > column]
    try:
        return float(sum(int(cell, 16) for cell in cells))
    except ValueError:
        return Missing.UNSUPPORTED


def parse_default_interfaces(text: str) -> set[str]:
    """Interfaces of the default routes in /proc/net/route."""
    rows = (line.split() for line in text.splitlines()[1:])
    return {row[0] for row in rows if len(row) > 1 and row[1] == "00000000"}


def retransmitted(growth: Growth | None) -> float | Missing:
    """Share of the segments sent in a window that had been sent before; WARMING_UP while there are too few."""
    if growth is None or growth.rises[1] < _LEAST_SEGMENTS_S * growth.elapsed_s:
        return Missing.WARMING_UP
    return ratio(*growth.rises)


class NetworkReader:
    """Reads /proc/net and /sys/class/net; the only writer of the last totals."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._rates = Rates()
        self._errors = Window()
        self._segments = Window()
        self._carriers = Refreshed(_FACT_S, self._read_carriers)
        self._speed = Refreshed(_FACT_S, self._read_speed)

    def read(self, now: float) -> Values:
        """Bytes/s, totals of drops, errors and events, and the two ratios over a minute."""
        values = self._traffic(now)
        speed = self._speed.get(now)
        values["net.link_speed"] = speed
        values["net.link_ratio"] = ratio(highest([values["net.rx"], values["net.tx"]], Missing.UNSUPPORTED), speed)
        return values | self._tcp(now) | self._events()

    def _traffic(self, now: float) -> Values:
        text = procfs.read_text(f"{self._base}/proc/net/dev")
        if isinstance(text, Missing):
            return every(_TRAFFIC, text)
        found = parse_net_dev(text)
        carriers = self._carriers.get(now)
        links = {name: link for name, link in found.items() if name != "lo" and (not carriers or name in carriers)}
        if not links:
            return every(_TRAFFIC, Missing.UNSUPPORTED)
        errors = sum(link.errors for link in links.values())
        return {
            "net.rx": total(
                [self._rates.per_second(f"rx {n}", now, link.rx) for n, link in links.items()], Missing.NEVER
            ),
            "net.tx": total(
                [self._rates.per_second(f"tx {n}", now, link.tx) for n, link in links.items()], Missing.NEVER
            ),
            "net.drops": sum(link.drops for link in links.values()),
            "net.errors": errors,
            "net.error_ratio": self._error_ratio(now, errors, sum(link.packets for link in links.values())),
        }

    def _error_ratio(self, now: float, errors: float, packets: float) -> float | Missing:
        growth = self._errors.add(now, errors, packets)
        return ratio(*growth.rises) if growth else Missing.WARMING_UP

    def _tcp(self, now: float) -> Values:
        text = procfs.read_text(f"{self._base}/proc/net/snmp")
        found = parse_protocols(text, _TCP) if not isinstance(text, Missing) else {}
        again, sent = found.get(_TCP[0]), found.get(_TCP[1])
        if again is None or sent is None:
            return every(
                ("net.tcp_retrans", "net.retrans_ratio"), text if isinstance(text, Missing) else Missing.UNSUPPORTED
            )
        return {"net.tcp_retrans": again, "net.retrans_ratio": retransmitted(self._segments.add(now, again, sent))}

    def _events(self) -> Values:
        text = procfs.read_text(f"{self._base}/proc/net/netstat")
        failed = procfs.read_text(f"{self._base}/proc/net/stat/nf_conntrack")
        found = text if isinstance(text, Missing) else parse_protocols(text, (_OVERFLOWS,)).get(_OVERFLOWS)
        return {
            "net.listen_overflows": Missing.UNSUPPORTED if found is None else found,
            "net.conntrack_failed": failed if isinstance(failed, Missing) else parse_conntrack(failed),
        }

    def _read_carriers(self) -> frozenset[str]:
        """Interfaces on hardware of their own, and that of the default route unless it stands on another one.

        Bridges, bonds and the host's ends of container links would count a packet twice; inside a container the one
        virtual link is the way out. Empty when /sys does not tell: then all but loopback count.
        """
        folder = f"{self._base}/sys/class/net"
        names = procfs.list_names(folder)
        if isinstance(names, Missing):
            return frozenset()
        route = procfs.read_text(f"{self._base}/proc/net/route")
        default = set() if isinstance(route, Missing) else parse_default_interfaces(route)
        return frozenset(name for name in names if _carries(folder, name, default=name in default))

    def _read_speed(self) -> float | Missing:
        folder = f"{self._base}/sys/class/net"
        names = procfs.list_names(folder)
        if isinstance(names, Missing):
            return names
        speeds = [_speed(folder, name) for name in names if name != "lo"]
        known = [speed for speed in speeds if speed is not None]
        return max(known) if known else Missing.UNSUPPORTED


def _carries(folder: str, name: str, *, default: bool) -> bool:
    parts = procfs.list_names(f"{folder}/{name}")
    if isinstance(parts, Missing) or name == "lo":
        return False
    stacked = any(part.startswith("lower_") for part in parts)
    return "device" in parts or (default and not stacked)


def _speed(folder: str, name: str) -> float | None:
    """Bytes a second of an interface that is up; virtual cards say -1 or refuse to answer."""
    megabits = procfs.number(procfs.read_text(f"{folder}/{name}/speed"))
    state = procfs.read_text(f"{folder}/{name}/operstate")
    if isinstance(megabits, Missing) or isinstance(state, Missing) or megabits <= 0 or state.strip() != "up":
        return None
    return megabits * _MEGABIT
