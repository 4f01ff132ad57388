"""A mistake in a table of the configuration, and the way to its key. Light: every start of the program loads it."""

from __future__ import annotations

TomlPath = tuple[str | int, ...]
"""Keys and numbers of elements from the top of the document: ("target", 0, "url")."""


class MappingError(ValueError):
    """A mistake in a target's table; `path` leads to the key from the table that was given."""

    def __init__(self, path: TomlPath, message: str) -> None:
        self.path = path
        super().__init__(message)
