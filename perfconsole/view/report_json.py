"""The stable JSON of `check` and `diagnose`, schema 1: base units, null for missing, entities as kind/name."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from perfconsole.model.sample import Missing
from perfconsole.view.comparison import baselines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.episode import Episode
    from perfconsole.model.finding import Finding, FindingCheck, Operand, Reading, RuledOut, Undecided
    from perfconsole.model.snapshot import Baseline, Indicator, Snapshot, SourceHealth
    from perfconsole.model.trend import Trend
    from perfconsole.model.upstream import Upstream

SCHEMA = 1


def report(snapshot: Snapshot, *, version: str, host: str, took_s: float) -> dict[str, Any]:
    """The whole document, ready for json.dumps."""
    return {
        "schema": SCHEMA,
        "tool": version,
        "t": datetime.fromtimestamp(snapshot.wall, UTC).isoformat(timespec="milliseconds"),
        "host": host,
        "took_s": round(took_s, 3),
        "indicators": [_indicator(i) for i in snapshot.indicators],
        "findings": [{**finding_json(f, snapshot.t), "baselines": _compared(f, snapshot)} for f in snapshot.findings],
        "undecided": [undecided_json(u) for u in snapshot.undecided],
        "sources": [_source(s) for s in snapshot.sources],
        "trends": [_trend(t) for t in snapshot.trends],
        "upstreams": [_upstream(u) for u in snapshot.upstreams],
        "facts": [{"name": f.name, "entity": str(f.entity), "value": f.value} for f in snapshot.facts],
    }


def _number(value: float | Missing) -> float | None:
    """JSON has neither missing values nor infinity: both are null, the reason stands beside it."""
    return None if isinstance(value, Missing) or not isfinite(value) else value


def _indicator(indicator: Indicator) -> dict[str, Any]:
    baseline = indicator.baseline
    return {
        "name": indicator.name,
        "entity": str(indicator.entity),
        "value": _number(indicator.value),
        "unit": indicator.unit,
        "missing": str(indicator.value) if isinstance(indicator.value, Missing) else None,
        "baseline": _baseline(baseline) if baseline else None,
        "lifetime": None if indicator.lifetime is None else _number(indicator.lifetime),
        "mark": indicator.mark,
        "owner": indicator.owner,
        "at_least": indicator.at_least,
        "parts": {part: _number(value) for part, value in indicator.parts},
    }


def _upstream(upstream: Upstream) -> dict[str, Any]:
    return {
        "gateway": str(upstream.gateway),
        "name": upstream.name,
        "target": str(upstream.target) if upstream.target else None,
        "place": upstream.place or None,
        "rate": _number(upstream.rate),
        "share": _number(upstream.share),
        "healthy": _number(upstream.healthy),
        "inflight": _number(upstream.inflight),
    }


def _baseline(baseline: Baseline) -> dict[str, Any]:
    return {"value": _number(baseline.value), "kind": baseline.kind}


def _compared(finding: Finding, snapshot: Snapshot) -> dict[str, Any]:
    """Healthy values that its conditions were compared with, by indicator."""
    return {name: _baseline(baseline) for name, baseline in baselines_of(finding, snapshot).items()}


def operands_json(operands: Iterable[Operand]) -> dict[str, float | None]:
    """Values by name, null for one that is missing."""
    return {name: _number(value) for name, value in operands}


def finding_json(finding: Finding, t: float) -> dict[str, Any]:
    """One finding; `t` is the moment of the snapshot, for the ages."""
    return {
        "rule": finding.rule,
        "row": finding.row,
        "entity": str(finding.entity),
        "state": str(finding.state),
        "verdict": str(finding.verdict),
        "result": str(finding.result) if finding.result else None,
        "severity": str(finding.severity),
        "class": finding.rank_class,
        "title": finding.title,
        "since_s": round(t - finding.since, 3),
        "cut": finding.cut,
        "cause": finding.cause,
        "readings": [_reading(r) for r in finding.readings],
        "ruled_out": [_ruled_out(r) for r in finding.ruled_out],
        "not_ruled_out": [name for name, _ in finding.not_ruled_out],
        "explained_by": finding.explained_by,
        "checks": [_check(c) for c in finding.checks],
        "remedies": list(finding.remedies),
        "evidence": operands_json(finding.evidence),
    }


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        "condition": reading.condition,
        "truth": str(reading.truth),
        "operands": operands_json(reading.operands),
        "held_s": reading.held_s,
        "hold_s": reading.hold_s,
    }


def _ruled_out(ruled_out: RuledOut) -> dict[str, Any]:
    return {
        "rule": ruled_out.rule,
        "condition": ruled_out.condition,
        "operands": operands_json(ruled_out.operands),
    }


def _check(check: FindingCheck) -> dict[str, Any]:
    return {
        "kind": check.kind,
        "text": check.text,
        "argv": list(check.argv) if check.argv is not None else None,
        "confirms": check.confirms,
        "refutes": check.refutes,
        "result": str(check.result) if check.result else None,
    }


def _trend(trend: Trend) -> dict[str, Any]:
    return {
        "growing": str(trend.growing),
        "entity": str(trend.entity),
        "value": trend.value,
        "rate": trend.rate,
        "goal": str(trend.goal),
        "limit": trend.limit,
        "left_s": round(trend.left_s, 1),
        "span_s": round(trend.span_s, 1),
        "r2": trend.r2,
    }


def undecided_json(undecided: Undecided) -> dict[str, Any]:
    """One rule that lacks data, with the values that would decide it."""
    return {
        "rule": undecided.rule,
        "entity": str(undecided.entity),
        "missing": [{"name": m.name, "reason": str(m.reason), "source": m.source} for m in undecided.missing],
    }


def _source(source: SourceHealth) -> dict[str, Any]:
    return {
        "name": source.name,
        "kind": source.kind,
        "state": str(source.state),
        "reason": source.reason,
        "took_s": source.took_s,
        "cadence_s": source.cadence_s,
        "notes": list(source.notes),
    }


def episode_json(episode: Episode, start: float) -> dict[str, Any]:
    """One stretch of a finding over a run; seconds count from its start."""
    return {
        "rule": episode.rule,
        "entity": str(episode.entity),
        "title": episode.title,
        "from_s": round(episode.start - start, 3),
        "to_s": round(episode.end - start, 3),
        "fired": episode.fired,
        "verdict": str(episode.verdict),
        "severity": str(episode.severity),
        "first": episode.first,
        "explained_by": episode.explained_by,
    }
