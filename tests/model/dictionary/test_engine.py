"""Tests of the engine layer: choices that follow from how engines report their ranks."""

from __future__ import annotations

import pytest

from perfconsole.model.dictionary.engine import ENTRIES
from perfconsole.model.dictionary.entry import Fold, Sort
from perfconsole.model.entity import Kind

BY_NAME = {entry.name: entry for entry in ENTRIES}


@pytest.mark.parametrize(
    ("name", "fold"),
    [
        ("engine.up", Fold.MIN),
        ("engine.ready", Fold.MIN),
        ("engine.asleep", Fold.MAX),
        ("engine.uptime", Fold.MIN),
        ("engine.requests_running", Fold.SUM),
        ("engine.requests_waiting", Fold.SUM),
        ("engine.generation_rate", Fold.SUM),
        ("engine.tokens_per_gpu", Fold.MEAN),
        ("engine.kv_cache_usage", Fold.MEAN),
        ("engine.kv_cache_capacity", Fold.SUM),
        ("engine.kv_max_concurrency", Fold.MIN),
        ("engine.max_num_seqs", Fold.MAX),
        ("engine.lora_active", Fold.MAX),
        ("engine.frontend_cpu", Fold.MAX),
        ("engine.core_cpu", Fold.MAX),
        ("engine.health_time", Fold.MAX),
        ("engine.preemptions", Fold.SUM),
        ("engine.ttft", Fold.SUM),
    ],
)
def test_parts_fold_as_their_meaning_asks(name: str, fold: Fold) -> None:
    """Ranks and processes of one engine become the number that its definition promises."""
    assert BY_NAME[name].fold is fold


def test_rank_figures_belong_to_ranks() -> None:
    """Exactly the names that say rank have the scope rank."""
    assert {e.name for e in ENTRIES if e.scope is Kind.RANK} == {n for n in BY_NAME if n.startswith("engine.rank_")}


def test_only_version_model_and_origin_are_text() -> None:
    """Every other engine fact is a number that a condition can read."""
    texts = {entry.name for entry in ENTRIES if entry.sort is Sort.TEXT}
    assert texts == {"engine.version", "engine.model", "engine.max_num_seqs_origin"}


def test_a_dead_engine_is_critical() -> None:
    """An engine that does not answer, or has no process, is marked at once and says so for how long."""
    assert (BY_NAME["engine.up"].critical, BY_NAME["engine.processes"].critical) == ("== 0", "== 0")


def test_itl_warns_of_comparing_engines() -> None:
    """The definition says where engines take the gap, because that differs."""
    assert "never compare across engines" in BY_NAME["engine.itl"].definition
