"""The key that writes this moment: on a thread of its own, since a disk may take its time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.tui.app import ConsoleApp
    from perfconsole.view.picture import Picture

_SAID_S = 15.0
"""A path is read, and typed elsewhere."""


def write_moment(app: ConsoleApp) -> None:
    """Write what is on the screen; the header says where, or why not."""
    if app.picture is None:
        app.word.say("nothing is known yet, so there is nothing to write")
        return
    app.word.say("writing this moment")
    picture = app.picture
    app.word.of_work(lambda: _written(app, picture), "writing", _SAID_S)


def _written(app: ConsoleApp, picture: Picture) -> str:
    from perfconsole.actions.situationfile import state_folder, write_situation  # noqa: PLC0415 - at the first file
    from perfconsole.view.situation import situation_text  # noqa: PLC0415 - as above

    local = datetime.fromtimestamp(picture.snapshot.wall + app.setting.utc_offset_s, UTC)
    return f"written: {write_situation(situation_text(picture), f'{local:%Y%m%d-%H%M%S}', (Path(), state_folder()))}"
