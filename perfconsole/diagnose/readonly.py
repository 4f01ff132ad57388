"""Which commands of checks only read, by a list: anything else is shown and copied, and never run from here.

A command that is not known is refused like one that acts: a wrong refusal costs a paste, a wrong run an engine.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PLAIN = frozenset(
    (
        *("basename", "cat", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "expr", "false"),
        *("fgrep", "fincore", "findmnt", "free", "getconf", "getent", "grep", "head", "hostid", "ibstat", "ibstatus"),
        *("id", "iostat", "lscpu", "lsmod", "lsns", "ls", "lsblk", "mpstat", "netstat", "nproc", "numastat", "pgrep"),
        *("pidof", "pmap", "ps", "pwdx", "readlink", "seq", "sleep", "slabtop", "stat", "strings", "tac", "tail"),
        *("tr", "true", "uname", "uptime", "vmstat", "wc", "zcat", "which", "zgrep"),
    )
)
"""Programs that write nothing but to their output, whatever their options."""
_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "{", "time"))
"""Words of the shell behind which a command begins."""
_CLOSING = frozenset(("done", "fi", "}", "esac"))
# Arithmetic counts, since it can set a variable: `$[PATH=1]`, `${x[PATH=1]}`.
_NESTED = re.compile(r"\$[({'\[]|`|<<|<\(|>\(")
_OPERATORS = frozenset("<>();|&")
# Outside single quotes a backslash is no part of a word, and `#` no part of one outside quotes: a line that has them is
# refused, as what they hide is not worth following.
_TOKEN = re.compile(
    r"(?P<blank>[ \t]+)|(?P<separator>[();|&\n]+)|(?P<redirection>[0-9]*(?:>&|>>|>|<)(?![<>&|(]))"
    r"""|(?P<word>(?:[^\s'"\\#();|&<>]|'[^']*'|"[^"\\]*")+)"""
)
_MADE = re.compile(r"[$*?\[{~]")
"""Characters by which a shell makes other words of one."""
_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9._-]+(:[0-9]+)?(/|/(health|live|stats)[a-z0-9/-]*"
    r"|/(metrics|ready|ping|version|v1/models|is_sleeping|get_([a-z]+_)*info|server_info|props|slots|nginx_status))?"
)
"""Addresses at which servers tell and do nothing: of any other a plain GET may do something."""
_CURL_VALUES = {
    "-o": re.compile("/dev/null"),
    # A format with `%output{FILE}` would write a file, a value that begins with `@` read one.
    "-w": re.compile(r"(?!.*%output)[^@-].*"),
    "-H": re.compile(r"(?:accept|authorization): .*", re.IGNORECASE),
    **dict.fromkeys(("-m", "--max-time", "--connect-timeout"), re.compile(r"[0-9.]+")),
}


class _Word(NamedTuple):
    raw: str
    text: str


def _options(allowed: str) -> Callable[[Sequence[str]], bool]:
    """Every word that begins with a dash is an allowed option, spelled out; none passes as the value of another."""
    known = re.compile(allowed)
    return lambda words: all(known.fullmatch(word) for word in words if word.startswith("-"))


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _awk(words: Sequence[str]) -> bool:
    """One program that only prints: no files, no commands; comparisons by `>` are lost with them."""
    return _options(r"-[Fv].*")(words) and not re.search(r"system|getline|[|>@]", " ".join(words))


def _sed(words: Sequence[str]) -> bool:
    """Prints lines by their numbers."""
    printing = len(words) > 1 and words[0] == "-n" and re.fullmatch(r"[0-9,$]+p", words[1])
    return bool(printing) and len(_operands(words)) == len(words) - 1


def _curl(words: Sequence[str]) -> bool:
    """Plain requests to addresses that are known to read, and no file but /dev/null."""
    left = iter(words)
    for word in left:
        value = _CURL_VALUES.get(word)
        if value is not None:
            if value.fullmatch(next(left, "")) is None:
                return False
        elif not re.fullmatch(r"-[sSfiIkvgN46]+|--silent|--fail|--include|--head", word) and not _ADDRESS.fullmatch(
            word
        ):
            return False
    return True


def _nvidia_smi(words: Sequence[str]) -> bool:
    """Queries alone: the same program resets cards and sets their clocks."""
    counted = bool(words) and words[0] in ("dmon", "pmon", "nvlink", "topo")
    short = r"-[iqdLxusml]|-p2p|-o" + ("|-c" if counted else "") + ("|-e" if tuple(words[:1]) == ("nvlink",) else "")
    known = _options(rf"{short}|--id(=.*)?|--display(=.*)?|--query(-.*)?|--format=.*|--list-gpus")
    return (counted or not _operands(words[:1])) and known(words)


def _sysctl(words: Sequence[str]) -> bool:
    return _options(r"-[anNeb]+|--values?|--all")(words) and not any("=" in word for word in words)


def _ip(words: Sequence[str]) -> bool:
    """Shows alone, spelled out: `ip link s` may be short for show and for set."""
    verbs = _operands(words)
    shown = len(verbs) < 2 or verbs[1] in ("show", "list", "ls")
    return shown and _options(r"-[sdo46jp]+|-details|-statistics")(words)


def _first_word(*verbs: str, options: str) -> Callable[[Sequence[str]], bool]:
    known = _options(options)
    return lambda words: bool(words) and words[0] in verbs and known(words[1:])


_CAREFUL: dict[str, Callable[[Sequence[str]], bool]] = {
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "curl": _curl,
    "nvidia-smi": _nvidia_smi,
    "sysctl": _sysctl,
    "ip": _ip,
    "ss": _options(
        r"-[nralotuwxdempisSHOZz0246]+|-[Af]|--(numeric|resolve|all|listening|options|extended|memory|processes|info"
        r"|summary|ipv4|ipv6|tcp|udp|unix|no-header|oneline)"
    ),
    "dmesg": _options(
        r"-[THJLPSdekrtux]+|--(ctime|human|nopager|decode|kernel|userspace|raw|notime|reltime|show-delta)"
        r"|--(level|facility|since|until|time-format)=.*"
    ),
    "date": lambda words: all(re.fullmatch(r"\+.*|-[uIR]+|--utc", word) for word in words),
    "hostname": lambda words: not _operands(words) and _options(r"-[fisdIA]+")(words),
    "sort": _options(r"-(?!.*[oST])[A-Za-z0-9,.]+"),
    # A second name is the file that it writes.
    "uniq": lambda words: len(_operands(words)) < 2 and _options(r"-[cdiuD]+")(words),
    "sed": _sed,
    "lsof": _options(r"-(?!.*[DkK])[A-Za-z0-9:@.,/]+"),
    # Further letters make it write a cache of names, or ask the hardware itself.
    "lspci": _options(r"-[vkntDxmbsd]+"),
    # Without both `a` and `s` it writes, or makes, the file of what it showed before.
    "nstat": lambda words: _options(r"-(?=.*a)(?=.*s)[aszjp]+")(words) and len(_operands(words)) < len(words),
    "pidstat": _options(r"-[dHhIlRrstuvwpCGTU]+"),  # -e runs a program
    "test": _options(r"-[defhnrsxzL]|-eq|-ne|-gt|-lt|-ge|-le"),  # -v counts out what stands in brackets
    "printf": _options(r"(?!)"),  # -v sets a variable
    "sar": _options(r"-(?!.*o)[A-Za-z0-9]+"),
    "journalctl": _options(
        r"-[knueobprSUx0-9]+|--(since|until|unit|lines|dmesg|boot|no-pager|output|priority|grep)(=.*)?"
    ),
    # `--kubeconfig` may name a program to run, `--profile-output` a file to write.
    "kubectl": _first_word(
        *("get", "describe", "logs", "top", "version"),
        options=r"-[nlocAwp]|--(namespace|selector|output|container|tail|since|previous|all-namespaces|no-headers)(=.*)?",
    ),
    "ollama": _first_word("ps", "list", "show", options=r"(?!)"),
    "ethtool": lambda words: len(words) == 1 or (len(words) == 2 and words[0] in ("-S", "-i", "-k", "-c", "-g", "-a")),
    "taskset": lambda words: len(words) == 2 and words[0] in ("-p", "-cp", "-pc"),
    "numactl": lambda words: len(words) == 1 and words[0] in ("--show", "-s", "--hardware", "-H"),
    "systemctl": _first_word(
        *("status", "show", "is-active", "list-units"),
        options=r"-[alnpt]|--(no-pager|all|lines|property|type|state|value)(=.*)?",  # -H asks by ssh
    ),
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
    # A line break in a value may end what it is a part of, such as a header of a request.
    reads = careful(argv[1:]) and all(map(str.isprintable, argv))
    return "" if reads else f"{program} with these options may do more than read"


@lru_cache(maxsize=512)
def script_acts(script: str) -> str:
    """The same for a command line of a shell, command by command."""
    try:
        return next(filter(None, map(acts, commands(script))), "")
    except ValueError as error:
        return str(error)


def commands(script: str) -> Iterator[tuple[str, ...]]:
    """Simple commands of a command line; ValueError says what in it cannot be followed, or writes a file."""
    words: list[_Word] = []
    for token in (*_tokens(script), ";"):
        if isinstance(token, _Word):
            words.append(token)
            continue
        # `name (` begins a function, which might call itself for ever; `if (` a group.
        if token.startswith("(") and words and words[-1].raw not in _KEYWORDS - {"time"}:
            raise ValueError("a function cannot be followed from here")
        command = _command(words)
        if command:
            yield command
        words = []


def _tokens(script: str) -> Iterator[_Word | str]:
    """Words, and what parts commands; redirections that write no file are left out."""
    if _NESTED.search(script):
        raise ValueError("a command inside a command cannot be followed from here")
    redirection = ""
    for kind, raw in _pieces(script):
        if redirection:
            _redirected(redirection, raw if kind == "word" else "")
            redirection = ""
        elif kind == "redirection":
            redirection = raw.lstrip("0123456789")
        else:
            yield _word(raw) if kind == "word" else raw
    if redirection:
        _redirected(redirection, "")


def _pieces(script: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token but blanks."""
    at = 0
    while at < len(script):
        token = _TOKEN.match(script, at)
        if token is None:
            raise ValueError(_unread(script[at]))
        at = token.end()
        if token.lastgroup != "blank":
            yield token.lastgroup or "", token[0]


def _unread(char: str) -> str:
    return "a quote in it is never closed" if char in "'\"" else f"{char} cannot be followed from here"


def _word(raw: str) -> _Word:
    text = re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda quoted: quoted[1] or quoted[2] or "", raw)
    if text and _OPERATORS.issuperset(text):
        raise ValueError(f"{raw} cannot be followed from here")
    return _Word(raw, text)


def _redirected(operator: str, target: str) -> None:
    """`2>/dev/null`, `2>&1` and reading from a file; anything else that writes is refused."""
    if operator == ">&" and target not in ("1", "2"):
        raise ValueError(f"{operator} cannot be followed from here")
    if operator in (">", ">>") and target != "/dev/null":
        raise ValueError(f"it writes to {target or 'a file'}")
    if not target:
        raise ValueError(f"{operator} cannot be followed from here")


def _command(words: Sequence[_Word]) -> tuple[str, ...]:
    """The command behind keywords of the shell; empty for a line that runs none."""
    rest = list(words)
    while rest and rest[0].raw in _KEYWORDS:
        rest.pop(0)
    if not rest or rest[0].raw in _CLOSING:
        return ()
    if rest[0].raw == "for":
        # Another name might be one that a program or the shell itself reads, such as PATH.
        if len(rest) > 1 and re.fullmatch("[a-z]", rest[1].raw) is None:
            raise ValueError("a loop over a name of more than one letter cannot be followed from here")
        return ()
    if rest[0].text in _CAREFUL and any(map(_made, rest)):
        raise ValueError(f"{rest[0].text} gets words that only the shell knows")
    return tuple(word.text for word in rest)


def _made(word: _Word) -> bool:
    """The shell puts something else in the word's place; inside double quotes a glob counts too."""
    return _MADE.search(re.sub(r"'[^']*'|(\"[^\"]*\")", r"\1", word.raw)) is not None
