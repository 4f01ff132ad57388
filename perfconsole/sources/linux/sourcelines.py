"""Lines of source files that a process runs, as that process sees them. Bounded: never a large file, nor many."""

from __future__ import annotations

from pathlib import Path

from perfconsole.plainfile import read_plain

_MOST_BYTES = 4 << 20
_MOST_FILES = 400


class SourceLines:
    """Reads each file once; the only writer of what it has read."""

    def __init__(self, root: str = "") -> None:
        self._root = root
        """Root folder of the process: another one than ours where it runs in a container."""
        self._files: dict[str, tuple[str, ...]] = {}

    def text(self, file: str, line: int) -> str | None:
        """Text of a line, counted from 1; None where it cannot be read."""
        if file not in self._files:
            self._files[file] = self._read(file) if len(self._files) < _MOST_FILES else ()
        lines = self._files[file]
        return lines[line - 1] if 0 < line <= len(lines) else None

    def _read(self, file: str) -> tuple[str, ...]:
        if not file.startswith("/"):
            return ()  # shortened by the recorder: the folder it belongs to is not known
        for root in dict.fromkeys((self._root, "")):
            try:
                return tuple(read_plain(Path(root + file), _MOST_BYTES).decode("utf-8", "replace").split("\n"))
            except (OSError, ValueError):
                continue
        return ()
