"""What the user wants watched and how the team marks it: TOML and flags into one frozen Config."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfconsole.errors import UsageError
from perfconsole.model.dictionary import DEFAULT, Dictionary
from perfconsole.sources.mappingerror import MappingError
from perfconsole.target import LAYERS, Target, target_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping

    from perfconsole.sources.mappingerror import TomlPath

__all__ = ["LAYERS", "Config", "Target", "load", "load_flags", "parse", "user_file", "user_home"]

_END = 200
_TABLES = ("target", "indicator", "rules", "discovery")


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that flags and files decide."""

    targets: tuple[Target, ...]
    dictionary: Dictionary
    rule_folders: tuple[Path, ...]
    discover: bool = True
    """Look for targets on this host that nobody named."""
    logs: tuple[str, ...] = ()
    """Logs of engines as flags name them: FILE or ENGINE=FILE."""


def user_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of all that is the user's own: perfconsole below the XDG configuration folder."""
    home = environment.get("XDG_CONFIG_HOME") or str(Path(environment.get("HOME", "/")) / ".config")
    return Path(home) / "perfconsole"


def user_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The configuration read when no --config is given."""
    return user_home(environment) / "config.toml"


def load_flags(flags: Namespace) -> Config:
    """The configuration of a command that watches, from the flags that all commands share."""
    return load(
        flags.config,
        flags.engine,
        flags.rules,
        gateways=flags.gateway,
        orchestrators=flags.orchestrator,
        logs=getattr(flags, "log", ()),  # not every command that reads targets has it
    )


def load(
    path: Path | None,
    engines: Iterable[str],
    rule_folders: Iterable[Path],
    *,
    gateways: Iterable[str] = (),
    orchestrators: Iterable[str] = (),
    logs: Iterable[str] = (),
) -> Config:
    """Merge a file (given, or the user's own if there is one) with flags; UsageError says place and remedy."""
    chosen = path or (user_file() if user_file().is_file() else None)
    text = _read(chosen) if chosen else ""
    document = parse(text, str(chosen)) if chosen else {}
    flags = (("gateway", gateways), ("orchestration", orchestrators), ("engine", engines))
    named = [Target(layer, url) for layer, urls in flags for url in urls]
    folders = [Path(f) for f in document.get("rules", {}).get("folders", [])]
    dictionary = _dictionary(document, text, str(chosen))
    try:
        targets = _targets(document, dictionary)
    except MappingError as fault:
        raise UsageError(f"{_placed(fault.path, text, str(chosen))}: {_shortened(str(fault))}") from None
    return Config(
        targets=(*targets, *named),
        dictionary=dictionary,
        rule_folders=(*folders, *rule_folders),
        # Flags say what to watch: looking for more is for those who name nothing.
        discover=document.get("discovery", {}).get("enabled", not named),
        logs=tuple(logs),
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
    import tomllib  # noqa: PLC0415 - most starts have no file

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_decode_message(str(error), text, file)) from error
    except RecursionError:
        raise UsageError(f"{file}: not valid TOML: nested too deeply") from None
    except ValueError:  # what tomllib leaves to int()
        raise UsageError(f"{file}: not valid TOML: a number of too many digits") from None
    try:
        _check(document)
    except MappingError as fault:
        raise UsageError(f"{_placed(fault.path, text, file)}: {_shortened(str(fault))}") from None
    return document


def _check(document: dict[str, Any]) -> None:
    """Keys and types of all but the targets."""
    for key in document:
        _refuse_unknown((key,), _TABLES, "table")
    for key in ("indicator", "rules", "discovery"):
        if not isinstance(document.get(key, {}), dict):
            raise MappingError((key,), f"{key} must be a table; write [{key}]")
    for table, known in (("rules", "folders"), ("discovery", "enabled")):
        for key in document.get(table, {}):
            _refuse_unknown((table, key), (known,), f"key in [{table}]")
    folders = document.get("rules", {}).get("folders", [])
    if not isinstance(folders, list) or not all(isinstance(f, str) for f in folders):
        raise MappingError(("rules", "folders"), 'folders must be a list of texts: folders = ["DIR"]')
    if not isinstance(document.get("discovery", {}).get("enabled", True), bool):
        raise MappingError(("discovery", "enabled"), "enabled must be true or false")


def _decode_message(message: str, text: str, file: str) -> str:
    """`FILE:LINE:COLUMN: what` from tomllib's own words."""
    match = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if match is None:
        return f"{file}: not valid TOML: {message}"
    end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
    line, column = match[1] or end[0], match[2] or end[1]
    return f"{file}:{line}:{column}: not valid TOML: {message[: match.start()]}"


def _refuse_unknown(path: TomlPath, known: Iterable[str], what: str) -> None:
    key, known = str(path[-1]), list(known)
    if key in known:
        return
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise MappingError(path, f"unknown {what} {key!r}; {hint}")


def _shortened(message: str) -> str:
    """What a line repeats from the file may be of any length: what and what to do stand at its two ends."""
    return message if len(message) <= 2 * _END else f"{message[:_END]} ... {message[-_END:]}"


def _placed(path: TomlPath, text: str, file: str) -> str:
    """FILE:LINE:COLUMN of a key."""
    from perfconsole.tomlplaces import place  # noqa: PLC0415 - as above

    found = place(text, path)
    return f"{file}:{found[0]}:{found[1]}" if found else file


def _targets(document: dict[str, Any], dictionary: Dictionary) -> list[Target]:
    tables = document.get("target", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise MappingError(("target",), "write [[target]] with two brackets, one table a target")
    targets: list[Target] = []
    for number, table in enumerate(tables):
        try:
            targets.append(target_of(table, dictionary))
        except MappingError as fault:
            raise MappingError(("target", number, *fault.path), str(fault)) from None
        name = targets[-1].name
        if name and name in [target.name for target in targets[:-1]]:
            raise MappingError(("target", number, "name"), f"{name!r} names another [[target]] too; name each once")
    return targets


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
    from perfconsole.tomlplaces import paths  # noqa: PLC0415 - as above

    known = {str(path[-1]): path for path in sorted(paths(text), key=len, reverse=True) if path[0] == "indicator"}
    return next((_placed(known[w], text, file) for w in words if len(w) > 3 and w in known), file)
