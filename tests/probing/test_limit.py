"""What holds the throughput down above the knee."""

from __future__ import annotations

from perfconsole.probing.limit import limit_of
from tests.probing.building import rung, server, spread

ALONE, KNEE = rung(1, 190), rung(16, 2990)
WAITS = rung(32, 2990, first=0.735)


def test_a_wait_for_a_slot() -> None:
    """The engine's queue time grows as the first token does."""
    limit, why = limit_of(
        ALONE, rung(16, 2990, server=server(0.0, 0.05)), rung(32, 2990, first=0.735, server=server(0.68, 0.05))
    )
    assert limit == "queue"
    assert why == "TTFT grew from 50 ms to 735 ms (mean); the engine's own queue time accounts for 99.3% of it"


def test_a_wait_in_prefill() -> None:
    """The engine's prefill time grows, its queue does not."""
    after = rung(32, 2990, first=0.735, server=server(0.01, 0.7))
    assert limit_of(ALONE, rung(16, 2990, server=server(0.0, 0.05)), after)[0] == "prefill"


def test_an_engine_that_counts_only_requests() -> None:
    """Something waits in most polls."""
    limit, why = limit_of(ALONE, KNEE, rung(32, 2990, first=0.735, server=server(waiting_share=0.98)))
    assert (limit, "98% of the polls" in why) == ("queue", True)


def test_a_wait_that_the_engine_does_not_know() -> None:
    """It is in front of it."""
    both = (rung(n, 2990, first=t, server=server(0.001, 0.02)) for n, t in ((16, 0.05), (32, 0.735)))
    limit, why = limit_of(ALONE, *both)
    assert (limit, why.endswith("they wait in front of the engine")) == ("queue", True)


def test_without_the_engines_numbers_a_wait_is_probable() -> None:
    """First tokens came at once up to the knee."""
    limit, why = limit_of(ALONE, KNEE, WAITS)
    assert (limit, "probable" in why) == ("queue", True)


def test_without_the_engines_numbers_long_prompts_are_prefilled() -> None:
    """Where first tokens came later with every step before the knee already."""
    alone = rung(1, 30, first=0.5, tokens=32, prompt_tokens=4000.0)
    knee = rung(4, 60, first=1.4, tokens=32, prompt_tokens=4000.0)
    above = rung(8, 61, first=3.0, tokens=32, prompt_tokens=4000.0)
    limit, why = limit_of(alone, knee, above)
    assert (limit, "prompts have 4,000 tokens; probable" in why) == ("prefill", True)
    steady = rung(4, 60, first=0.5, tokens=32, prompt_tokens=4000.0)
    assert limit_of(alone, steady, above)[0] == "queue"


def test_a_batch_that_decodes_slower() -> None:
    """The time per token grows, the first token does not."""
    limit, why = limit_of(rung(1, 190), rung(32, 3000, each=0.01), rung(64, 3000, each=0.02))
    assert (limit, why) == (
        "decode",
        "time per token 5 ms alone, 20 ms at 64; it is 100% of what a request takes longer",
    )


def test_a_time_per_token_that_hardly_grew_is_no_cause() -> None:
    """Against a request alone."""
    assert limit_of(rung(32, 190), rung(32, 3000), rung(64, 3000, each=0.006))[0] == "none"


def test_requests_that_are_sent_away() -> None:
    """Those that are let in are as quick as before."""
    refused = rung(32, 2990, errors=40, error_kinds=(("status 429", 38), ("reset", 2)))
    limit, why = limit_of(ALONE, KNEE, refused)
    assert (limit, why) == (
        "queue",
        "requests are sent away or time out: 40% of the requests failed (38 status 429, 2 reset)",
    )
    broken = rung(32, 2990, errors=40, error_kinds=(("status 500", 40),))
    assert limit_of(ALONE, KNEE, broken) == ("none", "40% of the requests failed (40 status 500)")


def test_nothing_that_grew_explains_nothing() -> None:
    """Neither does what is not known."""
    assert limit_of(ALONE, KNEE, rung(32, 2990)) == ("none", "the time of a request did not grow with it")
    assert limit_of(ALONE, KNEE, rung(32, 2990, e2e=spread(9.0), ttft=spread(0.0, 0, 0.0)))[0] == "none"
