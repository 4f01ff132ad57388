"""A result whose first step had the engine for itself, and what a test changes in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.view.probes import QUEUE_BOUND

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult

ENVIRONMENT = {
    "engine.name": "vllm:8000",
    "engine.program": "vllm",
    "engine.version": "0.32.0",
    "engine.model": "qwen",
    "engine.max_num_seqs": "16",
    "gpu.0.name": "NVIDIA H200",
    "host.name": "gpu-07",
}
PROBED = replace(QUEUE_BOUND, environment=ENVIRONMENT)


def with_single(**changes: object) -> ProbeResult:
    """That result with other fields in its step of one request at a time."""
    single = replace(PROBED.steps[0], **changes)  # type: ignore[arg-type]  # names of fields, checked by replace itself
    return replace(PROBED, steps=(single, *PROBED.steps[1:]))
