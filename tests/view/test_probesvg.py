"""Tests of the pictures of a probe: well-formed whatever the names are, labels apart, what is not valid hollow."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings

from perfconsole.model.probeplan import Shape, Step
from perfconsole.view.probesvg import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, figures
from tests.view.flames import HOSTILE, NAMES
from tests.view.probes import CLIENT_BOUND, EMPTY, QUEUE_BOUND, QUEUED, RESULTS, named, result, whole

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult

SVG = "{http://www.w3.org/2000/svg}"
_LETTER = 6.8
Text = tuple[float, float, str, str]
"""Left edge, baseline, text and class."""


def drawn(made: ProbeResult) -> list[ET.Element]:
    """Its pictures: throughput, TTFT, ITL."""
    return [ET.fromstring(picture) for _, picture in figures(made)]  # noqa: S314 - what we have just written


def texts(picture: ET.Element) -> list[Text]:
    """Every text of a picture."""
    found = []
    for text in picture.iter(f"{SVG}text"):
        words = text.text or ""
        wide, x = len(words) * _LETTER, float(text.get("x", ""))
        left = {"middle": x - wide / 2, "end": x - wide}.get(text.get("text-anchor", ""), x)
        found.append((left, float(text.get("y", "")), words, text.get("class", "")))
    return found


def points(picture: ET.Element, style: str) -> list[tuple[float, float]]:
    """Places of the points of a line."""
    return [
        (float(dot.get("cx", "")), float(dot.get("cy", "")))
        for dot in picture.iter(f"{SVG}circle")
        if dot.get("class") == style
    ]


def apart(one: Text, other: Text) -> bool:
    """Above or beside one another."""
    (left, y, words, _), (x, other_y, others, _) = one, other
    return abs(y - other_y) >= 10 or left + len(words) * _LETTER <= x or x + len(others) * _LETTER <= left


@settings(max_examples=30)
@given(NAMES)
def test_it_is_well_formed_whatever_the_names_are(words: str) -> None:
    """A browser shows nothing at all of a picture that is not."""
    assert len(drawn(named(words))) == 3


@pytest.mark.parametrize("name", [*RESULTS, "long"])
def test_no_label_stands_in_another_one_or_outside(name: str) -> None:
    """Eleven loads, three of them not valid, are the most."""
    steps = tuple(
        result(
            i, 2.0**i, min(2.0**i, 16) * 187.0, 0.05 * 2 ** max(0, i - 4), valid=i < 8, why="the client was the limit"
        )
        for i in range(11)
    )
    made = whole(steps, QUEUE_BOUND.knee) if name == "long" else RESULTS[name]
    for picture in drawn(made):
        boxes = texts(picture)
        assert all(left >= 0 and left + len(words) * _LETTER <= WIDTH and y <= HEIGHT for left, y, words, _ in boxes)
        assert [pair for pair in combinations(boxes, 2) if not apart(*pair)] == []


def test_points_rise_with_their_values_and_stand_over_their_loads() -> None:
    """Doubled loads equally far apart."""
    throughput = drawn(QUEUE_BOUND)[0]
    places = points(throughput, "one")
    assert [round(right[0] - left[0], 1) for left, right in pairwise(places)] == pytest.approx([62.0] * 6, abs=0.1)
    heights = [BOTTOM - y for _, y in places]
    assert heights[4] == pytest.approx(heights[0] * 16, rel=0.01)
    assert heights[4] == pytest.approx(heights[6])


def test_the_knee_is_marked_with_its_load() -> None:
    """By a line over the plot, and strong below it."""
    picture = drawn(QUEUE_BOUND)[0]
    assert [words for _, _, words, style in texts(picture) if style == "strong"][1:] == ["16", "knee 16"]
    (knee,) = (line for line in picture.iter(f"{SVG}line") if line.get("class") == "knee")
    assert float(knee.get("x1", "")) == pytest.approx(points(picture, "one")[4][0], abs=0.1)


def test_lines_are_named_where_they_end() -> None:
    """With their last value; percentiles that are withheld have no points."""
    ttft = drawn(QUEUE_BOUND)[1]
    names = [words for left, _, words, _ in texts(ttft) if left > RIGHT]
    assert names == ["p99 3.16 s", "p95 2.8 s", "p50 1.97 s", "promised 1.5 s"]
    assert [len(points(ttft, style)) for style in ("one", "two", "three")] == [7, 4, 2]


def test_what_is_not_valid_is_hollow_and_has_its_word() -> None:
    """And no line leads to it, and it is not what a line ends with."""
    throughput = drawn(CLIENT_BOUND)[0]
    assert (len(points(throughput, "one")), len(points(throughput, "one hollow"))) == (4, 2)
    assert [words for _, _, words, _ in texts(throughput)].count("client") == 2
    line = next(line for line in throughput.iter(f"{SVG}polyline"))
    assert len(line.get("points", "").split()) == 4
    assert "1496/s" in [words for _, _, words, _ in texts(throughput)]


def test_a_promise_far_from_what_was_measured_is_left_out() -> None:
    """It would press the curves together."""
    gentle = whole(QUEUED[:5], QUEUE_BOUND.knee)
    assert not any("promised" in words for _, _, words, _ in texts(drawn(gentle)[1]))


def test_loads_that_do_not_rise_are_not_joined() -> None:
    """A line from `through` to `around` would be made up."""
    labels = ("through", "around")
    steps = tuple(
        replace(step, step=Step(Shape.CONCURRENCY, 1, label=label)) for step, label in zip(QUEUED, labels, strict=False)
    )
    throughput = drawn(whole(steps, EMPTY.knee))[0]
    assert all(float(line.get("points", "").split(",")[0]) > RIGHT for line in throughput.iter(f"{SVG}polyline"))
    assert {"through 1", "around 1"} <= {words for _, _, words, _ in texts(throughput)}


def test_axes_say_their_units() -> None:
    """Times as a person says them, and what the loads count."""
    _, ttft, itl = drawn(QUEUE_BOUND)
    words = [words for _, _, words, _ in texts(ttft)]
    assert words[:2] == ["TTFT, time to first token, logarithmic", "requests at a time"]
    assert {"50 ms", "1 s"} <= set(words)
    assert [words for left, _, words, _ in texts(itl) if left < LEFT - 10][1:3] == ["0 s", "2 ms"]


def test_a_picture_of_nothing_says_so() -> None:
    """No axis of zeros."""
    assert "no value" in [words for _, _, words, _ in texts(drawn(EMPTY)[0])]


def test_control_characters_are_written_as_their_escapes() -> None:
    """No version of XML takes them."""
    assert any("\\x1b[31mred" in words for _, _, words, _ in texts(drawn(named(HOSTILE))[0]))
