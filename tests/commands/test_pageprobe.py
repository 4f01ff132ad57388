"""Tests of what one page fills: who takes it, the values of one and of two polls, and what nothing reads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perfconsole.commands.pageprobe import Taken, filled_names, page_version, parsed, report, taker
from perfconsole.config import Config, load
from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Missing
from perfconsole.sources.catalogue import LAYERS, adapters_of
from perfconsole.sources.exposition import PageError, PageParser
from perfconsole.sources.onepage import OnePage
from tests.commands.running import CAPTURES
from tests.sources.agentpages import AGENT_MAP, FIRST, SECOND

if TYPE_CHECKING:
    from pathlib import Path

    from perfconsole.view.pagereport import PageReport

NOBODY = Config((), DEFAULT, ())
EVERY = tuple(LAYERS)


def page(text: str) -> OnePage:
    """A page of this text."""
    return OnePage(text.encode(), openmetrics=False, where="page")


def captured(name: str) -> OnePage:
    """A page of the captures."""
    return OnePage((CAPTURES / name).read_bytes(), openmetrics=False, where=name)


@pytest.fixture
def agents(tmp_path: Path) -> Config:
    """A configuration that maps the page of the agents, and another one."""
    path = tmp_path / "c.toml"
    own = "[[target]]\nlayer = 'orchestration'\nurl = 'h:9000'\nname = 'agents'\n[target.metrics_map]\n" + AGENT_MAP
    other = "[[target]]\nlayer = 'gateway'\nurl = 'h:1'\nname = 'g'\n[target.metrics_map]\n'gateway.requests' = 'zz'\n"
    path.write_text(other + own, encoding="utf-8")
    return load(path, [], [])


def probed(first: OnePage, config: Config, second: OnePage | None = None, seconds: float = 60.0) -> PageReport:
    """The report of one page, or of the second of two."""
    last = second or first
    taken = taker(last, config, config.targets, EVERY)
    previous = first if second else None
    return report(last, taken, config, layer="orchestration", previous=previous, seconds=seconds)


def values(found: PageReport) -> dict[str, float | Missing]:
    """Its indicators by name; of ranks and engines the last."""
    return {i.name: i.value for i in found.indicators}


@pytest.mark.parametrize(
    ("capture", "layer", "adapter"),
    [
        ("vllm/load.prom", "engine", "vllm"),
        ("vllm/cold_idle.prom", "engine", "vllm"),
        ("vllm_dp2/load.prom", "engine", "vllm"),
        ("vllm_old/0.6.6.prom", "engine", "vllm"),
        ("litellm/after_errors.prom", "gateway", "litellm"),
        ("litellm/idle.prom", "gateway", "litellm"),
        ("vllm-router/load.prom", "gateway", "vllm-router"),
        ("vllm-router/idle.prom", "gateway", "vllm-router"),
        ("nginx/load.txt", "gateway", "nginx"),
    ],
)
def test_every_captured_page_finds_its_adapter(capture: str, layer: str, adapter: str) -> None:
    """Among those of all layers, and fills something."""
    found = probed(captured(capture), NOBODY)
    assert (found.layer, found.adapter) == (layer, adapter)
    assert any(isinstance(i.value, float) for i in found.indicators)


@pytest.mark.parametrize(
    ("text", "adapter"),
    [
        ('http_requests_total{handler="/run",status="2xx"} 5\nprocess_cpu_seconds_total 1\n', "fastapi"),
        ('python_gc_collections_total{generation="2"} 5\nprocess_cpu_seconds_total 1\n', "prometheus-client"),
    ],
)
def test_a_page_of_python_finds_its_adapter(text: str, adapter: str) -> None:
    """The one that knows most of it."""
    assert probed(page(text), NOBODY).adapter == adapter


@pytest.mark.parametrize("capture", ["node_exporter/idle.prom"])
def test_a_page_of_a_stranger_has_its_series_only(capture: str) -> None:
    """None of them is lost but what runtimes say of themselves."""
    found = probed(captured(capture), NOBODY)
    assert (found.adapter, found.layer, found.version, found.indicators) == (None, None, None, ())
    assert found.unmapped


def test_values_of_one_page_are_those_of_the_page() -> None:
    """Counters are totals over their series."""
    found = values(probed(captured("litellm/after_errors.prom"), NOBODY))
    on_page = PageParser().parse(captured("litellm/after_errors.prom").body)
    pairs = list(zip(on_page.series, on_page.values, strict=True))
    total = sum(v for s, v in pairs if s.name == "litellm_proxy_total_requests_metric_total")
    tokens = sum(v for s, v in pairs if s.name == "litellm_output_tokens_metric_total")
    assert (found["gateway.requests"], found["gateway.tokens_out"]) == (total, tokens)
    assert found["gateway.latency.p95"] is Missing.WARMING_UP


def test_two_pages_give_what_lies_between_them() -> None:
    """20 requests in 10 s, 4 of them failed, all within 2 s: half of them within 1 s."""
    text = """\
litellm_in_flight_requests 1
litellm_proxy_total_requests_metric_total {total}
litellm_proxy_failed_requests_metric_total{{exception_status="500"}} {failed}
litellm_request_total_latency_metric_bucket{{le="1.0"}} {half}
litellm_request_total_latency_metric_bucket{{le="2.0"}} {total}
litellm_request_total_latency_metric_bucket{{le="+Inf"}} {total}
litellm_request_total_latency_metric_sum {spent}
litellm_request_total_latency_metric_count {total}
"""
    first = page(text.format(total=100, failed=1, half=50, spent=100))
    second = page(text.format(total=120, failed=5, half=60, spent=130))
    found = values(probed(first, NOBODY, second, 10.0))
    assert found["gateway.request_rate"] == pytest.approx(2.0)
    assert found["gateway.error_ratio"] == pytest.approx(0.2)
    assert found["gateway.latency.p50"] == pytest.approx(1.0)
    assert found["gateway.latency.mean"] == pytest.approx(1.5)
    assert found["gateway.requests"] == 120.0


@pytest.mark.parametrize("seconds", [1.0, 10.0, 300.0, 3600.0])
def test_rates_come_at_any_distance_of_the_pages(seconds: float) -> None:
    """A page a second apart as well as one of an hour ago."""
    text = "litellm_in_flight_requests 1\nlitellm_proxy_total_requests_metric_total {}\n"
    found = values(probed(page(text.format(0)), NOBODY, page(text.format(7200)), seconds))
    assert found["gateway.request_rate"] == pytest.approx(7200 / seconds)


def test_a_restart_between_the_pages_is_said() -> None:
    """Its counters cannot be subtracted."""
    text = "litellm_in_flight_requests 1\nlitellm_proxy_total_requests_metric_total 9\nprocess_start_time_seconds {}\n"
    found = probed(page(text.format(1000)), NOBODY, page(text.format(2000)))
    assert "began anew" in found.notes[0]
    assert values(found)["gateway.request_rate"] is Missing.WARMING_UP


def test_pages_in_the_wrong_order_are_noticed() -> None:
    """Every counter falls then, and the process is the same."""
    tokens = "# TYPE litellm_output_tokens_metric counter\nlitellm_output_tokens_metric_total {}\n"
    text = f"litellm_in_flight_requests 1\n{tokens}"
    earlier, later = page(text.format(3)), page(text.format(9))
    assert probed(later, NOBODY, earlier).notes[0] == "its counters fell since the earlier page: is it the later one?"
    assert probed(earlier, NOBODY, later).notes == ()


def test_another_program_on_the_earlier_page_is_refused() -> None:
    """By its name."""
    with pytest.raises(UsageError, match=r"^page: "):
        probed(page("{not a page"), NOBODY, captured("litellm/idle.prom"))


def test_a_mapping_of_the_configuration_takes_its_page(agents: Config) -> None:
    """Of several the one with most names on it, before all known adapters; values are those of the page."""
    found = probed(page(FIRST), agents)
    assert (found.adapter, found.layer) == ("agents", "orchestration")
    assert values(found)["orchestration.requests"] == 127.0
    assert {str(i.entity) for i in found.indicators} == {"orchestrator/agents"}
    assert [f.name for f in found.unmapped] == []


def test_two_pages_of_ones_own_give_deltas(agents: Config) -> None:
    """4,000 tokens and 100 calls for 50 tasks."""
    found = values(probed(page(FIRST), agents, page(SECOND)))
    assert found["orchestration.tokens_per_task"] == pytest.approx(80.0)
    assert found["orchestration.llm_calls_per_task"] == pytest.approx(2.0)


def test_a_mapping_that_meets_nothing_is_no_taker_unless_the_page_is_its_own(agents: Config) -> None:
    """At its URL it is; what it misses is then said."""
    foreign = page("something_else 1\n")
    assert taker(foreign, agents, agents.targets, EVERY) is None
    own = agents.targets[1:]
    taken = taker(foreign, agents, own, EVERY, certain=True)
    assert taken is not None
    found = report(foreign, taken, agents, layer="orchestration", previous=None, seconds=0.0)
    assert values(found)["orchestration.requests"] is Missing.NOT_EXPORTED
    assert values(found)["orchestration.latency.p95"] is Missing.NOT_EXPORTED
    assert "metrics_map" in " ".join(found.notes)


def test_a_layer_narrows_who_may_take_a_page() -> None:
    """A page of a gateway is none of an engine."""
    assert taker(captured("litellm/idle.prom"), NOBODY, (), ("engine",)) is None


def test_polling_itself_is_not_what_a_page_fills() -> None:
    """Nor is an uptime, as nobody knows when a saved page was read."""
    found = values(probed(captured("vllm/load.prom"), NOBODY))
    assert not {"engine.scrape_time", "engine.metrics_age", "engine.uptime"} & set(found)


def test_an_uptime_that_the_page_itself_states_is_given() -> None:
    """Dynamo's workers do; where a time of start stands beside it, nobody knows which of the two is meant."""
    text = captured("dynamo_old/0.4.prom")
    assert values(probed(text, NOBODY))["engine.uptime"] == 5400.5
    started = replace(text, body=text.body + b"process_start_time_seconds 1.7e9\n")
    assert "engine.uptime" not in values(probed(started, NOBODY))


def test_families_are_named_as_on_their_type_line() -> None:
    """With kind, number of series, first value and labels; runtimes and times of creation left out."""
    text = """\
# TYPE h histogram
h_bucket{a="1",le="+Inf"} 3
h_count{a="1"} 3
h_sum{a="1"} 9
# TYPE c counter
c_total{b="x"} 5
c_total{b="y"} 6
# TYPE c_created gauge
c_created 1
# TYPE python_info gauge
python_info 1
bare 2
"""
    found = {f.name: f for f in probed(page(text), NOBODY).unmapped}
    assert set(found) == {"h", "c", "bare"}
    assert (found["h"].kind, found["h"].series, found["h"].value, found["h"].sample) == ("histogram", 1, 3.0, "h")
    assert (found["c"].sample, found["c"].series, found["c"].labels) == ("c_total", 2, (("b", ("x", "y")),))
    assert found["bare"].kind == "unknown"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('litellm_build_info{version="1.2"} 1\n', "1.2"),
        ('python_info{version="3.11"} 1\n', ""),
        ('other_info{version="9"} 1\n', ""),
        ("litellm_x 1\n", ""),
    ],
)
def test_the_version_is_that_of_the_program(text: str, expected: str) -> None:
    """And not of its interpreter or of somebody else."""
    adapter = next(a for a in adapters_of("gateway") if a.name == "litellm")
    assert page_version(PageParser().parse(text.encode()), adapter) == expected


def test_what_is_no_page_is_refused() -> None:
    """A page of HTML."""
    with pytest.raises(PageError):
        parsed(page("<html>"))


def test_indicators_that_wait_for_a_second_page_count_as_filled() -> None:
    """Their histograms are there."""
    found = probed(captured("litellm/after_errors.prom"), NOBODY)
    assert {"gateway.latency", "gateway.requests"} <= filled_names(found)
    assert "gateway.itl" not in filled_names(found)


def test_every_adapter_takes_a_page_in_the_name_of_its_target() -> None:
    """The entity carries the name that the configuration gives."""
    adapter = next(a for a in adapters_of("gateway") if a.name == "litellm")
    taken = Taken("gateway", adapter, "front")
    found = report(captured("litellm/idle.prom"), taken, NOBODY, layer="gateway", previous=None, seconds=0.0)
    assert {str(i.entity) for i in found.indicators} == {"gateway/front"}
