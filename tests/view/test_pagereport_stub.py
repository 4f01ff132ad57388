"""Tests of the table to start from: TOML that loads as it is, and guesses that are marked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from perfconsole.config import LAYERS, Target, load
from perfconsole.view.pagereport import Family
from perfconsole.view.pagereport_stub import Place, stub_lines
from tests.view.readpages import family

DONE = family("tasks_done_total", "counter", labels={"kind": ("5xx-like",), "status": ("ok", "error", "502")})


def lines(*families: Family, place: Place = Place(), layer: str = "orchestration", filled: str = "") -> list[str]:  # noqa: B008 - frozen
    """The lines of a stub."""
    return list(stub_lines(place, layer, families, frozenset(filter(None, [filled]))))


def loaded(text: str) -> Target:
    """The one target that the lines configure."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.toml"
        path.write_text(text, encoding="utf-8")
        (target,) = load(path, [], []).targets
        return target


def test_a_guess_is_live_and_marked() -> None:
    """Its unit by its name."""
    found = lines(family("task_duration_ms", "histogram"))
    assert '"orchestration.latency" = { metric = "task_duration_ms", unit = "ms" }  # guess' in found


def test_a_second_guess_for_one_indicator_is_a_comment() -> None:
    """The key must not stand twice."""
    found = lines(family("tasks_total", "counter"), family("runs_total", "counter"))
    assert '# "orchestration.requests" = "runs_total"' in found


def test_what_is_filled_already_is_not_guessed_over() -> None:
    """A comment at the most."""
    found = lines(family("tasks_total", "counter"), filled="orchestration.requests")
    assert '# "orchestration.requests" = "tasks_total"' in found


def test_over_a_table_that_knows_its_program_all_guesses_are_comments() -> None:
    """Whoever wrote it left that out for a reason."""
    found = lines(DONE, place=Place(adapter="litellm", complete=True), layer="gateway")
    rows = found[found.index("[target.metrics_map]") + 1 :]
    assert rows
    assert all(line.startswith("# ") for line in rows)


def test_errors_are_found_in_the_labels_of_a_counter_of_requests() -> None:
    """By values that only a failure has; they count as 0 until the first."""
    row = next(line for line in lines(DONE) if "orchestration.errors" in line)
    table = tomllib.loads(row)["orchestration.errors"]
    assert table == {
        "metric": "tasks_done_total",
        "where": {"status": "~error|502"},
        "zero_with": "tasks_done_total",
    }


def test_what_has_no_guess_is_a_comment() -> None:
    """Twenty of them, then their number."""
    found = lines(*(family(f"zz{n}", "gauge") for n in range(23)))
    assert "# zz0 (gauge): no guess" in found
    assert found[-1] == "# and 3 more without a guess"


def test_the_place_of_the_page_is_kept() -> None:
    """URL, path, name and known table."""
    target = loaded("\n".join(lines(place=Place("http://h:1", "/m", "a", "fastapi"))))
    assert (target.url, target.page_url, target.name) == ("http://h:1", "http://h:1/m", "a")
    assert target.adapter is not None
    assert target.adapter.name == "fastapi"


@given(
    st.lists(
        st.builds(
            Family,
            st.text(min_size=1, max_size=12)
            | st.sampled_from(["tasks_total", "task_ms", 'a"b', "x:y_seconds", "wait_s_sum"]),
            st.text(min_size=1, max_size=12)
            | st.sampled_from(["tasks_total", "task_ms", 'a"b', "x:y_seconds", "wait_s_sum"]),
            st.sampled_from(["counter", "gauge", "histogram", "summary", "unknown", "stateset"]),
            st.integers(0, 9),
            st.floats(),
            st.lists(st.tuples(st.text(max_size=5), st.tuples(st.text(max_size=5), st.just("error"))), max_size=2).map(
                tuple
            ),
        ),
        max_size=6,
    ),
    st.sampled_from([layer for layer in LAYERS if layer != "hardware"]),
    st.text(max_size=6),
)
def test_a_stub_of_any_page_loads_as_it_is(families: list[Family], layer: str, name: str) -> None:
    """Whatever names and labels an exporter writes."""
    assert loaded("\n".join(lines(*families, layer=layer, place=Place(name=name)))).layer == layer


def test_a_target_that_is_configured_is_not_to_be_written_twice() -> None:
    """With a name or without one."""
    remark = "# this target is in your configuration: add to its table there what is new here"
    starts = [lines(place=place)[0] for place in (Place(), Place(configured=True), Place(name="agents"))]
    assert starts == ["[[target]]", remark, remark]
