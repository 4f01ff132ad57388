"""Why a value is missing: the word of a source, and the state of the source where it said nothing."""

from __future__ import annotations

from perfconsole.core.absences import Absences
from perfconsole.core.health import SourceStatus
from perfconsole.model.sample import Absence, Missing
from tests.core.building import ENGINE, GPU, failed, page

POWER = "gpu.power"
SAID = Absence(POWER, GPU, Missing.UNSUPPORTED)


def answering(t: float = 1.0) -> SourceStatus:
    """A source whose last poll, at t, worked."""
    status = SourceStatus(page(t))
    status.apply(page(t))
    return status


def failing() -> SourceStatus:
    """A source that never answered."""
    status = SourceStatus(failed(1.0))
    status.apply(failed(1.0))
    return status


def test_the_word_of_a_live_source_is_the_reason() -> None:
    """What was said about an indicator counts, seen before or not."""
    absences = Absences({"page": answering()}, {})
    absences.note([SAID], "page")
    assert absences.never_seen(POWER, GPU, 1.0) is Missing.UNSUPPORTED
    assert absences.no_longer_seen(POWER, GPU, "page", 1.0) is Missing.UNSUPPORTED


def test_a_down_source_outweighs_its_old_word() -> None:
    """A reason given before the failure may no longer be true."""
    absences = Absences({"page": failing()}, {})
    absences.note([SAID], "page")
    assert absences.never_seen(POWER, GPU, 1.0) is Missing.SOURCE_DOWN


def test_one_speaker_that_answers_leaves_the_rest_unknown() -> None:
    """Only when all that speak for an entity are down is that the reason."""
    sources = {"page": failing(), "host": answering()}
    assert Absences(sources, {ENGINE: {"page"}}).never_seen(POWER, ENGINE, 1.0) is Missing.SOURCE_DOWN
    assert Absences(sources, {ENGINE: {"page", "host"}}).never_seen(POWER, ENGINE, 1.0) is Missing.NEVER


def test_a_live_source_that_stopped_giving_it_does_not_export_it() -> None:
    """While it answers the value is not exported; once it is silent the value is stale."""
    absences = Absences({"page": answering()}, {})
    assert absences.no_longer_seen(POWER, GPU, "page", 1.0) is Missing.NOT_EXPORTED
    assert absences.no_longer_seen(POWER, GPU, "page", 100.0) is Missing.STALE


def test_a_dropped_entity_keeps_no_reason() -> None:
    """Its names go with it."""
    absences = Absences({"page": answering()}, {})
    absences.note([SAID], "page")
    absences.drop(GPU)
    assert absences.names(GPU) == []


def test_what_a_page_does_not_export_is_no_word_against_another_source() -> None:
    """Both speak at each of their polls, and the reason must not change from one to the next."""
    absences = Absences({"page": answering(), "processes": answering()}, {})
    unsaid = Absence(POWER, GPU, Missing.NOT_EXPORTED)
    absences.note([unsaid], "page")
    for words, source in ((SAID, "processes"), (unsaid, "page")):
        absences.note([words], source)
        assert absences.never_seen(POWER, GPU, 1.0) is Missing.UNSUPPORTED
    absences.note([unsaid], "processes")
    assert absences.never_seen(POWER, GPU, 1.0) is Missing.NOT_EXPORTED
