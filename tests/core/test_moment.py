"""What a situation comes to: entities, links, polls."""

from __future__ import annotations

from perfconsole.core.moment import moment_of, on_course
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind, Relation
from perfconsole.model.situation import Figures, Situation


def polled(situation: Situation, t: float = 100.0, end: float = 100.0) -> dict[tuple[str, str], object]:
    """Values of one poll by indicator and entity."""
    batch = moment_of(situation, situation.stated, {}, DEFAULT).batch(t, (0.0, end), 10.0)
    return {(s.key.indicator, str(s.key.entity)): s.value for s in batch.samples}


def stated(**rows: Figures) -> Situation:
    """A situation with these figures; `engine__x` is `engine.x`."""
    return Situation("s", stated={name.replace("__", "."): row for name, row in rows.items()})


def test_a_list_is_one_figure_for_each_entity() -> None:
    """Four replicas, of which the third is unknown."""
    found = polled(stated(engine__request_rate=(25.0, 1.0, None, 2.0)))
    assert found == {
        ("engine.request_rate", "engine/0"): 25.0,
        ("engine.request_rate", "engine/1"): 1.0,
        ("engine.request_rate", "engine/3"): 2.0,
    }


def test_a_single_figure_holds_for_all_entities_of_its_kind() -> None:
    """Two replicas with one version of the queue."""
    found = polled(stated(engine__request_rate=(2.0, 1.0), engine__requests_waiting=(3.0,)))
    assert found["engine.requests_waiting", "engine/0"] == found["engine.requests_waiting", "engine/1"] == 3.0


def test_a_counter_grows_by_its_figure_every_second() -> None:
    """Ten finished a second are a thousand after a hundred."""
    assert polled(stated(engine__requests_finished=(10.0,)))["engine.requests_finished", "engine/0"] == 1000.0


def test_the_result_of_an_action_belongs_to_whatever_it_may_have_been_started_for() -> None:
    """Gateway, orchestrator, engine, process."""
    found = polled(stated(profile__gc_ratio=(0.4,)))
    assert sorted(entity for _, entity in found) == ["engine/0", "gateway/0", "orchestrator/0", "process/0"]


def test_entities_keep_the_names_that_are_known() -> None:
    """Those of the host that the figures come from."""
    situation = Situation("s", stated={"engine.up": (1.0,)}, names={Kind.ENGINE: ("vllm:8000",)})
    assert polled(situation) == {("engine.up", "engine/vllm:8000"): 1.0}


def test_gpus_and_ranks_belong_to_the_engine() -> None:
    """So that a rule of the engine reads them."""
    links = moment_of(stated(gpu__utilization=(1.0, 0.0)), {"gpu.utilization": (1.0, 0.0)}, {}, DEFAULT).links
    engine = Entity(Kind.ENGINE, "0")
    used = [link.child.name for link in links if link.relation is Relation.ENGINE_USES_GPU and link.parent == engine]
    assert used == ["0", "1"]


def test_a_course_is_played_up_to_the_end() -> None:
    """Half a minute before the end it stood half-way."""
    situation = Situation("s", courses={"engine.kv_cache_usage": ((0.0, 0.1), (60.0, 0.3))})
    found = polled(situation, t=70.0, end=100.0)
    assert found["engine.kv_cache_usage", "engine/0"] == 0.2


def test_a_course_that_ends_elsewhere_tells_of_another_moment() -> None:
    """The stated figure stands still."""
    situation = Situation(
        "s", stated={"engine.kv_cache_usage": (0.9,)}, courses={"engine.kv_cache_usage": ((0.0, 0.1), (60.0, 0.3))}
    )
    assert polled(situation, t=10.0)["engine.kv_cache_usage", "engine/0"] == 0.9


def test_a_course_is_level_before_its_first_and_after_its_last_point() -> None:
    """Nothing is made up beyond it."""
    course = ((10.0, 1.0), (20.0, 3.0))
    assert [on_course(course, t) for t in (0.0, 10.0, 15.0, 20.0, 99.0)] == [1.0, 1.0, 2.0, 3.0, 3.0]


def test_figures_stand_only_as_long_as_they_held() -> None:
    """What is known of before is a course."""
    situation = Situation(
        "s", stated={"engine.up": (1.0,)}, courses={"engine.requests_waiting": ((0.0, 1.0), (300.0, 9.0))}
    )
    moment = moment_of(situation, situation.stated, {}, DEFAULT)
    early, late = ([s.key.indicator for s in moment.batch(t, (280.0, 300.0), 10.0).samples] for t in (270.0, 290.0))
    assert (early, sorted(late), moment.reach_s()) == (
        ["engine.requests_waiting"], ["engine.requests_waiting", "engine.up"], 300.0
    )  # fmt: skip
