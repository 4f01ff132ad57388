"""Values in words that follow their unit: seconds as ms or min, ratios as percent, bytes as GiB. Rounds for reading."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.finding import Operand
    from perfconsole.model.snapshot import Indicator

FACTOR = "x"
"""Unit of a ratio that says how many times."""
_FACTORS = frozenset(
    (
        "engine.scrape_stall_ratio",
        "engine.load_ratio",
        "engine.delivery_ratio",
        "engine.scaling",
        "engine.kv_max_concurrency",
        "gateway.amplification",
        "gateway.arrival_burst",
        "gateway.adder_growth",
        "orchestration.context_builds_per_task",
        "orchestration.context_growth",
        "orchestration.llm_calls_per_task",
        "orchestration.retrievals_per_task",
        "orchestration.tool_calls_per_task",
        "probe.ttft_repeat_ratio",
        "probe.bypass_ttft_ratio",
        "probe.itl_growth",
        "probe.neutral_speedup",
        "probe.plain_speedup",
        "probe.text_speedup",
    )
)
_MOST_SHARE = 2.0
_BINARY = (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10))
MISSING_WORDS = {
    Missing.NEVER: "nothing observed",
    Missing.STALE: "stale",
    Missing.SOURCE_DOWN: "source down",
    Missing.NOT_EXPORTED: "not exported",
    Missing.NO_PERMISSION: "no permission",
    Missing.WARMING_UP: "warming up",
    Missing.NO_BASELINE: "no baseline",
    Missing.UNSUPPORTED: "unsupported",
}


def said_in(name: str, unit: str) -> str:
    """The unit in which an indicator is said: a ratio that is a factor, not a share, reads 1.54x and not 154%."""
    return FACTOR if unit == "ratio" and name in _FACTORS else unit


def told(indicator: Indicator) -> str:
    """Value of an indicator for reading; `> 1 s` for a quantile of which only that is known."""
    text = shown(indicator.value, said_in(indicator.name, indicator.unit))
    return f"> {text}" if indicator.at_least else text


def shown(value: float | Missing, unit: str) -> str:
    """Value for reading; a missing one shows its reason, never 0."""
    if isinstance(value, Missing):
        return MISSING_WORDS[value]
    if value in (float("inf"), float("-inf")):
        return "never"
    form = _FORMS.get(unit)
    if form is not None:
        return form(value)
    return number(value) if unit in _SAID_BY_NAME else f"{number(value)} {unit}"


@lru_cache(maxsize=2048)
def number(value: float) -> str:
    """Three significant digits; whole numbers up to 99,999 in full, larger ones with k or M."""
    value += 0.0  # -0.0 becomes 0.0
    magnitude = abs(value)
    if not isfinite(value):
        return str(value)
    if magnitude >= 10_000_000:
        return f"{_three(value / 1e6)}M"
    if round(magnitude) >= 100_000:
        return f"{_three(value / 1e3)}k"
    return f"{value:.0f}" if float(value).is_integer() else _three(value)


def _three(value: float) -> str:
    """Three significant digits, never as 1e+03."""
    return f"{value:.0f}" if round(abs(value)) >= 1000 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """Seconds in the unit that a person would say."""
    magnitude = abs(seconds)
    if magnitude >= 7200:
        return f"{seconds / 3600:.1f} h"
    if magnitude >= 300:
        return f"{seconds / 60:.0f} min"
    if round(magnitude * 1000) >= 1000 or magnitude == 0:
        return f"{number(seconds)} s"
    return f"{number(seconds * 1000)} ms"


def size(count: float) -> str:
    """Bytes with a binary prefix."""
    for unit, factor in _BINARY:
        if abs(count) >= factor:
            return f"{number(count / factor)} {unit}"
    return f"{number(count)} B"


def _share(value: float) -> str:
    """Percent up to twice; what is more than that is no share, whatever its name."""
    return _factor(value) if abs(value) > _MOST_SHARE else f"{number(value * 100)}%"


def _factor(value: float) -> str:
    return f"{number(value)}x"


_FORMS: dict[str, Callable[[float], str]] = {
    "s": duration,
    "ratio": _share,
    FACTOR: _factor,
    "ratio/s": lambda value: f"{number(value * 100)} points/s",
    "bytes": size,
    "bytes/s": lambda value: f"{size(value)}/s",
    "0/1": number,
    "Hz": lambda value: f"{number(value / 1e6)} MHz",
    "cores": lambda value: number(round(value, 2)),
}
_SAID_BY_NAME = frozenset(("requests", "count", "events", "tasks", "tokens", "lanes", "enum", "generation", "links"))
"""Units that the name of the indicator says already."""


@lru_cache(maxsize=1024)
def unit_of(operand: str) -> str:
    """Unit of an operand as written: an indicator, base(x), max(x), slope(x[3m])."""
    function, bracket, rest = operand.partition("(")
    name = rest.rstrip(")").partition("[")[0] if bracket else operand
    if function in ("count", "spread", "changes"):
        return ""
    unit = said_in(name, DEFAULT.unit(name)) if DEFAULT.find(name) else ""
    return f"{unit}/s" if function in ("slope", "rate") and unit else unit


def operand_text(operand: Operand) -> str:
    """`kv_cache_usage 52%`: the engine is what most lines are about, so its prefix is left out."""
    name, value = operand
    short = name.removeprefix("engine.")
    return f"{short} {shown(value, unit_of(name)).strip()}"
