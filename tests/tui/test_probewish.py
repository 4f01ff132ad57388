"""Tests of what is to be probed: chosen by keys or said by a check, and what speaks against it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.model.entity import Entity, Kind
from perfconsole.model.probeplan import SCENARIOS
from perfconsole.model.rule import Severity
from perfconsole.model.sample import Fact
from perfconsole.sources.probetarget import keyless_target, probe_target
from perfconsole.sources.servedmodels import Served
from perfconsole.tui import probemodels, probewish
from perfconsole.tui.probewish import Watched, Wish
from tests.tui.probing import command, watched
from tests.view.pictures import ENGINE, HOST, finding, indicator, snapshot

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

URL, FRONT = "http://127.0.0.1:8000", "http://127.0.0.1:4000"
GATEWAY = Entity(Kind.GATEWAY, "litellm:4000")
WATCHED = Watched(keyless_target)
BOTH = snapshot(facts=(Fact("gateway.url", GATEWAY, FRONT), Fact("engine.url", ENGINE, URL)))


@pytest.fixture(name="said", autouse=True)
def _said(monkeypatch: pytest.MonkeyPatch) -> dict[str, Served]:
    """What targets answer, by URL: model m, unless a test says otherwise."""
    answers: dict[str, Served] = {}
    monkeypatch.setattr(probemodels, "served_models", lambda url, _: answers.get(url, Served(("m",))))
    return answers


def settled(wish: Wish, picture: Snapshot, about: Watched = WATCHED) -> Wish:
    """The wish once its target has answered."""
    told = threading.Event()
    wish.settle(about, picture, told.set)
    if wish.ask().plan.urls and not wish.ask().plan.model:
        assert told.wait(10.0)
        wish.heard()
        wish.settle(about, picture, lambda: None)
    return wish


def test_the_first_engine_is_offered() -> None:
    """With the model that it names, and loads that go up until more gives nothing more."""
    wish = settled(Wish(), BOTH)
    plan = wish.ask().plan
    assert (plan.urls, plan.model, plan.scenario, plan.adaptive) == ((URL,), "m", "short-chat", True)
    assert wish.ready


def test_keys_change_what_is_sent() -> None:
    """Each shows what it is now, and comes round."""
    wish = settled(Wish(), BOTH)
    assert [change.value for change in wish.ask().changes] == [
        f"engine {URL}",
        SCENARIOS[0],
        "up until more gives nothing more",
    ]
    assert wish.keys() == (("t", "target"), ("s", "scenario"), ("n", "loads"))
    for what in ("target", "scenario", "ladder"):
        wish.change(what)
    plan = settled(wish, BOTH).ask().plan
    assert (plan.urls, plan.scenario, [step.amount for step in plan.steps]) == ((FRONT,), SCENARIOS[1], [1, 4, 16])
    wish.change("target")
    assert wish.ask().plan.urls == (URL,)


def test_several_models(said: dict[str, Served]) -> None:
    """One of them is asked for, which a key changes; another target has models of its own."""
    said[URL] = said[FRONT] = Served(("big", "small"))
    wish = settled(Wish(), BOTH)
    assert wish.keys()[1] == ("m", "model")
    wish.change("model")
    assert wish.ask().plan.model == "small"
    wish.change("target")
    assert settled(wish, BOTH).ask().plan.model == "big"


def test_what_was_shown_stays_whatever_is_found() -> None:
    """Another engine that joins and comes first is not loaded by a key that was meant for this one."""
    wish = settled(Wish(), watched(URL))
    other = Fact("engine.url", Entity(Kind.ENGINE, "sglang:7000"), "http://127.0.0.1:7000")
    more = replace(BOTH, facts=(other, *BOTH.facts))
    assert settled(wish, more).ask().plan.urls == (URL,)
    assert [change.value for change in wish.ask().changes][:1] == [f"engine {URL}"]


def test_a_check_says_all_but_the_model() -> None:
    """Keys change nothing else of it; why it is run is kept."""
    wish = settled(Wish(command(URL), ENGINE, "Slow: confirmed by a knee"), watched(URL))
    before = wish.ask().plan
    for what in ("target", "scenario", "ladder"):
        wish.change(what)
    after = settled(wish, watched(URL)).ask().plan
    assert (after.steps, after.urls, after.scenario) == (before.steps, before.urls, before.scenario)
    assert after.why == "Slow: confirmed by a knee"
    assert wish.keys() == ()


def test_a_model_that_a_check_names_is_not_asked_for(said: dict[str, Served]) -> None:
    """Nor is another one taken."""
    said[URL] = Served(trouble="HTTP 404", option="--model NAME")
    wish = Wish(command(URL, "--model", "mine"))
    wish.settle(WATCHED, watched(URL), pytest.fail)
    assert wish.ask().plan.model == "mine"
    assert wish.ready


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("guidellm", "benchmark"), "not a command of perfconsole probe"),
        (command(URL, "--steps", "x"), "no whole number"),
        (command(URL, "--token-env", "KEY"), "--token-env"),
        (command(URL, "--replay", "sample.jsonl"), "no sample is replayed here"),
        (command("ftp://h"), "unknown scheme"),
        (("perfconsole", "probe", "through-and-around", URL, "http://localhost:8000"), "are one target"),
    ],
)
def test_a_check_that_cannot_be_run_here_says_why(words: tuple[str, ...], why: str) -> None:
    """Nothing is asked, and nothing starts."""
    wish = Wish(words, ENGINE)
    wish.settle(WATCHED, watched(URL), pytest.fail)
    assert why in wish.ask().refusals[0]
    assert wish.ask().plan.urls == ()
    assert not wish.ready
    wish.change("again")
    assert wish.keys() == ()


def test_nothing_to_probe() -> None:
    """What helps is named; what is found later is offered."""
    wish = settled(Wish(), snapshot())
    assert "--engine URL" in wish.ask().refusals[0]
    assert settled(wish, watched(URL)).ready


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Served(trouble="connection refused", answered=False), "connection refused"),
        (Served(trouble="HTTP 401 from x", option="--token-env V"), "(`perfconsole probe` takes --token-env V)"),
    ],
)
def test_a_target_that_names_no_model(said: dict[str, Served], answer: Served, words: str) -> None:
    """It says so; a key asks again."""
    said[URL] = answer
    wish = settled(Wish(), watched(URL))
    assert wish.ask().refusals[0].endswith(words)
    assert wish.keys()[0] == ("r", "ask again")
    del said[URL]
    wish.change("again")
    assert settled(wish, watched(URL)).ready


def test_the_trouble_of_one_target_is_not_that_of_another(said: dict[str, Served]) -> None:
    """They are asked one by one."""
    said[URL] = Served(trouble="connection refused", answered=False)
    wish = settled(Wish(), BOTH)
    wish.change("target")
    assert settled(wish, BOTH).ready
    wish.change("target")
    assert not wish.ready


def test_what_others_send_is_a_warning() -> None:
    """Or forbids it, on an engine that serves people; a target elsewhere is told."""
    some = watched(URL, indicators=(indicator("engine.requests_running", 3.0),))
    wish = settled(Wish(), some)
    assert "3 requests of others run there now" in wish.ask().warnings[0]
    busy = (indicator("engine.requests_waiting", 3.0), indicator("engine.max_num_seqs", 64.0))
    assert not settled(wish, watched(URL, indicators=busy)).ready
    far = settled(Wish(), watched("http://gpu-07.example:8000"))
    assert "is not on this host" in far.ask().warnings[0]
    assert far.ready


def test_a_gateway_alone() -> None:
    """Can be loaded; nobody sees the engine, and that is said."""
    wish = settled(Wish(), snapshot(facts=(Fact("gateway.url", GATEWAY, FRONT),), entities=(GATEWAY,)))
    ask = wish.ask()
    assert ask.traffic.unknown == "nothing is known of an engine there"
    assert any("no numbers of the engine" in words for words in ask.warnings)
    begun = wish.begin(0.0)
    assert (begun.lead.engines, begun.entities, begun.traffic_per_s) == ((None,), (GATEWAY,), None)


def test_what_a_probe_begins_with() -> None:
    """Where it connects to, with its key; whom it speaks of; and texts that no probe before had."""
    picture = replace(BOTH, indicators=(indicator("engine.request_rate", 2.0),))
    keyed = Watched(lambda url: probe_target(url, {"Authorization": "Bearer k"}))
    wish = settled(Wish(command(FRONT), HOST), picture, keyed)
    begun = wish.begin(7.0)
    assert (begun.plan.model, begun.plan.urls) == ("m", (FRONT,))
    target = begun.lead.opening.targets[0]
    assert (target.port, target.headers) == (4000, (("Authorization", "Bearer k"),))
    assert (begun.lead.engines, begun.lead.before, begun.lead.offset) == ((ENGINE,), picture, 7.0)
    assert begun.entities == (HOST, GATEWAY, ENGINE)
    assert begun.traffic_per_s == 2.0


def test_each_probe_has_texts_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the question is the same as before: a prefix cache would flatter the second."""
    wish = settled(Wish(), watched(URL))
    seeds = iter((1, 2))
    monkeypatch.setattr(probewish, "_seed", lambda: next(seeds))
    assert [wish.begin(0.0).plan.seed for _ in range(2)] == [1, 2]


def test_the_probe_before_is_not_the_traffic_of_others() -> None:
    """Rates hold it for some seconds."""
    picture = watched(URL, indicators=(indicator("engine.request_rate", 2.0),))
    wish = settled(Wish(), picture, replace(WATCHED, loaded_until=picture.t - 5.0))
    assert "the probe before this one" in wish.ask().traffic.unknown
    assert wish.begin(0.0).traffic_per_s is None
    later = settled(wish, replace(picture, t=picture.t + 60.0), replace(WATCHED, loaded_until=picture.t - 5.0))
    assert later.ask().traffic.requests_per_s == 2.0


def test_a_question_is_made_once_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is drawn more often."""
    wish = settled(Wish(), watched(URL))
    made: list[object] = []
    monkeypatch.setattr(probewish, "asked", lambda *_: made.append(1))
    for _ in range(5):
        assert wish.ready
        assert wish.keys()
    assert made == []


def test_all_the_same() -> None:
    """A key takes on oneself what speaks against it, and it is still said."""
    ill = finding(severity=Severity.CRITICAL, entity=ENGINE)
    wish = settled(Wish(), watched(URL, findings=(ill,)))
    assert not wish.ready
    assert wish.ask().refusals[0].endswith("; a loads it all the same")
    keys = wish.keys()
    assert ("a", "all the same") in keys
    wish.change("despite")
    assert wish.ask().refusals == ()
    assert any("badly wrong there already" in text for text in wish.ask().warnings)
