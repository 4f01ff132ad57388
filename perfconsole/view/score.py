"""The score of a diagnosis, as a table for people and as a document for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfconsole.view.report_json import SCHEMA, undecided_json
from perfconsole.view.report_text import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfconsole.model.score import Score, Scored

_MOST = 3


def score_json(score: Score, cases: Sequence[Scored]) -> dict[str, Any]:
    """The document of the contract, with what else is known of each case."""
    return {
        "schema": SCHEMA,
        "cases": score.cases,
        "top1": score.top1,
        "top3": score.top3,
        "silent_cases": score.silent_cases,
        "silent_ok": score.silent_ok,
        "wrong_likely": score.wrong_likely,
        "absent_shown": score.absent_shown,
        "per_case": [_case_json(case) for case in cases],
    }


def _case_json(case: Scored) -> dict[str, Any]:
    return {
        "id": case.id,
        "expected": list(case.expected.first),
        "ranked": [
            {"rule": f.rule, "verdict": str(f.verdict), "severity": str(f.severity), "state": str(f.state)}
            for f in case.ranked
        ],
        "undecided": [undecided_json(u) for u in case.undecided],
        "rank": case.rank,
        "silent_ok": case.silent_ok if case.is_silent else None,
        "wrong_likely": case.wrong_likely,
        "absent_shown": list(case.absent_shown),
        "present_lacking": list(case.present_lacking),
    }


def score_lines(score: Score, cases: Sequence[Scored]) -> Iterator[Line]:
    """A row a case: its place, what was expected and what was said; the sums below."""
    width = max((len(case.id) for case in cases), default=0)
    for case in cases:
        good = case.silent_ok if case.is_silent else case.rank == 1
        yield Line(f"{case.id:{width}}  {_place(case):9}  {_words(case)}", "" if good else "warn", indent=width + 13)
    yield Line("")
    yield Line(
        f"first {_share(score.top1, score.cases)}, among the first three {_share(score.top3, score.cases)}, "
        f"silent where nothing is wrong {_share(score.silent_ok, score.silent_cases)}, "
        f"wrong headline called likely {score.wrong_likely}, shown though it must not be {score.absent_shown}",
        "head",
    )


def _place(case: Scored) -> str:
    if case.is_silent:
        return "silent" if case.silent_ok else "NOT silent"
    return "not named" if case.rank is None else "first" if case.rank == 1 else f"place {case.rank}"


def _words(case: Scored) -> str:
    said = ", ".join(f"{f.rule} ({f.verdict})" for f in case.ranked[:_MOST])
    parts = [said or "nothing said"]
    if not case.is_silent and case.rank != 1:
        parts.append(f"expected {' or '.join(case.expected.first)}")
    if case.absent_shown:
        parts.append(f"must not be shown: {', '.join(case.absent_shown)}")
    if case.present_lacking:
        parts.append(f"must hold as well: {', '.join(case.present_lacking)}")
    if not case.ranked and case.undecided:
        parts.append(f"undecided: {_needs(case)}")
    return "; ".join(parts)


def _needs(case: Scored) -> str:
    said = [f"{u.rule} needs {', '.join(m.name for m in u.missing[:_MOST])}" for u in case.undecided[:_MOST]]
    more = len(case.undecided) - len(said)
    return "; ".join(said) + (f"; {more} more" if more else "")


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}"
