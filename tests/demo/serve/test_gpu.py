"""What the helper answers in the place of NVML."""

from __future__ import annotations

from perfconsole.demo.model.gpu import GpuModel
from perfconsole.demo.serve.gpu import answer, read_state

STATE = {"t": 10.0, "pid": 7, "values": GpuModel(0.0).values() | {"gpu.utilization": 0.8}}


def test_the_state_of_now_is_told_as_it_is() -> None:
    """With the process that computes."""
    card = answer(STATE, 10.5)["gpus"][0]
    assert (card["values"]["gpu.utilization"], card["processes"][0]["pid"]) == (0.8, 7)


def test_a_card_whose_core_is_stopped_idles() -> None:
    """The state has not come for a while."""
    assert answer(STATE, 20.0)["gpus"][0]["values"]["gpu.utilization"] == 0.0


def test_before_the_first_state_there_is_no_card() -> None:
    """An error in words, and not a card of zeros."""
    assert answer(None, 1.0) == {"gpus": [], "error": "the simulated GPU starts"}


def test_a_place_where_nobody_is_has_no_state() -> None:
    """Nothing is raised."""
    assert read_state("\0perfconsole-demo-nobody") is None
