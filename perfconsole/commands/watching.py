"""From a configuration to the sources that are polled. Heavy imports wait for the thread of each source."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from perfconsole.commands.lognames import UnclaimedLogs, named_logs, refuse_strangers
from perfconsole.commands.sourcing import Sourcing, host_entity, local_port, pid_of
from perfconsole.errors import NotPermittedError, UsageError
from perfconsole.model.sample import Missing
from perfconsole.target import HARDWARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfconsole.commands.sourcing import Local
    from perfconsole.config import Config, Target
    from perfconsole.monitor import Monitor
    from perfconsole.runner import Source
    from perfconsole.sources.directory import Directory
    from perfconsole.sources.discovery.found import Found
    from perfconsole.sources.gpu import GpuSource

_ORDER = ("gateway", "orchestration", "engine", HARDWARE)
"""In which targets are asked: what answers in a moment before what may take its time."""


class Watching:
    """All sources of one run: `pages` are for the first moment; targets that are found join by themselves."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._sourcing = Sourcing(config)
        self._local: list[Local] = []
        self.pages: list[Source] = []
        self.join: Callable[[Iterable[Source]], None] = lambda _sources: None
        """Takes the sources of targets that are found while watching; the monitor's once there is one."""
        self._cards: GpuSource | None = None
        for target in sorted(config.targets, key=lambda t: _ORDER.index(t.layer)):
            if target.layer == HARDWARE:
                self.pages.append(self._sourcing.exporter(target, self._gpus))
                continue
            pages, local = self._sourcing.sources(target)
            self.pages += pages
            self._local += local
        _refuse_aliases(config.targets)
        _refuse_doubles(self.pages)
        if not config.discover:
            refuse_strangers(named_logs(config.logs), [_engine_words(t) for t in config.targets if t.layer == "engine"])
        self.leave: Callable[[Iterable[Source]], None] = lambda _sources: None
        """Takes the sources of targets that are no more; the monitor's as well."""
        self._joined: dict[Found, list[Source]] = {}
        self.found: tuple[Found, ...] = ()
        """Targets that were found, in the order in which they joined."""
        self.named = frozenset(source.name for source in self.pages)
        """Sources of targets that somebody named: their silence is a fault."""

    @property
    def directory(self) -> Directory:
        """Who is watched."""
        return self._sourcing.directory

    def local(self) -> list[Source]:
        """The host with its GPUs, and the processes of the targets."""
        from perfconsole.sources.host import HostSource  # noqa: PLC0415 - not needed for a help text
        from perfconsole.sources.rdma import RdmaSource, has_ports  # noqa: PLC0415 - as above

        rdma = [RdmaSource()] if has_ports() else []
        return [HostSource(), *rdma, self._gpus(), *self._kernel_log(), *self.processes()]

    def _kernel_log(self) -> list[Source]:
        from perfconsole.sources.kernellog import KernelLogSource, has_work  # noqa: PLC0415 - as above

        gpus = self._gpus()
        work = has_work()
        return [KernelLogSource(host_entity(), lambda: gpus.indices, lambda: gpus.filled)] if work else []

    def processes(self) -> list[Source]:
        """The processes and the logs of the targets of this host."""
        made, self._local = self._local, []
        return [make() for make in made]

    def _usual_exporter(self) -> list[Source]:
        from perfconsole.sources.dcgm import DEFAULT_PORT  # noqa: PLC0415 - not needed for a help text
        from perfconsole.sources.linux.listeners import read_listeners  # noqa: PLC0415 - as above

        bounds = read_listeners("")
        there = not isinstance(bounds, Missing) and any(bound.port == DEFAULT_PORT for bound in bounds)
        there = there and DEFAULT_PORT not in self._exporter_ports()
        return [self._exporter(f"http://127.0.0.1:{DEFAULT_PORT}/metrics")] if there else []

    def _exporter_ports(self) -> frozenset[int]:
        """Ports of this host where exporters are that somebody named."""
        return frozenset(local_port(t.url) for t in self._config.targets if t.layer == HARDWARE) - {0}

    def _exporter(self, url: str) -> Source:
        from perfconsole.sources.dcgm import DcgmSource  # noqa: PLC0415 - not needed for a help text
        from perfconsole.sources.http import Fetcher  # noqa: PLC0415 - as above

        gpus, place = self._gpus(), url.removesuffix("/metrics")
        return DcgmSource(
            place.partition("//")[2],
            Fetcher(place),
            indices=lambda: gpus.indices,
            nvml_has=lambda: gpus.filled,
            host=host_entity(),
        )

    def start_gpus(self, argv: Sequence[str] = ()) -> None:
        """Start the helper that reads the GPUs: NVML's where a driver is in sight, or the one given.

        From the main thread, before all else: children are started by a process that has no threads yet.
        """
        from perfconsole.sources.nvml.sight import driver_in_sight  # noqa: PLC0415 - as below

        if argv or driver_in_sight():
            with suppress(NotPermittedError):  # then its polls say it
                self._gpus(argv).start()

    def _gpus(self, argv: Sequence[str] = ()) -> GpuSource:
        from perfconsole.sources.gpu import GpuSource, helper_argv  # noqa: PLC0415 - not needed for a help text
        from perfconsole.sources.nvml.sight import driver_in_sight  # noqa: PLC0415 - as above

        if self._cards is None:
            sight = None if argv else driver_in_sight
            helper = argv or helper_argv()
            owners = self.directory.owners
            self._cards = GpuSource(helper, self._config.dictionary, owners, host_entity(), in_sight=sight)
        return self._cards

    def discovery(self) -> list[Source]:
        """What looks for what nobody named; where that is not wanted, only a DCGM exporter at its usual port."""
        if not self._config.discover:
            return self._usual_exporter()
        from perfconsole.sources.discovery.source import DiscoverySource  # noqa: PLC0415 - 15 ms, only where it is wanted
        from perfconsole.sources.layer import ENGINE  # noqa: PLC0415 - as above

        logs = named_logs(self._config.logs)
        claims: list[Source] = [UnclaimedLogs(logs, self.directory, ENGINE)] if any(log.engine for log in logs) else []
        numbered = frozenset(pid_of(target) for target in self._config.targets) - {0}
        return [
            DiscoverySource(
                self._take,
                lambda: self.directory.ports() | self._exporter_ports(),
                pids=lambda: numbered,
                drop=self._drop,
                on_dcgm=lambda url: self.join([self._exporter(url)]),
            ),
            *claims,
        ]

    def attach(self, monitor: Monitor) -> None:
        """Let targets that are found, or are gone for long, join and leave the watch of this monitor."""
        self.join, self.leave = monitor.join, monitor.leave

    def _take(self, found: Found) -> None:
        """Watch a target that was found; called by the thread that found it."""
        pages, local = self._sourcing.sources(target_of(found), found)
        self._joined[found] = [*pages, *(make() for make in local)]
        self.join(self._joined[found])
        self.found = (*self.found, found)

    def _drop(self, found: Found) -> None:
        """Watch a target no more that has been gone for long; called by the thread that found it."""
        sources = self._joined.pop(found, [])
        self.leave(sources)
        for member in self.directory.members():
            if member.how == found.how and member.source in {source.name for source in sources}:
                self.directory.remove(member.entity())


def _engine_words(target: Target) -> tuple[str, ...]:
    """What an engine that somebody named is known by, its port last."""
    from perfconsole.sources.web.address import parse_address, redact, validate_url  # noqa: PLC0415 - as above

    url = validate_url(target.url)
    address = parse_address(url)
    words = (target.name, address.shown, redact(url))
    return (*(word for word in words if word), str(address.origin[2]))


def target_of(found: Found) -> Target:
    """A target that was found, as one that somebody named."""
    from perfconsole.config import Target  # noqa: PLC0415 - for the annotation of a module that need not load it

    url = found.url or str(found.pid)
    return Target(found.layer, url, _name(found), page_url=found.page_url, upstreams=found.upstreams)


def _name(found: Found) -> str:
    """Script and port of a service that no adapter names, `agents:9000`; empty leaves it to the adapter."""
    port = found.url.rpartition(":")[2]
    return f"{found.program.removesuffix('.py')}:{port}" if found.program and port.isdecimal() else ""


def _refuse_doubles(sources: Iterable[Source]) -> None:
    names = [s.name for s in sources]
    doubled = next((n for n in names if names.count(n) > 1), None)
    if doubled:
        raise UsageError(f"{doubled} is named twice; name each target once")


def _refuse_aliases(targets: Iterable[Target]) -> None:
    """UsageError for 127.0.0.1:8000 beside localhost:8000: both would fill one target."""
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - not needed for a help text

    seen: dict[int, str] = {}
    for address in (parse_address(t.url) for t in targets if not t.name and not pid_of(t)):
        port = address.origin[2]
        if address.loopback and seen.setdefault(port, address.shown) != address.shown:
            raise UsageError(f"{seen[port]} and {address.shown} are one target; name each target once")
