"""Short words for what can run full, for a line of the screen and for the title of a finding.

Owns nothing but these words; which of them is marked, and at what share, is for others.
"""

from __future__ import annotations

_LABELS = {
    "engine.kv_cache_usage": "KV cache",
    "engine.batch_fill": "slots",
    "gpu.dram_active": "GPU bandwidth",
    "host.cpu_utilization": "host CPU",
    "host.cpu_busiest_core": "busiest core",
    "host.mem_available_ratio": "host memory",
    "host.process_fd_ratio": "descriptors",
    "net.link_ratio": "network link",
}


def label(name: str) -> str:
    """Words for an indicator; its own name where it has none."""
    return _LABELS.get(name, name)
