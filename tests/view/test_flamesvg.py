"""Tests of the still picture: well-formed whatever the names are, to scale, and readable."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given, settings

from perfconsole.model.flametree import Node, Shade
from perfconsole.view.flamesvg import svg
from tests.view.flames import HOSTILE, NAMES, node, trees, whole

SVG = "{http://www.w3.org/2000/svg}"


def boxes(root: Node, title: str = "t") -> list[tuple[str, float, float, str]]:
    """What each box tells, its left edge, its width and its label."""
    groups = ET.fromstring(svg(root, title)).iter(f"{SVG}g")  # noqa: S314 - what we have just written
    return [_box(group) for group in groups]


def _box(group: ET.Element) -> tuple[str, float, float, str]:
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    told, label = group.findtext(f"{SVG}title") or "", group.findtext(f"{SVG}text") or ""
    return told, float(rect.get("x", "")), float(rect.get("width", "")), label


@settings(max_examples=40)
@given(trees(), NAMES)
def test_it_is_well_formed_whatever_the_names_are(root: Node, title: str) -> None:
    """A browser shows nothing at all of a picture that is not."""
    assert len(boxes(root, title)) >= 1
    svg(root, title).encode("utf-8")


def test_a_box_tells_where_its_function_is_and_how_much_it_has() -> None:
    """When the mouse stands on it."""
    assert boxes(whole(node("f", 25)))[1][0] == "f (/srv/app/main.py:7) 25.0%"


def test_a_file_without_a_line_stands_alone() -> None:
    """And no file is no bracket."""
    bare = replace(node("f", 25), line=0)
    nowhere = replace(node("g", 25), file="", line=0)
    assert {told for told, *_ in boxes(whole(bare, nowhere))[1:]} == {"f (/srv/app/main.py) 25.0%", "g 25.0%"}


def test_boxes_are_to_scale_and_stand_side_by_side() -> None:
    """Below their caller."""
    (_, left, wide, _), *children = sorted(boxes(whole(node("a", 50), node("b", 25))), key=lambda box: -box[2])
    assert [round(box[2] / wide, 2) for box in children] == [0.5, 0.25]
    assert children[0][1] == left
    assert children[1][1] == left + round(children[0][2])


def test_boxes_too_narrow_to_be_seen_are_left_out() -> None:
    """A recording has a hundred thousand of them."""
    assert len(boxes(whole(node("a", 99.99), node("thin", 0.01)))) == 2


def test_a_label_is_cut_to_its_box_and_left_out_of_a_narrow_one() -> None:
    """The whole name is in what the box tells."""
    long = "a_rather_long_name_of_a_function"
    labels = {told.split(" ")[0]: label for told, _, _, label in boxes(whole(node(long, 10), node("narrow", 1)))}
    assert labels[long].endswith("..")
    assert long.startswith(labels[long].removesuffix(".."))
    assert labels["narrow"] == ""


def test_a_recursion_without_end_ends() -> None:
    """Two hundred levels are more than anybody scrolls."""
    chain = node("f", 1)
    for _ in range(400):
        chain = node("f", 1, chain)
    assert len(boxes(whole(chain, total=1.0))) == 201


def test_an_empty_recording_is_a_picture_of_nothing() -> None:
    """No division by it."""
    assert boxes(whole(total=0.0))[0][0] == "all 0.0%"


def test_what_waits_has_a_colour_of_its_own() -> None:
    """And the colours are explained in the picture."""
    picture = svg(whole(node("recv", 100, shade=Shade.BLOCKING)), "t")
    assert picture.count("#e5484d") == 2
    assert "blocking: #e5484d" in picture


def test_control_characters_are_written_as_their_escapes() -> None:
    """No version of XML takes them."""
    assert "\\x1b[31mred" in boxes(whole(node(HOSTILE, 100)))[1][0]
