"""What the outside tells of the processes of an orchestrator: its busiest thread, its switches, what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.entity import Relation
from perfconsole.model.sample import Missing
from perfconsole.view.canvas import Row, row
from perfconsole.view.readings import packed, reading
from perfconsole.view.units import number, shown

if TYPE_CHECKING:
    from perfconsole.model.entity import Entity
    from perfconsole.view.picture import Picture

_MAIN, _BUSIEST = "process.main_thread", "process.busiest_thread"
_CPU = "host.process_cpu"
_SWITCHES = ("host.process_voluntary_switches", "host.process_involuntary_switches")


def outside_rows(picture: Picture, orchestrator: Entity, columns: int) -> list[Row]:
    """Two rows about its busiest process; none where no process of it is known."""
    links = picture.snapshot.links
    owns = Relation.ORCHESTRATOR_HAS_PROCESS
    processes = [k.child for k in links if k.relation is owns and k.parent == orchestrator]
    if not processes:
        return []
    busiest = max(processes, key=lambda p: picture.number(_CPU, p) or 0.0)
    facts = picture.facts(busiest)
    cells = [row((f"process {busiest.name}", "head")), _thread(picture, busiest, facts.get(_BUSIEST, ""))]
    held = picture.indicator("orchestration.connections", orchestrator)
    cells += [reading("connections to engines", held) if held else (), _switches(picture, busiest)]
    said = facts.get(_MAIN, "")
    main = row(("first thread, last minute: ", "dim"), (said, "value")) if said else ()
    return [line for line in (packed(cells, columns), main) if line]


def _switches(picture: Picture, process: Entity) -> Row:
    """`switches 210/s, 12/s forced`; the reason where nobody may count them."""
    waits, forced = (picture.indicator(name, process) for name in _SWITCHES)
    if waits is None or forced is None:
        return ()
    if isinstance(waits.value, Missing) or isinstance(forced.value, Missing):
        return reading("switches", waits)
    return row(("switches ", "dim"), (f"{number(waits.value + forced.value)}/s, {number(forced.value)}/s forced", ""))


def _thread(picture: Picture, process: Entity, name: str) -> Row:
    """`busiest thread uvicorn 83%`; its share of a core alone where the name is not known."""
    share = picture.indicator(_CPU, process)
    if share is None:
        return ()
    if isinstance(share.value, Missing):
        return reading("busiest thread", share)
    return row((f"busiest thread {name}".rstrip() + " ", "dim"), (shown(share.value, "ratio"), share.mark or "value"))
