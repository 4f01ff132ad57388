"""What `explains` says of all rules together: names nobody has, and causes that explain each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perfconsole.diagnose.rings import of_explains, of_rings
from tests.diagnose.judging import rule

if TYPE_CHECKING:
    from perfconsole.model.rule import Rule


def rules(*links: str, **ranks: str) -> dict[str, Rule]:
    """Rules from `a: b c`, all of one rank class but those named."""
    found = {}
    for link in links:
        name, _, explained = link.partition(":")
        found[name] = rule(name, explains=explained.split(), rank=ranks.get(name, "memory"))
    return found


def rings(known: dict[str, Rule]) -> list[str]:
    """Rings that are told of, each once, written `a b c`."""
    messages = [problem.message for problem in of_rings(known.values(), known)]
    around = [message.partition("ring: ")[2].partition(";")[0].split(" -> ")[:-1] for message in messages]
    return list(dict.fromkeys(" ".join(ring) for ring in around))


def codes(known: dict[str, Rule], of: str) -> list[str]:
    """What is wrong with `explains` of one rule."""
    return [problem.code for problem in of_explains(known[of], known)]


def test_causes_one_above_the_other_are_no_ring() -> None:
    """Two ways to the same rule are none either."""
    assert rings(rules("a: b c", "b: d", "c: d", "d:")) == []


def test_a_mutual_pair_is_a_ring() -> None:
    """Each would hide the other."""
    assert rings(rules("a: b", "b: a")) == ["a b"]


def test_a_mutual_pair_is_a_ring_whatever_its_classes() -> None:
    """Of two that explain each other no class says which is the cause."""
    assert rings(rules("a: b", "b: a", a="instrument")) == ["a b"]


def test_three_in_a_ring_are_named_in_its_order() -> None:
    """The message leads around."""
    assert rings(rules("a: c", "c: b", "b: a")) == ["a c b"]


def test_each_rule_of_a_ring_is_told() -> None:
    """It can be broken in any of the files."""
    known = rules("a: b", "b: c", "c: a")
    assert len(list(of_rings(known.values(), known))) == 3


def test_a_ring_with_one_foremost_class_is_allowed() -> None:
    """That finding heads the others, so the ring is decided."""
    assert rings(rules("a: b", "b: c", "c: a", b="instrument")) == []


def test_a_ring_with_two_of_the_foremost_class_is_not_allowed() -> None:
    """Between these two nothing decides."""
    assert rings(rules("a: b", "b: c", "c: a", a="instrument", b="instrument")) == ["a b c"]


def test_a_last_class_decides_nothing() -> None:
    """It is the foremost that heads; the other two still share theirs."""
    assert rings(rules("a: b", "b: c", "c: a", c="regression")) == ["a b c"]


def test_a_pair_within_a_larger_ring_is_told_alone() -> None:
    """Breaking the pair may break the ring, and what is left of it is told the next time."""
    assert rings(rules("a: b", "b: a c", "c: a")) == ["a b"]


def test_two_rings_are_both_told() -> None:
    """The first does not hide the second."""
    assert rings(rules("a: b", "b: c", "c: a", "d: e", "e: f", "f: d")) == ["a b c", "d e f"]


def test_of_two_ways_around_the_shortest_is_told() -> None:
    """It is the one that is understood at a glance."""
    assert rings(rules("a: b", "b: c", "c: d a", "d: a")) == ["a b c"]


def test_a_ring_behind_a_head_that_decides_is_found() -> None:
    """Without the head three are left that nothing decides."""
    assert rings(rules("a: b", "b: c", "c: d", "d: a b", a="instrument")) == ["b c d"]


def test_a_rule_that_explains_itself_is_no_ring() -> None:
    """It is told as what it is, once."""
    known = rules("a: a")
    assert rings(known) == []
    assert codes(known, "a") == ["explains-itself"]


def test_a_name_that_nobody_has_is_in_no_ring() -> None:
    """It leads nowhere."""
    known = rules("a: nobody")
    assert rings(known) == []
    assert codes(known, "a") == ["unknown-rule"]


def test_a_rule_named_twice_is_told_at_the_second_word() -> None:
    """One of the two is a slip for another name."""
    known = rules("a: b c b", "b:", "c:")
    [problem] = of_explains(known["a"], known)
    assert problem.code == "repeated-word"
    assert problem.place == known["a"].at("explains", 2)


def test_a_symptom_does_not_explain_a_cause() -> None:
    """It would hide what somebody has to act on."""
    assert codes(rules("a: b", "b:", a="symptom"), "a") == ["symptom-explains-cause"]


def test_a_symptom_may_explain_a_symptom() -> None:
    """One may be the consequence of the other."""
    assert codes(rules("a: b", "b:", a="symptom", b="symptom"), "a") == []


def test_a_ring_is_told_only_in_the_rules_that_are_linted() -> None:
    """The others are somebody else's files."""
    known = rules("a: b", "b: a")
    assert [p.place.file for p in of_rings([known["a"]], known)] == ["rules/engine/a.yaml"]


def chained(count: int, last: str = "") -> dict[str, Rule]:
    """So many rules, each of which explains the next."""
    one = rule("r")
    names = [f"r{i:04}" for i in range(count)]
    links = pairwise([*names, last])
    return {name: replace(one, id=name, explains=(to,) if to else (), places=None) for name, to in links}


def test_a_deep_chain_ends_no_stack() -> None:
    """More rules than Python allows calls within each other."""
    assert rings(chained(1200)) == []


def test_a_ring_as_long_is_told_whole() -> None:
    """However far around it is."""
    [ring] = rings(chained(1200, last="r0000"))
    assert len(ring.split()) == 1200
