"""What 16 GPUs cost at one poll a second, against 1 % of a core: the helper, the source, and the ticks that judge them.

Run it by hand: `python -m tests.bench.bench_nvml` from the root of the checkout. The driver is a stand-in that
answers at once; what a real driver takes comes on top. Needs a C compiler.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from perfconsole.clock import SystemClock
from perfconsole.commands.rulebook import load_rules
from perfconsole.core.session import Session
from perfconsole.model.dictionary import DEFAULT
from perfconsole.model.entity import Entity, Kind
from perfconsole.sources.gpu import GpuSource, helper_argv
from tests.sources.nvml.fakenvml import FakeNvml

GPUS = 16
SECONDS = 30
BUDGET = 0.01
FIELDS = ("82 1 0 60", "197 3 0 100", "198 3 0 100", "230 1 0 0", "74 3 0 5", "269 3 0 5", "138 3 0 9", "139 3 0 9")


def cpu_s(pid: int | str) -> float:
    """User and system time of a process, by the scheduler in nanoseconds: ticks of 10 ms are too coarse."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0]) for task in tasks) / 1e9


def main() -> None:
    """Print the shares of a core."""
    clock = SystemClock()
    lines = [f"field * {field}" for field in FIELDS] + [f"process {i} {4000 + i} 1000000 40" for i in range(GPUS)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(FakeNvml(Path(folder), f"count {GPUS}", *lines).environment())
        engine = Entity(Kind.ENGINE, "vllm:8000")
        source = GpuSource(helper_argv(), DEFAULT, lambda: {engine: frozenset({4001})}, Entity(Kind.HOST, "here"))
        source.start()
        try:
            for _ in range(3):
                source.poll(clock.now(), clock.wall())
                clock.sleep(1.0)
            child = source._keeper.child
            pid = child.pid if child else 0
            session = Session(load_rules(())[0])
            begun, helper, own = clock.now(), cpu_s(pid), cpu_s("self")
            samples, ticks = 0, 0.0
            for _ in range(SECONDS):
                (batch,) = source.poll(clock.now(), clock.wall())
                samples = len(batch.samples)
                before = cpu_s("self")
                session.apply(batch)
                session.tick(clock.now(), clock.wall())
                ticks += cpu_s("self") - before
                clock.sleep(1.0)
            took, helper, own = clock.now() - begun, cpu_s(pid) - helper, cpu_s("self") - own
        finally:
            source.close()
    share = (helper + own) / took
    shares = (100 * each / took for each in (helper, own - ticks, ticks))
    print("nvml: {} values of {} GPUs; helper {:.2f} %, source {:.2f} %, ticks {:.2f} %".format(samples, GPUS, *shares))
    print(f"nvml: together {share * 100:.2f} % of a core = {share / BUDGET:.2f} of the budget")


if __name__ == "__main__":
    main()
