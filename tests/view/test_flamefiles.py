"""Tests of the files of a recording: each of them can be read again."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from perfconsole.model.flameplan import FlamePlan
from perfconsole.stacks.folded import write_folded
from perfconsole.stacks.read import read_recording, recorded
from perfconsole.stacks.reading import read_profile
from perfconsole.stacks.tree import flame_tree
from perfconsole.view.flamefiles import ENDINGS, flame_name, flame_texts
from tests.stacks.building import unread
from tests.view.flames import HOSTILE, loop_profile

PLAN = FlamePlan(4312, seconds=5.0)
WALL = 1_700_000_000.0


def texts(title: str = "vllm serve") -> dict[str, str]:
    """Files of a small recording."""
    profile = recorded(write_folded(loop_profile()), PLAN, 5.0, None, cancelled=False)
    return flame_texts(profile, read_profile(profile, unread), flame_tree(profile, unread), PLAN, title, WALL)


def test_the_name_has_the_moment_and_the_process() -> None:
    """In UTC, so that names sort by time."""
    assert flame_name(PLAN, WALL) == "flame-20231114T221320Z-4312"


def test_there_is_one_text_for_each_ending() -> None:
    """None is empty."""
    assert tuple(texts()) == ENDINGS
    assert all(texts().values())


@pytest.mark.parametrize("ending", [".folded", ".speedscope.json"])
def test_stacks_are_the_same_when_they_are_read_again(ending: str) -> None:
    """By `perfconsole flame open`."""
    again = read_profile(read_recording(texts()[ending]), unread)
    (loop,) = again.threads
    assert (again.samples, loop.process, loop.name, loop.main) == (100, "4312", "MainThread", True)
    assert again.blocking[0].share == pytest.approx(0.4)


def test_what_it_says_stands_beside_how_it_was_taken() -> None:
    """Plan, moment and command line."""
    said = json.loads(texts()[".json"])
    assert (said["recorded"], said["process"]) == ("20231114T221320Z", "vllm serve")
    assert said["plan"]["seconds"] == 5.0
    assert said["blocking"][0]["share"] == 0.4


def test_the_picture_says_what_it_is_of() -> None:
    """Years later as well, and whatever the process is called."""
    picture = ET.fromstring(texts(HOSTILE)[".svg"])  # noqa: S314 - what we have just written
    title = "".join(picture[0].itertext())
    assert title == "process 4312  \\x1b[31mred  5 s at 50 a second  20231114T221320Z"
