"""The adapter of a team's own service, built from the `metrics_map` of its `[[target]]`: of the type of a shipped one.

Checks every row against the dictionary; a mistake is a MappingError with the path of the key that is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from perfconsole.model.dictionary.entry import Sort
from perfconsole.model.dictionary.marks import SUFFIXES
from perfconsole.sources.adapter import Adapter, Metric
from perfconsole.sources.mappingerror import MappingError
from perfconsole.sources.pageunits import factor, units_for

if TYPE_CHECKING:
    from perfconsole.model.dictionary import Dictionary, Entry
    from perfconsole.sources.adapter import Pairs
    from perfconsole.sources.mappingerror import TomlPath

_ROW_KEYS = ("metric", "where", "unless", "unit", "scale", "part", "zero_with")
_METRIC_NAME = re.compile(r"""[^\s{}"'\\,=]+""")
_LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_SCALE = 1e18
"""From nanoseconds to seconds and back is 1e9; what leads beyond the numbers would be lost without a word."""
_ENDINGS = ("_bucket", "_sum", "_count")
_INGREDIENT = re.compile(r"\bd\(([a-z_.]+)\)|\b([a-z]+\.[a-z_]+)\b")
"""How a definition writes what a formula reads: the growth of a counter, or a name with its layer."""


@dataclass(frozen=True, slots=True)
class Service:
    """What the table of a target says of it beside the rows."""

    name: str
    layer: str
    """First word of the indicators that it may fill."""
    metrics_path: str = ""
    health_path: str = ""
    base: Adapter | None = None
    """Known table that the rows come on top of."""


def own_adapter(service: Service, rows: dict[str, Any], dictionary: Dictionary) -> Adapter:
    """The adapter that these rows describe; raises MappingError with a path from the table of rows."""
    own = tuple(metric for key, value in rows.items() for metric in _metrics(key, value, service.layer, dictionary))
    base = service.base or _blank(service)
    filled = {metric.indicator for metric in own}
    rest = tuple(metric for metric in base.metrics if metric.indicator not in filled)
    return replace(
        base,
        name=(service.name if own else "") or base.name,
        prefixes=(*base.prefixes, *dict.fromkeys(metric.metric for metric in own)),
        metrics_path=service.metrics_path or base.metrics_path,
        pages=() if service.metrics_path else base.pages,
        health_path=service.health_path or base.health_path,
        metrics=(*own, *rest),
    )


def _blank(service: Service) -> Adapter:
    """An adapter that knows nothing but what every page of prometheus_client may have."""
    return Adapter(
        name="own",
        title=service.name or "this target",
        prefixes=(),
        started=("process_start_time_seconds",),
        moving=("process_cpu_seconds_total",),
        silent_hint="its page has none of the series that metrics_map names: compare the names with "
        "`perfconsole targets probe URL`",
    )


def _metrics(key: str, value: Any, layer: str, dictionary: Dictionary) -> list[Metric]:  # noqa: ANN401 - TOML
    """The rows of one indicator: text, a table, or a list of these that are taken together."""
    entry = _entry(key, layer, dictionary)
    if not isinstance(value, list):
        return [_metric(key, entry, value, (key,))]
    if not value:
        raise MappingError((key,), f'{key} has no row; write "{key}" = "METRIC"')
    rows = [_metric(key, entry, each, (key, number)) for number, each in enumerate(value)]
    if key in _computed(entry) and not all(row.tag for row in rows):
        raise MappingError(
            (key,), f"{key} is computed here{_ingredients(entry, dictionary)}; to give it yourself write one row"
        )
    for number, row in enumerate(rows):
        # Rows with the same tag would be alternates, of which only the first counts.
        if row.tag in [before.tag for before in rows[:number]]:
            rows[number] = replace(row, tag=(("part", str(number)),))
    return rows


def _computed(entry: Entry) -> tuple[str, ...]:
    """Names that are computed and not folded: one series may stand for the result, several may not."""
    if entry.sort is Sort.HISTOGRAM:
        return tuple(f"{entry.name}.{suffix}" for suffix in SUFFIXES)
    return (entry.name,) if entry.sort is Sort.DERIVED else ()


def _ingredients(entry: Entry, dictionary: Dictionary) -> str:
    """What to map instead, as far as the definition names it."""
    if entry.sort is Sort.HISTOGRAM:
        return f": map {entry.name}"
    layer = entry.name.partition(".")[0]
    words = (grown or whole for grown, whole in _INGREDIENT.findall(entry.definition))
    names = dict.fromkeys(w if w.startswith(f"{layer}.") else f"{layer}.{w}" for w in words)
    raw = [n for n in names if (e := dictionary.find(n)) and e.sort is not Sort.DERIVED]
    return f": map {' and '.join(raw)}" if raw else ""


def _entry(key: str, layer: str, dictionary: Dictionary) -> Entry:
    entry = dictionary.find(key)
    if entry is None:
        # The dictionary knows the reason: no such name, or a suffix where none belongs.
        raise MappingError((key,), _unknown(key, layer, dictionary))
    home = entry.name.partition(".")[0]
    if home != layer:
        raise MappingError(
            (key,), f"{key} belongs to the {home} layer; this target is {layer}: map it at one of that layer"
        )
    if entry.sort is Sort.TEXT:
        raise MappingError((key,), f"{key} is text, and series hold numbers; leave it out")
    if entry.origins == ("poll",):
        raise MappingError((key,), f"{key} is measured by perfconsole itself at every poll; leave it out")
    return entry


def _unknown(key: str, layer: str, dictionary: Dictionary) -> str:
    base, _, tail = key.rpartition(".")
    if dictionary.find(base) is not None:
        return dictionary.readable(key) or f"{base} has no .{tail}"
    nouns = [e.name.removeprefix(f"{layer}.") for e in dictionary.entries if e.name.startswith(f"{layer}.")]
    near = get_close_matches(key.removeprefix(f"{layer}."), nouns, n=1)
    example = f"{layer}.{(near or nouns)[0]}"
    hint = f"did you mean {example!r}?" if near else f"names of this layer begin with {layer!r}, e.g. {example!r}"
    if key == layer:
        hint = f'put the whole name in quotes: "{layer}.…"'
    return f"unknown indicator {key!r}; {hint}"


def _metric(key: str, entry: Entry, value: Any, path: TomlPath) -> Metric:  # noqa: ANN401 - TOML
    row = {"metric": value} if isinstance(value, str) else value
    if not isinstance(row, dict):
        raise MappingError(path, f'{key} must be a name in quotes or a table: {{ metric = "NAME" }}')
    for name in row:
        if name not in _ROW_KEYS:
            near = get_close_matches(name, _ROW_KEYS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_ROW_KEYS)}"
            raise MappingError((*path, name), f"unknown key in a row {name!r}; {hint}")
    inside = path if isinstance(value, str) else (*path, "metric")
    if "metric" not in row:
        raise MappingError(path, f'{key} has no metric; add metric = "NAME"')
    metric = _name(row["metric"], "metric", inside)
    _refuse_ending(key, entry, metric, inside)
    if "zero_with" in row and entry.sort is Sort.HISTOGRAM and key == entry.name:
        fault = f"{key} is a histogram, which has no value of 0; leave zero_with out"
        raise MappingError((*path, "zero_with"), fault)
    return Metric(
        key,
        metric,
        where=_filter(row, "where", path),
        unless=_filter(row, "unless", path),
        tag=(("part", _text(row["part"], "part", (*path, "part"))),) if "part" in row else (),
        scale=_scale(row, entry, path),
        zero_with=_name(row["zero_with"], "zero_with", (*path, "zero_with")) if "zero_with" in row else "",
    )


def _text(value: Any, what: str, path: TomlPath) -> str:  # noqa: ANN401 - TOML
    if not isinstance(value, str) or not value:
        raise MappingError(path, f"{what} must be text in quotes")
    return value


def _name(value: Any, what: str, path: TomlPath) -> str:  # noqa: ANN401 - TOML
    """A name as a page writes it."""
    name = _text(value, what, path)
    if not _METRIC_NAME.fullmatch(name):
        hint = "labels go into where = { LABEL = VALUE }" if "{" in name else "write it as the page does"
        raise MappingError(path, f"{what} {name!r} is no name of a series; {hint}")
    return name


def _refuse_ending(key: str, entry: Entry, metric: str, path: TomlPath) -> None:
    """A histogram is named without the endings of its series."""
    ending = next((e for e in _ENDINGS if metric.endswith(e)), "")
    if ending and entry.sort is Sort.HISTOGRAM and key == entry.name:
        bare = metric.removesuffix(ending)
        raise MappingError(path, f"{key} is a histogram: name it without the ending {ending}: {bare!r}")


def _filter(row: dict[str, Any], which: str, path: TomlPath) -> Pairs:
    """Labels of `where` or `unless`, each with a value, or with `~` and a regular expression for it."""
    labels = row.get(which, {})
    here = (*path, which)
    if not isinstance(labels, dict):
        raise MappingError(here, f'{which} must be a table: {which} = {{ LABEL = "VALUE" }}')
    pairs: list[tuple[str, str]] = []
    for label, value in labels.items():
        if not _LABEL_NAME.fullmatch(label):
            raise MappingError((*here, label), f"{label!r} is no name of a label; letters, digits and _ only")
        if not isinstance(value, str):
            raise MappingError((*here, label), f'{label} must be text in quotes: {label} = "{value}"')
        _refuse_pattern(label, value, (*here, label))
        pairs.append((label, value))
    return tuple(pairs)


def _refuse_pattern(label: str, value: str, path: TomlPath) -> None:
    if not value.startswith("~"):
        return
    try:
        re.compile(value[1:])
    except (re.error, OverflowError, RecursionError) as error:
        fault = f"{label}: {value!r} is no regular expression ({error}); without ~ it is a plain value"
        raise MappingError(path, fault) from None


def _scale(row: dict[str, Any], entry: Entry, path: TomlPath) -> float:
    """Factor from the page to the base unit: that of the unit, times the one that the row gives."""
    scale = row.get("scale", 1.0)
    number = isinstance(scale, int | float) and not isinstance(scale, bool)
    if not number or not 0 < scale <= _MOST_SCALE:
        raise MappingError((*path, "scale"), f"scale must be a number above 0 and up to {_MOST_SCALE:g}, not {scale!r}")
    if "unit" not in row:
        return float(scale)
    unit = _text(row["unit"], "unit", (*path, "unit"))
    found = factor(unit, entry.unit)
    if found is None:
        known = ", ".join(units_for(entry.unit))
        raise MappingError((*path, "unit"), f"{entry.name} is in {entry.unit}, and {unit!r} is not; known: {known}")
    return float(scale) * found
