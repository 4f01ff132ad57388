"""What tests of the screen share; none writes into the state folder of whoever runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.actions.sleepers import sleeper

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder in place of the user's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def pid() -> Iterator[int]:
    """A Python process of our own."""
    with sleeper() as number:
        yield number
