"""Where pictures come from: the monitor on a thread of its own, and one slot that holds only the newest snapshot."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from perfconsole.errors import PerfconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.rule import Rule
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.monitor import Later, Monitor


class Feed:
    """The thread of the monitor. The screen is told at most once about any number of snapshots it did not fetch."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self.remarks: list[str] = []
        """What a person should know of the start (a rule that is skipped), in lines."""
        self.rules: tuple[Rule, ...] = ()
        """What is judged by; whoever loads them says so here."""
        self.fault: str | None = None
        """Why no more pictures come."""
        self.newest: Snapshot | None = None
        """What waits in the slot, or was taken last."""
        self._told = False
        self._tell: Callable[[], object] | None = None

    def start(self, later: Later | None = None) -> None:
        """Begin to watch; snapshots wait in the slot until somebody is told. `later` is the monitor's."""
        threading.Thread(target=self._run, args=(later,), name="monitor", daemon=True).start()

    def tell(self, tell: Callable[[], object]) -> None:
        """Call this, from the monitor's thread, when something is in the slot; at once if something is already."""
        self._tell = tell
        if self.newest is not None or self.fault:
            self._notify()

    def take(self) -> Snapshot | None:
        """The newest snapshot."""
        self._told = False
        return self.newest

    def _run(self, later: Later | None) -> None:
        try:
            self.monitor.watch(self._put, later)
        except PerfconsoleError as error:
            self.fault = str(error)
            self._notify()
        except Exception as error:  # noqa: BLE001 - the screen must say it instead of standing still
            self.fault = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"
            self._notify()

    def _put(self, snapshot: Snapshot) -> None:
        self.newest = snapshot
        if not self._told:
            self._notify()

    def _notify(self) -> None:
        if self._tell is not None:
            self._told = True
            self._tell()
