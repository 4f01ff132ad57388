"""Load clients as children, each driven to its end against an exact server: what it said, and what it cost."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time  # noqa: TID251 - the moment of a start is held against the log of the server
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from perfconsole.actions.run import Child, start
from perfconsole.load.wire import decode_event, encode_order
from perfconsole.model.probeload import LoadEnd, LoadTick, Part, RequestRecord, StepRecord
from perfconsole.model.probeorders import Finish, LoadOrder, Open, Run, Target, Warm
from perfconsole.model.probeplan import Caps, Shape
from tests.bench.probetruth import Counts, Measured, ask, counts, percentiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LIMIT_S = 300.0
_WARM = 2
_PROMPT = 32
_CAPS = Caps(requests=1_000_000, output_tokens=1_000_000_000, seconds=_LIMIT_S, concurrency=4096)


class NotHereError(Exception):
    """A client cannot be run here, with the reason."""


@dataclass(frozen=True, slots=True)
class Job:
    """So many streams, each with so many requests of so many tokens, against the server at the port."""

    port: int
    streams: int
    rounds: int
    tokens: int

    @property
    def requests(self) -> int:
        """Of all streams."""
        return self.streams * self.rounds


@dataclass(frozen=True, slots=True)
class Spent:
    """When a child was started, and the CPU time of it and its children from the first request on."""

    spawned_ns: int
    cpu_s: float


def load_process(job: Job) -> Measured:
    """The load process of the probe, by its own protocol."""
    records: list[RequestRecord] = []
    gaps: Counts = {}

    def hear(child: Child) -> None:
        coming: list[LoadOrder] = [Run(0, Shape.CONCURRENCY, float(job.streams), requests=job.requests), Finish()]
        for line in _lines(child):
            event = decode_event(line)
            if isinstance(event, RequestRecord):
                records.append(event)
            elif isinstance(event, LoadTick):
                for gap, n in event.gaps:
                    gaps[gap] = gaps.get(gap, 0) + n
            elif isinstance(event, StepRecord):
                child.send(encode_order(coming.pop(0)))
            elif isinstance(event, LoadEnd):
                return

    orders = encode_order(_opening(job)) + encode_order(Warm(_WARM))
    spent = _driven([sys.executable, "-m", "perfconsole.load"], job.port, hear, orders)
    records.sort(key=lambda record: record.sent)
    counted = [place for place, record in enumerate(records) if record.part is Part.COUNTED]
    ttft = counts(r.ttft * 1e6 for r in records if r.part is Part.COUNTED and r.ttft is not None)
    troubles = sum(r.trouble is not None for r in records)
    note = f"{troubles} requests failed" if troubles else ""
    return Measured(percentiles(ttft), percentiles(gaps), counted, spent.cpu_s, spent.spawned_ns, note)


def console(job: Job) -> Measured:
    """The command, as a script runs it."""
    if importlib.util.find_spec("perfconsole.commands.probe") is None:
        raise NotHereError("perfconsole has no probe command here")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        argv = [sys.executable, "-m", "perfconsole", "probe", _url(job), "--yes", "--out", str(out)]
        argv += ["--concurrency", str(job.streams), "--requests-per-step", str(job.requests)]
        argv += ["--output-tokens", str(job.tokens), "--prompt-tokens", str(_PROMPT)]
        spent = _driven(argv, job.port, _to_the_end)
        step = json.loads(out.read_text(encoding="utf-8"))["steps"][0]
    note = "" if step["valid"] else f"marked invalid: {step['why']}"
    counted = range(_WARM, _WARM + step["requests"])
    return Measured(_spread(step["ttft"]), _spread(step["itl"]), counted, spent.cpu_s, spent.spawned_ns, note)


def raw(job: Job) -> Measured:
    """The least that can measure."""
    return _own("tests.bench.rawclient", job)


def httpx(job: Job) -> Measured:
    """The usual way."""
    return _own("tests.bench.httpxclient", job)


def guidellm(job: Job) -> Measured:
    """It gives means of requests under the name of ITL, and no gaps."""
    program, tokenizer = _tool("guidellm"), _tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        argv = [program, "run", "--backend", f"kind=openai_http,target={_url(job)},model=exact"]
        argv += ["--profile", f"kind=concurrent,streams={job.streams}"]
        argv += ["--constraint", f"kind=max_requests,count={job.requests}"]
        argv += ["--data", f"kind=synthetic_text,prompt_tokens={_PROMPT},output_tokens={job.tokens}"]
        argv += ["--tokenizer", f"kind=huggingface_auto,model={tokenizer}", "--output", f"kind=json,path={out}"]
        spent = _driven(argv, job.port, _to_the_end)
        found = json.loads(out.read_text(encoding="utf-8"))["benchmarks"][0]["metrics"]
    ttft, itl = (
        found[name]["successful"]["percentiles"] for name in ("time_to_first_token_ms", "inter_token_latency_ms")
    )
    first, gaps = ({q: each[f"p{q}"] * 1e3 for q in (50, 95, 99)} for each in (ttft, itl))
    return Measured(first, gaps, range(job.requests), spent.cpu_s, spent.spawned_ns, "its ITL is of means")


def aiperf(job: Job) -> Measured:
    """Gaps are taken from its records of each request; what it shows as ITL is of means."""
    program, tokenizer = _tool("aiperf"), _tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        argv = [program, "profile", "--url", _url(job), "--model", "exact", "--endpoint-type", "chat", "--streaming"]
        argv += ["--concurrency", str(job.streams), "--request-count", str(job.requests)]
        argv += ["--synthetic-input-tokens-mean", str(_PROMPT), "--output-tokens-mean", str(job.tokens)]
        argv += ["--tokenizer", str(tokenizer), "--output-artifact-dir", folder, "--ui", "none"]
        spent = _driven(argv, job.port, _to_the_end)
        (out,) = Path(folder).rglob("profile_export.jsonl")
        rows = [json.loads(line)["metrics"] for line in out.read_text(encoding="utf-8").splitlines()]
    ttft = counts(row["time_to_first_token"]["value"] * 1e3 for row in rows)
    gaps = counts(gap * 1e3 for row in rows for gap in row["inter_chunk_latency"]["value"])
    return Measured(percentiles(ttft), percentiles(gaps), range(job.requests), spent.cpu_s, spent.spawned_ns)


CLIENTS: dict[str, Callable[[Job], Measured]] = {
    "raw": raw,
    "load process": load_process,
    "console": console,
    "httpx": httpx,
    "aiperf": aiperf,
    "guidellm": guidellm,
}


def _opening(job: Job) -> Open:
    target = Target("http", "127.0.0.1", job.port)
    return Open((target,), "chat", "exact", "short-chat", (3, 4, 3), _PROMPT, job.tokens, 60.0, _CAPS, 1)


def _own(module: str, job: Job) -> Measured:
    """One of the little programs beside this file."""
    said: list[dict[str, Any]] = []
    words = (job.port, job.streams, job.rounds, job.tokens)
    argv = [sys.executable, "-m", module, *map(str, words)]
    spent = _driven(argv, job.port, lambda child: said.extend(json.loads(line) for line in _lines(child)))
    if not said:
        raise NotHereError(f"{module} ended without a word")
    ttft, gaps = ({int(value): n for value, n in said[0][name].items()} for name in ("ttft", "gaps"))
    note = f"{failed} requests failed" if (failed := said[0].get("failed")) else ""
    return Measured(percentiles(ttft), percentiles(gaps), range(job.requests), spent.cpu_s, spent.spawned_ns, note)


def _driven(argv: Sequence[str], port: int, hear: Callable[[Child], None], first: bytes = b"") -> Spent:
    """Run a child to its end; NotHereError with its last words where it fails."""
    spawned_ns = time.time_ns()
    child = start(argv)
    try:
        child.send(first)
        while child.code() is None and not ask(port, "/admin")["requests"]:
            time.sleep(0.02)
        before, gone = _tree_cpu_s(child.pid), _gone_cpu_s()
        hear(child)
        child.close()
        child.wait(_LIMIT_S)
        words, code = child.last_words(), child.code()
    finally:
        child.end()
    if code != 0:
        raise NotHereError(f"{Path(argv[0]).name} ended with {code}: {words}")
    return Spent(spawned_ns, _gone_cpu_s() - gone - before)


def _lines(child: Child) -> Iterator[bytes]:
    """All that it says, until it has closed its output."""
    while (line := child.line(_LIMIT_S)) is not None:
        yield line


def _to_the_end(child: Child) -> None:
    for _ in _lines(child):
        pass


def _tree_cpu_s(pid: int) -> float:
    """CPU time of a process and of all that it started and that runs."""
    total = 0.0
    with suppress(psutil.Error):
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            with suppress(psutil.Error):
                took = process.cpu_times()
                total += took.user + took.system
    return total


def _gone_cpu_s() -> float:
    """CPU time of all children that have ended, and of theirs."""
    took = os.times()
    return took.children_user + took.children_system


def _spread(said: dict[str, float | None]) -> dict[int, float]:
    """Percentiles in microseconds; nan for those that are withheld."""
    return {q: value * 1e6 if (value := said[f"p{q}"]) is not None else float("nan") for q in (50, 95, 99)}


def _url(job: Job) -> str:
    return f"http://127.0.0.1:{job.port}"


def _tool(name: str) -> str:
    """Path of a tool; NotHereError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise NotHereError(f"{name} is not installed")
    return found


def _tokenizer() -> str:
    """Folder of a tokenizer, which both tools want even where the server counts."""
    folder = os.environ.get("PERFCONSOLE_BENCH_TOKENIZER", "")
    if not folder:
        raise NotHereError("PERFCONSOLE_BENCH_TOKENIZER names no folder of a tokenizer")
    return folder
