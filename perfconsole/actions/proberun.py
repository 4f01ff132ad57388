"""A probe under way: the load process and what leads it, moved on by whoever looks, ten times a second.

The command and the screen drive the same one. Nothing here waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.actions.loading import LoadProcess
from perfconsole.probing.conductor import Conductor, Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfconsole.model.probeplan import ProbePlan
    from perfconsole.model.snapshot import Snapshot
    from perfconsole.probing.conductor import Lead, Stretch
    from perfconsole.probing.guard import Stopped

LOOK_S = 0.1
"""How often to look."""


class ProbeRun:
    """One probe. `now` is monotonic seconds; NotPermittedError when the load process cannot be started."""

    def __init__(self, plan: ProbePlan, lead: Lead, now: float, argv: Sequence[str] = ()) -> None:
        self.conductor = Conductor(plan, lead, now)
        self._process = LoadProcess(argv)
        self._process.send(self.conductor.start())

    @property
    def done(self) -> bool:
        """It has ended, and nothing of it runs any more."""
        return self.conductor.phase is Phase.DONE

    def look(self, snapshot: Snapshot | None, stretch: Stretch, now: float) -> bool:
        """Take in what came, order what is next; whether it is done."""
        for event in self._process.look():
            self.conductor.take(event, now)
        self._process.send(self.conductor.look(snapshot, stretch, now))
        if self._process.gone and not self.done:
            self.conductor.lost(self._process.last_words(), stretch, now)
        if self.done:
            self._process.close()
        return self.done

    def stop(self, stopped: Stopped, stretch: Stretch, now: float) -> None:
        """Have every connection dropped; a look soon after finds it done."""
        self._process.send(self.conductor.stop(stopped, stretch, now))

    def close(self) -> None:
        """Kill the load process, whatever it does."""
        self._process.close()
