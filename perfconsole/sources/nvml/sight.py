"""Whether an NVIDIA driver is in sight, by looking at file names only: a host without one needs no helper process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LIBRARY = "libnvidia-ml.so.1"
MARKS = ("dev/nvidiactl", "proc/driver/nvidia/version", "dev/dxg")
"""Device of the driver, version of the loaded kernel module, and the device that stands for both under WSL."""
FOLDERS = (
    "usr/lib",
    "usr/lib64",
    "usr/lib/x86_64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
    "usr/lib/wsl/lib",
    "usr/lib/nvidia",
    "usr/lib64/nvidia",
    "usr/local/lib",
    "usr/local/nvidia/lib64",
    "usr/local/nvidia/lib",
    "run/nvidia/driver/usr/lib/x86_64-linux-gnu",
    "lib/x86_64-linux-gnu",
    "lib64",
    "run/opengl-driver/lib",
)
NOT_IN_SIGHT = (
    f"no NVIDIA driver on this host: looked for /{MARKS[0]}, /{MARKS[1]}, /{MARKS[2]} and for {LIBRARY} "
    "in the library folders"
)


def driver_in_sight(root: Path = Path("/"), environ: Mapping[str, str] = os.environ) -> bool:
    """Whether any trace of a driver is there; takes 20 looks at file names and no call of the driver."""
    if any((root / mark).exists() for mark in MARKS):
        return True
    named = [folder for folder in environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    places = [*(Path(folder) for folder in named), *(root / folder for folder in FOLDERS)]
    return any(_there(place / LIBRARY) for place in places)


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
