"""Tests of looking for a page at one path after the other."""

from __future__ import annotations

from dataclasses import replace

from perfconsole.model.dictionary import DEFAULT
from perfconsole.sources.gateways import litellm
from perfconsole.sources.layer import GATEWAY
from perfconsole.sources.pageroutes import PageRoutes
from perfconsole.sources.targetpage import TargetPage

STATUS = replace(litellm.ADAPTER, name="status", metrics_path="/a_status", pages=("/b_status",))


def page() -> TargetPage:
    """A target that may be one of two programs."""
    return TargetPage("127.0.0.1:80", (litellm.ADAPTER, STATUS), DEFAULT, layer=GATEWAY)


def tour(routes: PageRoutes, count: int) -> list[str]:
    """Paths asked for while none is right."""
    found = []
    for _ in range(count):
        found.append(routes.path)
        routes.tried(right=False)
    return found


def test_every_path_has_its_turn_and_then_again() -> None:
    """The common one first."""
    assert tour(PageRoutes(page()), 5) == ["/metrics", "/metrics/", "/a_status", "/b_status", "/metrics"]


def test_a_path_that_was_right_stays() -> None:
    """Also where it is not the usual one of the program."""
    target = page()
    routes = PageRoutes(target)
    assert (tour(routes, 3)[-1], routes.path) == ("/a_status", "/b_status")
    target.take(STATUS)
    routes.tried(right=True)
    assert routes.path == "/b_status"


def test_a_redirect_is_not_followed_for_ever() -> None:
    """The program's own path is asked for directly once it is known."""
    target = page()
    routes = PageRoutes(target)
    assert routes.path == "/metrics"
    target.take(litellm.ADAPTER)
    routes.tried(right=True)
    assert routes.path == "/metrics/"


def test_a_known_program_is_asked_at_its_own_paths() -> None:
    """In turn, while none of them is right."""
    target = page()
    target.take(STATUS)
    assert tour(PageRoutes(target), 3) == ["/a_status", "/b_status", "/a_status"]


def test_a_path_that_was_given_is_the_only_one() -> None:
    """Somebody knows where the page is."""
    assert tour(PageRoutes(page(), "/own"), 2) == ["/own", "/own"]
