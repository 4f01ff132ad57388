"""Tests of recorded pages: the format, files that end too soon, failed polls, and the batches of a replay."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from perfconsole.core.session import Session
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.sample import Batch, Sample, SeriesKey
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.layer import ENGINE
from perfconsole.sources.recorded import RecordedPage, Replay, read_meta, read_pages
from perfconsole.sources.targetpage import TargetFacts
from tests.sources.enginepages import CAPTURES, LITTLE, value

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = Entity(Kind.ENGINE, "vllm")
SERVE = "vllm serve m --max-num-seqs 8 --api-key sekret"


def _file(folder: Path, *parts: bytes, name: str = "series.prom") -> Path:
    path = folder / name
    path.write_bytes(b"".join(parts))
    return path


def _head(t: float, rest: str = "") -> bytes:
    return f"# t {t}{rest}\n".encode()


def _pages(folder: Path, *parts: bytes) -> list[RecordedPage]:
    return list(read_pages(_file(folder, *parts)))


def _replay(path: Path) -> list[tuple[Batch, ...]]:
    return list(Replay(path, ((ENGINE, (ADAPTER,)),), DEFAULT).batches())


def test_pages_come_with_time_cost_and_body(tmp_path: Path) -> None:
    """The head line holds the moment and what the poll took."""
    pages = _pages(tmp_path, _head(100.5, f" ms=20.5 bytes={len(LITTLE)}"), LITTLE, _head(101), LITTLE)
    assert pages == [RecordedPage(100.5, 0.0205, LITTLE, ""), RecordedPage(101.0, 0.0, LITTLE, "")]


def test_a_packed_file_reads_as_a_plain_one(tmp_path: Path) -> None:
    """The content decides, not the name."""
    text = _head(1) + LITTLE + _head(2) + LITTLE
    assert list(read_pages(_file(tmp_path, gzip.compress(text), name="a"))) == _pages(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"up 1\n", "series.prom:1: not a recording: it must start with a line `# t EPOCH`"),
        (b"\n# t 1\n", "series.prom:1: not a recording"),
        (b"# t now\n", "series.prom:1: not a recording"),
        (b"", "series.prom: the recording is empty"),
        (b"# t 1\nup 1\n# t two\nup 1\n", "series.prom:3: this line must read `# t EPOCH"),
        (b"# t 1\nup 1\n# t 2 ms\nup 1\n", "series.prom:3: this line must read `# t EPOCH"),
    ],
)
def test_a_file_of_another_form_is_refused_with_the_place(tmp_path: Path, text: bytes, says: str) -> None:
    """Two pages are never taken for one because a line between them cannot be read."""
    with pytest.raises(UsageError) as caught:
        _pages(tmp_path, text)
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    """The reason of the system is in the text."""
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        list(read_pages(tmp_path / "none"))


def test_a_folder_is_a_usage_error(tmp_path: Path) -> None:
    """What cannot be read says so."""
    with pytest.raises(UsageError, match="cannot be read"):
        list(read_pages(tmp_path))


def test_a_damaged_packed_file_is_a_usage_error(tmp_path: Path) -> None:
    """Bytes that were changed are no recording."""
    packed = bytearray(gzip.compress(_head(1) + LITTLE * 50))
    packed[30:40] = bytes(10)
    with pytest.raises(UsageError, match="damaged gzip file"):
        list(read_pages(_file(tmp_path, bytes(packed))))


@pytest.mark.parametrize("missing", [1, 8, 9, 200])
def test_a_packed_file_cut_at_the_end_gives_what_is_whole(tmp_path: Path, missing: int) -> None:
    """A recorder that was killed leaves its pages; the last one counts as cut and not as a small page."""
    series = gzip.decompress((CAPTURES / "vllm_hang/series.prom.gz").read_bytes())
    three = b"# t ".join(series.split(b"# t ")[:4])
    whole, cut = gzip.compress(three), gzip.compress(three)[:-missing]
    before, after = (_replay(_file(tmp_path, data)) for data in (whole, cut))
    assert [p for p, _ in after[:2]] == [p for p, _ in before[:2]]
    assert "page stops in the middle" in (after[2][0].error or "")


def test_a_plain_file_cut_within_a_page_gives_an_error_for_it(tmp_path: Path) -> None:
    """The cut page is not used, those before are."""
    batches = _replay(_file(tmp_path, _head(1), LITTLE, _head(2), LITTLE[:-7]))
    assert [page.error is None for page, _ in batches] == [True, False]


@pytest.mark.parametrize("cut", ["# t 17", "# t 1700000", "# t 1700000001.", "# t ", "# t 1700000001 ms=3"])
def test_a_file_cut_within_a_head_gives_the_pages_before(tmp_path: Path, cut: str) -> None:
    """A time that lacks digits must not make the recording run backwards."""
    path = _file(tmp_path, _head(1_700_000_000), LITTLE, cut.encode())
    assert [page.error for page, _ in _replay(path)] == [None]


def test_fewer_bytes_than_announced_are_a_page_that_stops(tmp_path: Path) -> None:
    """A page cut at the end of a line still counts as cut."""
    short = b"".join(LITTLE.splitlines(keepends=True)[:-1])
    pages = _pages(tmp_path, _head(1, f" bytes={len(LITTLE)}"), short)
    assert pages[0].error == f"page stops in the middle ({len(short)} of {len(LITTLE)} bytes)"


def test_a_page_without_a_newline_of_its_own_is_whole(tmp_path: Path) -> None:
    """The newline that the recorder adds is not counted."""
    assert _pages(tmp_path, _head(1, f" bytes={len(LITTLE) - 1}"), LITTLE)[0].error == ""


def test_every_captured_page_has_its_announced_size() -> None:
    """All pages of a real recording are found, none of them cut."""
    path = CAPTURES / "vllm_hang/series.prom.gz"
    heads = gzip.decompress(path.read_bytes()).count(b"# t 17")
    pages = list(read_pages(path))
    assert heads > 4
    assert (len(pages), {page.error for page in pages}) == (heads, {""})


@pytest.mark.parametrize(("text", "took_s"), [(" ms=12.5", 0.0125), (" ms=slow", 0.0), (" ms=", 0.0), ("", 0.0)])
def test_a_cost_that_cannot_be_read_is_none(tmp_path: Path, text: str, took_s: float) -> None:
    """Nothing stands for an unknown cost."""
    assert _pages(tmp_path, _head(1, text), LITTLE)[0].took_s == took_s


def test_an_unknown_cost_is_no_sample(tmp_path: Path) -> None:
    """A recording without costs does not claim polls of 0 s."""
    assert value(_replay(_file(tmp_path, _head(1), LITTLE))[0][0], "engine.scrape_time") is None


def test_fields_that_are_no_text_are_no_fault(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 in a head line break nothing."""
    assert _pages(tmp_path, b"# t 1 note=\xff\n", LITTLE)[0].body == LITTLE


@pytest.mark.parametrize(
    ("error", "up"),
    [
        ("ConnectionRefusedError", 0.0),
        ("ConnectionResetError", 0.0),
        ("RemoteDisconnected", 0.0),
        ("TimeoutError", None),
        ("HTTPError", None),
    ],
)
def test_a_failed_poll_says_as_much_as_its_name(tmp_path: Path, error: str, up: float | None) -> None:
    """Refused is down; a time-out tells neither up nor down."""
    page, health = _replay(_file(tmp_path, _head(1), LITTLE, _head(2, f" error={error}")))[1]
    assert page.error == health.error == f"the recorded poll failed: {error}"
    assert value(health, "engine.up") == up
    assert page.samples == ()


def test_an_answered_poll_is_up(tmp_path: Path) -> None:
    """A page that came came from somebody."""
    page, health = _replay(_file(tmp_path, _head(1), LITTLE))[0]
    assert (page.error, health.error, value(health, "engine.up")) == (None, None, 1.0)
    assert page.entities == health.entities == (RECORDED,)


def test_an_error_line_at_the_end_without_newline_counts(tmp_path: Path) -> None:
    """A file written by hand need not end with a newline."""
    assert [p.error for p in _pages(tmp_path, _head(1), LITTLE, b"# t 2 error=TimeoutError")] == ["", "TimeoutError"]


def test_times_count_from_the_first_page(tmp_path: Path) -> None:
    """Monotonic time starts at 0, wall time is as recorded, and the pace is the median gap."""
    path = _file(tmp_path, *(part for t in (100, 102, 104, 109) for part in (_head(t), LITTLE)))
    replay = Replay(path, ((ENGINE, (ADAPTER,)),), DEFAULT)
    assert (replay.start, replay.seconds, replay.cadence_s) == (100.0, 9.0, 2.0)
    assert [(page.t, page.wall) for page, _ in replay.batches()] == [(0, 100), (2, 102), (4, 104), (9, 109)]


def test_pages_closer_than_a_second_have_the_fastest_cadence(tmp_path: Path) -> None:
    """A recording of ten pages a second is not staler after a third of one."""
    path = _file(tmp_path, *(part for t in (1.0, 1.1, 1.2) for part in (_head(t), LITTLE)))
    assert Replay(path, ((ENGINE, (ADAPTER,)),), DEFAULT).cadence_s == 1.0


def test_a_clock_that_was_set_back_is_a_usual_step(tmp_path: Path) -> None:
    """The polls keep their order and their pace, and the report says so."""
    path = _file(tmp_path, _head(10), LITTLE, _head(12), LITTLE, _head(5), LITTLE, _head(7), LITTLE)
    replay = Replay(path, ((ENGINE, (ADAPTER,)),), DEFAULT)
    found = [batches[0] for batches in replay.batches()]
    assert [b.t for b in found] == [0.0, 2.0, 4.0, 6.0]
    assert any("set back 1 times" in note for note in found[0].notes)


def test_a_poll_behind_a_page_without_its_last_newline_is_not_lost(tmp_path: Path) -> None:
    """Only the page that was cut counts as cut."""
    path = _file(tmp_path, _head(1700000001), LITTLE, b"half_a_li", _head(1700000002), LITTLE)
    pages = list(read_pages(path))
    assert [page.wall - pages[0].wall for page in pages] == [0.0, 1.0]
    assert pages[1].body == LITTLE


def _meta(folder: Path, document: object) -> TargetFacts:
    path = folder / "meta.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return read_meta(path, (ADAPTER,))


def test_the_command_line_of_the_recording_states_facts(tmp_path: Path) -> None:
    """The cap comes from argv, and what no flag states by default is filled in."""
    facts = _meta(tmp_path, {"flags": SERVE})
    assert ("engine.max_num_seqs", 8.0, (("origin", "argv"),)) in facts.samples
    assert ("engine.tensor_parallel", 1.0, (("origin", "default"),)) in facts.samples


def test_the_key_of_the_recording_stays_in_its_file(tmp_path: Path) -> None:
    """No secret of a command line is in any batch of the replay."""
    _meta(tmp_path, {"flags": SERVE})
    assert "sekret" not in repr(_replay(_file(tmp_path, _head(1), LITTLE)))


@pytest.mark.parametrize(
    "document", ["", "{", [], "[1]", {}, {"flags": None}, {"flags": "nginx -g x"}, {"flags": "'"}, {"flags": ""}]
)
def test_a_meta_file_without_a_command_line_states_nothing(tmp_path: Path, document: object) -> None:
    """What cannot be read is not needed."""
    assert _meta(tmp_path, document) == TargetFacts()


def test_flags_without_their_program_are_those_of_the_program_whose_pages_they_are(tmp_path: Path) -> None:
    """The pages say what it is; of other words that are no command line nothing is taken."""
    path = tmp_path / "meta.json"
    path.write_text(json.dumps({"flags": "-m x --max-num-seqs 8"}), encoding="utf-8")
    assert ("engine.max_num_seqs", 8.0, (("origin", "argv"),)) in read_meta(path, (ADAPTER,), ADAPTER).samples
    assert read_meta(path, (ADAPTER,)) == TargetFacts()
    path.write_text(json.dumps({"flags": "as before, --max-num-seqs 8"}), encoding="utf-8")
    assert read_meta(path, (ADAPTER,), ADAPTER) == TargetFacts()


def test_no_meta_file_states_nothing(tmp_path: Path) -> None:
    """A recording is a file; the one beside it may be missing."""
    assert read_meta(tmp_path / "meta.json", (ADAPTER,)) == TargetFacts()


def test_a_replay_carries_the_cap_with_its_origin() -> None:
    """Facts of the command line are samples of every page."""
    page, _ = next(Replay(CAPTURES / "vllm_hang/series.prom.gz", ((ENGINE, (ADAPTER,)),), DEFAULT).batches())
    assert _numbers(page, "engine.max_num_seqs") == {(("origin", "argv"),): 8.0}


def _numbers(batch: Batch, indicator: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Plain values of one indicator of the recorded engine."""
    there = [s for s in batch.samples if s.key.entity == RECORDED and s.key.indicator == indicator]
    return {s.key.labels: s.value for s in there if isinstance(s.value, float)}


def _ttft(*counts: int, total: float) -> bytes:
    labels = 'engine="0",model_name="m"'
    lines = [
        f'vllm:time_to_first_token_seconds_bucket{{{labels},le="{le}"}} {c}\n'
        for le, c in zip(("0.1", "0.5", "1.0", "+Inf"), counts, strict=True)
    ]
    lines += [
        f"vllm:time_to_first_token_seconds_{n}{{{labels}}} {v}\n" for n, v in (("count", counts[-1]), ("sum", total))
    ]
    return LITTLE + "".join(lines).encode()


def test_quantiles_are_those_of_the_difference_between_the_pages(tmp_path: Path) -> None:
    """Ten observations came: 2 up to 0.1 s, 6 up to 0.5 s, 2 up to 1 s, as histogram_quantile divides them."""
    path = _file(tmp_path, _head(1), _ttft(90, 95, 99, 100, total=9.0), _head(6), _ttft(92, 103, 109, 110, total=13.0))
    session = Session([])
    for batches in _replay(path):
        for batch in batches:
            session.apply(batch)
    found = {i.name: i.value for i in session.tick(5.0, 6.0).indicators if i.entity == RECORDED}
    assert found["engine.ttft.p50"] == pytest.approx(0.1 + 0.4 * (5 - 2) / 6)
    assert found["engine.ttft.p90"] == pytest.approx(0.5 + 0.5 * (9 - 8) / 2)
    assert found["engine.ttft.mean"] == pytest.approx(0.4)


def test_a_flag_of_another_source_wins_over_a_default(tmp_path: Path) -> None:
    """The default of a page that came first does not hide what the command line of the process states."""
    (tmp_path / "meta.json").write_text(json.dumps({"flags": "vllm serve m"}), encoding="utf-8")
    session = Session([])
    session.apply(_replay(_file(tmp_path, _head(1), LITTLE))[0][0])
    stated = Sample(SeriesKey("engine.tensor_parallel", RECORDED), 4.0)
    session.apply(Batch("processes", "processes", 0.0, 1.0, 1.0, samples=(stated,), took_s=0.1))
    found = {i.name: i.value for i in session.tick(0.0, 1.0).indicators if i.entity == RECORDED}
    assert found["engine.tensor_parallel"] == 4.0
