"""Which kind of source would fill an operand of a condition, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.model.dictionary.lookup import Dictionary

_WORDS = {
    "live": "metrics page",
    "poll": "the console's own polls",
    "proc": "processes and host files",
    "nvml": "NVML",
    "fact": "command line or info page",
    "log": "engine log",
    "probe": "a probe",
    "profile": "a profile",
    "typed": "a load tool's report",
}


def source_words(dictionary: Dictionary, operand: str) -> str:
    """`metrics page or NVML` for an operand as written, with its function; empty for a name nobody knows."""
    if operand.startswith("base("):
        return "a baseline: a saved profile, 30 minutes of uptime before the trouble, or 10 healthy minutes"
    inner = operand.partition("(")[2].partition("[")[0].rstrip(")") or operand
    entry = dictionary.find(inner)
    return " or ".join(_WORDS.get(o, o) for o in entry.origins) if entry else ""
