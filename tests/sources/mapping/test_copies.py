"""Tests of counts that every tensor or pipeline rank reports once more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.exposition import PageParser
from perfconsole.sources.mapping.mapper import PageMapper

ROWS = (Metric("engine.requests_running", "x:running"),)
TABLE = Adapter("x", "X", ("x:",), "", "/m", "", "", "dp_rank", (), (), ROWS, copy_labels=("pp_rank", "tp_rank"))
ENGINE = Entity(Kind.ENGINE, "x")


def sums(text: str) -> dict[str, float]:
    """Sum of the parts of each indicator."""
    found: dict[str, float] = {}
    for sample in PageMapper(TABLE, DEFAULT).map(PageParser().parse(text.encode()), ENGINE).samples:
        assert isinstance(sample.value, float)
        found[sample.key.indicator] = found.get(sample.key.indicator, 0.0) + sample.value
    return found


def lines(name: str, *labels: str, value: str = "3") -> str:
    """One series for each set of labels."""
    return "".join(f"x:{name}{{{each}}} {value}\n" for each in labels)


def test_a_count_is_taken_from_the_least_rank() -> None:
    """Ranks 0 to 3 hold the same three requests."""
    assert sums(lines("running", *(f'tp_rank="{n}"' for n in (2, 0, 3, 1)))) == {"engine.requests_running": 3.0}


def test_ranks_are_compared_as_numbers() -> None:
    """Rank 9 comes before rank 10, and its value is the one that counts."""
    text = lines("running", 'tp_rank="10"', value="7") + lines("running", 'tp_rank="9"', value="3")
    assert sums(text) == {"engine.requests_running": 3.0}


def test_data_parallel_ranks_are_no_copies() -> None:
    """The first tensor rank of each of two replicas has another number, and both count."""
    assert sums(lines("running", 'dp_rank="0",tp_rank="0"', 'dp_rank="1",tp_rank="4"')) == {
        "engine.requests_running": 6.0
    }


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=16, unique=True))
def test_any_set_of_copies_counts_once(ranks: list[tuple[int, int]]) -> None:
    """Whatever ranks report, and in whatever order."""
    text = lines("running", *(f'pp_rank="{p}",tp_rank="{t}"' for p, t in ranks))
    assert sums(text) == {"engine.requests_running": 3.0}
