"""The usual way to measure a stream: httpx, a task for each, `aiter_lines` and JSON for every event.

Run as a program: python -m tests.bench.httpxclient PORT STREAMS ROUNDS TOKENS. Prints what tests.bench.rawclient does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time  # noqa: TID251 - moments are what it is for

import httpx

Counts = dict[int, int]


def _add(spread: Counts, nanos: int) -> None:
    micros = nanos // 1000
    spread[micros] = spread.get(micros, 0) + 1


async def _ask(client: httpx.AsyncClient, url: str, tokens: int, ttft: Counts, gaps: Counts) -> None:
    """One request; what fails counts nowhere."""
    said = {"model": "exact", "messages": [{"role": "user", "content": "one two three"}], "max_tokens": tokens}
    body = {**said, "stream": True, "stream_options": {"include_usage": True}}
    began, last = time.time_ns(), 0
    async with client.stream("POST", url, json=body) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            choices = json.loads(line[6:])["choices"]
            if choices and choices[0]["delta"].get("content"):
                now = time.time_ns()
                _add(gaps if last else ttft, now - (last or began))
                last = now


async def _stream(client: httpx.AsyncClient, url: str, job: tuple[int, int], ttft: Counts, gaps: Counts) -> int:
    """One user: request after request. How many failed."""
    failed = 0
    for _ in range(job[0]):
        try:
            await _ask(client, url, job[1], ttft, gaps)
        except httpx.HTTPError:
            failed += 1
    return failed


async def measure(port: int, streams: int, rounds: int, tokens: int) -> dict[str, object]:
    """All rounds of all streams."""
    ttft: Counts = {}
    gaps: Counts = {}
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    async with httpx.AsyncClient(limits=limits, timeout=300.0) as client:
        users = [_stream(client, url, (rounds, tokens), ttft, gaps) for _ in range(streams)]
        failed = await asyncio.gather(*users)
    return {"ttft": ttft, "gaps": gaps, "failed": sum(failed)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(measure(*map(int, sys.argv[1:5])))) + "\n")
