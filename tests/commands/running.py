"""The program run within the test, and small recordings and rules for it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from perfconsole.cli import main

CAPTURES = Path(__file__).parents[1] / "captures"
START = 1_700_000_000
PAGE = """\
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_waiting{engine="0",model_name="m"} 0.0
"""
BROKEN = "id: broken\ntitle: Broken\nlayer: engine\nscope: engien\n"


@dataclass(frozen=True)
class Ran:
    """What one run of the program gave."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Its JSON."""
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded

    @property
    def rules(self) -> list[str]:
        """Rules of its findings, in order."""
        return [finding["rule"] for finding in self.document["findings"]]


def perfconsole(*arguments: object) -> Ran:
    """Run the program on these arguments."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(a) for a in arguments])
    return Ran(code, out.getvalue(), err.getvalue())


@cache
def replayed(name: str, *arguments: str) -> Ran:
    """Replay a captured series; every second page of vllm and vllm_kv, the first 24 s of vllm_hang."""
    return perfconsole("check", "--replay", CAPTURES / name / "series.prom.gz", *arguments)


def recording(folder: Path, *pages: str, body: str = PAGE) -> Path:
    """A recording of three pages a second apart, or of the polls given."""
    path = folder / "series.prom"
    polls = pages or tuple(f"# t {START + i}\n{body}" for i in range(3))
    path.write_text("".join(polls), encoding="utf-8")
    return path


def rule(folder: Path, *when: str, name: str = "mine", severity: str = "warn", unless: str = "") -> Path:
    """A folder with one rule of the user's own."""
    folder.mkdir(exist_ok=True)
    parts = {
        "id": name,
        "title": "My own",
        "layer": "engine",
        "scope": "engine",
        "severity": severity,
        "class": "symptom",
        "when": list(when),
        "unless": [unless] if unless else [],
        "cause": "c",
        "confidence": "low",
    }
    (folder / f"{name}.yaml").write_text(json.dumps(parts), encoding="utf-8")
    return folder
