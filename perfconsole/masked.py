"""Hides what may be secret in a command line: values of flags and variables by their names, passwords, known keys.

Never sure of anything: what looks like a key is hidden even where it is none.
"""

from __future__ import annotations

import re

HIDDEN = "***"
_WORD = r"(?:(?:key|token|auth|dsn|pwd)(?![a-z])|secret|passw|credential|authoriz|bearer|cookie|signature|webhook)"
"""Of the short ones only whole words: --max-tokens and --tokenizer are no secrets."""
_NAME = rf"[\w.-]*{_WORD}[\w.-]*"
_FLAG = re.compile(rf"(?i)(?<![\w-])(-{{1,2}}{_NAME})(\s+|=)(\"[^\"]*\"|'[^']*'|[^\s\"']+)")
_VARIABLE = re.compile(rf"(?i)(?<![\w-])({_NAME})(\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|(?:(?:bearer|basic)\s+)?[^\s\"',;&]+)")
_URL = re.compile(r"(\w+://)[^\s/@]+@")
_QUERY = re.compile(rf"(?i)([?&]{_NAME}=)[^\s&\"']+")
_KEY = re.compile(r"\b(?:sk|pk|rk|hf|gh[opsu]|xox[abps]|glpat|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{12,}[-_.A-Za-z0-9]*")
"""Keys that are known by how they begin, wherever they stand."""


def masked(text: str) -> str:
    """The text with every value hidden that its name, its place or its form makes look secret."""
    text = _URL.sub(rf"\1{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1{HIDDEN}", text)
    text = _FLAG.sub(_flag, text)
    text = _VARIABLE.sub(rf"\1\2{HIDDEN}", text)
    return _KEY.sub(HIDDEN, text)


def _flag(found: re.Match[str]) -> str:
    """A flag behind a flag is no value: the first is a switch."""
    switch = found[2] != "=" and found[3].startswith("-")
    return found[0] if switch else f"{found[1]}{found[2]}{HIDDEN}"
