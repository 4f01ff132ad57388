"""Agreement with prometheus_client, with a parser that remembers nothing, and only PageError for garbage."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import ALLOWUTF8, generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families as prometheus_families

from perfconsole.sources.exposition import Page, PageError, PageParser

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client.metrics_core import Metric

CAPTURES = Path(__file__).parent.parent / "captures"
PAGES = sorted(CAPTURES.glob("*/*.prom"))
NASTY = '\\"\n{},=# \té\N{SNOWMAN}\N{GRINNING FACE}nab1'

Reading = tuple[str, tuple[tuple[str, str], ...], str, float | None]
"""Name (with the `_total` that prometheus_client adds to counters), labels, value, timestamp.

The value is text, so that NaN equals NaN; -0 is 0.
"""


def ours(page: Page) -> Counter[Reading]:
    """Count the readings of a page, its counters with the `_total` that prometheus_client adds."""
    readings: Counter[Reading] = Counter()
    for index, (series, value) in enumerate(zip(page.series, page.values, strict=True)):
        added = "_total" if page.types.get(series.name) == "counter" and not series.name.endswith("_total") else ""
        readings[series.name + added, series.labels, repr(value + 0.0), page.timestamps.get(index)] += 1
    return readings


def theirs(families: Iterable[Metric]) -> Counter[Reading]:
    """Count the readings of what prometheus_client parsed."""
    return Counter(
        (
            sample.name,
            tuple(sorted(sample.labels.items())),
            repr(float(sample.value) + 0.0),
            None if sample.timestamp is None else float(sample.timestamp),
        )
        for family in families
        for sample in family.samples
    )


def by_name(readings: Counter[Reading]) -> list[Reading]:
    """Sort readings so that a difference is readable."""
    return sorted(readings.elements(), key=str)


@dataclass(frozen=True, eq=False)
class Family:
    """A collector that gives one family again."""

    metric: Metric

    def collect(self) -> Iterator[Metric]:
        """Give the family."""
        yield self.metric


def as_openmetrics(family: Metric) -> str:
    """Write one family as a page of OpenMetrics; families of one server often clash in that format."""
    registry = CollectorRegistry()
    registry.register(Family(family))
    page: bytes = generate_latest(registry, ALLOWUTF8)  # type: ignore[no-untyped-call] # prometheus_client has no types here
    return page.decode()


def their_openmetrics(text: str) -> Counter[Reading]:
    """Count the readings of an OpenMetrics page as prometheus_client parses it."""
    return theirs(openmetrics_families(text))  # type: ignore[no-untyped-call] # prometheus_client has no types here


def named(path: Path) -> str:
    """Name of a captured page in test names."""
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_captured_pages_agree(path: Path) -> None:
    """A page from a real server has the samples that prometheus_client finds on it."""
    page = PageParser().parse(path.read_bytes())
    assert by_name(ours(page)) == by_name(theirs(prometheus_families(path.read_text())))


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_captured_pages_agree_in_openmetrics(path: Path) -> None:
    """Each family, written again as OpenMetrics, has the samples that prometheus_client finds there."""
    parser = PageParser()
    for family in prometheus_families(path.read_text()):
        text = as_openmetrics(family)
        page = parser.parse(text.encode(), openmetrics=True)
        assert by_name(ours(page)) == by_name(their_openmetrics(text))


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_captured_pages_read_carefully(path: Path) -> None:
    """The quick way gives what the whole grammar gives, which a line of blanks asks for."""
    page = path.read_bytes()
    assert_same(PageParser().parse(page), PageParser().parse(page + b" \n"))


plain_names = st.from_regex(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,6}", fullmatch=True)
any_text = st.text(st.sampled_from(NASTY) | st.characters(exclude_categories=["Cs"]), max_size=8)
quoted_names = any_text.filter(bool)
label_names = (st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,4}", fullmatch=True) | quoted_names).filter(
    lambda name: not name.startswith("__")
)
values = (
    st.floats().map(repr)
    | st.integers(-(10**20), 10**20).map(str)
    | st.sampled_from(["+Inf", "-Inf", "Inf", "inf", "NaN", "nan", "1e+06", "+1", ".5", "5.", "1E3", "-0"])
)
blanks = st.sampled_from(["", "", " ", "\t", "  "])
none = st.just("")


def quoted(text: str) -> str:
    """Write a string with its quotes and escapes."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def is_plain(name: str) -> bool:
    """Whether a label name needs no quotes."""
    return name.isascii() and name.isidentifier()


@st.composite
def series(draw: st.DrawFn, name: str, space: st.SearchStrategy[str] = blanks, comma: str = ",") -> str:
    """Write a series with labels in any order, blanks wherever they may stand and perhaps a comma behind the last."""
    labels = draw(st.dictionaries(label_names, any_text, max_size=4))
    items = [
        f"{key if is_plain(key) else quoted(key)}{draw(space)}={draw(space)}{quoted(value)}"
        for key, value in labels.items()
    ]
    plain = is_plain(name.replace(":", "_"))
    if plain and not items and draw(st.booleans()):
        return name
    items = items if plain else [quoted(name), *items]
    trailing = draw(st.sampled_from(["", comma])) if items else ""
    block = f",{draw(space)}".join(items) + trailing
    return f"{name if plain else ''}{{{draw(space)}{block}{draw(space)}}}"


@st.composite
def families(draw: st.DrawFn) -> str:
    """Write a page of Prometheus text with families of any names."""
    lines = []
    for name in draw(st.lists(plain_names | quoted_names, max_size=4, unique=True)):
        written = name if is_plain(name.replace(":", "_")) else quoted(name)
        lines.append(f"# TYPE {written} {draw(st.sampled_from(['gauge', 'untyped']))}\n")
        for _ in range(draw(st.integers(0, 3))):
            stamp = draw(none | st.integers(-(10**13), 10**13).map(lambda ms: f" {ms}"))
            lines.append(f"{draw(series(name))} {draw(values)}{stamp}{draw(blanks)}\n")
        lines.append(draw(st.sampled_from(["", "\n", '# HELP m \\\\ \\n "\n', "# words\n", "#\n"])))
    return "".join(lines)


# prometheus_client does not know escapes in exemplars.
exemplars = series("x", none, "").filter(lambda text: "\\" not in text).map(lambda text: f" # {text[1:] or '{}'} 0.5")


@st.composite
def openmetrics_pages(draw: st.DrawFn) -> str:
    """Write a page of OpenMetrics with counters, exemplars and timestamps."""
    lines = []
    for name in draw(st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), max_size=4, unique=True)):
        lines.append(f"# HELP {name} Text.\n# TYPE {name} counter\n")
        stamp = draw(none | st.integers(0, 10**10).map(lambda quarters: f" {quarters / 4}"))
        written = draw(series(f"{name}_total", none, ""))
        exemplar = draw(none | exemplars)
        lines.append(f"{written} {draw(st.integers(0, 10**9))}{stamp}{exemplar}\n")
    return "".join((*lines, "# EOF\n"))


@given(families())
def test_generated_pages_agree(text: str) -> None:
    """Whatever names, labels and values a page has, prometheus_client finds the same samples on it."""
    page = PageParser().parse(text.encode())
    assert by_name(ours(page)) == by_name(theirs(prometheus_families(text)))


@given(openmetrics_pages())
def test_generated_openmetrics_pages_agree(text: str) -> None:
    """Exemplars and timestamps of OpenMetrics are read as prometheus_client reads them."""
    page = PageParser().parse(text.encode(), openmetrics=True)
    assert by_name(ours(page)) == by_name(their_openmetrics(text))


@given(st.lists(families(), min_size=1, max_size=4))
def test_memory_changes_nothing(texts: list[str]) -> None:
    """A parser that has seen other pages, and this one, reads it as a new parser does."""
    parser = PageParser(max_series=8)
    for text in [*texts, *texts]:
        assert_same(parser.parse(text.encode()), PageParser().parse(text.encode()))


@given(families())
def test_quick_and_careful_agree(text: str) -> None:
    """A line of blanks, which asks for the careful way, changes nothing."""
    assert_same(PageParser().parse(text.encode()), PageParser().parse(text.encode() + b" \n"))


@given(families(), st.data())
def test_wanted_is_a_filter(text: str, data: st.DataObject) -> None:
    """Asking for some names gives exactly their samples, with their timestamps."""
    page = PageParser().parse(text.encode())
    names = data.draw(st.sets(st.sampled_from([series.name for series in page.series] or ["m"])))
    parser = PageParser(names.__contains__)
    expected = Counter({reading: count for reading, count in ours(page).items() if reading[0] in names})
    assert ours(parser.parse(text.encode())) == ours(parser.parse(text.encode())) == expected


def assert_same(page: Page, other: Page) -> None:
    """Two pages with the same contents; NaN equals NaN."""
    assert list(map(repr, page.values)) == list(map(repr, other.values))
    assert (page.series, page.types, page.timestamps) == (other.series, other.types, other.timestamps)


def parse_or_refuse(page: bytes, *, openmetrics: bool) -> Page | None:
    """Parse with a parser that knows a page already; None for a refusal."""
    parser = PageParser()
    parser.parse(b'm{a="1"} 1\nm 1\n')
    try:
        return parser.parse(page, openmetrics=openmetrics)
    except PageError:
        return None


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused(page: bytes, openmetrics: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    """Bytes without meaning raise PageError or are a page; nothing else happens."""
    parse_or_refuse(page, openmetrics=openmetrics)


@given(
    st.lists(
        st.sampled_from(["m", "{", "}", '"', "=", ",", " ", "\\", "\n", "#", "1", "a", "\t", "# EOF"]), max_size=24
    )
)
def test_any_tokens_are_read_or_refused(tokens: list[str]) -> None:
    """Pieces of the format in any order are read as a new careful parser reads them, or refused."""
    text = "".join(tokens).encode()
    for openmetrics in (False, True):
        page = parse_or_refuse(text, openmetrics=openmetrics)
        if page is not None and not openmetrics:
            assert_same(page, PageParser().parse(b" \n" + text))


@given(families(), st.data())
def test_damaged_pages_are_read_or_refused(text: str, data: st.DataObject) -> None:
    """A page with some bytes replaced raises PageError or is a page; cut inside a line it is refused."""
    page = text.encode()
    start = data.draw(st.integers(0, len(page)))
    damage = data.draw(st.binary(max_size=3))
    parse_or_refuse(page[:start] + damage + page[start + len(damage) :], openmetrics=False)
    if start and page[start - 1 : start] != b"\n":
        assert parse_or_refuse(page[:start], openmetrics=False) is None


CHANGES = ("1", "NaN", "-2.5e3", "+Inf", "1_0", "", "7 1700000000000", '7 # {a="b"} 1', " 7", "x", '{a="b"} 5', "7 ")
"""What may stand where the value stood a second ago, well written or not."""


def outcome(parser: PageParser, page: bytes) -> tuple[Counter[Reading], dict[str, str]] | str:
    """What a parser makes of a page."""
    try:
        read = parser.parse(page)
    except PageError as error:
        return str(error)
    return ours(read), read.types


@given(families(), st.data())
def test_a_page_that_comes_again_reads_as_if_it_were_new(text: str, data: st.DataObject) -> None:
    """With other values, and with lines changed, gone, doubled or swapped, whatever was there a second ago."""
    lines = text.splitlines()
    wanted = (lambda name: len(name) % 2 == 0) if data.draw(st.booleans()) else None
    parser = PageParser(wanted)
    for _ in range(4):
        assert outcome(parser, "\n".join([*lines, ""]).encode()) == outcome(
            PageParser(wanted), "\n".join([*lines, ""]).encode()
        )
        for _ in range(data.draw(st.integers(0, 3)) if lines else 0):
            place, how = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, 6))
            head = lines[place].rpartition(" ")[0]
            other = data.draw(st.integers(0, len(lines) - 1))
            match how:
                case 0:
                    lines[place : place + 1] = [lines[place], lines[place]]
                case 1:
                    lines[place], lines[other] = lines[other], lines[place]
                case 2:
                    lines[place] += data.draw(st.sampled_from(("x", " 5", "")))
                case _:
                    lines[place] = f"{head} {data.draw(st.sampled_from(CHANGES))}"


@given(families())
def test_the_places_of_a_name_are_where_it_stands(text: str) -> None:
    """Also for a page that comes again, of which they are known already."""
    parser = PageParser()
    for _ in range(2):
        page = parser.parse(text.encode())
        for name in {series.name for series in page.series} | {"none"}:
            assert list(page.places(name)) == [i for i, series in enumerate(page.series) if series.name == name]
