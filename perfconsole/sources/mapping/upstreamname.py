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
    bare = without_rank(text.strip())
    if bare in ("", "None", "null", "-"):
        return ""
    if "://" in bare:
        try:
            _, host, port = parse_address(bare).origin
        except UsageError:
            return _cut(bare.partition("://")[2].rpartition("@")[2].partition("/")[0])
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    before, _, behind = bare.rpartition("@")
    user = ":" in before or "." in behind or ":" in behind  # `llm@docker` is a name and where it comes from
    return _cut(behind if user else bare)


def _cut(text: str) -> str:
    """Up to a query: keys stand there."""
    return printable(text.partition("?")[0])[:_MOST_CHARACTERS]
