"""Tests of the names of parts: bounded, fit to be shown, and given anew when those before are gone."""

from __future__ import annotations

from perfconsole.sources.mapping.partnames import MOST_RANKS, MOST_SLOTS, OTHERS, PartNames

PLACE = (0, "", "")


def filled(*labels: str) -> PartNames:
    """Names with these upstreams of row 0."""
    names = PartNames()
    for label in labels:
        names.upstream(0, label)
    return names


def test_a_rank_has_its_label_for_a_name() -> None:
    """As long as it can be shown."""
    assert PartNames().rank("3") == "3"
    assert PartNames().rank("") == ""
    assert PartNames().rank("\x1b[31m") == "?[31m"
    assert len(PartNames().rank("9" * 1000)) == 64


def test_ranks_without_end_are_one() -> None:
    """Labels that hold identifiers must not fill the memory."""
    names = PartNames()
    found = {names.rank(str(i)) for i in range(MOST_RANKS + 9)}
    assert len(found) == MOST_RANKS + 1
    assert names.rank(str(MOST_RANKS)) == OTHERS
    assert names.rank("0") == "0"


def test_upstreams_without_end_are_told_apart_no_more() -> None:
    """The first 64 of a row keep their names."""
    names = filled(*(f"http://10.0.0.1:{port}" for port in range(8000, 8000 + MOST_SLOTS)))
    assert names.crowded
    assert names.upstream(0, "http://10.0.0.2:8000") == ""
    assert names.upstream(0, "http://10.0.0.1:8001") == "10.0.0.1:8001"
    assert names.upstream(1, "http://10.0.0.2:8000") == "10.0.0.2:8000"


def test_an_upstream_that_is_gone_makes_room() -> None:
    """Pods come and go, each with an address of its own."""
    labels = [f"pod{i}" for i in range(MOST_SLOTS)]
    names = filled(*labels)
    assert not names.keep({(0, label) for label in labels})
    assert names.keep({(0, label) for label in labels[1:]})
    assert names.upstream(0, "new") == "new"


def test_a_part_keeps_its_number_while_its_upstream_is_there() -> None:
    """A counter must not change places; one of an upstream that comes back begins anew."""
    names = filled("a", "b")
    for upstream in "ab":
        names.slot((0, "", upstream), (("code", "200"),))
    assert names.keep({(0, "a")})
    assert names.slot((0, "", "a"), (("code", "500"),)) == "1"
    assert names.slot((0, "", "b"), (("code", "500"),)) == ""


def test_labels_are_numbers_and_beyond_64_one() -> None:
    """The bound of a bucket makes no part of its own."""
    names = PartNames()
    assert [names.slot(PLACE, (("id", str(i)), ("le", "1"))) for i in range(3)] == ["", "1", "2"]
    assert names.slot(PLACE, (("id", "1"), ("le", "2"))) == "1"
    found = {names.slot(PLACE, (("id", str(i)),)) for i in range(MOST_SLOTS + 9)}
    assert len(found) == MOST_SLOTS + 1


def test_pools_are_numbers_and_beyond_64_others() -> None:
    """A model or a backend may be named after a customer."""
    names = PartNames()
    assert [names.pool((label, "")) for label in ("a", "b", "a")] == ["1", "2", "1"]
    found = [names.pool((str(i), "")) for i in range(MOST_SLOTS)]
    assert (len(set(found)), found[-2:], names.crowded) == (MOST_SLOTS - 1, [OTHERS] * 2, True)


def test_a_pool_that_is_gone_makes_room() -> None:
    """The others keep their numbers."""
    names = PartNames()
    for i in range(MOST_SLOTS):
        names.pool((str(i),))
    assert names.keep((), {(str(i),) for i in range(1, MOST_SLOTS)})
    assert [names.pool((label,)) for label in ("1", "new", "newer")] == ["2", "1", OTHERS]
