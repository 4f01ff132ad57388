"""`perfconsole targets list|probe`: what is watched, and what one metrics page says to whom."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from perfconsole.commands.printing import safe, say, wants_color, write_lines
from perfconsole.config import LAYERS, load
from perfconsole.errors import EXIT_NEVER_ANSWERED, EXIT_OK, UsageError
from perfconsole.target import HARDWARE, request_headers
from perfconsole.view.pagereport import page_json, page_lines
from perfconsole.view.pagereport_stub import Place, stub_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from perfconsole.commands.pageprobe import Taken
    from perfconsole.config import Config, Target
    from perfconsole.sources.onepage import OnePage
    from perfconsole.view.pagereport import PageReport

_LIST = "perfconsole.commands.targetlist"
_DEFAULT_LAYER = "orchestration"
"""A page that nobody knows is most likely that of a team's own service."""


def add_arguments(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """Subcommands with their arguments."""
    from perfconsole.commands.running import seconds_of  # noqa: PLC0415 - only when this command is chosen

    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", parents=[shared], help="what is watched here, and why")
    import_module(_LIST).add_arguments(listing)
    probe = actions.add_parser("probe", parents=[shared], help="read one metrics page and say what it fills")
    probe.add_argument("page", metavar="URL|FILE", help="a target, its page, a saved page (packed or not), or -")
    layers = [layer for layer in LAYERS if layer != HARDWARE]
    probe.add_argument("--layer", choices=layers, help="take it as a page of this layer")
    probe.add_argument("--previous", metavar="FILE", help="an earlier page of the same target, for rates and quantiles")
    probe.add_argument(
        "--at", type=seconds_of, metavar="SECONDS", help="with --previous: how much later the page was read"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; a probe ends with 3 when the URL gave no page."""
    if arguments.action == "list":
        code: int = import_module(_LIST).run(arguments)
        return code
    return _probe(arguments)


def _probe(arguments: argparse.Namespace) -> int:
    from perfconsole.sources.exposition import PageError  # noqa: PLC0415 - parsers are not needed for a help text
    from perfconsole.sources.http import FetchError  # noqa: PLC0415 - as above

    if (arguments.previous is None) != (arguments.at is None):
        raise UsageError("--previous FILE and --at SECONDS go together: the seconds lie between the two pages")
    config = load(arguments.config, [], [])
    live = _is_url(arguments.page)
    try:
        _report(arguments, config, live=live)
    except FetchError as error:
        say(error.text)
        return EXIT_NEVER_ANSWERED
    except PageError as error:
        if not live:
            raise UsageError(f"{arguments.page}: no page of metrics: {error}") from None
        say(f"what answers is no page of metrics: {error}")
        return EXIT_NEVER_ANSWERED
    return EXIT_OK


def _is_url(text: str) -> bool:
    """A URL, with or without http://; UsageError for what is neither that nor a file."""
    if text == "-" or ("://" not in text and Path(text).exists()):
        return False
    if "://" in text or re.match(r"([^/]*@)?(\[[^\]]*\]|[^/:@]+):\d+(/|$)", text):
        return True
    shown = re.sub(r".*@", "***@", text, flags=re.DOTALL)  # what stands before it may be a password
    raise UsageError(f"{shown}: no such file (and a URL is written http://HOST:PORT)")


def _report(arguments: argparse.Namespace, config: Config, *, live: bool) -> None:
    from perfconsole.commands.exporterprobe import exporter_of, exporter_report, exporter_stub  # noqa: PLC0415 - as above
    from perfconsole.commands.pageprobe import asked_version, report, taker  # noqa: PLC0415 - as above
    from perfconsole.sources.catalogue import LAYERS as ASKED  # noqa: PLC0415 - as above
    from perfconsole.sources.onepage import from_file  # noqa: PLC0415 - as above

    targets = _matching(arguments.page, config) if live else config.targets
    known = (
        tuple(dict.fromkeys(t.layer for t in targets if t.layer != HARDWARE)) if live else ()
    )  # what forwards has its engine's /metrics too
    layers = (arguments.layer,) if arguments.layer else known or tuple(ASKED)
    page = _page(arguments, config, layers, targets, live=live)
    previous = from_file(Path(arguments.previous)) if arguments.previous else None
    exporter = "" if arguments.layer else exporter_of(page)
    if exporter:
        seconds = arguments.at or 0.0
        found = exporter_report(page, exporter, config.dictionary, previous=previous, seconds=seconds)
        url = f"{_base(arguments.page, '')}{page.path}" if live else ""
        return _tell(arguments, found, exporter_stub(url))
    taken = taker(page, config, targets, layers, certain=live)
    layer = arguments.layer or _DEFAULT_LAYER
    version = asked_version(arguments.page, taken.adapter, _headers(targets)) if live and taken else ""
    found = report(page, taken, config, layer=layer, previous=previous, seconds=arguments.at or 0.0, version=version)
    stub = [] if arguments.json else _stub(arguments, found, taken, page, live=live)
    return _tell(arguments, found, stub)


def _tell(arguments: argparse.Namespace, found: PageReport, stub: list[str]) -> None:
    if arguments.json:
        sys.stdout.write(json.dumps(page_json(found), allow_nan=False) + "\n")
        return
    _print(arguments, found, stub)


def _page(
    arguments: argparse.Namespace, config: Config, layers: Sequence[str], targets: Sequence[Target], *, live: bool
) -> OnePage:
    from perfconsole.commands.exporterprobe import exporter_of  # noqa: PLC0415 - as above
    from perfconsole.commands.pageprobe import parsed, taker  # noqa: PLC0415 - as above
    from perfconsole.sources.catalogue import adapters_of  # noqa: PLC0415 - as above
    from perfconsole.sources.exposition import PageError  # noqa: PLC0415 - as above
    from perfconsole.sources.onepage import from_file, from_stdin, from_url  # noqa: PLC0415 - as above

    if arguments.page == "-":
        return from_stdin()
    if not live:
        return from_file(Path(arguments.page))

    def knows(page: OnePage) -> bool | str:
        if taker(page, config, targets, layers) is not None or exporter_of(page):
            return True
        try:
            return False if parsed(page).series else "no series on it"
        except PageError as error:
            return f"no metrics page: {error}"

    known = [adapter for layer in layers for adapter in adapters_of(layer)]
    paths = ("/metrics", *(path for adapter in known for path in (adapter.metrics_path, *adapter.pages)))
    own = tuple(t.adapter.metrics_path for t in targets if t.adapter is not None and not t.page_url)
    elsewhere = "" if _path(arguments.page) else next((t.page_url for t in targets if t.page_url), "")
    return from_url(elsewhere or arguments.page, (*own, *filter(None, paths)), knows, _headers(targets))


def _headers(targets: Sequence[Target]) -> dict[str, str]:
    """Those that the configuration gives for requests to a target."""
    return request_headers(targets[0], os.environ) if targets else {}


def _matching(text: str, config: Config) -> tuple[Target, ...]:
    """Targets of the configuration at the place of a URL."""
    place = _place_of(text)
    return tuple(t for t in config.targets if place in (_place_of(t.url), _place_of(t.page_url or t.url)))


def _place_of(url: str) -> tuple[str, int] | None:
    """Host and port, the host empty for this one; None for a process or what is no URL."""
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - as above

    if url.isdecimal():
        return None
    try:
        address = parse_address(url)
    except UsageError:
        return None
    return "" if address.loopback else address.host, address.origin[2]


def _stub(
    arguments: argparse.Namespace, found: PageReport, taken: Taken | None, page: OnePage, *, live: bool
) -> list[str]:
    from perfconsole.commands.pageprobe import filled_names  # noqa: PLC0415 - as above
    from perfconsole.sources.catalogue import adapters_of  # noqa: PLC0415 - as above

    layer = taken.layer if taken else arguments.layer or _DEFAULT_LAYER
    shipped = taken is not None and taken.adapter in adapters_of(layer)
    place = Place(
        name=taken.name if taken else "",
        configured=taken is not None and not shipped,
        adapter=taken.adapter.name if taken and shipped else "",
        complete=taken is not None and shipped and not taken.adapter.generic,
    )
    if live:
        usual = (taken.adapter.metrics_path, "/metrics") if taken else ("/metrics",)
        base = _base(arguments.page, page.path)
        path = page.path.removeprefix(_path(base))
        place = replace(place, url=base, path="" if path in usual else path)
    return list(stub_lines(place, layer, found.unmapped, filled_names(found)))


def _path(url: str) -> str:
    from perfconsole.sources.web.address import parse_address  # noqa: PLC0415 - as above

    return parse_address(url).prefix


def _base(text: str, path: str) -> str:
    """Base URL without user and page: what stands before the page, if the URL is not that of the page itself."""
    from perfconsole.sources.web.address import parse_address, validate_url  # noqa: PLC0415 - as above

    address = parse_address(text)
    whole = address.prefix.rstrip("/") == path.rstrip("/")
    base = parse_address(validate_url(text)).prefix
    return f"{address.scheme}://{address.shown}{'' if whole and not _is_metrics(path) else base}"


def _is_metrics(path: str) -> bool:
    return path.rstrip("/").endswith("/metrics")


def _print(arguments: argparse.Namespace, found: PageReport, stub: list[str]) -> None:
    """The report, then the stub, whose lines are never wrapped: they are to be copied."""
    color = wants_color(sys.stdout, no_color=arguments.no_color)
    write_lines(page_lines(found), color=color, ascii_only=arguments.ascii)
    sys.stdout.write("\nSTUB       for your configuration; what a line guesses is marked\n\n")
    for line in stub:
        sys.stdout.write(safe(line, ascii_only=arguments.ascii) + "\n")
