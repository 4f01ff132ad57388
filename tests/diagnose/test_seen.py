"""What one entity shows at one tick: each operand asked for once, and told from every other."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from perfconsole.diagnose.seen import Operand, Seen, key_of, text_of
from perfconsole.model.expression import Base, Name, OverEntities, OverTime
from perfconsole.model.sample import Missing
from tests.diagnose.judging import ENGINE, OTHER, Told

PLAIN = Name("engine.x", 1)
MINUTE = OverTime("rate", "engine.x", 60.0, 1)


@dataclass
class Counting(Told):
    """A reader that keeps what it was asked for."""

    asked: list[str] = field(default_factory=list)
    given: dict[str, float | Missing] = field(default_factory=dict)

    def known(self, entity: object) -> dict[str, float | Missing]:  # noqa: ARG002 - the same for all entities
        """What is worked out beforehand."""
        return dict(self.given)

    def read(self, name: str, entity: object) -> float | Missing:
        """Keep the name."""
        self.asked.append(name)
        return super().read(name, entity)  # type: ignore[arg-type]  # an entity, as Told has it

    def base(self, name: str, entity: object) -> float | Missing:
        """Keep the name as a baseline."""
        self.asked.append(f"base({name})")
        return super().base(name, entity)  # type: ignore[arg-type]  # as above


def ask(seen: Seen, node: Operand) -> float | Missing:
    """The operand, as conditions ask for it."""
    return seen.operand(key_of(node), node)


@pytest.mark.parametrize(
    ("node", "asked"),
    [
        (PLAIN, "engine.x"),
        (Base("engine.x", 1), "base(engine.x)"),
        (MINUTE, "rate(engine.x[60])"),
        (OverEntities("max", "gpu.x", 1), "max(gpu.x)"),
    ],
)
def test_an_operand_is_read_once_however_often_it_is_asked_for(node: Operand, asked: str) -> None:
    """Each kind in its own way, and only the first time."""
    reader = Counting(values={asked: 3.0}, bases={"engine.x": 3.0})
    seen = Seen(reader, ENGINE, {})
    assert [ask(seen, node) for _ in range(3)] == [3.0] * 3
    assert reader.asked == [asked]


@pytest.mark.parametrize("value", [0.0, Missing.STALE])
def test_zero_and_a_missing_value_are_kept_too(value: float | Missing) -> None:
    """Neither is a sign that nobody has asked yet."""
    reader = Counting(values={"engine.x": value})
    seen = Seen(reader, ENGINE, {})
    assert [ask(seen, PLAIN), ask(seen, PLAIN)] == [value, value]
    assert reader.asked == ["engine.x"]


def test_a_look_up_and_an_operand_share_one_reading() -> None:
    """A first look and a full judgement never see two values at one tick."""
    reader = Counting(values={"engine.x": 3.0})
    seen = Seen(reader, ENGINE, {})
    assert (seen["engine.x"], ask(seen, PLAIN)) == (3.0, 3.0)
    assert reader.asked == ["engine.x"]


def test_what_is_known_beforehand_is_not_asked_for() -> None:
    """It was worked out for others at this tick."""
    reader = Counting(given={"engine.x": 4.0})
    assert ask(Seen(reader, ENGINE, {}), PLAIN) == 4.0
    assert reader.asked == []


def test_values_are_those_of_the_entity() -> None:
    """Two engines at one tick differ."""
    reader = Told(values={("engine.x", ENGINE): 1.0, ("engine.x", OTHER): 2.0})
    assert [Seen(reader, entity, {})["engine.x"] for entity in (ENGINE, OTHER)] == [1.0, 2.0]


def test_the_ways_to_read_one_indicator_are_different_operands() -> None:
    """A value, its baseline and its change are never taken for each other."""
    nodes: list[Operand] = [PLAIN, Base("engine.x", 1), OverEntities("max", "engine.x", 1), MINUTE]
    nodes += [OverTime("delta", "engine.x", 60.0, 1), OverTime("max", "engine.x", 60.0, 1)]
    assert len({key_of(node) for node in nodes}) == len(nodes)


def test_windows_that_differ_in_the_last_digit_are_different() -> None:
    """The text rounds them to the same; the values may not be mixed up."""
    near = OverTime("rate", "engine.x", 60.0 + 1e-9, 1)
    seen = Seen(Told(), ENGINE, {})
    seen[key_of(MINUTE)] = 1.0
    assert text_of(near) == text_of(MINUTE)
    assert (ask(seen, MINUTE), ask(seen, near)) == (1.0, Missing.NEVER)


def test_where_an_operand_stands_does_not_tell_it_apart() -> None:
    """The same words in two conditions are one value."""
    assert key_of(OverTime("rate", "engine.x", 60.0, 30)) == key_of(MINUTE)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (PLAIN, "engine.x"),
        (Base("engine.x", 1), "base(engine.x)"),
        (MINUTE, "rate(engine.x[60s])"),
        (OverTime("rate", "engine.x", 0.5, 1), "rate(engine.x[0.5s])"),
        (OverEntities("max", "gpu.x", 1), "max(gpu.x)"),
    ],
)
def test_evidence_names_an_operand_as_a_rule_would_write_it(node: Operand, text: str) -> None:
    """The reader finds it again in the rule."""
    assert text_of(node) == text


def test_time_and_length_of_the_run_are_those_of_the_reader() -> None:
    """Holds begin at that moment and are cut to that length."""
    seen = Seen(Told(t=7.0, run_s=30.0, full_windows={"engine.x": 1800.0}), ENGINE, {})
    assert (seen.t, seen.run_s, seen.full_window_s("engine.x")) == (7.0, 30.0, 1800.0)
