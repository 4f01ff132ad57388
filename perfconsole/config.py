"""What the user wants watched and how the team marks it: TOML and flags into one frozen Config."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT, Dictionary

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping

_TARGET_KEYS = {"name": str, "layer": str, "url": str, "token_env": str}
_TABLES = ("target", "indicator", "rules")
LAYERS = ("gateway", "orchestration", "engine")


@dataclass(frozen=True, slots=True)
class Target:
    """Something to poll."""

    layer: str
    url: str
    """A URL, or the number of a process for an orchestrator that serves no HTTP."""
    name: str = ""
    token_env: str = ""
    """Environment variable that holds the key; the key itself is never kept in a file or shown."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that flags and files decide."""

    targets: tuple[Target, ...]
    dictionary: Dictionary
    rule_folders: tuple[Path, ...]


def user_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of all that is the user's own: perfconsole below the XDG configuration folder."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/")) / ".config")
    return Path(home) / "perfconsole"


def user_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The configuration read when no --config is given."""
    return user_home(environment) / "config.toml"


def load_flags(flags: Namespace) -> Config:
    """The configuration of a command that watches, from the flags that all commands share."""
    return load(flags.config, flags.engine, flags.rules, gateways=flags.gateway, orchestrators=flags.orchestrator)


def load(
    path: Path | None,
    engines: Iterable[str],
    rule_folders: Iterable[Path],
    *,
    gateways: Iterable[str] = (),
    orchestrators: Iterable[str] = (),
) -> Config:
    """Merge a file (given, or the user's own if there is one) with flags; UsageError says place and remedy."""
    chosen = path or (user_file() if user_file().is_file() else None)
    text = _read(chosen) if chosen else ""
    document = parse(text, str(chosen)) if chosen else {}
    flags = (("gateway", gateways), ("orchestration", orchestrators), ("engine", engines))
    named = [Target(layer, url) for layer, urls in flags for url in urls]
    folders = [Path(f) for f in document.get("rules", {}).get("folders", [])]
    return Config(
        targets=(*_targets(document, text, str(chosen)), *named),
        dictionary=_dictionary(document, text, str(chosen)),
        rule_folders=(*folders, *rule_folders),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def parse(text: str, file: str) -> dict[str, Any]:
    """The TOML document with its top-level keys checked."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_decode_message(str(error), file)) from error
    except RecursionError:
        raise UsageError(f"{file}: not valid TOML: nested too deeply") from None
    for key in document:
        _known(key, _TABLES, "table", text, file)
    for key in ("indicator", "rules"):
        if not isinstance(document.get(key, {}), dict):
            raise UsageError(f"{_place(key, text, file)}: {key} must be a table; write [{key}]")
    for key in document.get("rules", {}):
        _known(key, ("folders",), "key in [rules]", text, file)
    folders = document.get("rules", {}).get("folders", [])
    if not isinstance(folders, list) or not all(isinstance(f, str) for f in folders):
        raise UsageError(f'{_place("folders", text, file)}: folders must be a list of texts: folders = ["DIR"]')
    return document


def _decode_message(message: str, file: str) -> str:
    """`FILE:LINE:COLUMN: what` from tomllib's own words."""
    match = re.search(r"\s*\(at line (\d+), column (\d+)\)$", message)
    if match is None:
        return f"{file}: not valid TOML: {message}"
    return f"{file}:{match[1]}:{match[2]}: not valid TOML: {message[: match.start()]}"


def _known(key: str, known: Iterable[str], what: str, text: str, file: str, start: int = 0) -> None:
    known = list(known)
    if key in known:
        return
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise UsageError(f"{_place(key, text, file, start)}: unknown {what} {key!r}; {hint}")


def _place(word: str, text: str, file: str, start: int = 0) -> str:
    """FILE:LINE:COLUMN of the first place behind `start` where the word stands as a key or table name."""
    pattern = re.compile(rf"""(?m)^[ \t]*\[*[^#\n]*?(?<![\w-])({re.escape(word)})["']?[ \t]*[=.\]]""")
    match = pattern.search(text, start)
    if match is None:
        return file
    start = match.start(1)
    line = text.count("\n", 0, start) + 1
    return f"{file}:{line}:{start - text.rfind(chr(10), 0, start)}"


def _targets(document: dict[str, Any], text: str, file: str) -> list[Target]:
    tables = document.get("target", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{_place('target', text, file)}: write [[target]] with two brackets, one table a target")
    starts = [m.start() for m in re.finditer(r"(?m)^[ \t]*\[\[", text)] if len(tables) > 1 else []
    starts = starts if len(starts) == len(tables) else [0] * len(tables)
    return [_target(table, text, file, start) for table, start in zip(tables, starts, strict=True)]


def _target(table: dict[str, Any], text: str, file: str, start: int) -> Target:
    """One target; its table stands in the text behind `start`."""
    for key, value in table.items():
        _known(key, _TARGET_KEYS, "key in [[target]]", text, file, start)
        if not isinstance(value, _TARGET_KEYS[key]):
            raise UsageError(f"{_place(key, text, file, start)}: {key} must be text in quotes")
    if "url" not in table:
        raise UsageError(
            f'{_place("target", text, file, start)}: this [[target]] has no url; add url = "http://HOST:PORT"'
        )
    layer = table.get("layer", "engine")
    if layer not in LAYERS:
        raise UsageError(f"{_place('layer', text, file, start)}: unknown layer {layer!r}; known: {', '.join(LAYERS)}")
    return Target(layer, table["url"], table.get("name", ""), table.get("token_env", ""))


def _dictionary(document: dict[str, Any], text: str, file: str) -> Dictionary:
    """Marks and owners as the team sets them: `[indicator."engine.ttft.p95"]` with warn, critical, owner."""
    overrides = document.get("indicator", {})
    try:
        return DEFAULT.with_overrides(overrides) if overrides else DEFAULT
    except ValueError as error:
        raise UsageError(f"{_fault_place(str(error), text, file)}: {error}") from error


def _fault_place(message: str, text: str, file: str) -> str:
    """Place of what a message about a mark speaks of: the quoted mark itself, else the indicator's name."""
    for quoted in re.findall(r"'([^']+)'", message):
        at = text.find(quoted)
        if at >= 0:
            return f"{file}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"
    words = sorted(re.findall(r"[\w.]+", message), key=lambda word: "." not in word)  # names first
    return next((p for w in words if len(w) > 3 and (p := _place(w, text, file)) != file), file)
