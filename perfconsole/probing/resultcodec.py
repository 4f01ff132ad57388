"""The result of a probe as the document of its file, and back. Scripts read it: its keys stay as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from perfconsole.model.probeplan import ProbePlan, Shape, Step
from perfconsole.model.proberesult import ProbeResult, StepResult
from perfconsole.probing.tables import TableError, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = 1
_TYPES = (ProbePlan, Step)
_TOTALS = ("requests", "output_tokens", "prompt_tokens")
_LOADS = {Shape.RATE: "rate", Shape.REPLAY: "speed"}
"""Key under which a step's amount stands; of any other shape it is a concurrency."""


class ResultError(ValueError):
    """The document is no result of a probe, or one that this version cannot read."""


def encode(result: ProbeResult) -> dict[str, Any]:
    """The document, ready for json.dumps; what is not known is null."""
    table = to_json(result)
    totals = {name: table.pop(name) for name in _TOTALS}
    steps, runs = ([_encoded(s) for s in several] for several in (result.steps, result.runs))
    return {"schema": SCHEMA, **table, "steps": steps, "runs": runs, "totals": totals}


def decode(document: object) -> ProbeResult:
    """The result of a document; ResultError says in one line what is wrong with it."""
    if not isinstance(document, dict) or not {"schema", "plan", "steps"} <= document.keys():
        raise ResultError("no result of a probe")
    _check_schema(document["schema"])
    totals = document.get("totals")
    if not isinstance(totals, dict):
        raise ResultError("totals is no table")
    try:
        return from_json(ProbeResult, {**document, **_only(totals, _TOTALS)}, "", _TYPES)
    except TableError as error:
        raise ResultError(str(error)) from None


def written(result: ProbeResult) -> str:
    """The text of a file."""
    return json.dumps(encode(result), indent=1, allow_nan=False) + "\n"


def read(text: str) -> ProbeResult:
    """The result in the text of a file; ResultError says in one line what is wrong with it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResultError(f"no JSON: {str(error).splitlines()[0]}") from None
    return decode(document)


def _encoded(s: StepResult) -> dict[str, Any]:
    return {_LOADS.get(s.step.shape, "concurrency"): to_json(s.step.amount), **to_json(s)}


def _check_schema(schema: object) -> None:
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise ResultError(f"schema {schema!r} is none")
    if schema > SCHEMA:
        raise ResultError(f"schema {schema} is newer than the one that this version reads ({SCHEMA})")


def _only(table: Mapping[str, object], names: tuple[str, ...]) -> dict[str, object]:
    return {name: table[name] for name in names if name in table}
