"""Lint on planted mistakes: each found, with its code, at the very word."""

from __future__ import annotations

import pytest

from perfconsole.diagnose.lint import UNUSABLE as UNUSABLE_CODES
from perfconsole.diagnose.lint import lint
from perfconsole.diagnose.rulefile import load_folder, load_rule, shipped_folder
from perfconsole.diagnose.yamltree import RuleFileError
from perfconsole.model.dictionary import DEFAULT
from tests.diagnose.planted import FATAL, SOUND, UNUSABLE, WRONG, Planted

SHIPPED, _ = load_folder(shipped_folder(), cases=False)


def found(name: str, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Code and place of everything wrong with one file."""
    try:
        rule = load_rule(text, f"{name}.yaml")
    except RuleFileError as error:
        return [(error.code, (error.place.line, error.place.column))]
    return [(p.code, (p.place.line, p.place.column)) for p in lint([rule], DEFAULT, SHIPPED)]


def test_the_sound_rule_is_clean() -> None:
    """What the mistakes are planted into has none of its own."""
    assert found("planted", SOUND) == []


@pytest.mark.parametrize("planted", [*FATAL, *UNUSABLE, *WRONG], ids=lambda planted: planted.name)
def test_a_planted_mistake_is_found_at_its_word(planted: Planted) -> None:
    """One problem of that code, with the line and column of the word that is wrong."""
    assert (planted.code, planted.place) in found(planted.name, planted.text)


@pytest.mark.parametrize("planted", [*FATAL, *UNUSABLE, *WRONG], ids=lambda planted: planted.name)
def test_a_planted_mistake_is_not_said_in_two_ways(planted: Planted) -> None:
    """Its word carries no second problem."""
    assert [code for code, place in found(planted.name, planted.text) if place == planted.place] == [planted.code]


@pytest.mark.parametrize("planted", UNUSABLE, ids=lambda planted: planted.name)
def test_what_leaves_a_rule_without_meaning_is_unusable(planted: Planted) -> None:
    """The console skips such a rule."""
    assert planted.code in UNUSABLE_CODES


def test_there_are_enough_kinds_of_mistake() -> None:
    """Thirty different ones are promised."""
    assert len({planted.code for planted in (*FATAL, *UNUSABLE, *WRONG)}) >= 34
