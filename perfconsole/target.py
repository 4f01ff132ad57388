"""What the user wants watched: a `[[target]]` table of the configuration, checked key by key, as one frozen Target."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from perfconsole.errors import UsageError
from perfconsole.sources.mappingerror import MappingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfconsole.model.dictionary import Dictionary
    from perfconsole.sources.adapter import Adapter

HARDWARE = "hardware"
LAYERS = ("gateway", "orchestration", "engine", HARDWARE)
_OF_HARDWARE = ("name", "layer", "url", "token_env", "metrics")
"""Keys of a target that is the page of an exporter: what it tells shows on the page."""
_KEYS: dict[str, type] = {
    "name": str,
    "layer": str,
    "url": str,
    "token_env": str,
    "metrics": str,
    "health": str,
    "calls": list,
    "adapter": str,
    "metrics_map": dict,
    "log": str,
}
_FORMS: dict[type, str] = {
    str: "text in quotes",
    list: 'a list of texts: calls = ["URL"]',
    dict: "a table: write [target.metrics_map]",
}
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_NO_KEY = "must be the name of a variable that holds the key, not the key itself"


@dataclass(frozen=True, slots=True)
class Target:
    """Something to poll."""

    layer: str
    url: str
    """A URL, or the number of a process for an orchestrator that serves no HTTP."""
    name: str = ""
    token_env: str = ""
    """Environment variable that holds the key; the key itself is never kept in a file or shown."""
    page_url: str = ""
    """Full URL of its metrics page where that is said to be elsewhere."""
    upstreams: tuple[str, ...] = ()
    """URLs of the engines and gateways that it calls."""
    adapter: Adapter | None = None
    """Table to read its page by; None leaves it to the page."""
    log: str = ""
    """File of its log, where that is not found by itself."""


def request_headers(target: Target, environment: Mapping[str, str]) -> dict[str, str]:
    """Headers of every request to a target: its key, from the variable that it names; UsageError when that is unset."""
    if not target.token_env:
        return {}
    from perfconsole.sources.web.address import redact  # noqa: PLC0415 - only some targets need it

    where = f"token_env of {redact(target.url)}"
    if not _VARIABLE.fullmatch(target.token_env):
        raise UsageError(f"{where} {_NO_KEY}")
    token = environment.get(target.token_env)
    if not token:  # what stands there is not repeated: it may be the key after all
        raise UsageError(f"the variable that {where} names is not set; export it")
    return {"Authorization": f"Bearer {token}"}


def target_of(table: dict[str, Any], dictionary: Dictionary) -> Target:
    """The target that a table describes; raises MappingError with a path from this table."""
    for key, value in table.items():
        _refuse_key(key, value)
    if "url" not in table:
        raise MappingError((), 'this [[target]] has no url; add url = "http://HOST:PORT"')
    layer = table.get("layer", "engine")
    if layer not in LAYERS:
        raise MappingError(("layer",), f"unknown layer {layer!r}; known: {', '.join(LAYERS)}")
    _refuse_place(table, layer)
    if layer == HARDWARE:
        _refuse_for_hardware(table)
    if table.get("log") and layer != "engine":
        raise MappingError(("log",), f"log is read of engines only, and this target is a {layer}: leave it out")
    page_url = _page_url(table)
    return Target(
        layer,
        table["url"],
        table.get("name", ""),
        table.get("token_env", ""),
        page_url,
        tuple(_called(value, number) for number, value in enumerate(table.get("calls", []))),
        _adapter(table, layer, page_url, dictionary),
        table.get("log", ""),
    )


def _refuse_for_hardware(table: dict[str, Any]) -> None:
    """Raise MappingError for a key that says nothing of an exporter."""
    for key in table:
        if key not in _OF_HARDWARE:
            what = "the page of a DCGM exporter or a node_exporter"
            raise MappingError((key,), f"{key} says nothing of {what}, which a target of hardware is: leave it out")


def _refuse_key(key: str, value: object) -> None:
    if key not in _KEYS:
        near = get_close_matches(key, _KEYS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_KEYS)}"
        raise MappingError((key,), f"unknown key in [[target]] {key!r}; {hint}")
    if not isinstance(value, _KEYS[key]):
        raise MappingError((key,), f"{key} must be {_FORMS[_KEYS[key]]}")


def _refuse_place(table: dict[str, Any], layer: str) -> None:
    """A URL that is none, unless it is the number of a process; a key where the name of its variable belongs."""
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - as above

    if not (layer == "orchestration" and table["url"].isdecimal()):
        with _at("url"):
            validate_url(table["url"])
    if table.get("token_env") and not _VARIABLE.fullmatch(table["token_env"]):
        raise MappingError(("token_env",), f"token_env {_NO_KEY}")


def _page_url(table: dict[str, Any]) -> str:
    """URL of the page: given whole, or as a path at the target."""
    text = table.get("metrics", "")
    if not text:
        return ""
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - as above

    with _at("metrics"):
        if not text.startswith("/"):
            return _checked_page(text)
        if table["url"].isdecimal():
            raise UsageError("metrics is a path, and the target is a process: name the page by its whole URL")
        return _checked_page(validate_url(table["url"]) + text)


def _checked_page(text: str) -> str:
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - as above

    address = parse_address(text)
    if not address.prefix:
        raise UsageError(f'metrics needs the path of the page, e.g. metrics = "{address.scheme}://HOST:PORT/metrics"')
    user = f"{address.user}@" if address.user else ""
    slash = "/" if text.rstrip().endswith("/") else ""  # two pages to a strict server
    return f"{address.scheme}://{user}{address.shown}{address.prefix}{slash}"


def _called(value: object, number: int) -> str:
    from perfconsole.sources.web.address import validate_url  # noqa: PLC0415 - as above

    if not isinstance(value, str):
        raise MappingError(("calls", number), f"calls must be {_FORMS[list]}")
    with _at("calls", number):
        return validate_url(value)


@contextmanager
def _at(*path: str | int) -> Iterator[None]:
    """Give a fault of a URL the place of its key."""
    try:
        yield
    except UsageError as error:
        raise MappingError(path, str(error)) from None


def _adapter(table: dict[str, Any], layer: str, page_url: str, dictionary: Dictionary) -> Adapter | None:
    """The table that the target is read by: a known one, its own rows, or its own on top of a known one."""
    rows, known, health = table.get("metrics_map", {}), table.get("adapter", ""), table.get("health", "")
    if not rows and not known:
        if health:
            raise MappingError(("health",), "health goes with adapter or metrics_map: add one of them, or leave it out")
        return None
    if health and not health.startswith("/"):
        raise MappingError(("health",), f'health must be a path at the target, e.g. health = "/ready", not {health!r}')
    if table["url"].isdecimal():
        what = "metrics_map" if rows else "adapter"
        raise MappingError((what,), "a target named by its process has no page to map; name it by its URL")
    path = _path_of(page_url)
    from perfconsole.sources.ownadapter import Service, own_adapter  # noqa: PLC0415 - only a mapped target needs it

    service = Service(table.get("name", ""), layer, path, health, _known(known, layer) if known else None)
    try:
        return own_adapter(service, rows, dictionary)
    except MappingError as fault:
        raise MappingError(("metrics_map", *fault.path), str(fault)) from None


def _path_of(page_url: str) -> str:
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above

    return urlsplit(page_url).path


def _known(name: str, layer: str) -> Adapter:
    from perfconsole.sources.catalogue import adapters_of  # noqa: PLC0415 - reads every table

    found = {adapter.name: adapter for adapter in adapters_of(layer)}
    if name in found:
        return found[name]
    other = next((o for o in LAYERS if o != HARDWARE and any(a.name == name for a in adapters_of(o))), "")
    near = get_close_matches(name, found, n=1)
    hint = f"it is of the {other} layer" if other else f"did you mean {near[0]!r}?" if near else ""
    known = f"known of the {layer} layer: {', '.join(found)}"
    raise MappingError(("adapter",), f"unknown adapter {name!r}; {hint or known}" + (f"; {known}" if other else ""))
