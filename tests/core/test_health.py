"""When a source counts as answering, late or down."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.core.health import SourceStatus
from perfconsole.model.sample import Batch
from perfconsole.model.snapshot import SourceState
from tests.core.building import failed, page, sample

ANNOUNCED = Batch("page", "metrics page", 0.0, 0.0, 1.0)


def status(*batches: Batch) -> SourceStatus:
    """The status after these batches."""
    found = SourceStatus(batches[0])
    for batch in batches:
        found.apply(batch)
    return found


def test_an_announced_source_is_not_answering_yet() -> None:
    """Before its first poll it is neither fresh nor answered, and not down."""
    found = status(ANNOUNCED)
    assert (found.fresh(0.0), found.answered, found.health(0.0).state) == (False, False, SourceState.OK)


def test_an_announced_source_that_stays_silent_is_late() -> None:
    """Three cadences after its start it says for how long."""
    health = status(ANNOUNCED).health(4.0)
    assert (health.state, health.reason) == (SourceState.LATE, "no answer for 4 s")


def test_a_page_is_fresh_for_three_cadences() -> None:
    """At exactly three it still is, a moment later not."""
    found = status(page(10.0, cadence_s=2.0))
    assert (found.fresh(16.0), found.fresh(16.01)) == (True, False)


def test_patience_follows_the_newest_cadence() -> None:
    """A source that stretches its polls is given more time."""
    found = status(page(10.0, cadence_s=1.0), page(11.0, cadence_s=5.0))
    assert found.fresh(26.0)


def test_a_failed_poll_is_down_with_its_reason() -> None:
    """The error in words stands in the health line at once."""
    health = status(page(1.0), failed(2.0)).health(2.0)
    assert (health.state, health.reason) == (SourceState.DOWN, "connection refused")


def test_a_failed_poll_leaves_the_last_good_time() -> None:
    """Values of the poll before stay fresh for their three cadences."""
    found = status(page(1.0), failed(2.0), failed(3.0))
    assert (found.good_t, found.fresh(4.0), found.fresh(4.1)) == (1.0, True, False)


def test_a_failed_poll_that_observed_something_is_usable() -> None:
    """up = 0 is a value, and the source still never gave a poll without an error."""
    found = status(failed(2.0, sample("engine.up", 0.0)))
    assert (found.good_t, found.answered) == (2.0, False)


def test_a_source_that_answers_again_is_ok() -> None:
    """The error goes with the next good poll."""
    assert status(failed(1.0), page(2.0)).health(2.0).state is SourceState.OK


def test_an_answer_stays_answered() -> None:
    """A later failure does not take back that the target once answered."""
    assert status(page(1.0), failed(2.0)).answered


def test_notes_and_cost_are_those_of_the_last_poll() -> None:
    """The health line carries what the newest batch said."""
    health = status(page(1.0), replace(page(2.0), notes=("a remark",), took_s=0.5)).health(2.0)
    assert (health.notes, health.took_s) == (("a remark",), 0.5)


def test_a_source_that_has_nothing_to_read_here_is_absent() -> None:
    """It answers, without a value, and says in its remark why."""
    note = "no process on this host listens on port 8000"
    health = status(replace(page(1.0), notes=(note,))).health(1.5)
    assert (health.state, health.reason) == (SourceState.ABSENT, note)


def test_a_source_of_notes_is_well_with_notes_alone() -> None:
    """Of any other they say why there is nothing."""
    notes = replace(page(1.0), notes=("looked at 9 ports",))
    assert status(notes).health(1.0).state is SourceState.ABSENT
    assert status(replace(notes, only_notes=True)).health(1.0).state is SourceState.OK
