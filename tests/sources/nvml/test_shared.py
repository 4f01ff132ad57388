"""Tests of questions about more than one GPU: pairs, through a stand-in for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.sources.nvml.fakenvml import FakeNvml, gpu, helper_of, needs_compiler, one_gpu

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_compiler


def test_pairs_without_access_are_told(tmp_path: Path) -> None:
    """With the driver's status of access and of NVLink."""
    with helper_of(FakeNvml(tmp_path, "count 2", "set 0 p2p 4", "set 0 nvlinked 5")) as helper:
        assert gpu(helper.until(lambda a: len(a["gpus"]) == 2), 0)["peers"] == {"1": [4, 5]}


def test_pairs_that_cannot_be_asked_have_their_reason(tmp_path: Path) -> None:
    """For the console, which tells owners of them."""
    entry = one_gpu(tmp_path, "count 2", "error 0 nvmlDeviceGetP2PStatus 3")
    assert entry["missing"]["gpu.p2p_ok"] == entry["missing"]["gpu.nvlink_full_mesh"] == "unsupported"


def test_a_pair_with_a_lost_gpu_does_not_make_the_other_one_lost(tmp_path: Path) -> None:
    """The driver says it of the pair, not which of the two it is; the pair is not known."""
    lines = ("count 2", "error 0 nvmlDeviceGetP2PStatus 15", "error 1 nvmlDeviceGetPowerUsage 15")
    with helper_of(FakeNvml(tmp_path, *lines)) as helper:
        answer = helper.until(lambda a: len(a["gpus"]) == 2 and gpu(a, 1)["values"].get("gpu.up") == 0)
    assert gpu(answer, 0)["values"]["gpu.up"] == 1
    assert gpu(answer, 0)["values"]["gpu.xid_lost"] == 0
    assert gpu(answer, 0)["peers"] == {}
