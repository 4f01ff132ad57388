"""Units that pages use, as factors to the base units of the dictionary. Tables and one look-up; knows no indicator."""

from __future__ import annotations

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "\N{MICRO SIGN}s": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
_BYTES = {
    "bytes": 1.0,
    "B": 1.0,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
    "TiB": 2.0**40,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
}
_FACTORS = {
    "s": _SECONDS,
    "bytes": _BYTES,
    "ratio": {"ratio": 1.0, "%": 0.01},
    "cores": {"cores": 1.0, "millicores": 1e-3, "%": 0.01},
    "Hz": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "W": {"W": 1.0, "mW": 1e-3, "kW": 1e3},
    "J": {"J": 1.0, "mJ": 1e-3, "kJ": 1e3, "Wh": 3600.0, "kWh": 3.6e6},
}
_PER = {"s": 1.0, "min": 60.0, "h": 3600.0}


def units_for(base: str) -> dict[str, float]:
    """Units that may stand on a page for a base unit, each with what one of them is in the base unit."""
    if base in _FACTORS:
        return _FACTORS[base]
    amount, _, span = base.partition("/")
    if span != "s":
        return {base: 1.0}
    per = {f"{unit}/{span}": f / length for unit, f in units_for(amount).items() for span, length in _PER.items()}
    # `/min` says it all where the amount is a plain count.
    return per if amount in _FACTORS else {**per, **{f"/{span}": 1.0 / length for span, length in _PER.items()}}


def factor(unit: str, base: str) -> float | None:
    """What one `unit` is in the base unit; None when it measures something else."""
    return units_for(base).get(unit)
