"""What discovery hands over: targets that it takes, and things that it does not take with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from perfconsole.errors import PerfconsoleError


@dataclass(frozen=True, slots=True)
class Found:
    """A target of this host."""

    layer: str
    """gateway, orchestration or engine, as in the configuration."""
    adapter: str
    """Name of its adapter; empty when only the layer is known."""
    url: str
    """Base URL where it serves requests; empty for a process without HTTP."""
    page_url: str
    """URL of its metrics page where that is elsewhere than `url` and the adapter's path; empty otherwise."""
    pid: int
    """Its first process, 0 when unknown."""
    upstreams: tuple[str, ...]
    """URLs of what it calls, by its command line or configuration file; never with a user or a key in them."""
    how: str
    """Why it was taken: one plain sentence."""
    program: str = ""
    """Short name of the program where nothing else names the target; fit to be shown."""
    named: tuple[tuple[str, str], ...] = ()
    """Upstreams by the names that its page gives them, with the URL of each."""


@dataclass(frozen=True, slots=True)
class Untaken:
    """Something that listens, or calls an engine, and is not watched."""

    port: int
    """0 for a process without one."""
    pid: int
    """0 when unknown."""
    program: str
    """Short name of the program, fit to be shown; never its command line. Empty when unknown."""
    reason: str
    """Why it was not taken: one plain clause."""


def words_of(error: Exception) -> str:
    """A fault in words: that of a user with its text, one of ours by its name alone, as its text may quote anything."""
    text = str(error) if isinstance(error, PerfconsoleError) else ""
    return text or f"fault in perfconsole, please report it: {type(error).__name__}"
