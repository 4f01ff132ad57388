"""The name under which a part of a gateway's figures is kept: whom it calls, and nothing that may be a secret. Pure."""

from __future__ import annotations

from perfconsole.errors import UsageError
from perfconsole.sources.rankedurl import without_rank
from perfconsole.sources.web.address import parse_address
from perfconsole.sources.web.failure import printable

_MOST_CHARACTERS = 64


def upstream_name(text: str) -> str:
    """`host:port` of a URL without its user, path and query; any other text without a query, fit to be shown and cut.

    Empty for a text that names nothing: exporters write "None" too.
    """
    bare = without_rank(text.strip()).partition("?")[0]  # keys stand in a query
    if bare in ("", "None", "null", "-"):
        return ""
    if "://" in bare:
        try:
            return parse_address(bare).place
        except UsageError:
            return _shown(bare.partition("://")[2].rpartition("@")[2].partition("/")[0])
    before, _, behind = bare.rpartition("@")
    user = ":" in before or "." in behind or ":" in behind  # `llm@docker` is a name and where it comes from
    return _shown(behind if user else bare)


def _shown(text: str) -> str:
    return printable(text)[:_MOST_CHARACTERS]
