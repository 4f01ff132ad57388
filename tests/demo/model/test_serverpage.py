"""The figures of a server that the instrumentator would show."""

from __future__ import annotations

from perfconsole.demo.model.serverpage import HttpStats


def test_a_handler_appears_with_its_first_answer() -> None:
    """As with fastapi-instrumentator."""
    stats = HttpStats("/x")
    stats.begin()
    assert "http_requests_total" not in stats.part(0.0)
    stats.end(200, 0.2)
    assert 'http_requests_total{handler="/x",method="POST",status="2xx"} 1.0' in stats.part(0.0)


def test_what_is_under_way_is_shown_where_wanted() -> None:
    """The gauge is an option of the instrumentator."""
    stats = HttpStats("/x", in_progress=True)
    stats.begin()
    assert 'http_requests_inprogress{handler="/x",method="POST"} 1.0' in stats.part(0.0)


def test_statuses_are_grouped() -> None:
    """503 is a 5xx."""
    stats = HttpStats("/x")
    stats.begin()
    stats.end(503, 0.2)
    assert 'status="5xx"' in stats.part(0.0)
