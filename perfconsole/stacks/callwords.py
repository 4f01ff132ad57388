"""What a line of source calls that may wait or keep a core: for calls into C, which have no frame of their own.

A stack ends at the line that called `sock.recv` or `time.sleep`; only its text says which it was. Never runs anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from perfconsole.stacks.framekind import Wait, Work


class Called(NamedTuple):
    """What a line calls, and the call as it is written there."""

    what: Wait | Work
    call: str


_TABLE = r"""
sleep       (?!asyncio\.|anyio\.|trio\.)(?:.*\.)?(?:sleep|nanosleep|pause)
gc          gc\.collect
dns         (?:.*\.)?(?:getaddrinfo|gethostbyname\w*|gethostbyaddr|getnameinfo|getfqdn)
subprocess  subprocess\.\w+|os\.(?:system|popen|spawn\w+|wait\w*)|(?:.*\.)?(?:communicate|Popen)
subprocess  .*(?:proc|process|popen|child)\w*\.(?:wait|poll)
json        (?:.*\.)?\w*json\w*\.(?:.*\.)?(?:loads?|dumps?|encode|decode|parse)
json        (?:msgspec|msgpack|pickle|marshal)\.(?:.*\.)?(?:loads?|dumps?|encode|decode|packb|unpackb)
json        .*\.(?:model_dump\w*|model_validate\w*|SerializeToString|ParseFromString|json)
tokenizer   (?:.*\.)?\w*(?:tokeni[sz]e|apply_chat_template|batch_decode|batch_encode)\w*
tokenizer   .*(?:tokeni[sz]er|encoding|\benc|\btok)\w*\.(?:encode|decode)\w*
ssl         .*\.(?:do_handshake|wrap_socket)
socket      (?:requests|httpx|urllib\.request|urllib3|boto3|redis|pymysql|psycopg2?|smtplib)(?:\.\w+)*|urlopen
socket      (?:.*\.)?(?:recv\w*|sendall|sendto|sendmsg|accept|connect_ex|create_connection|readinto|makefile|urlopen)
socket      .*(?:sock|conn|stream|client|channel|reader|session|cursor|\bcur|db|redis|http)\w*\.(?:read|fetch)\w*
socket      .*(?:sock|conn|client|channel|session|redis|http)\w*\.(?:send\w*|connect|request|call)
socket      .*(?:redis|memcache|\bmc|\brdb|http)\w*\.(?:get|post|put|set|delete|m?get|mset)
socket      .*(?:conn|cursor|\bcur|session|db|engine)\w*\.(?:execute\w*|query|commit|rollback)
lock        .*\.(?:acquire|acquire_lock)
selector    (?:.*\.)?select|.*(?:epoll|poll\w*)\.poll
notice      .*(?:fut\w*|promise|job|handle)\.result|\.result
notice      .*(?:thread|proc|worker|\bth?)\w*\.join|(?:.*\.)?(?:wait|wait_for)
notice      .*(?:queue\w*|\bq)\.(?:get|put)
file        open|io\.open|shutil\.\w+
file        os\.(?:fsync|fdatasync|read|write|pread|pwrite|sendfile|replace|rename|stat|listdir|scandir|walk)
file        .*\.(?:read_text|read_bytes|write_text|write_bytes|readlines?|writelines|fsync)
file        .*(?:file|\bfh|\bfp|\bfd|\bf)\w*\.(?:read|write|seek|truncate|flush)
import      __import__|(?:.*\.)?import_module
"""
"""What, and the names of calls that are it; the first row that matches counts."""
_CALLS = tuple((what, re.compile(pattern)) for what, pattern in map(str.split, _TABLE.strip().split("\n")))
_CALL = re.compile(r"(?<![\w.])(\.?[A-Za-z_][\w.]*)\(")
_HELD = re.compile(
    r"\bwith\s+([\w.\[\]]*(?:lock|mutex|sem|guard|cond|monitor|critical)[\w.\[\]]*(?:\(\))?)(?=\s*(?::|,|as\b))",
    re.IGNORECASE,
)
_IMPORT = re.compile(r"^\s*(?:from\s+[\w.]+\s+)?import\s+[\w.]+")
_AWAITED = re.compile(r"\b(?:await|async\s+with|async\s+for\s+[\w,\s]+\s+in|async)\s+$|\b(?:asyncio|anyio|trio)\.$")
_TAKEN = re.compile(
    r"\b(?:create_task|ensure_future|gather|wait_for|shield|run_until_complete|run_coroutine_threadsafe)\(.*$"
)
"""What takes coroutines: a call in its brackets makes one and waits for nothing."""
_WRITTEN = re.compile(r"#.*|(?<!\w)[rbfuRBFU]{0,2}\"[^\"]*\"|(?<!\w)[rbfuRBFU]{0,2}'[^']*'")
"""Remarks and strings: what stands in them calls nothing."""


def called(text: str) -> Called | None:
    """The first row's call in a line of source that is not awaited; None for none."""
    bare = _WRITTEN.sub(lambda found: "" if found[0].startswith("#") else '""', text)
    held = _HELD.search(bare)
    if held and not re.search(r"\basync\s+$", bare[: held.start()]):
        return Called(Wait.LOCK, f"with {held[1]}")
    names = [found[1] for found in _CALL.finditer(bare) if _calls(bare, found.start())]
    for what, pattern in _CALLS:
        for name in names:
            if pattern.fullmatch(name.lstrip(".")) or pattern.fullmatch(name):
                return Called(Wait(what) if what in _WAITS else Work(what), name.lstrip("."))
    imported = None if names else _IMPORT.match(bare)
    return Called(Work.IMPORT, imported[0].strip()) if imported else None


_WAITS = frozenset(wait.value for wait in Wait)


def _calls(bare: str, start: int) -> bool:
    """It is called here and now: neither awaited nor made for somebody who awaits it."""
    before = bare[:start]
    return not _AWAITED.search(before) and not _TAKEN.search(before)
