"""From answers and calls to targets and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfconsole.sources.discovery.answer import Answer, Shape
from perfconsole.sources.discovery.calls import Call
from perfconsole.sources.discovery.judge import Evidence, Verdict, judge
from perfconsole.sources.discovery.policy import HIDDEN, NO_PERMISSION
from perfconsole.sources.discovery.strangers import SERVICE
from tests.sources.discovery.building import place, program, programs

if TYPE_CHECKING:
    from perfconsole.sources.discovery.place import Place

TABLE = programs(
    program(20, "/opt/bin/python3", "/srv/app.py"),
    program(21, "/opt/bin/python3", "/srv/app.py", parent=20),
    program(30, "/opt/bin/go-service"),
    program(40, "/opt/bin/python3", "/opt/bin/uvicorn", "app:app"),
)
GOALS = {8000: ("engine", "http://127.0.0.1:8000"), 4000: ("", "http://127.0.0.1:4000")}
BARE = Answer(Shape.HTTP)
CLIENT = Answer(Shape.PAGE, "orchestration", "prometheus-client", "python_", python=True)
FASTAPI = Answer(Shape.PAGE, "orchestration", "fastapi", "http_requests_total", python=True)


def call(pid: int, *serves: int, port: int = 8000, lasting: bool = True) -> Call:
    """A call to a known port."""
    return Call(pid, port, frozenset(serves), 0.0, 2.0 if lasting else 0.0)


def verdict(
    answers: dict[int, Answer],
    *calls: Call,
    places: tuple[Place, ...] = (),
    free: set[int] | None = None,
    reasons: dict[int, str] | None = None,
) -> Verdict:
    """Judge some ports; by default every one that answered may be asked."""
    table = {each.port: each for each in places}
    allowed = free if free is not None else set(answers)
    return judge(Evidence(TABLE, table, sorted(allowed), reasons or {}, answers, calls, GOALS))


def test_one_look_at_a_call_is_not_enough() -> None:
    """A client that connects once is no orchestrator."""
    assert verdict({7000: BARE}, call(20, 7000, lasting=False), places=(place(7000, 20),)).found == ()
    assert len(verdict({7000: BARE}, call(20, 7000), places=(place(7000, 20),)).found) == 1


def test_calls_of_a_child_that_serves_nothing_count_for_its_parent() -> None:
    """A pool of workers behind a web service."""
    found = verdict({7000: BARE}, call(21), places=(place(7000, 20),))
    assert [each.pid for each in found.found] == [20]
    assert found.untaken == ()


def test_calls_to_what_a_user_named_count() -> None:
    """He calls it a target."""
    (found,) = verdict({7000: BARE}, call(20, 7000, port=4000), places=(place(7000, 20),)).found
    assert (found.how, found.upstreams) == (
        "a Python program that answers HTTP and calls the target on port 4000",
        ("http://127.0.0.1:4000",),
    )


def test_nothing_is_decided_while_a_port_of_the_program_has_not_been_asked() -> None:
    """Which of them takes the requests is not known yet."""
    places = (place(7000, 20), place(9000, 20))
    half = verdict({9000: CLIENT}, call(20, 9000), places=places, free={7000, 9000})
    assert (half.found, half.untaken) == ((), ())
    whole = verdict({7000: BARE, 9000: CLIENT}, call(20, 9000), places=places)
    assert [(each.url, each.page_url) for each in whole.found] == [
        ("http://127.0.0.1:7000", "http://127.0.0.1:9000/metrics")
    ]
    assert whole.untaken == ()


def test_one_program_with_two_pages_is_one_orchestrator() -> None:
    """Both ports show the same figures."""
    places = (place(7000, 20), place(9000, 20))
    for answers in ({7000: FASTAPI, 9000: FASTAPI}, {7000: FASTAPI, 9000: CLIENT}, {6000: CLIENT, 7000: FASTAPI}):
        found = verdict(answers, places=(place(6000, 20), *places)).found
        assert [(each.url, each.adapter) for each in found] == [("http://127.0.0.1:7000", "fastapi")]


def test_a_generic_page_makes_no_orchestrator_of_a_program_that_calls_nobody() -> None:
    """A training job and an exporter have the same one."""
    places = (place(7000, 20),)
    for calls in ((), (call(20, 7000, lasting=False),), (call(40, 7001),)):
        found = verdict({7000: CLIENT}, *calls, places=places)
        said = "a Python program with a page of its own that calls no known engine"
        assert found.found == ()
        assert [each.reason for each in found.untaken if each.port == 7000] == [
            f"{said}; name it with --orchestrator URL to watch it"
        ]


def test_a_generic_page_of_a_program_that_calls_an_engine_is_taken() -> None:
    """With what it calls, as a service without a page is."""
    (found,) = verdict({7000: CLIENT}, call(20, 7000), places=(place(7000, 20),)).found
    how = "a Python program whose page has python_ series and that calls the engine on port 8000"
    assert (found.adapter, found.upstreams, found.how) == ("prometheus-client", ("http://127.0.0.1:8000",), how)


def test_ports_of_python_programs_with_lasting_calls_are_told() -> None:
    """Those that answer nothing now may do so later."""
    other = Answer(Shape.OTHER)
    places = (place(7000, 20), place(7001, 30), place(7002, 40))
    calls = (call(20, 7000), call(30, 7001), call(40, 7002, lasting=False))
    assert verdict(dict.fromkeys((7000, 7001, 7002), other), *calls, places=places).calling == {7000}


def test_a_page_that_says_python_needs_no_visible_process() -> None:
    """Behind a forwarder, or of another user."""
    assert [each.pid for each in verdict({8080: FASTAPI}, places=(place(8080),)).found] == [0]


def test_a_hung_program_is_taken_only_while_it_calls_an_engine() -> None:
    """A blocked event loop answers nothing, and is what the engineer came for; anything else may be silent too."""
    silent = Answer(Shape.SILENT)
    (found,) = verdict({7000: silent}, call(20, 7000), places=(place(7000, 20),)).found
    assert (found.adapter, "does not answer now" in found.how) == ("", True)
    assert verdict({7000: silent}, places=(place(7000, 20),)).found == ()


def test_a_program_that_calls_but_may_not_be_asked_is_named_with_a_hint() -> None:
    """The user knows better."""
    found = verdict({}, call(20, 7000), places=(place(7000, 20),), reasons={7000: "many ports"})
    hint = "many ports; it calls the engine on port 8000: name it with --orchestrator URL to watch it"
    assert [(each.port, each.reason) for each in found.untaken] == [(7000, hint)]


def test_services_and_strange_protocols_are_counted() -> None:
    """A word is spent on them only where Python is."""
    other = Answer(Shape.OTHER)
    places = (place(22), place(7000, 30), place(7001, 20))
    found = verdict({7000: other, 7001: other}, places=places, reasons={22: SERVICE})
    assert (found.left_alone, [each.port for each in found.untaken]) == (2, [7001])


def test_a_port_of_somebody_else_that_says_nothing_lacks_permission() -> None:
    """That is the reason why nobody knows what it is."""
    found = verdict({8080: Answer(Shape.OTHER), 8000: BARE}, places=(place(8080), place(8000)))
    assert [(each.port, each.reason == NO_PERMISSION) for each in found.untaken] == [(8000, False)]


def test_the_more_telling_reasons_come_first() -> None:
    """There is room for a dozen."""
    places = (place(1, 30), place(2, 30), place(3, 20))
    reasons = {
        1: NO_PERMISSION,
        2: "SGLang, an engine that was started in a way that is not known here; it was not asked",
    }
    assert [each.port for each in verdict({3: BARE}, places=places, reasons=reasons).untaken] == [2, 3, 1]


def test_a_page_at_a_port_of_its_own_belongs_to_the_usual_port_of_requests() -> None:
    """Where that is held by the same kin, and is nobody else's."""
    page = Answer(Shape.PAGE, "gateway", "vllm-router", "vllm_router_")
    (found,) = verdict({7000: page}, places=(place(7000, 20), place(30000, 21))).found
    assert (found.url, found.page_url) == ("http://127.0.0.1:30000", "http://127.0.0.1:7000/metrics")
    for holder, reasons in ((30, {}), (21, {30000: HIDDEN})):
        (found,) = verdict({7000: page}, places=(place(7000, 20), place(30000, holder)), reasons=reasons).found
        assert (found.url, found.page_url) == ("http://127.0.0.1:7000", "")


@pytest.mark.parametrize(("port", "door"), [(9464, 7000), (9000, 9000)])
def test_a_page_on_the_port_of_its_kind_leaves_requests_to_another_one(port: int, door: int) -> None:
    """OpenTelemetry serves its page apart from the service; one on any other port is taken with that port."""
    page = Answer(Shape.PAGE, "orchestration", "opentelemetry", "gen_ai_client_", python=True)
    (found,) = verdict({7000: BARE, port: page}, places=(place(7000, 20), place(port, 20))).found
    there = f"http://127.0.0.1:{port}/metrics" if door != port else ""
    assert (found.url, found.page_url) == (f"http://127.0.0.1:{door}", there)


def test_a_page_at_a_proxys_own_port_is_named() -> None:
    """Anything else that is asked there goes upstream, so its page is not looked for again."""
    page = Answer(Shape.PAGE, "gateway", "haproxy", "haproxy_")
    (found,) = verdict({7000: page}, places=(place(7000, 30),)).found
    assert (found.url, found.page_url) == ("http://127.0.0.1:7000", "http://127.0.0.1:7000/metrics")
