"""Tests of finding the places of keys in TOML: every path of the document has one, and it is the right one."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.tomlplaces import paths, place

if TYPE_CHECKING:
    from perfconsole.sources.mappingerror import TomlPath

TEXT = """\
# [target]
top = 1
[[target]]
url = "http://a" # url = 2
"layer" = 'x'
[target.metrics_map]
"a.b" = { metric = "m", where = { status = "~5.." } }
list = [
  1, # one
  { metric = "n" },
]
[[target]]
  name.first = '''
url = 1
'''
url = \"\"\"a\\"\"\"b\"\"\"
[rules]
folders = []
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("top",), (2, 1)),
        (("target",), (3, 3)),
        (("target", 0), (3, 3)),
        (("target", 0, "url"), (4, 1)),
        (("target", 0, "layer"), (5, 1)),
        (("target", 0, "metrics_map"), (6, 9)),
        (("target", 0, "metrics_map", "a.b", "metric"), (7, 11)),
        (("target", 0, "metrics_map", "a.b", "where", "status"), (7, 35)),
        (("target", 0, "metrics_map", "list", 1, "metric"), (10, 5)),
        (("target", 1), (12, 3)),
        (("target", 1, "name", "first"), (13, 8)),
        (("target", 1, "url"), (16, 1)),
        (("rules", "folders"), (18, 1)),
    ],
)
def test_each_key_has_its_line_and_column(path: TomlPath, expected: tuple[int, int]) -> None:
    """Comments, strings and other tables do not count."""
    assert place(TEXT, path) == expected


def test_what_is_not_there_has_the_place_of_what_holds_it() -> None:
    """The table that lacks a key; nothing has no place."""
    assert place(TEXT, ("target", 1, "layer")) == (12, 3)
    assert place(TEXT, ("none", 1)) is None


def flat(value: object, path: TomlPath = ()) -> set[TomlPath]:
    """Every path of a parsed document."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {p for key, below in pairs for p in ((*path, key), *flat(below, (*path, key)))}


LINES = st.sampled_from(
    [
        "a = 1",
        "b.c = [1, [2, 3], {x = 1, y.z = 2}]",
        '"q.r" = "#]}"',
        "'s' = '''\n[[no]]\n'''",
        "[t]",
        "[[u]]",
        "[u.v]",
        "[[u.w]]",
        'd = """\n\\"""" # e = 1',
        "f = 2020-01-01 10:00:00",
        "[t.deep.er]",
        "g = [ # one\n 1,\n]",
        "h = {}",
        '""=1',
    ]
)


@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=300)
def test_every_path_of_a_document_is_found_and_no_other(lines: list[str], end: str) -> None:
    """Whatever tomllib takes; what it refuses is not asked."""
    text = "\n".join(lines).replace("\n", end)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert paths(text) == flat(document)
