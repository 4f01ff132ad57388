"""Which commands of checks only read, by a list: anything else is shown and copied, and never run from here.

A command that is not known is refused like one that acts: a wrong refusal costs a paste, a wrong run an engine.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PLAIN = frozenset(
    (
        *("basename", "cat", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "expr", "false"),
        *("fgrep", "fincore", "findmnt", "free", "getconf", "getent", "grep", "head", "hostid", "ibstat", "ibstatus"),
        *("id", "iostat", "lscpu", "lsmod", "lsns", "ls", "lsblk", "lspci", "mpstat", "netstat", "nproc", "nstat"),
        *("numastat", "pgrep", "pidof", "pidstat", "pmap", "printf", "ps", "pwdx", "readlink", "seq", "sleep"),
        *("slabtop", "stat", "strings", "tac", "tail", "test", "tr", "true", "uname", "uptime", "vmstat", "wc", "zcat"),
        *("which", "zgrep"),
    )
)
"""Programs that write nothing but to their output, whatever their options."""
_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "{", "time"))
"""Words of the shell behind which a command begins."""
_CLOSING = frozenset(("done", "fi", "}", "esac"))
_OPERATORS = frozenset("();|&")
"""What parts commands; several that touch are one token."""
_REDIRECTIONS = _OPERATORS | frozenset("<>")
_ACTING_PATH = re.compile(
    r"abort|cancel|clear|delete|disable|enable|flush|kill|(?<![a-z_])load|pause|profile|quit|reload|reset|restart|resume|"
    r"shutdown|sleep(?!ing)|stop|unload|update|wake"
)
"""Words in an address at which an engine does something, asked for by a plain GET or not."""


def _options(allowed: str, *, values: str = "(?!)") -> Callable[[Sequence[str]], bool]:
    """Every word is an allowed option, or the value of one of `values`, or no option at all."""
    known, valued = re.compile(allowed), re.compile(values)

    def check(words: Sequence[str]) -> bool:
        before = ""
        for word in words:
            follows = valued.fullmatch(before) is not None
            if not follows and word.startswith("-") and known.fullmatch(word) is None:
                return False
            before = word
        return True

    return check


def _awk(words: Sequence[str]) -> bool:
    """One program that only prints: no files, no commands."""
    text = " ".join(words)
    return not re.search(r"system|getline|\||print[^;}]*>|(^| )-[^Fv]", text)


def _curl(words: Sequence[str]) -> bool:
    """A plain request that is answered from what is there, and no file but /dev/null."""
    allowed = _options(
        r"-[sSfiIkvgLNm46]+|-[wHo]|--max-time|--connect-timeout|--silent|--fail|--include|--head",
        values=r"-[wHm]|--max-time|--connect-timeout",
    )
    outputs = [after for word, after in pairwise(words) if word == "-o"]
    # A header is text for the other side, a format text for the screen; `@FILE` in either would read a file,
    # `%output{FILE}` in a format write one.
    files = [w for w in words if w.startswith("@") or "%output" in w]
    plain = [word for word, before in zip(words, ("", *words), strict=False) if before not in ("-w", "-H", "-o")]
    return allowed(words) and set(outputs) <= {"/dev/null"} and not files and not any(map(_acts_at, plain))


def _acts_at(address: str) -> bool:
    path = re.sub(r"^[a-z]+://[^/]*", "", address)
    return not address.startswith("-") and _ACTING_PATH.search(path.lower()) is not None


def _nvidia_smi(words: Sequence[str]) -> bool:
    """Queries alone: the same program resets cards and sets their clocks."""
    counted = bool(words) and words[0] in ("dmon", "pmon", "nvlink", "topo")
    subcommands = [w for w in words[:1] if not w.startswith("-")]
    short = r"-[iqdLxusml]|-p2p|-o" + ("|-c" if counted else "") + ("|-e" if tuple(words[:1]) == ("nvlink",) else "")
    values = r"-[idslo]|-p2p|-c|--id|--display"
    known = _options(rf"{short}|--id(=.*)?|--display(=.*)?|--query(-.*)?|--format=.*|--list-gpus", values=values)
    return (counted or not subcommands) and known(words)


def _sysctl(words: Sequence[str]) -> bool:
    return _options(r"-[anNeb]+|--values?|--all")(words) and not any("=" in word for word in words)


def _ip(words: Sequence[str]) -> bool:
    """Shows alone, spelled out: `ip link s` may be short for show and for set."""
    verbs = [w for w in words if not w.startswith("-")]
    shown = len(verbs) < 2 or verbs[1] in ("show", "list", "ls")
    return shown and _options(r"-[sdo46jp]+|-details|-statistics")(words)


def _first_word(*verbs: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: bool(words) and words[0] in verbs


_CAREFUL: dict[str, Callable[[Sequence[str]], bool]] = {
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "curl": _curl,
    "nvidia-smi": _nvidia_smi,
    "sysctl": _sysctl,
    "ip": _ip,
    "ss": _options(r"-(?![A-Za-z]*[KDF])[A-Za-z0-9]+|--(?!kill|diag|filter)[a-z-]+"),
    "dmesg": _options(r"-[THJLPSdekrtux]+|--(?!clear|read-clear|console)[a-z-]+(=.*)?"),
    "date": lambda words: all(re.fullmatch(r"\+.*|-[uIR]+|--utc", word) for word in words),
    "hostname": lambda words: not [w for w in words if not w.startswith("-")] and _options(r"-[fisdIA]+")(words),
    "sort": _options(r"-(?![A-Za-z0-9]*[oST])[A-Za-z0-9,.]+"),
    "uniq": lambda words: len([w for w in words if not w.startswith("-")]) < 2,
    "sed": lambda words: re.fullmatch(r"-n [0-9,$]+p( [^-]\S*)*", " ".join(words)) is not None,
    "lsof": _options(r"-(?![A-Za-z0-9]*[DkK])[A-Za-z0-9:@.,/]+"),
    "sar": _options(r"-(?!o)[A-Za-z0-9]+"),
    "journalctl": _options(
        r"-[knueobprSUx0-9]+|--(since|until|unit|lines|dmesg|boot|no-pager|output|priority|grep)(=.*)?"
    ),
    "kubectl": _first_word("get", "describe", "logs", "top", "version"),
    "ollama": _first_word("ps", "list", "show"),
    "ethtool": lambda words: len(words) == 1 or words[0] in ("-S", "-i", "-k", "-c", "-g", "-a"),
    "taskset": lambda words: len(words) == 2 and words[0] in ("-p", "-cp", "-pc"),
    "numactl": _first_word("--show", "-s", "--hardware", "-H"),
    "systemctl": _first_word("status", "show", "is-active", "list-units"),
}
"""Programs that read with some options and act with others: what each may be given."""


@lru_cache(maxsize=512)
def acts(argv: tuple[str, ...]) -> str:
    """Why a command without a shell is not run from here; empty for one that only reads."""
    program = argv[0] if argv else ""
    if program in _PLAIN:
        return ""
    careful = _CAREFUL.get(program)
    if careful is None:
        return f"{program or 'nothing'} is not on the list of commands that only read"
    return "" if careful(argv[1:]) else f"{program} with these options may do more than read"


@lru_cache(maxsize=512)
def script_acts(script: str) -> str:
    """The same for a command line of a shell, command by command."""
    try:
        return next(filter(None, map(acts, commands(script))), "")
    except ValueError as error:
        return str(error)


def commands(script: str) -> Iterator[tuple[str, ...]]:
    """Simple commands of a command line; ValueError says what in it cannot be followed, or writes a file."""
    words: list[str] = []
    for token in (*_tokens(script), ";"):
        if not _OPERATORS.issuperset(token):
            words.append(token)
            continue
        command = _command(words)
        if command:
            yield command
        words = []


def _tokens(script: str) -> list[str]:
    if re.search(r"\$\(|`|<<|<\(|>\(|\$'", script):
        raise ValueError("a command inside a command cannot be followed from here")
    lexer = shlex.shlex(re.sub(r"\n", ";", script), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        raise ValueError("a quote in it is never closed") from None
    return list(_without_redirections(tokens))


def _without_redirections(tokens: list[str]) -> Iterator[str]:
    """`2>/dev/null`, `2>&1` and reading from a file are left out; anything else that writes is refused."""
    left = iter(tokens)
    for token in left:
        if not _REDIRECTIONS.issuperset(token) or _OPERATORS.issuperset(token):
            yield token
            continue
        target = next(left, "")
        if token in (">", ">>", "&>") and target != "/dev/null":
            raise ValueError(f"it writes to {target or 'a file'}")
        if token not in ("<", ">", ">>", "&>") and (token, target) not in ((">&", "1"), (">&", "2")):
            raise ValueError(f"{token} cannot be followed from here")


def _command(words: Sequence[str]) -> tuple[str, ...]:
    """The command behind keywords of the shell; empty for a line that runs none."""
    rest = list(words)
    while rest and rest[0] in _KEYWORDS:
        rest.pop(0)
    if not rest or rest[0] in _CLOSING or rest[0] == "for":
        return ()
    return tuple(rest)
