"""A profile survives its file, and what is no profile says why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.core.profilecodec import ProfileError, decode, encode
from perfconsole.model.entity import Kind
from perfconsole.model.profile import HealthyValue, Identity, Profile
from tests.core.profiles import profile

TEXTS = st.text(max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PROFILES = st.builds(
    Profile,
    name=TEXTS,
    identity=st.builds(
        Identity,
        kind=st.sampled_from(list(Kind)),
        adapter=TEXTS,
        model=TEXTS,
        build=TEXTS,
        config=st.dictionaries(TEXTS, NUMBERS | TEXTS, max_size=3).map(lambda d: tuple(sorted(d.items()))),
        entity=TEXTS,
    ),
    values=st.dictionaries(TEXTS, st.tuples(NUMBERS, TEXTS, st.booleans(), st.booleans()), max_size=3).map(
        lambda d: tuple(HealthyValue(n, v, u, whole=w, client=c) for n, (v, u, w, c) in d.items())
    ),
    healthy_s=NUMBERS,
    requests=st.none() | NUMBERS,
    wall=st.floats(0, 253_402_300_799),
    host=TEXTS,
    tool=TEXTS,
    despite=st.lists(TEXTS, max_size=2).map(tuple),
    probe=TEXTS,
)


def broken(path: str, value: object) -> dict[str, Any]:
    """The document of a profile with one place changed, `identity.layer`."""
    document = encode(profile())
    *above, last = path.split(".")
    inner = document
    for key in above:
        inner = inner[key]
    inner[last] = value
    return document


@given(PROFILES)
def test_a_profile_comes_back_as_it_was(one: Profile) -> None:
    """Through JSON and back, whatever its names and figures."""
    assert decode(json.loads(json.dumps(encode(one)))) == one


@given(JSON)
def test_a_foreign_document_is_refused_and_never_crashes(document: object) -> None:
    """Whatever a file may hold."""
    with pytest.raises(ProfileError):
        decode(document)


@given(st.sampled_from(["name", "wall", "values", "identity", "identity.layer", "healthy_s", "despite"]), JSON)
def test_a_damaged_profile_is_refused_or_read(path: str, value: object) -> None:
    """One place is something else: never another error."""
    try:
        assert isinstance(decode(broken(path, value)), Profile)
    except ProfileError as error:
        assert str(error)  # noqa: PT017 - a refusal must say why; a good value is no refusal


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("schema", 2, "schema 2 is not the one"),
        ("format", "other", "no baseline of perfconsole"),
        ("identity.layer", "engien", "layer 'engien' is none"),
        ("healthy_s", "long", "healthy_s is no number"),
        ("requests", True, "requests is no number"),
        ("wall", 10**400, "wall is no number"),
        ("name", 7, "name is no text"),
        ("despite", [7], "despite is no list of words"),
        ("values", [], "values is no table"),
    ],
)
def test_a_refusal_says_what_is_wrong(path: str, value: object, said: str) -> None:
    """One clear line."""
    with pytest.raises(ProfileError, match=said):
        decode(broken(path, value))
