"""The share that completes a title."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.diagnose.fullest import measured, parts
from perfconsole.diagnose.parse import parse, render
from perfconsole.diagnose.rulefile import load_rule
from perfconsole.model.expression import Held, Not
from perfconsole.model.finding import State
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, Told, judge, rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfconsole.model.entity import Entity

KV, LINK, CORE = "engine.kv_cache_usage", "net.link_ratio", "host.cpu_busiest_core"
FULL = rule(
    "full", f"({KV} > 80% or {LINK} > 80% or ({CORE} > 80% and engine.core_cpu < 90%)) for 3s", title="Full", names=1
)


def titles(*ticks: Mapping[str | tuple[str, Entity], float | Missing]) -> list[str]:
    """Title shown at each tick, empty for none."""
    of, shown = judge(FULL), []
    for t, values in enumerate(ticks):
        findings, _ = of.judge(Told(float(t), values), [ENGINE])
        shown.append(findings[0].title if findings else "")
    return shown


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ({KV: 0.97, LINK: 0.9}, "Full: KV cache 97%"),
        ({KV: 0.5, LINK: 0.9}, "Full: network link 90%"),
        ({KV: 0.85, LINK: Missing.STALE}, "Full: KV cache 85%"),
        ({KV: 0.85, CORE: 1.0, "engine.core_cpu": 0.2}, "Full: busiest core 100%"),
        ({KV: 0.85, CORE: 1.0, "engine.core_cpu": 1.0}, "Full: KV cache 85%"),
        ({KV: 0.85, CORE: 1.0}, "Full: KV cache 85%"),
    ],
)
def test_the_fullest_part_that_holds_completes_the_title(
    values: Mapping[str | tuple[str, Entity], float | Missing], title: str
) -> None:
    """A part that is false or not known takes no place in it."""
    assert titles(values) == [title]


def test_it_follows_the_fullest_from_tick_to_tick() -> None:
    """While it is pending as well as later."""
    shown = titles({KV: 0.9, LINK: 0.1}, {KV: 0.9, LINK: 0.95}, {KV: 0.9, LINK: 0.1})
    assert shown == ["Full: KV cache 90%", "Full: network link 95%", "Full: KV cache 90%"]


def test_a_finding_that_clears_keeps_the_title_it_fired_with() -> None:
    """Nothing holds any more, and the reader still sees what it was."""
    full: Mapping[str | tuple[str, Entity], float | Missing] = {KV: 0.9, LINK: 0.1}
    shown = titles(full, full, full, full, {KV: 0.1, LINK: 0.1})
    assert shown[-1] == "Full: KV cache 90%"


def test_a_rule_that_names_none_keeps_its_title() -> None:
    """As most do."""
    findings, _ = judge(rule("slow", f"{KV} > 80%")).judge(Told(0.0, {KV: 0.97}), [ENGINE])
    assert (findings[0].state, findings[0].title) == (State.FIRING, "slow")


def test_looking_for_the_fullest_does_not_move_the_holds() -> None:
    """The hold completes when it would have."""
    of = judge(FULL)
    states = [of.judge(Told(float(t), {KV: 0.9, LINK: 0.1}), [ENGINE])[0][0].state for t in range(5)]
    assert states == [State.PENDING] * 3 + [State.FIRING] * 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("engine.a > 1", ["engine.a"]),
        ("(engine.a > 1 or max(engine.b) > 1) for 3s", ["engine.a", "max(engine.b)"]),
        ("engine.a > 1 or (engine.b > 1 for 3s or engine.c > 1)", ["engine.a", "engine.b", "engine.c"]),
        ("avg(engine.a[1m]) > 1 and engine.b > 1", ["avg(engine.a[1m])"]),
    ],
)
def test_parts_are_what_an_or_joins(text: str, found: list[str]) -> None:
    """Holds and parentheses do not hide them."""
    readings = [measured(part) for part in parts(parse(text))]
    assert [render(node) for node in readings if node] == found


@pytest.mark.parametrize("text", ["1 > engine.a", "2 * engine.a > 1"])
def test_a_part_measures_what_stands_alone_on_the_left(text: str) -> None:
    """A number or a sum is no share of anything."""
    assert [measured(part) for part in parts(parse(text))] == [None]


def test_parts_have_no_hold_around_them() -> None:
    """Only inside something that is not an `or`."""
    assert not any(isinstance(p, Held) for p in parts(parse("engine.a > 1 for 3s or engine.b > 1 for 5s")))
    assert [type(p) for p in parts(parse("not engine.a > 1"))] == [Not]


def test_a_rule_file_counts_conditions_from_one() -> None:
    """As people do; most rules name none."""
    text = (
        "id: full\ntitle: Full\nlayer: engine\nscope: engine\nseverity: warn\nclass: symptom\n"
        "cause: c\nconfidence: low\n"
        "when: [engine.requests_running > 1, engine.kv_cache_usage > 80%]\n"
    )
    assert (load_rule(f"{text}names: 2\n", "full.yaml").names, load_rule(text, "full.yaml").names) == (1, None)
