"""Tests of the dictionary as a whole: every entry of every layer."""

from __future__ import annotations

import re
import subprocess  # noqa: TID251 - only a fresh interpreter can show what an import loads
import sys
from collections import Counter
from pathlib import Path

import pytest

from perfconsole.model.dictionary import DEFAULT, Entry, Fold, Sort, parse_mark
from perfconsole.model.entity import Kind

NAMES = Path(__file__).with_name("names.txt")

COUNTS = {
    "client": 11,
    "gateway": 51,
    "orchestration": 28,
    "engine": 120,
    "gpu": 64,
    "host": 47,
    "net": 13,
    "probe": 19,
    "profile": 16,
}
OWNERS = {
    "client": "caller",
    "gateway": "platform",
    "orchestration": "application",
    "engine": "inference",
    "gpu": "infrastructure",
    "host": "infrastructure",
    "net": "infrastructure",
    "probe": "on-call",
    "profile": "on-call",
}
SCOPES = {
    "client": {Kind.GATEWAY},
    "gateway": {Kind.GATEWAY},
    "orchestration": {Kind.ORCHESTRATOR},
    "engine": {Kind.ENGINE, Kind.RANK},
    "gpu": {Kind.GPU},
    "host": {Kind.HOST, Kind.PROCESS},
    "net": {Kind.HOST},
    "probe": {Kind.TARGET},
    "profile": {Kind.TARGET},
}
UNITS = {
    "s",
    "bytes",
    "ratio",
    "cores",
    "W",
    "°C",
    "Hz",
    "J",
    "count",
    "requests",
    "tokens",
    "events",
    "attempts",
    "errors",
    "packets",
    "segments",
    "tasks",
    "lanes",
    "links",
    "generation",
    "enum",
    "0/1",
    "text",
    "requests/s",
    "tokens/s",
    "bytes/s",
    "switches/s",
    "faults/s",
    "s/s",
    "FLOP/s",
}
ORIGINS = {"live", "nvml", "proc", "fact", "log", "probe", "profile", "poll", "typed"}
UNIT_WORDS = {
    "ms",
    "seconds",
    "secs",
    "minutes",
    "bytes",
    "mib",
    "gib",
    "percent",
    "perc",
    "pct",
    "hz",
    "watts",
    "celsius",
}


def marks_of(entry: Entry) -> list[str]:
    """List the marks of an entry that are set."""
    return [mark for mark in (entry.warn, entry.critical) if mark]


def test_the_names_are_the_agreed_ones() -> None:
    """No name appears, goes or changes by accident: rules and recordings hold them."""
    assert [entry.name for entry in DEFAULT.entries] == NAMES.read_text(encoding="utf-8").split()


def test_each_layer_has_its_count() -> None:
    """The layers hold 369 names together, each as many as agreed."""
    assert Counter(entry.name.partition(".")[0] for entry in DEFAULT.entries) == COUNTS


def test_names_are_a_layer_and_a_noun_in_lower_case() -> None:
    """A name is `layer.noun` in lower case, so that the grammar of conditions reads it."""
    assert [e.name for e in DEFAULT.entries if not re.fullmatch(r"[a-z]+\.[a-z][a-z0-9]*(_[a-z0-9]+)*", e.name)] == []


def test_names_hold_no_unit() -> None:
    """No name carries a unit: the unit has its own column."""
    assert [e.name for e in DEFAULT.entries if UNIT_WORDS & set(re.split(r"[._]", e.name))] == []


def test_units_are_from_the_closed_set() -> None:
    """Every unit is a base unit known to the screen, and none of them is unused."""
    assert {entry.unit for entry in DEFAULT.entries} == UNITS


def test_text_has_the_sort_text_and_nothing_else_has() -> None:
    """Facts in words are told apart from numbers by their sort."""
    assert all((entry.unit == "text") == (entry.sort is Sort.TEXT) for entry in DEFAULT.entries)


def test_states_are_zero_or_one() -> None:
    """A state has the unit 0/1."""
    assert all(entry.unit == "0/1" for entry in DEFAULT.entries if entry.sort is Sort.STATE)


def test_every_mark_parses() -> None:
    """A mark reads in the machine form, with a number unit that fits its indicator."""
    assert all(parse_mark(mark, entry.unit) for entry in DEFAULT.entries for mark in marks_of(entry))


def test_marks_have_a_suffix_on_histograms_only() -> None:
    """A mark on a histogram says which quantile; on anything else it says none."""
    marked = [(entry, mark) for entry in DEFAULT.entries for mark in marks_of(entry)]
    assert all(bool(parse_mark(m, e.unit).suffix) == (e.sort is Sort.HISTOGRAM) for e, m in marked)


def test_counters_and_text_have_no_mark() -> None:
    """A counter reads as its total since the start, which no bound can judge; text cannot be compared."""
    assert [e.name for e in DEFAULT.entries if e.sort in (Sort.COUNTER, Sort.TEXT) and marks_of(e)] == []


def test_every_mark_says_what_it_rests_on() -> None:
    """Nobody has to trust a number without knowing whether it is a proposal."""
    assert [e.name for e in DEFAULT.entries if marks_of(e) and not e.mark_note] == []


def test_a_critical_mark_lies_beyond_its_warning() -> None:
    """Where both are set in one direction, the critical bound is the worse one."""
    both = [
        (parse_mark(e.warn, e.unit), parse_mark(e.critical, e.unit)) for e in DEFAULT.entries if e.warn and e.critical
    ]
    assert both
    assert all(warn.holds(critical.bound) for warn, critical in both)


def test_derived_definitions_hold_their_formula_and_unit() -> None:
    """A derived definition ends in `UNIT = FORMULA`."""
    derived = [entry for entry in DEFAULT.entries if entry.sort is Sort.DERIVED]
    assert [entry.name for entry in derived if f"; {entry.unit} = " not in entry.definition] == []


def test_definitions_stand_alone() -> None:
    """A definition is one line and refers to no numbered text elsewhere."""
    assert [e.name for e in DEFAULT.entries if re.search(r"\n|  |\btrap \d|\bsection \d|^$", e.definition)] == []


def test_origins_are_known_and_given() -> None:
    """Each entry says which kinds of source can fill it."""
    assert all(entry.origins and set(entry.origins) <= ORIGINS for entry in DEFAULT.entries)


@pytest.mark.parametrize("layer", COUNTS)
def test_each_layer_has_its_owner(layer: str) -> None:
    """Before a team says otherwise, one team owns a layer."""
    assert {e.owner for e in DEFAULT.entries if e.name.startswith(f"{layer}.")} == {OWNERS[layer]}


@pytest.mark.parametrize("layer", COUNTS)
def test_each_layer_has_its_scopes(layer: str) -> None:
    """The entries of a layer belong to its kinds of entity and to no others."""
    assert {e.scope for e in DEFAULT.entries if e.name.startswith(f"{layer}.")} == SCOPES[layer]


def test_counts_that_rise_add_up_over_parts() -> None:
    """Counters, histograms and events of parts are summed: anything else would lose observations."""
    rising = (Sort.COUNTER, Sort.HISTOGRAM, Sort.EVENT)
    assert {entry.fold for entry in DEFAULT.entries if entry.sort in rising} == {Fold.SUM}


def test_ratios_are_never_summed() -> None:
    """Two parts at 60% are not 120%."""
    assert [e.name for e in DEFAULT.entries if e.unit == "ratio" and e.fold is Fold.SUM] == []


def test_times_left_fold_to_the_shortest() -> None:
    """The part that runs out first decides."""
    left = [entry for entry in DEFAULT.entries if entry.name.endswith("time_to_full")]
    assert {entry.fold for entry in left} == {Fold.MIN}


def test_import_loads_the_standard_library_only() -> None:
    """The dictionary comes without third-party packages, and without the matcher that only misspelt names need."""
    code = (
        "import sys; before = set(sys.modules); import perfconsole.model.dictionary; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - own code
    loaded = set(done.stdout.split())
    assert {name.partition(".")[0] for name in loaded} <= {"perfconsole", *sys.stdlib_module_names}
    assert "difflib" not in loaded
