"""What a probe is kept as beside its JSON: a page of Markdown and a page of HTML."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from perfconsole.view.probehtml import probe_html
from perfconsole.view.probemarkdown import probe_markdown

if TYPE_CHECKING:
    from perfconsole.model.proberesult import ProbeResult

ENDINGS = (".md", ".html")


def probe_name(result: ProbeResult) -> str:
    """Name of its files, without an ending; names sort by time."""
    moment = datetime.fromtimestamp(result.began, UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"probe-{moment}-{result.plan.recipe}"


def probe_texts(result: ProbeResult, meaning: str = "") -> dict[str, str]:
    """Text by ending."""
    return dict(zip(ENDINGS, (probe_markdown(result, meaning), probe_html(result, meaning)), strict=True))
