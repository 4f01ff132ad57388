"""The simulated page against a captured one: same names, same types, same labels, same bounds."""

from __future__ import annotations

import re
from pathlib import Path

from perfconsole.demo.model.engine import EngineModel, EngineSize
from perfconsole.demo.model.enginepage import render
from perfconsole.demo.model.pagetext import MARK
from perfconsole.demo.model.request import Ask
from perfconsole.demo.model.serverpage import HttpStats, ProcessFigures, process_part
from perfconsole.demo.serve.engine import CHAT, python_part
from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources import engines
from perfconsole.sources.targetpage import Poll, TargetPage

CAPTURE = (Path(__file__).parents[2] / "captures/vllm/load.prom").read_text(encoding="utf-8")
LONG = {'le="2000.0"', 'le="5000.0"'}
"""Bounds of lengths go up to the longest request, which is 1024 tokens in the capture and 8192 here."""


def page() -> str:
    """The whole page of an engine that has served one request."""
    engine = EngineModel(EngineSize(), 0.0)
    engine.submit(1, Ask(100, 20), 0.0)
    engine.advance(5.0)
    http = HttpStats(CHAT)
    http.begin()
    http.end(200, 1.5)
    process = process_part(ProcessFigures(1.0, 1.0))
    return python_part(1.0) + process + render(engine, 1.0) + http.part(1.0)


def names_and_labels(text: str) -> set[tuple[str, frozenset[str]]]:
    """Each name with the names of its labels; the label `le` with its value."""
    found = set()
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")[0].partition("{") if "{" not in line else line.partition("{")
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', rest)
            found.add((name, frozenset(f'{k}="{v}"' if k == "le" else k for k, v in labels)))
    return found


def types(text: str) -> set[str]:
    """All TYPE lines."""
    return {line for line in text.splitlines() if line.startswith("# TYPE")}


def test_names_labels_and_bounds_are_those_of_the_capture() -> None:
    """Nothing is missing and nothing is new, but for the bounds of longer requests."""
    ours = {(name, labels) for name, labels in names_and_labels(page()) if not labels & LONG}
    assert ours == names_and_labels(CAPTURE)


def test_types_are_those_of_the_capture() -> None:
    """Counters are counters there and here."""
    assert types(page()) == types(CAPTURE)


def test_every_value_label_of_a_reason_is_known() -> None:
    """Reasons, sources and states are spelt as in the capture."""
    pattern = r'(?:reason|source|finished_reason|sleep_state)="([^"]*)"'
    assert set(re.findall(pattern, page())) == set(re.findall(pattern, CAPTURE))


def test_the_page_says_that_it_is_simulated() -> None:
    """In each HELP line of the engine's part."""
    engine = EngineModel(EngineSize(), 0.0)
    helps = [line for line in render(engine, 1.0).splitlines() if line.startswith("# HELP")]
    assert helps
    assert all(line.endswith(MARK) for line in helps)


def test_the_console_reads_it_as_a_page_of_vllm() -> None:
    """The same page class as live finds the adapter, the capacity and the latencies."""
    target = TargetPage("127.0.0.1:1", engines.adapters(), DEFAULT, "sim-engine")
    batch = target.batch(Poll(page().encode(), openmetrics=False, t=5.0, wall=5.0, took_s=0.01, cadence_s=1.0))
    found = {sample.key.indicator for sample in batch.samples}
    assert batch.error is None
    assert {"engine.requests_running", "engine.ttft", "engine.kv_cache_capacity", "engine.kv_cache_usage"} <= found
