"""Tests of one engine's page over time: who takes it, under which name, restarts, age, and pages that are none."""

from __future__ import annotations

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.engines.vllm import ADAPTER
from perfconsole.sources.inforoutes import read_info
from perfconsole.sources.targetpage import TargetFacts, TargetPage, default_facts
from tests.sources.enginepages import ENGINE, LITTLE, START, A, B, capture, counting, little, numbers, page, poll, value

NGINX = b"Active connections: 3 \nserver accepts handled requests\n 17 17 42 \nReading: 0 Writing: 1 Waiting: 2 \n"
PROVISIONAL = Entity(Kind.ENGINE, "127.0.0.1:8000")


def _known() -> TargetPage:
    """An engine that has given one page."""
    engine = page()
    assert engine.batch(poll(LITTLE)).error is None
    return engine


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("127.0.0.1:8000", "vllm:8000"),
        ("localhost:8000", "vllm:8000"),
        ("::1:8000", "vllm:8000"),
        ("[::1]:8000", "vllm:8000"),
        ("gpu-07:8000", "vllm@gpu-07:8000"),
        ("10.0.0.7:80", "vllm@10.0.0.7:80"),
        ("recording", "vllm"),
    ],
)
def test_an_engine_is_named_by_kind_and_place(address: str, name: str) -> None:
    """The port tells local engines apart, host and port all others."""
    engine = page(address)
    engine.batch(poll(LITTLE))
    assert engine.entity == Entity(Kind.ENGINE, name)


def test_an_engine_is_its_address_until_it_is_known() -> None:
    """Before the first page there is nothing else to call it."""
    assert page("gpu-07:8000").entity == Entity(Kind.ENGINE, "gpu-07:8000")


def test_a_given_name_stays() -> None:
    """The name of the configuration is used before and after, and nothing is gone."""
    engine = page(name="chat")
    batch = engine.batch(poll(LITTLE))
    assert (engine.entity, batch.source, batch.gone) == (Entity(Kind.ENGINE, "chat"), "chat", ())


def test_the_source_keeps_its_name_when_the_engine_becomes_known() -> None:
    """A health line does not jump."""
    engine = page()
    before = engine.batch(poll(b"x 1\n")).source
    assert engine.batch(poll(LITTLE)).source == before == "127.0.0.1:8000"


def test_the_provisional_name_is_gone_once() -> None:
    """The first batch under the real name takes the provisional one away, later ones take nothing."""
    engine = page()
    assert engine.batch(poll(b"")).gone == ()
    assert engine.batch(poll(LITTLE)).gone == (PROVISIONAL,)
    assert engine.batch(poll(LITTLE, 1)).gone == ()


def test_the_provisional_name_is_gone_however_the_adapter_became_known() -> None:
    """Known by another route than its page, with the next page unreadable: the old name goes all the same."""
    engine = page()
    engine.failed(poll(b""), "refused")
    engine.take(ADAPTER)
    assert engine.failed(poll(b""), "no answer").gone == (PROVISIONAL,)


@pytest.mark.parametrize("name", ["vllm/load.prom", "vllm_dp2/load.prom", "vllm_old/0.6.6.prom"])
def test_pages_of_vllm_are_recognised(name: str) -> None:
    """Captured and old pages alike."""
    engine = page()
    assert (engine.batch(poll(capture(name))).error, engine.adapter) == (None, ADAPTER)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(capture("production-stack/router.prom"), id="router with names of vllm"),
        pytest.param(capture("vllm-router/after.prom"), id="vllm-router"),
        pytest.param(capture("node_exporter/idle.prom"), id="node_exporter"),
        pytest.param(capture("sglang/page.prom"), id="sglang"),
        pytest.param(capture("litellm/idle.prom"), id="litellm"),
        pytest.param(capture("vllm_nostats/idle.prom"), id="page without statistics"),
        pytest.param(b"# only a comment\n", id="comment"),
        pytest.param(b'xvllm:num_requests_running{model_name="m"} 1\n', id="another prefix"),
        pytest.param(b'vllm:num_requests_running{server="h"} 1\n', id="no model"),
    ],
)
def test_the_page_of_another_program_is_not_taken_for_vllm(body: bytes) -> None:
    """Prefix and label decide; the error says what the page has."""
    engine = page()
    batch = engine.batch(poll(body))
    assert engine.adapter is None
    assert batch.error is not None
    assert batch.error.startswith("no engine that is known here has such a page (it has ")
    assert (batch.samples, batch.entities) == ((), (PROVISIONAL,))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (LITTLE[:-5], "page stops in the middle"),
        (capture("vllm/load.prom")[:30_001], "page stops in the middle"),
        (NGINX, "line "),
        (b"\x00\xff\xfe\x80" * 50, "line 1"),
        (b"", "the page is empty"),
        (b"\n \n", "the page is empty"),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_a_page_that_cannot_be_read_is_an_error(body: bytes, says: str, known: bool) -> None:  # noqa: FBT001 - parameter
    """Cut, garbage, HTML or nothing: no sample is used, before and after the engine is known."""
    batch = (_known() if known else page()).batch(poll(body))
    assert batch.samples == ()
    assert batch.error is not None
    assert says in batch.error


def test_a_web_page_is_called_one() -> None:
    """Whoever mistyped a port sees what is there; of a program that is known the fault is that of its page."""
    web = b"\n<!doctype html>\n<html></html>\n"
    stranger, known = page().batch(poll(web)), _known().batch(poll(web))
    assert stranger.error == "it is a web page: no engine that is known here has such a page"
    assert known.error is not None
    assert "line 2" in known.error


def test_an_engine_stays_known_through_a_bad_page() -> None:
    """One cut page changes neither name nor adapter."""
    engine = _known()
    engine.batch(poll(LITTLE[:-5]))
    batch = engine.batch(poll(LITTLE))
    assert (batch.error, batch.entities) == (None, (ENGINE,))


def test_a_page_without_statistics_says_what_to_do() -> None:
    """Known by another route, its page has none of its own series: that is a remark with advice, not an error."""
    engine = page()
    engine.take(ADAPTER)
    batch = engine.batch(poll(capture("vllm_nostats/idle.prom")))
    assert batch.error is None
    assert [note for note in batch.notes if "--disable-log-stats" in note] == [ADAPTER.silent_hint]
    assert numbers(batch.samples, "engine.requests_running") == {}
    assert value(batch, "engine.uptime") is not None


def test_another_start_is_a_restart() -> None:
    """Counters began anew when the process start moved."""
    engine = _known()
    assert engine.batch(poll(little("1.70000005e9"), 1)).restarted == (ENGINE,)


@pytest.mark.parametrize("started", ["1.7e9", "1.7000000015e9", "1.6999999985e9", "NaN"])
def test_a_clock_that_was_set_is_no_restart(started: str) -> None:
    """Less than two seconds of difference, or no start at all, tell nothing."""
    engine = _known()
    assert engine.batch(poll(little(started), 1)).restarted == ()


def test_the_first_page_is_no_restart() -> None:
    """There is nothing to compare it with."""
    assert page().batch(poll(LITTLE)).restarted == ()


def test_a_restart_is_seen_across_failed_polls_and_told_once() -> None:
    """The start is remembered while the engine is down."""
    engine = _known()
    engine.failed(poll(b""), "refused")
    assert engine.batch(poll(little("1.7000005e9"), 9)).restarted == (ENGINE,)
    assert engine.batch(poll(little("1.7000005e9"), 10)).restarted == ()


def test_a_restart_lets_a_vanished_error_counter_be_zero() -> None:
    """The table of series is told: what the old process had met the new one has not."""
    engine = page()
    good, error = (b'http_requests_total{handler="/v1",status="%s"} 3\n' % status for status in (b"2xx", b"5xx"))
    bodies = (LITTLE + good + error, little(A) + good, little(B) + good)
    seen = [numbers(engine.batch(poll(b, t)).samples, "engine.requests_failed") for t, b in enumerate(bodies)]
    assert [parts.get((("seen", "http"),)) for parts in seen] == [3.0, None, 0.0]


def test_a_known_engine_whose_page_has_none_of_its_series_is_an_error() -> None:
    """Something else may answer there now; its page is used for nothing."""
    batch = _known().batch(poll(b"process_start_time_seconds 1.7e9\nx 1\n", 1))
    assert batch.error == "the page no longer has vLLM's series: what answers here now?"
    assert (batch.samples, batch.notes, batch.entities) == ((), (), (ENGINE,))


def test_a_restart_behind_such_a_page_is_told_with_the_first_one_that_is_used() -> None:
    """A new process whose first page is bare must not hide that the counters began anew."""
    engine = _known()
    assert engine.batch(poll(f"process_start_time_seconds {B}\n".encode(), 1)).restarted == ()
    assert engine.batch(poll(little(B), 2)).restarted == (ENGINE,)


def test_a_rank_that_is_gone_is_a_remark_of_the_batch() -> None:
    """It is shown beside the numbers that are left."""
    engine = page()
    engine.batch(poll(counting(1, 2)))
    batch = engine.batch(poll(counting(2), 1))
    assert (batch.error, batch.notes) == (None, ("rank 1 is no longer on the page",))


@pytest.mark.parametrize("body", [b"", b"x 1\n", NGINX, LITTLE], ids=["empty", "stranger", "no page", "known"])
def test_every_batch_says_where_the_engine_is(body: bytes) -> None:
    """Checks of an engine that is down or unknown need its address as well."""
    batch = page(url="http://127.0.0.1:8000").batch(poll(body))
    (entity,) = batch.entities
    assert [(f.name, f.entity, f.value) for f in batch.facts] == [
        ("engine.url", entity, "http://127.0.0.1:8000"),
        ("engine.port", entity, "8000"),
    ]


@pytest.mark.parametrize("body", [b"", LITTLE])
def test_a_recording_is_nowhere(body: bytes) -> None:
    """Without an address no place is made up."""
    assert page("recording").batch(poll(body)).facts == ()


@pytest.mark.parametrize(("known", "begins"), [(False, True), (True, False)])
def test_text_that_is_no_page_is_called_a_stranger_only_while_nothing_is_known(*, known: bool, begins: bool) -> None:
    """nginx at a port named by mistake is no broken vLLM, and a broken vLLM is no stranger."""
    error = (_known() if known else page()).batch(poll(NGINX)).error
    assert error is not None
    assert error.startswith("no engine that is known here has such a page; as Prometheus text: line ") is begins


def test_uptime_counts_from_the_process_start() -> None:
    """Wall time of the poll less the start on the page."""
    assert value(page().batch(poll(LITTLE, 5.0)), "engine.uptime") == 1005.0


def test_uptime_falls_back_on_the_creation_of_a_counter() -> None:
    """A page without process figures tells its age by the oldest of its ranks' counters."""
    body = b"".join(LITTLE.splitlines(keepends=True)[2:])
    for rank, late in (("0", 60), ("1", 40)):
        body += f'vllm:generation_tokens_created{{engine="{rank}",model_name="m"}} {START + late}\n'.encode()
    assert value(page().batch(poll(body)), "engine.uptime") == 960.0


def test_uptime_is_missing_when_the_start_is_unknown() -> None:
    """NaN is no start, and no uptime of 0 s."""
    assert value(page().batch(poll(little("NaN"))), "engine.uptime") is None


def test_a_start_in_the_future_is_no_negative_uptime() -> None:
    """Two clocks that differ never give less than nothing."""
    assert value(page().batch(poll(little("1.8e9"))), "engine.uptime") == 0.0


def test_the_age_of_the_page_grows_while_its_cpu_time_stands() -> None:
    """A page that is served from a cache gets old."""
    engine = page()
    ages = [
        value(engine.batch(poll(little(cpu=cpu), float(t))), "engine.metrics_age") for t, cpu in enumerate("1223334")
    ]
    assert ages == [0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 0.0]


def test_a_page_is_never_younger_than_new() -> None:
    """Time that goes back gives no negative age."""
    engine = page()
    engine.batch(poll(LITTLE, 9.0))
    assert value(engine.batch(poll(LITTLE, 5.0)), "engine.metrics_age") == 0.0


@pytest.mark.parametrize("cpu", [b"NaN", None])
def test_the_age_is_missing_without_a_sample_that_moves(cpu: bytes | None) -> None:
    """A multi-process page has no process figures, so its age is unknown and not 0."""
    body = LITTLE.replace(b"12.5", cpu) if cpu else b"".join(LITTLE.splitlines(keepends=True)[2:])
    assert value(page().batch(poll(body)), "engine.metrics_age") is None


def test_the_cost_of_the_poll_is_a_sample() -> None:
    """What the page took is shown as any other figure."""
    assert value(page().batch(poll(LITTLE, took_s=0.25)), "engine.scrape_time") == 0.25


def test_an_untimed_poll_has_no_cost() -> None:
    """A recording that does not say what its polls took is not one of polls that took no time."""
    assert value(page().batch(poll(LITTLE, took_s=0.0)), "engine.scrape_time") is None


def test_facts_travel_with_every_page() -> None:
    """Numbers as samples with their part, words as facts of the engine."""
    engine = _known()
    engine.facts = TargetFacts("0.32.0", (("engine.max_model_len", 512.0, ()),), (("engine.model", "tiny"),))
    batch = engine.batch(poll(LITTLE, 1))
    assert numbers(batch.samples, "engine.max_model_len") == {(): 512.0}
    assert ("engine.model", ENGINE, "tiny") in [(f.name, f.entity, f.value) for f in batch.facts]


def test_remarks_need_the_release() -> None:
    """Once the version is known the page is compared with what that release exports."""
    engine = _known()
    engine.facts = TargetFacts("0.32.0")
    assert any("should export" in note for note in engine.batch(poll(LITTLE, 1)).notes)


def test_defaults_fill_only_what_nothing_states() -> None:
    """A stated fact keeps the default of its release away, and so does another release."""
    names = [name for name, _, _ in default_facts(ADAPTER, "0.7.3", {"engine.tensor_parallel"})]
    assert "engine.max_num_seqs" in names
    assert "engine.tensor_parallel" not in names
    assert "engine.max_num_seqs" not in [name for name, _, _ in default_facts(ADAPTER, "0.32.0", set())]


@pytest.mark.parametrize("version", ["", "0.1.dev1+gabc"])
def test_an_unknown_release_has_no_default_that_changed(version: str) -> None:
    """Only what was the same in all releases is assumed of one that is not known."""
    names = {name for name, _, _ in default_facts(ADAPTER, version, set())}
    assert not {"engine.max_num_seqs", "engine.chunked_prefill"} & names


def test_info_documents_become_facts() -> None:
    """Paths lead into objects and lists; a number stays a number and a word a word."""
    documents: dict[str, object] = {
        "/version": {"version": "0.32.0"},
        "/v1/models": {"data": [{"id": "tiny", "max_model_len": 512}]},
    }
    facts = read_info(ADAPTER, documents)
    assert facts.version == "0.32.0"
    assert dict(facts.texts) == {"engine.version": "0.32.0", "engine.model": "tiny"}
    assert ("engine.max_model_len", 512.0, ()) in facts.samples


@pytest.mark.parametrize(
    "models", [None, [], {}, {"data": []}, {"data": {}}, {"data": [None]}, {"data": [{"max_model_len": True}]}, "x", 3]
)
def test_a_document_of_another_shape_gives_no_fact(models: object) -> None:
    """Whatever a route answers, what is not there is not made up."""
    facts = read_info(ADAPTER, {"/version": None, "/v1/models": models})
    assert (facts.version, facts.texts) == ("", ())
    assert "engine.max_model_len" not in [name for name, _, _ in facts.samples]


def test_words_of_an_engine_hold_no_control_characters() -> None:
    """A model name moves no cursor."""
    facts = read_info(ADAPTER, {"/v1/models": {"data": [{"id": "a\x1b[2Jb"}]}})
    assert facts.texts == (("engine.model", "a?[2Jb"),)
