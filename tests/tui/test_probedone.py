"""Tests of the end of a probe: what is shown, who is told, and what is kept."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from perfconsole.clock import SystemClock
from perfconsole.core.session import Session
from perfconsole.diagnose.rulefile import load_rule
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.finding import CheckResult, FindingCheck
from perfconsole.model.sample import Batch, Fact, Sample, SeriesKey
from perfconsole.probing.conductor import Conductor, Lead
from perfconsole.probing.resultcodec import read
from perfconsole.tui import probedone
from perfconsole.tui.probedone import Ended, finish
from perfconsole.tui.probewish import Begun
from tests.probing.fakeload import FakeLoad, conduct, opening, plan
from tests.tui.probing import kept, play_load, target
from tests.tui.screens import HandFeed, HandMonitor, Screen, play
from tests.tui.stacking import keyed, seen
from tests.view.pictures import ENGINE, finding, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

    from perfconsole.model.probeview import ProbeView
    from perfconsole.tui.app import ConsoleApp

CLOCK = SystemClock()
CHECK = FindingCheck("probe", "perfconsole probe URL", ("perfconsole", "probe", "URL"), "probe.knee < 20", "x", None)
WAITS = snapshot(findings=(finding("slow", checks=(CHECK,)),))
ANSWERED = replace(CHECK, result=CheckResult.CONFIRMED, measured=True)
JUDGED = snapshot(seq=3, findings=(finding("slow", checks=(ANSWERED,)),))


@dataclass
class HandApp:
    """Does at once what an application does in its own time."""

    feed: HandFeed
    views: list[ProbeView] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    gone: bool = False

    @property
    def setting(self) -> SimpleNamespace:
        """Only the feed is needed."""
        return SimpleNamespace(feed=self.feed)

    @property
    def word(self) -> SimpleNamespace:
        """Works on a thread, and is waited for."""

        def of_work(work: Callable[[], str], *_: object) -> None:
            thread = threading.Thread(target=lambda: self.said.append(work()))
            thread.start()
            thread.join(20.0)

        return SimpleNamespace(of_work=of_work)

    def call_from_thread(self, show: Callable[[ProbeView], None], view: ProbeView) -> None:
        """As Textual: not any more behind its end."""
        if self.gone:
            raise RuntimeError("App is not running")
        show(view)

    def finish(self, ended: Ended) -> None:
        """Through to the end of its thread."""
        finish(cast("ConsoleApp", self), ended, self.views.append)


def ended(*entities: object) -> Ended:
    """A probe of four steps of an engine of 16 slots."""
    plans = plan(1, 4, 16, 32, adaptive=False)
    lead = Lead(opening(), 1_700_000_000.0, (ENGINE,), snapshot())
    conductor = Conductor(plans, lead, 0.0)
    now = conduct(conductor, FakeLoad())
    return Ended(conductor, Begun(plans, lead, cast("tuple[()]", entities), 2.0), 1_700_000_000.0, now, snapshot())


def files(state: Path) -> dict[str, str]:
    """Text by ending; all have one name."""
    found = list((state / "state" / "perfconsole" / "probes").iterdir())
    assert len({path.stem for path in found}) == 1
    return {path.suffix: path.read_text() for path in found}


def test_the_result_is_shown_told_and_kept(tmp_path: Path) -> None:
    """At once, then with the place of its files."""
    app = HandApp(HandFeed(snapshot()))
    app.finish(ended(ENGINE))
    first, last = app.views
    assert (first.done, first.saved, [result.step.amount for result in first.steps]) == (True, "", [1, 4, 16, 32])
    assert last.saved.endswith("(.json .md .html)")
    assert app.said[0] == f"saved {last.saved.partition(' ')[0]}"
    assert read(files(tmp_path)[".json"]).knee == first.knee
    posted = app.feed.monitor.posted[0]
    assert {sample.key.entity for sample in posted.samples} == {ENGINE}
    assert "probe.generation_rate" in {sample.key.indicator for sample in posted.samples}


def test_traffic_of_others_is_what_ran_before(tmp_path: Path) -> None:
    """The headroom beside it is part of the result."""
    HandApp(HandFeed(snapshot())).finish(ended(ENGINE))
    assert json.loads(files(tmp_path)[".json"])["headroom"]["traffic_per_s"] == 2.0


def test_nobody_is_told_of_what_nobody_watches() -> None:
    """A URL that no entity is known for."""
    app = HandApp(HandFeed(snapshot()))
    app.finish(ended())
    assert app.feed.monitor.posted == []
    assert app.views[-1].saved


def test_a_finding_that_waits_is_judged_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers are on the disk before; the reports and the page say what they mean."""
    app = HandApp(HandFeed(WAITS))
    before: list[set[str]] = []

    class Clock(SystemClock):
        """The next picture comes while it sleeps."""

        def sleep(self, seconds: float) -> None:  # noqa: ARG002 - that of a clock
            before.append(set(files(tmp_path)))
            app.feed.newest = JUDGED

    monkeypatch.setattr(probedone, "SystemClock", Clock)
    app.finish(ended(ENGINE))
    assert before == [{".json"}]
    assert app.views[-1].meaning == "Title of slow: confirmed"
    assert "Title of slow: confirmed" in files(tmp_path)[".md"]


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures may have stopped."""
    monkeypatch.setattr(probedone, "_JUDGED_S", 0.1)
    app = HandApp(HandFeed(WAITS))
    app.finish(ended(ENGINE))
    assert app.views[-1].saved
    assert app.views[-1].meaning == ""


def test_a_folder_that_takes_nothing(tmp_path: Path) -> None:
    """Is a note on the page, and said in the header."""
    (tmp_path / "state").write_text("a file")
    app = HandApp(HandFeed(snapshot()))
    app.finish(ended(ENGINE))
    assert app.views[-1].saved == ""
    assert app.views[-1].notes[-1] == app.said[0]
    assert app.said[0].startswith("nothing was saved in")


def test_a_screen_that_is_gone(tmp_path: Path) -> None:
    """The files are written all the same."""
    app = HandApp(HandFeed(snapshot()), gone=True)
    app.finish(ended(ENGINE))
    assert set(files(tmp_path)) == {".json", ".md", ".html"}
    assert app.said[0].startswith("saved ")


RULE = """\
id: planted
row: S990
title: Tokens come slowly
layer: engine
scope: engine
severity: info
class: scheduling
when:
  - engine.requests_running >= 0
unless: []
fallback: {}
escalate: {}
explains: []
cause: The step is long.
checks:
  - kind: probe
    recipe: step-load
    command: perfconsole probe step-load {engine.url} --steps 1,4
    confirms: probe.generation_rate > 1
    refutes: probe.generation_rate < 1
remedies: [Wait]
evidence: [engine.requests_running]
confidence: low
cases: []
"""


@dataclass
class JudgingMonitor(HandMonitor):
    """Judges what is posted at once, and makes the pictures that a second would."""

    session: Session = field(default_factory=lambda: Session((load_rule(RULE, "planted.yaml"),), DEFAULT))
    feed: HandFeed | None = None

    def post(self, batch: Batch) -> None:
        """Two pictures later the findings know it."""
        super().post(batch)
        self.session.apply(batch)
        for _ in range(2):
            self.tick()

    def tick(self) -> None:
        """The next picture."""
        assert self.feed is not None
        self.feed.put(self.session.tick(CLOCK.now(), CLOCK.wall()))


def judged(url: str) -> Screen:
    """A screen with a finding that a probe answers."""
    screen = Screen()
    monitor = JudgingMonitor(feed=screen.feed)
    screen.feed.monitor = monitor
    samples = (Sample(SeriesKey("engine.requests_running", ENGINE), 1.0),)
    facts = (Fact("engine.url", ENGINE, url),)
    now = CLOCK.now()
    monitor.session.apply(
        Batch(
            source="page",
            kind="metrics page",
            t=now,
            wall=CLOCK.wall(),
            cadence_s=60.0,
            samples=samples,
            took_s=0.01,
            facts=facts,
            entities=(ENGINE,),
        )
    )
    monitor.tick()
    return screen


def test_a_finding_is_answered_from_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its check opens the question, enter sends, and back on its page it is confirmed."""
    play_load(monkeypatch)
    with target("m") as server:
        screen = judged(server.url)

        async def script(pilot: Pilot[None]) -> None:
            assert "Tokens come slowly" in screen.text
            await keyed(pilot, "enter")
            await seen(pilot, screen, "enter does it here, after one more key; it sends load")
            await keyed(pilot, "enter")
            text = await seen(pilot, screen, "enter starts it")
            assert "asked by      Tokens come slowly: confirmed by probe.generation_rate > 1" in text
            await keyed(pilot, "enter")
            await seen(pilot, screen, "the finding   Tokens come slowly: confirmed")
            await kept(pilot)
            await keyed(pilot, "escape")
            assert "confirmed" in await seen(pilot, screen, "Tokens come slowly")

        play(screen, script)
    document = json.loads(files(tmp_path)[".json"])
    assert document["plan"]["why"] == "Tokens come slowly: confirmed by probe.generation_rate > 1"
