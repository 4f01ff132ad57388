"""The simulated gateway: what it counts, and its page in the names of LiteLLM, with a series of its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from perfconsole.demo.model.enginepage import MODEL
from perfconsole.demo.model.histogram import Histogram
from perfconsole.demo.model.pagetext import Labels, PageText

BOUNDS = (*(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 420.0, 600.0),)
GAPS = "sim_callback_token_gap_seconds"
"""Mean time between the tokens of an answer, as the gateway passed them on."""
_GAP_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.0125, 0.015, 0.0175, 0.02, 0.025, 0.03, 0.04, 0.06, 0.1, 0.25, 0.5, 1.0)
_NOBODY = ("api_key_alias", "end_user", "hashed_api_key", "team", "team_alias", "user")
_ID = "simulated"


@dataclass(frozen=True, slots=True)
class Passed:
    """One request that ended at the gateway; times in seconds."""

    status: int
    took_s: float
    upstream_s: float = 0.0
    first_s: float | None = None
    prompt: int = 0
    output: int = 0


class GatewayModel:
    """Counters since its start; `begin` and `end` are the only writers."""

    def __init__(self, upstream: str, start_epoch_s: float) -> None:
        self.start_epoch_s = start_epoch_s
        self.inflight = 0
        self._upstream = upstream
        self._by_status: dict[int, int] = {}
        self._tokens_in = self._tokens_out = self._sent = 0
        self._latency, self._api, self._first = Histogram(BOUNDS), Histogram(BOUNDS), Histogram(BOUNDS)
        self._overhead = Histogram(BOUNDS)
        self._gaps = Histogram(_GAP_BOUNDS)

    def begin(self) -> None:
        """A request came in."""
        self.inflight += 1

    def end(self, passed: Passed) -> None:
        """A request was answered, by the engine or in its place."""
        self.inflight -= 1
        self._by_status[passed.status] = self._by_status.get(passed.status, 0) + 1
        self._sent += 1
        self._latency.observe(passed.took_s)
        self._api.observe(passed.upstream_s)
        self._overhead.observe(max(0.0, passed.took_s - passed.upstream_s))
        if passed.first_s is not None:
            self._first.observe(passed.first_s)
            if passed.output > 1:
                self._gaps.observe((passed.took_s - passed.first_s) / (passed.output - 1))
        self._tokens_in += passed.prompt
        self._tokens_out += passed.output

    def page(self) -> str:
        """The gateway's part of the page; most of it exists only after the first request, as with LiteLLM."""
        page = PageText(self.start_epoch_s)
        page.gauge("litellm_in_flight_requests", [((), self.inflight + 1)])  # LiteLLM counts the scrape too
        if not self._sent:
            return page.text
        self._requests(page)
        page.counter("litellm_input_tokens_metric", [(_caller(), self._tokens_in)])
        page.counter("litellm_output_tokens_metric", [(_caller(), self._tokens_out)])
        page.histogram("litellm_request_total_latency_metric", [(_caller(), self._latency)])
        page.histogram("litellm_llm_api_latency_metric", [(_caller(), self._api)])
        page.histogram("litellm_llm_api_time_to_first_token_metric", [(_caller(), self._first)])
        page.histogram("litellm_overhead_latency_metric", [(_caller(), self._overhead)])
        page.histogram(GAPS, [((), self._gaps)])
        return page.text

    def _requests(self, page: PageText) -> None:
        place: Labels = (("api_base", self._upstream), ("api_provider", "openai"), ("litellm_model_name", MODEL))
        deployment: Labels = (*place, ("model_id", _ID))
        by_status = self._by_status.items()
        total = [((*_caller(), ("status_code", str(s))), n) for s, n in by_status]
        failed = [((*_caller(), ("exception_status", str(s))), n) for s, n in by_status if s >= 400]
        page.counter("litellm_proxy_total_requests_metric", total)
        if failed:
            page.counter("litellm_proxy_failed_requests_metric", failed)
        page.counter("litellm_deployment_total_requests", [(deployment, self._sent)])
        page.gauge("litellm_deployment_state", [(deployment, 0)])


def _caller() -> Labels:
    named = (("api_provider", "openai"), ("model", MODEL), ("model_id", _ID), ("requested_model", MODEL))
    return (*((name, "None") for name in _NOBODY), *named)
