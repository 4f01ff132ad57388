"""Tests of the picture: values at hand, and never a number in place of a missing one."""

from __future__ import annotations

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.model.sample import Fact, Missing
from perfconsole.view.picture import KINDS, LAYERS, Picture, no_trails
from tests.diagnose.judging import rule
from tests.view.pictures import ENGINE, HOST, indicator, snapshot

KV = "engine.kv_cache_usage"
SWAP = "host.swap_used"


def _picture() -> Picture:
    known = (indicator(KV, 0.5), indicator(SWAP, Missing.NO_PERMISSION, HOST))
    facts = (Fact("engine.version", ENGINE, "0.11.0"), Fact("host.name", HOST, "x"))
    return Picture(snapshot(indicators=known, facts=facts, entities=(HOST, ENGINE)), DEFAULT)


def test_an_indicator_is_found_by_name_and_entity() -> None:
    """That of another entity is not meant."""
    assert _picture().indicator(KV, ENGINE) == indicator(KV, 0.5)
    assert _picture().indicator(KV, HOST) is None


def test_a_missing_value_keeps_its_reason() -> None:
    """It is not 0."""
    assert _picture().value(SWAP, HOST) is Missing.NO_PERMISSION
    assert _picture().number(SWAP, HOST) is None


def test_what_no_source_speaks_of_was_never_observed() -> None:
    """Nor is it 0."""
    assert _picture().value("engine.up", ENGINE) is Missing.NEVER
    assert _picture().number("engine.up", ENGINE) is None


def test_entities_keep_the_order_of_the_snapshot() -> None:
    """Of the kinds that are asked for."""
    assert _picture().entities(Kind.ENGINE, Kind.HOST) == [HOST, ENGINE]
    assert _picture().entities(Kind.GPU) == []


def test_facts_are_those_of_the_entity() -> None:
    """By name."""
    assert _picture().facts(ENGINE) == {"engine.version": "0.11.0"}


def test_no_trails_know_nothing() -> None:
    """As many stretches as asked for."""
    assert no_trails(KV, ENGINE, 10.0, 3) == (None, None, None)


def test_every_layer_has_its_kinds_and_none_has_two_layers() -> None:
    """A finding lights up one layer."""
    kinds = [kind for layer in LAYERS for kind in KINDS[layer]]
    assert sorted(KINDS) == sorted(LAYERS)
    assert len(kinds) == len(set(kinds))


def test_a_rule_is_found_by_its_id() -> None:
    """None for one that is not loaded."""
    slow = rule("slow")
    picture = Picture(snapshot(), DEFAULT, rules=(slow,))
    assert (picture.rule("slow"), picture.rule("other")) == (slow, None)
