"""apply and tick: the only two ways in, and the same batches always give the same snapshots."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.core.session import Session
from perfconsole.model.entity import Entity, Kind
from perfconsole.model.finding import State, Verdict
from perfconsole.model.sample import Absence, Fact, GivenBaseline, Missing
from perfconsole.model.snapshot import Baseline
from perfconsole.stacks.indicators import VALID_S, profile_batch
from tests.core.building import histogram, page, sample
from tests.core.profiles import profile
from tests.core.sessions import CORE, ENGINE, GATEWAY, GPUS, HOST, LINKS, OTHER, STRANGER, batch, play
from tests.diagnose.judging import rule

if TYPE_CHECKING:
    from perfconsole.model.snapshot import Snapshot

WAITING, KV, BUSY, THREADS = (
    "engine.requests_waiting",
    "engine.kv_cache_usage",
    "gpu.utilization",
    "host.process_threads",
)
WAITS = rule("waits", f"{WAITING} > 1 for 3s", unless=[f"{KV} > 90%"])
RULES = [
    WAITS,
    rule("busy", "max(gpu.utilization) > 50%", "slope(engine.requests_waiting[5s]) > 0", explains=["waits"]),
    rule("threads", "host.process_threads > 4 for 2s", scope="process", explains=["waits"], rank="host"),
]
SERIES = [(WAITING, ENGINE), (WAITING, OTHER), (KV, ENGINE), (BUSY, GPUS[0]), (BUSY, GPUS[2]), (THREADS, CORE)]
NUMBERS = st.sampled_from([0.0, 0.5, 2.0, 9.0, nan])
POLLS = st.none() | st.dictionaries(st.sampled_from(SERIES), NUMBERS, max_size=6)
SCRIPTS = st.lists(st.tuples(POLLS, st.sampled_from([(), (ENGINE,), (CORE,)]), st.booleans()), max_size=12)


def shown(snapshot: Snapshot) -> dict[tuple[str, Entity], State]:
    """State of each finding."""
    return {(f.rule, f.entity): f.state for f in snapshot.findings}


def run(script: list[tuple[dict[tuple[str, Entity], float] | None, tuple[Entity, ...], bool]]) -> list[Snapshot]:
    """Snapshots of a session that is fed a script of polls: values, entities gone, and failures."""
    session = Session(RULES)
    snapshots = []
    for t, (values, gone, fails) in enumerate(script):
        if fails:
            session.apply(batch(t, {}, error="refused"))
        elif values is not None:
            session.apply(batch(t, values, gone=gone))
        snapshots.append(session.tick(float(t), float(t)))
    return snapshots


@settings(max_examples=60, deadline=None)
@given(SCRIPTS)
def test_the_same_batches_give_equal_snapshots(
    script: list[tuple[dict[tuple[str, Entity], float] | None, tuple[Entity, ...], bool]],
) -> None:
    """A replay shows what was shown live, with gaps, failures and entities that go."""
    assert run(script) == run(script)


def test_a_session_without_sources_shows_nothing_and_does_not_fail() -> None:
    """Empty in, empty out."""
    snapshot = Session(RULES).tick(0.0, 0.0)
    assert (snapshot.findings, snapshot.undecided, snapshot.indicators, snapshot.entities) == ((), (), (), ())


def test_a_rule_that_is_asked_about_is_explained_from_the_next_tick_on() -> None:
    """On every entity of its scope; new rules do not end the question."""
    session = Session([])
    session.ask("waits")
    session.adopt([WAITS])
    snapshot = play(session, [{(WAITING, ENGINE): 0.0}])
    assert {(e.rule, e.entity, str(e.standing)) for e in snapshot.explanations} == {
        ("waits", ENGINE, "quiet"),
        ("waits", OTHER, "undecided"),
    }
    session.ask(None)
    assert play(session, [{}], start=1.0).explanations == ()


def test_snapshots_are_numbered() -> None:
    """Each tick is the next."""
    session = Session([])
    assert [session.tick(float(t), 0.0).seq for t in range(3)] == [1, 2, 3]


def test_a_hold_runs_over_the_ticks() -> None:
    """Pending until its seconds have run, then firing, and likely with the exclusion known."""
    session = Session([WAITS])
    polls = [{(WAITING, ENGINE): 5.0, (KV, ENGINE): 0.5}]
    assert shown(play(session, polls * 3)) == {("waits", ENGINE): State.PENDING}
    snapshot = play(session, polls, start=3.0)
    assert [(f.state, f.verdict) for f in snapshot.findings] == [(State.FIRING, Verdict.LIKELY)]


def test_a_source_that_stops_leaves_a_firing_finding_undecided() -> None:
    """Silence is no recovery, and the missing name has its reason and its source in words."""
    session = Session([WAITS])
    snapshot = play(session, [{(WAITING, ENGINE): 5.0}] * 4 + [None] * 6)
    assert shown(snapshot) == {("waits", ENGINE): State.UNDECIDED}
    missing = snapshot.undecided[0].missing[0]
    assert (missing.name, missing.reason, missing.source) == (WAITING, Missing.STALE, "metrics page")


def test_one_failed_poll_is_no_gap() -> None:
    """Values hold for three cadences."""
    session = Session([WAITS])
    polls = [{(WAITING, ENGINE): 5.0}] * 4 + [None]
    assert shown(play(session, polls)) == {("waits", ENGINE): State.FIRING}


def test_a_failed_poll_keeps_the_links() -> None:
    """What belongs to what is not forgotten because a page did not answer."""
    session = Session([])
    play(session, [{(WAITING, ENGINE): 5.0}])
    session.apply(batch(1.0, {}, links=(), error="refused"))
    assert set(session.tick(1.0, 1.0).links) == set(LINKS)


def test_an_engines_rule_reads_its_own_gpus_alone() -> None:
    """The neighbour's busy GPU is the neighbour's."""
    session = Session([rule("busy", "max(gpu.utilization) > 50%")])
    values = dict(zip(((BUSY, g) for g in GPUS), (0.2, 0.4, 0.9), strict=True))
    assert shown(play(session, [values])) == {("busy", OTHER): State.FIRING}


def test_host_and_gateway_are_read_plainly() -> None:
    """By an engine's rule, as far as they belong to it."""
    session = Session([rule("plain", "host.cpu_utilization > 50%", "gateway.inflight > 3")])
    values = {("host.cpu_utilization", HOST): 0.9, ("gateway.inflight", GATEWAY): 4.0}
    assert shown(play(session, [values])) == {("plain", ENGINE): State.FIRING}


def test_a_process_explains_the_finding_of_its_own_engine() -> None:
    """And leaves the other engine's finding without a cause."""
    session = Session(RULES[::2])
    values = {(THREADS, CORE): 9.0, (WAITING, ENGINE): 5.0, (WAITING, OTHER): 5.0}
    found = play(session, [values] * 5).findings
    causes = {(f.rule, f.entity): f.explained_by for f in found}
    assert causes == {("threads", CORE): None, ("waits", ENGINE): "threads", ("waits", OTHER): None}


def test_an_entity_that_is_gone_leaves_nothing_behind() -> None:
    """No indicator, finding, link or history of a process that ended; the others stay."""
    session = Session(RULES)
    values = {(THREADS, CORE): 9.0, (THREADS, STRANGER): 9.0}
    play(session, [values] * 3)
    links = tuple(link for link in LINKS if CORE not in (link.parent, link.child))
    session.apply(batch(3.0, {(THREADS, STRANGER): 9.0}, gone=(CORE,), links=links))
    snapshot = session.tick(3.0, 3.0)
    seen = {i.entity for i in snapshot.indicators} | {f.entity for f in snapshot.findings} | set(snapshot.entities)
    assert (CORE in seen, STRANGER in seen) == (False, True)
    assert all(CORE not in (link.parent, link.child) for link in snapshot.links)
    assert session._history.track(THREADS, CORE) is None


def test_short_lived_processes_do_not_pile_up() -> None:
    """A hundred that came and went keep no more than one."""
    session = Session(RULES)
    sizes = set()
    for t in range(100):
        now, gone = Entity(Kind.PROCESS, f"p{t}"), Entity(Kind.PROCESS, f"p{t - 1}")
        session.apply(batch(t, {(THREADS, now): 9.0}, gone=(gone,)))
        session.tick(float(t), float(t))
        sizes.add((len(session._judge._stages), len(session._judge._holds), len(session._history._tracks)))
    assert len(sizes) == 1


@pytest.mark.parametrize("value", [nan, inf])
def test_what_is_no_number_is_shown_as_missing_and_fires_nothing(value: float) -> None:
    """The screen and the rules agree on it."""
    session = Session([rule("odd", f"{WAITING} != 0"), rule("large", f"{WAITING} > 1")])
    snapshot = play(session, [{(WAITING, ENGINE): value}])
    values = [i.value for i in snapshot.indicators if (i.name, i.entity) == (WAITING, ENGINE)]
    assert all(isinstance(v, Missing) for v in values)
    assert snapshot.findings == ()


def test_an_explained_absence_is_shown_with_its_reason() -> None:
    """Not exported is not never."""
    session = Session([])
    session.apply(batch(0.0, {}, absences=(Absence(WAITING, ENGINE, Missing.NO_PERMISSION),)))
    found = {(i.name, i.entity): i.value for i in session.tick(0.0, 0.0).indicators}
    assert found[WAITING, ENGINE] is Missing.NO_PERMISSION


def test_a_short_run_cuts_the_holds_and_says_so() -> None:
    """With 3 s in all, a hold of 60 s completes after 2 and is marked."""
    long = rule("long", f"{WAITING} > 1 for 60s")
    snapshot = play(Session([long], run_s=3.0), [{(WAITING, ENGINE): 5.0}] * 3)
    assert [(f.state, f.cut) for f in snapshot.findings] == [(State.FIRING, True)]


def test_a_short_run_cuts_no_window() -> None:
    """A minute of growth is not known after 10 s."""
    grows = rule("grows", f"{WAITING} > 0", f"slope({WAITING}[1m]) > 0")
    snapshot = play(Session([grows], run_s=10.0), [{(WAITING, ENGINE): 1.0 + t} for t in range(10)])
    assert [(u.rule, [m.reason for m in u.missing]) for u in snapshot.undecided] == [("grows", [Missing.WARMING_UP])]


def test_a_given_baseline_serves_rules_and_screen() -> None:
    """The indicator carries it with where it comes from."""
    session = Session([rule("above", f"{WAITING} > 2 * base({WAITING})")])
    session.apply(batch(0.0, {(WAITING, ENGINE): 9.0}, baselines=(GivenBaseline(WAITING, ENGINE, 4.0, "saved"),)))
    snapshot = session.tick(0.0, 0.0)
    carried = {i.baseline.kind for i in snapshot.indicators if i.baseline}
    assert (carried, [f.verdict for f in snapshot.findings]) == ({"saved"}, [Verdict.LIKELY])


def test_a_baseline_that_is_given_later_is_shown_on_a_value_that_stands_still() -> None:
    """It does not wait until the value changes."""
    session = Session([])
    session.apply(batch(0.0, {(WAITING, ENGINE): 9.0}))
    session.tick(0.0, 0.0)
    session.apply(batch(1.0, {(WAITING, ENGINE): 9.0}, baselines=(GivenBaseline(WAITING, ENGINE, 4.0, "saved"),)))
    assert {i.baseline.kind for i in session.tick(1.0, 1.0).indicators if i.baseline} == {"saved"}


def test_a_missing_baseline_says_what_would_give_one() -> None:
    """Undecided for lack of history, in words."""
    session = Session([rule("above", f"{KV} > 1%", f"{WAITING} > 2 * base({WAITING})")])
    missing = play(session, [{(WAITING, ENGINE): 9.0, (KV, ENGINE): 0.5}]).undecided[0].missing
    assert [(m.name, m.reason) for m in missing] == [(f"base({WAITING})", Missing.NO_BASELINE)]
    assert missing[0].source.startswith("a baseline")


def test_a_rule_that_an_exclusion_keeps_silent_is_in_the_snapshot() -> None:
    """Shown on request, so it has to be known."""
    snapshot = play(Session([WAITS]), [{(WAITING, ENGINE): 5.0, (KV, ENGINE): 0.95}] * 5)
    assert (snapshot.findings, snapshot.ruled_out) == ((), (("waits", ENGINE),))


GROWS = rule("grows", f"delta({WAITING}[5s]) > 10")


def jump(restarted: tuple[Entity, ...]) -> Snapshot:
    """An engine whose queue jumps at 8 s, when some entity is told to have restarted."""
    session = Session([GROWS])
    play(session, [{(WAITING, ENGINE): 1.0}] * 8)
    session.apply(batch(8.0, {(WAITING, ENGINE): 50.0}, restarted=restarted))
    return session.tick(8.0, 8.0)


@pytest.mark.parametrize(("restarted", "fires"), [((), True), ((OTHER,), True), ((ENGINE,), False)])
def test_a_window_over_time_does_not_span_a_restart(restarted: tuple[Entity, ...], *, fires: bool) -> None:
    """The queue of the new process did not grow out of that of the old one."""
    assert (("grows", ENGINE) in shown(jump(restarted))) is fires


def test_the_echo_of_a_restart_leaves_the_windows() -> None:
    """A second source that notices the same restart later does not begin the history anew."""
    session = Session([GROWS])
    session.apply(batch(0.0, {(WAITING, ENGINE): 1.0}, restarted=(ENGINE,)))
    play(session, [{(WAITING, ENGINE): 1.0}] * 8)
    session.apply(replace(batch(7.5, {}, restarted=(ENGINE,)), source="processes"))
    assert ("grows", ENGINE) in shown(play(session, [{(WAITING, ENGINE): 50.0}], start=8.0))


def test_a_restart_takes_the_healthy_stretch_along() -> None:
    """What the old process did is no baseline for the new one."""
    session = Session([rule("above", f"{WAITING} > 2 * base({WAITING})")])
    play(session, [{(WAITING, ENGINE): 1.0}] * 800)
    session.apply(batch(800.0, {(WAITING, ENGINE): 1.0}))
    before = {i.baseline is not None for i in session.tick(800.0, 800.0).indicators if i.name == WAITING}
    session.apply(batch(801.0, {(WAITING, ENGINE): 1.0}, restarted=(ENGINE,)))
    after = {i.baseline is not None for i in session.tick(801.0, 801.0).indicators if i.name == WAITING}
    assert (before, after) == ({True}, {False})


def test_a_session_without_rules_says_that_nothing_is_judged_until_they_come() -> None:
    """No rule loaded yet is not the same as nothing wrong."""
    session = Session(None)
    assert not session.tick(1.0, 1.0).judged
    session.adopt([])
    assert session.tick(2.0, 2.0).judged
    assert Session([]).tick(1.0, 1.0).judged


def test_a_source_that_left_takes_along_what_only_it_knew() -> None:
    """What others speak for stays, without what it gave; nothing is called silent that nobody asks any more."""
    session = Session([])
    session.apply(page(1.0, sample("engine.requests_running", 3.0), source="gone"))
    session.apply(page(1.0, sample("gateway.inflight", 3.0, GATEWAY), source="gone"))
    session.apply(page(1.0, sample("gateway.up", 1.0, GATEWAY), source="stays"))
    session.dismiss({"gone"})
    seen = session.tick(2.0, 2.0)
    assert (len(seen.entities), [s.name for s in seen.sources]) == (1, ["stays"])
    assert {i.name for i in seen.indicators if not isinstance(i.value, Missing)} == {"gateway.up"}


def test_a_saved_profile_serves_rules_and_screen_once_the_facts_are_there() -> None:
    """A build that is slower than the one before is named, with the value that it is measured against."""
    slower = rule("slower", "engine.build_changed == 1", "engine.kv_cache_usage > 2 * base(engine.kv_cache_usage)")
    before = profile((KV, 0.2), adapter="", entity="a", config=())
    session = Session([slower], profiles=[before])
    facts = (Fact("engine.version", ENGINE, "0.33.0"), Fact("engine.model", ENGINE, "qwen"))
    seen = []
    for t in range(4):
        session.apply(batch(t, {(KV, ENGINE): 0.5}, facts=facts if t > 1 else ()))
        seen.append(session.tick(float(t), float(t)))
    assert [("slower", ENGINE) in shown(s) for s in seen] == [False, False, False, True]
    by_name = {i.name: i for i in seen[-1].indicators if i.entity == ENGINE}
    assert by_name["engine.build_changed"].value == 1.0
    assert by_name[KV].baseline == Baseline(0.2, "saved profile of build 0.32.0, 2026-11-30 (45 min)")


def test_profiles_outlive_the_coming_of_rules() -> None:
    """A console that loads its rules later compares all the same."""
    session = Session(None, profiles=[profile((KV, 0.2), adapter="", entity="a", config=())])
    session.adopt(RULES)
    session.apply(batch(0, {(KV, ENGINE): 0.5}, facts=(Fact("engine.model", ENGINE, "qwen"),)))
    session.tick(0.0, 0.0)
    kv = next(i for i in session.tick(1.0, 1.0).indicators if (i.name, i.entity) == (KV, ENGINE))
    assert kv.baseline is not None


def test_the_growth_of_histograms_between_two_moments() -> None:
    """Observations in between, by histogram and entity; nothing for what is none."""
    session = Session([])
    for t, count in enumerate((4, 10)):
        session.apply(page(float(t), sample("engine.ttft", histogram(count, count, count, count)), sample(KV, 0.5)))
    assert {key[0]: g.cells[3] for key, g in session.grown(0.0, 1.0).items()} == {"engine.ttft": 6.0}


def test_a_value_that_stands_still_shows_a_profile_that_is_found_later() -> None:
    """And loses it with the facts that it was found by."""
    name = "engine.requests_deferred"
    session = Session([], profiles=[profile((name, 1.0), adapter="", entity="a", config=())])
    shown_kinds = []
    for t, model in enumerate(("", "qwen", "qwen", "llama", "llama")):
        facts = (Fact("engine.model", ENGINE, model),) if model else ()
        session.apply(batch(t, {(name, ENGINE): 2.0}, facts=facts))
        seen = session.tick(float(t), float(t))
        shown_kinds.append(next(i.baseline for i in seen.indicators if (i.name, i.entity) == (name, ENGINE)))
    assert [b is not None for b in shown_kinds] == [False, False, True, True, False]


def test_what_is_not_derived_at_every_tick_is_still_found_when_asked_for() -> None:
    """The earlier peak of the prefill rate is known to the one formula that is derived, and nothing else is shown."""
    polls = [{("engine.prompt_rate", ENGINE): rate} for rate in [1000.0] * 20 + [250.0] * 20]
    whole = play(Session([]), polls)
    some = play(Session([], derived={"engine.prefill_saturation"}), polls)
    values = {i.name: i.value for i in some.indicators if i.entity == ENGINE}
    assert values == {"engine.prompt_rate": 250.0, "engine.prefill_saturation": 0.25}
    assert values.items() <= {i.name: i.value for i in whole.indicators if i.entity == ENGINE}.items()


BLOCKED = "profile.blocked_loop_ratio"


def test_what_an_action_found_counts_and_is_no_source() -> None:
    """A finding stands on it beside what is polled; only the page is watched."""
    session = Session([rule("blocked", f"{BLOCKED} > 20%")])
    session.apply(profile_batch({BLOCKED: 0.5}, 7, (ENGINE, CORE), 0.0, 0.0))
    snapshot = play(session, [{(WAITING, ENGINE): 0.0}])
    assert shown(snapshot) == {("blocked", ENGINE): State.FIRING}
    assert [source.name for source in snapshot.sources] == ["page"]


def test_what_an_action_found_counts_for_ten_minutes() -> None:
    """Then it is stale, as a value of any source that was not asked for too long."""
    session = Session([rule("blocked", f"{BLOCKED} > 20%")])
    session.apply(profile_batch({BLOCKED: 0.5}, 7, (ENGINE,), 0.0, 0.0))
    values = [
        next(i.value for i in session.tick(t, t).indicators if i.name == BLOCKED) for t in (1.0, VALID_S, VALID_S + 1)
    ]
    assert values == [0.5, 0.5, Missing.STALE]
