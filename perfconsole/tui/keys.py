"""The keys of the program, as footers and the help show them."""

from __future__ import annotations

Keys = tuple[tuple[str, str], ...]
"""A key and what it does."""

EVERYWHERE: Keys = (
    ("1-4", "layer"),
    ("?", "help"),
    ("q", "quit"),
    ("space", "pause"),
    ("f", "flame"),
    ("d", "dump"),
    ("p", "probe"),
    ("w", "write"),
    ("- +", "faster, slower"),
    ("ctrl+p", "commands"),
)
"""Keys that act on every page, by importance: a footer shows the first ones that fit."""

ALL_KEYS: Keys = (
    ("1 2 3 4", "every indicator of the gateway, orchestration, engine, hardware layer"),
    ("enter", "open what the cursor stands on; on a check: copy its command, then y runs it if it only reads"),
    ("esc", "back; clears a filter first"),
    ("tab", "next panel, next board of the engine"),
    ("arrows, h j k l", "move"),
    ("/", "filter by text; on the main page also any rule: enter then says why it is silent"),
    ("u", "what cannot be seen, and which source would tell"),
    ("f", "flame graph of a Python process: what blocks it, by file and line"),
    ("d", "stacks of a process or an engine at this moment: who stands still"),
    ("p", "load an endpoint step by step: what it can do, and where its knee is; asks first"),
    ("w", "write this moment into a file that `perfconsole diagnose FILE` judges again"),
    ("space", "pause the screen; watching goes on"),
    ("- +", "poll more often, less often"),
    ("ctrl+p", "commands, themes among them"),
    ("?", "this page"),
    ("ctrl+z", "stop; fg in the shell goes on"),
    ("q, ctrl+c", "quit"),
)
