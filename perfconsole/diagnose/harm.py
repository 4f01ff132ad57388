"""Owns what a check's shell line must not do: write, restart, end or change anything on the host it looks at.

Reads words and never runs them. It knows the commands that people reach for under stress; one that it does not know
passes, as authors of rules have tools of their own. It is no sandbox: what the console itself runs is not decided here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfconsole.diagnose.problem import Complaint

_PIECE = re.compile(
    r"""(?P<redirect>[0-9]*&?>{1,2}\|?(?:&[0-9-])?)
      | (?P<opener>\$\(|`|&&|\|\||[;|&()}\n]|\{(?![a-z_.]+\}))
      | (?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\{[a-z_.]+\}|\$(?!\()|[^\s'"\\|;&<>`$(){}])+)""",
    re.VERBOSE,
)
_KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!"))
# What runs the command that follows it; options and numbers in between belong to the wrapper.
_WRAPPERS = frozenset(
    (
        "sudo",
        "doas",
        "time",
        "nice",
        "ionice",
        "timeout",
        "env",
        "nohup",
        "stdbuf",
        "watch",
        "xargs",
        "command",
        "setsid",
    )
)
_HIDDEN = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "eval", "exec", "source", ".", "python", "python3", "perl", "ruby")
)
_WRITERS = frozenset(
    (
        "rm",
        "rmdir",
        "unlink",
        "shred",
        "mv",
        "cp",
        "dd",
        "ln",
        "mkdir",
        "mktemp",
        "touch",
        "truncate",
        "tee",
        "sponge",
        "install",
        "rsync",
        "scp",
        "patch",
        "kill",
        "pkill",
        "killall",
        "skill",
        "fuser",
        "reboot",
        "shutdown",
        "poweroff",
        "halt",
        "init",
        "telinit",
        "renice",
        "chrt",
        "taskset",
        "prlimit",
        "gdb",
        "chmod",
        "chown",
        "chgrp",
        "chattr",
        "setfacl",
        "mkfs",
        "mkswap",
        "swapon",
        "swapoff",
        "mount",
        "umount",
        "fsck",
        "blkdiscard",
        "losetup",
        "iptables",
        "ip6tables",
        "nft",
        "ufw",
        "firewall-cmd",
        "modprobe",
        "insmod",
        "rmmod",
        "setcap",
        "useradd",
        "userdel",
        "usermod",
        "passwd",
        "apt",
        "apt-get",
        "yum",
        "dnf",
        "rpm",
        "dpkg",
        "pip",
        "pip3",
        "npm",
        "crontab",
        "at",
        "helm",
        "nvidia-persistenced",
    )
)
_CONTAINERS = re.compile(
    r"start|stop|restart|kill|rm|rmi|run|exec|pause|unpause|update|prune|cp|create|commit|build|pull|push|load|rename"
)
_CLUSTER = re.compile(
    r"delete|apply|create|edit|patch|scale|autoscale|rollout|drain|cordon|uncordon|taint|label|annotate|exec|cp|run"
    r"|replace|set|attach|debug|expose|port-forward|proxy"
)
_CHANGING_WORDS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "crictl"), _CONTAINERS),
    **dict.fromkeys(("kubectl", "oc"), _CLUSTER),
    "systemctl": re.compile(
        r"(?:re|try-re)?start|stop|kill|(?:force-|try-)?reload|reload-or-restart|enable|disable|(?:un)?mask|edit|revert"
        r"|daemon-re(?:load|exec)|isolate|set-.*|reset-failed|freeze|thaw|clean|reboot|poweroff|halt|suspend|rescue"
    ),
    "git": re.compile(r"checkout|reset|clean|pull|push|commit|merge|rebase|stash|apply|switch|restore"),
    "ollama": re.compile(r"run|stop|rm|pull|push|create|cp|serve"),
    "service": re.compile(r"start|stop|restart|reload|force-reload"),
    "ip": re.compile(r"add|del|delete|set|flush|replace|change|append"),
    "tc": re.compile(r"add|del|delete|replace|change"),
    "sysctl": re.compile(r"-w|--write|-p|--load|--system|[\w.]+=.*"),
    "sed": re.compile(r"-[a-zA-Z]*i.*|--in-place.*"),
    "find": re.compile(r"-delete|-exec(?:dir)?|-ok(?:dir)?|-fprint.*|-fls"),
    "dmesg": re.compile(r"-[a-zA-Z]*[cCDE][a-zA-Z]*|--clear|--read-clear|--console-o.*"),
    "journalctl": re.compile(r"--vacuum.*|--rotate|--flush|--sync|--relinquish-var"),
    "ethtool": re.compile(r"-[sACGKLXE]|--(?:change|set|reset).*"),
    "nvidia-smi": re.compile(
        r"-r|--gpu-reset|-(?:pm|pl|lgc|rgc|lmc|rmc|ac|rac|e|p|c|mig|am|caa|gom|cgi|dgi|cci|dci)(?:=.*)?|drain"
        r"|--(?:persistence-mode|power-limit|lock.*|reset.*|applications-clocks|ecc-config|compute-mode|multi-.*)(?:=.*)?"
    ),
    "curl": re.compile(
        r"-[a-zA-Z]*[dFTO][a-zA-Z]*|--data.*|--form.*|--json|--upload-file|--remote-name.*|-X(?:POST|PUT|PATCH|DELETE)"
        r"|POST|PUT|PATCH|DELETE"
    ),
    "wget": re.compile(r"(?:https?:|\{).*"),
}


# Their options mean something else: -e counts errors, -c is a number of samples.
_VIEWS = frozenset(("topo", "nvlink", "dmon", "pmon", "vgpu"))


class _Word(NamedTuple):
    text: str
    column: int
    command: str
    """Command that it belongs to, with the first word behind it; `>` for a file written to, empty for a command."""


def harmful(line: str) -> Iterator[Complaint]:
    """Each word of a shell line that writes, ends or changes something, or hides what it runs."""
    for word in _words(line):
        why = _why_not(word)
        if why is not None:
            yield "not-read-only", f"{why}; a check only looks, so write what to do under remedies", word.column


def _why_not(word: _Word) -> str | None:
    text = word.text.strip("'\"")
    if word.command == ">":
        return f"'> {text}' writes a file" if text != "/dev/null" else None
    if word.command:
        return _argument(word.command, text)
    if text in _HIDDEN or re.fullmatch(r"python3?\.\d+", text):
        return f"{text!r} hides what it runs"
    written = text in _WRITERS or text.startswith("mkfs.")
    return f"{text!r} changes the host" if written else None


def _argument(command: str, text: str) -> str | None:
    command, _, first = command.partition(" ")
    if command == "nvidia-smi" and first in _VIEWS:
        return None
    changing = _CHANGING_WORDS.get(command)
    return f"'{command} {text}' does more than look" if changing and changing.fullmatch(text) else None


def _words(line: str) -> Iterator[_Word]:
    """Words of the line, each with the command that it belongs to."""
    command, redirected, wrapped = "", False, False
    for match in _PIECE.finditer(line):
        text, column = match[0], match.start() + 1
        if match["redirect"]:
            redirected = not re.search(r"&[0-9-]$", text)
        elif match["opener"]:
            command, redirected, wrapped = "", False, False
        elif redirected:
            redirected = False
            yield _Word(text, column, ">")
        elif command:
            yield _Word(text, column, command)
            command = command if " " in command else f"{command} {text}"
        elif not _is_passed(text, wrapped=wrapped):
            name = text.strip("'\"").rpartition("/")[2]
            wrapped = name in _WRAPPERS
            command = "" if wrapped else name
            yield _Word(name, column, "")


def _is_passed(text: str, *, wrapped: bool) -> bool:
    """What stands before a command and is none: a keyword, a variable, the options of a wrapper."""
    if text in _KEYWORDS or re.match(r"[A-Za-z_]\w*=", text):
        return True
    return wrapped and (text[0] == "-" or text[0].isdigit())
