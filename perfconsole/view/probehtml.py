"""A result as one HTML page: no script, nothing from outside, every text escaped, dark or light, fit to be printed."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from perfconsole.view.probedocument import document
from perfconsole.view.probesvg import STYLE, figures
from perfconsole.view.probewords import KNEE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfconsole.model.proberesult import ProbeResult
    from perfconsole.view.probedocument import Pairs, Table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A browser that keeps it would load nothing even if a text got out of its place."""
_PAGE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1c2024; --soft: #60646c; --rule: #d9d9e0;
  --one: #0d5fc2; --two: #b4460e; --three: #7a3db8; --warn: #9a3412; }
@media (prefers-color-scheme: dark) { :root { --page: #15171a; --ink: #e8eaed; --soft: #a0a6ad; --rule: #363a3f;
  --one: #7ab5ff; --two: #ffab70; --three: #cfa6ff; --warn: #ffab70; } }
body { margin: 1.5rem auto; padding: 0 1rem; max-width: 70rem; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .2rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
.verdict { font-size: 1.15rem; font-weight: 600; margin: 0 0 .8rem; }
.about { color: var(--soft); margin: .2rem 0 .4rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .5rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; white-space: normal; }
td.mark { text-align: left; font-weight: 600; } td.bad { color: var(--warn); }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .15rem .9rem; margin: 0; }
dt { color: var(--soft); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.curves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1rem 2rem;
  margin-top: 1rem; }
figure { margin: 0; } svg { width: 100%; height: auto; display: block; }
@media print { :root { color-scheme: light; --page: #fff; --ink: #000; --soft: #444; --rule: #bbb;
  --one: #0d5fc2; --two: #b4460e; --three: #7a3db8; --warn: #9a3412; }
  body { margin: 0; padding: 0; max-width: none; font-size: 10px; line-height: 1.3; } h2 { margin-top: .9rem; }
  .curves { grid-template-columns: 1fr 1fr; } .scroll { overflow: visible; } table { font-size: 8px; }
  th, td { padding: .1rem .25rem; } figure, tr { break-inside: avoid; } h2 { break-after: avoid; } }
@page { size: A4; margin: 12mm; }
"""


def probe_html(result: ProbeResult, meaning: str = "") -> str:
    """The page; `meaning` is what it says of the finding that asked for it."""
    told = document(result, meaning)
    title = escape(told.title)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}: {escape(told.verdict)}</title>",
        f"<style>{_PAGE}{STYLE}</style></head><body>",
        f'<h1>{title}</h1><p class="verdict">{escape(told.verdict)}</p>',
        *_list(told.result),
        *_figures(result),
        *(row for table in told.tables for row in _table(table)),
        *(row for name, pairs in told.lists for row in (f"<h2>{escape(name)}</h2>", *_list(pairs))),
        "<h2>What it cannot say</h2><ul>",
        *(f"<li>{escape(words)}</li>" for words in told.limits),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _list(pairs: Pairs) -> Iterator[str]:
    yield "<dl>"
    for word, text in pairs:
        yield f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>"
    yield "</dl>"


def _figures(result: ProbeResult) -> Iterator[str]:
    if result.steps:
        yield '<div class="curves">'
        yield from (f"<figure>{picture}</figure>" for _, picture in figures(result))
        yield "</div>"


def _table(table: Table) -> Iterator[str]:
    yield f'<h2>{escape(table.title)}</h2><p class="about">{escape(table.about)}</p><div class="scroll"><table>'
    yield f"<thead><tr>{_cells('th', table.heads)}</tr></thead><tbody>"
    for row in table.rows:
        bad = "" if row[-1] == KNEE else " bad"
        yield f'<tr>{_cells("td", row[:-1])}<td class="mark{bad}">{escape(row[-1])}</td></tr>'
    yield "</tbody></table></div>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
