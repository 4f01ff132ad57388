"""Situation files: their form, and one clear line for whatever is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Kind
from perfconsole.sources.situationfile import files_below, parse_situations, read_situations

if TYPE_CHECKING:
    from perfconsole.model.situation import Situation

PATH = Path("s.yaml")


def parsed(text: str) -> Situation:
    """The one situation of a text."""
    return parse_situations(text, PATH, DEFAULT).situations[0]


def test_sections_become_figures() -> None:
    """Facts are figures that stand beside the stated ones."""
    found = parsed("id: x\nstated: {engine.up: 1}\nfacts: {engine.max_num_seqs: 8}\nimplied: {gpu.power: [1, null]}")
    assert found.stated == {"engine.up": (1.0,), "engine.max_num_seqs": (8.0,)}
    assert found.implied == {"gpu.power": (1.0, None)}


def test_facts_in_words_stay_words() -> None:
    """A version is no figure."""
    assert parsed("facts: {engine.version: 0.32.0}").texts == {"engine.version": ("0.32.0",)}


def test_what_it_expects() -> None:
    """An empty list of names is silence; no `expect` at all cannot be scored."""
    assert parsed("stated: {}\nexpect: {first: []}").expected is not None
    assert parsed("stated: {}").expected is None


def test_names_of_entities() -> None:
    """As the console that wrote the file called them."""
    assert parsed("stated: {}\nentities: {gpu: ['0', '1']}").names == {Kind.GPU: ("0", "1")}


def test_an_unknown_name_is_told_with_its_line_and_left_out() -> None:
    """It must not pass for a value that is missing."""
    file = parse_situations("stated:\n  engine.upp: 1\n  engine.up: 1\n", PATH, DEFAULT)
    assert file.situations[0].stated == {"engine.up": (1.0,)}
    assert file.remarks[0].startswith("s.yaml:2: unknown indicator 'engine.upp'; nearest: engine.up")


def test_an_unknown_key_is_told_and_left_out() -> None:
    """A newer version may write more; a slip of the pen is seen."""
    file = parse_situations("stated: {engine.up: 1}\nexpct: {}", PATH, DEFAULT)
    assert file.situations[0].stated == {"engine.up": (1.0,)}
    assert file.remarks[0].startswith("s.yaml:2: a situation has no key 'expct'")


HOSTS = """
busy: {engine.up: 1, engine.requests_running: 32, gpu.utilization: [0.9, 0.8]}
idle: {engine.requests_running: 0, gpu.utilization: null}
night: {like: idle, engine.up: 0, base: {engine.up: 0}, allow: [engine-down]}
"""


def test_a_host_says_only_what_differs() -> None:
    """From the first of the file, or from the one it is like; a null takes a figure away."""
    busy, idle, night = parse_situations(HOSTS, PATH, DEFAULT).situations
    assert busy.stated["gpu.utilization"] == (0.9, 0.8)
    assert idle.stated == {"engine.up": (1.0,), "engine.requests_running": (0.0,)}
    assert night.stated == {"engine.up": (0.0,), "engine.requests_running": (0.0,)}


def test_a_host_is_compared_with_the_first_of_its_file() -> None:
    """A night is judged by the baseline of the day, but for what it gives itself."""
    night = parse_situations(HOSTS, PATH, DEFAULT).situations[2]
    assert night.base["engine.requests_running"] == (32.0,)
    assert night.base["engine.up"] == (0.0,)
    assert night.expected is not None
    assert night.expected.allowed == ("engine-down",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[1]", "s.yaml: must hold a table"),
        ("", "s.yaml: must hold a table"),
        ("a: {b: [", "s.yaml:2:1: not YAML"),
        ("stated: [1]", "s.yaml:1: stated must be a table"),
        ("stated: {engine.up: yes please}", "s.yaml:1: engine.up: 'yes please' is no number"),
        ("stated: {engine.up: [1, x]}", "s.yaml:1: engine.up: 'x' is no number"),
        ("stated: {engine.up: .inf}", "s.yaml:1: engine.up: inf is no number"),
        (f"stated: {{engine.up: {'9' * 400}}}", "s.yaml:1: engine.up: 9999999999"),
        ("stated: {}\nentities: {engine: [[a], {b: c}]}", "s.yaml:2: entities: 'engine' must be"),
        ("a\0b", "s.yaml: not YAML: control characters"),
        ("stated: {engine.up: []}", "s.yaml:1: engine.up: an empty list"),
        ("stated: {}\nheld: -3", "s.yaml:2: held: must be more than 0"),
        ("stated: {}\ncourse: {engine.up: 3}", "s.yaml:2: course of engine.up: must be"),
        ("stated: {}\ncourse: {engine.up: [[1, 1], [1, 2]]}", "s.yaml:2: course of engine.up: the seconds must rise"),
        ("stated: {}\nentities: {cpu: [a]}", "s.yaml:2: entities: 'cpu' must be one of"),
        ("a: {engine.up: 1}\nb: {like: c}\nc: {like: b}", "s.yaml:3: c: is like"),
        ("a: {engine.up: 1}\nb: {like: z}", "s.yaml:2: b: is like 'z'"),
        ("a: &x {engine.up: 1}\nb: *x", "s.yaml: has an alias"),
        ("a: 3\nb: {}", "s.yaml:1: a: must be a table"),
    ],
)
def test_a_file_that_cannot_be_used_says_where(text: str, line: str) -> None:
    """One line with file, line, what is wrong."""
    with pytest.raises(UsageError) as failure:
        parse_situations(text, PATH, DEFAULT)
    assert str(failure.value).startswith(line)
    assert "\n" not in str(failure.value)


@given(st.text(max_size=200))
def test_any_text_gives_situations_or_one_clear_line(text: str) -> None:
    """Never another error."""
    said = ""
    try:
        parse_situations(text, PATH, DEFAULT)
    except UsageError as error:
        said = str(error)
    assert "\n" not in said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Its name and why."""
    with pytest.raises(UsageError, match="No such file"):
        read_situations(tmp_path / "no.yaml", DEFAULT)


def test_a_pipe_is_no_situation(tmp_path: Path) -> None:
    """It would block for ever."""
    os.mkfifo(tmp_path / "s.yaml")
    with pytest.raises(UsageError, match="no plain file"):
        read_situations(tmp_path / "s.yaml", DEFAULT)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """Save it as UTF-8."""
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="UTF-8"):
        read_situations(tmp_path / "s.yaml", DEFAULT)


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    """An empty one is a mistake of the caller."""
    (tmp_path / "b.yaml").write_text("stated: {}")
    (tmp_path / "README.md").write_text("no situation")
    assert files_below([tmp_path]) == [tmp_path / "b.yaml"]
    (tmp_path / "b.yaml").unlink()
    with pytest.raises(UsageError, match="no situation in it"):
        files_below([tmp_path])


def test_a_fact_for_each_of_several_entities() -> None:
    """None where one has none."""
    assert parsed("stated: {}\nfacts: {gpu.name: [H100, null]}").texts == {"gpu.name": ("H100", None)}


def test_what_belongs_together() -> None:
    """As the live screen writes it, with the role of a process."""
    found = parsed("stated: {}\nlinks:\n  - [engine-has-process, engine/a, process/7, core]")
    assert [(str(k.parent), str(k.child), k.role) for k in found.links] == [("engine/a", "process/7", "core")]


@pytest.mark.parametrize(
    "link", ["[a]", "[engine-has, engine/a, process/7]", "[engine-has-process, a, process/7]", "7"]
)
def test_a_link_that_is_none(link: str) -> None:
    """Its form is said."""
    with pytest.raises(UsageError, match=r"s.yaml:2: links: .* must be \[RELATION"):
        parsed(f"stated: {{}}\nlinks: [{link}]")
