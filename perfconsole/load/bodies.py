"""Requests as bytes, whole: what does not change is made ready once, and only lengths and texts are put between.

What is asked for beside the text:
- `max_tokens`, not `max_completion_tokens`: every engine and gateway takes it; OpenAI's newer models refuse it, and
  then the other name is used.
- `ignore_eos`, so that answers have the wanted length. `min_tokens` only in its place, where a server refuses it:
  beside it, it adds nothing, and costs vLLM work for every token.
- no temperature: what a server does by default is what its users get. A step may add one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfconsole.load.extra import Extra, parse_extra
from perfconsole.load.httphead import request_head
from perfconsole.load.picture import data_url
from perfconsole.load.wording import pieces

if TYPE_CHECKING:
    from perfconsole.load.prompts import Texts
    from perfconsole.load.sizer import Sizer
    from perfconsole.load.wording import Wanted
    from perfconsole.model.probeorders import Target
    from perfconsole.probing.scenario import Call

MAX_TOKENS, STREAM_OPTIONS, IGNORE_EOS, MIN_TOKENS = "max_tokens", "stream_options", "ignore_eos", "min_tokens"
_KEPT = frozenset(("response_format",))
"""Of what a step adds: without it the step would measure something else."""
_ROLES = (b"user", b"assistant")


class Bodies:
    """Makes the requests to one target. What a server refused is left out of all that follow."""

    def __init__(self, target: Target, api: str, model: str, texts: Texts, sizer: Sizer) -> None:
        """The targets of a run share texts and sizer. ValueError where no request can be made for a target or API."""
        self._head = request_head(target, api)
        self._api = api
        self._model = json.dumps(model).encode()
        self._texts = texts
        self._sizer = sizer
        self._refused: frozenset[str] = frozenset()
        self._added: dict[str, tuple[Extra, bytes]] = {}
        """What a step adds, and the end of a body with it."""

    def request(self, call: Call, wanted: Wanted) -> bytes:
        """Head and body of one request: 10 us and the copies of its text; a picture takes a millisecond more.

        ValueError where the step adds what cannot be added.
        """
        extra, rest = self._add(wanted.extra)
        said = pieces(call, wanted, self._texts, self._sizer)
        texts = said if call.turn else [b" ".join(said)]
        what = _messages(texts, _picture(extra, wanted)) if self._api == "chat" else _prompt(texts)
        body = b'{"model":%b,%b,%b,%b' % (self._model, what, self._limits(call.output_tokens, extra), rest)
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)

    def options(self, extra: str = "") -> tuple[str, ...]:
        """What is sent now and could be left out, should the server refuse it; ValueError as above."""
        fields = self._add(extra)[0].fields
        own = {MAX_TOKENS, STREAM_OPTIONS, MIN_TOKENS if IGNORE_EOS in self._refused else IGNORE_EOS}
        return tuple(sorted((own | fields.keys()) - _KEPT - self._refused))

    def drop(self, option: str) -> None:
        """Leave an option out from now on; of `max_tokens` the newer name is used."""
        self._refused |= {option}
        self._added.clear()

    def _add(self, extra: str) -> tuple[Extra, bytes]:
        if extra not in self._added:
            parsed = parse_extra(extra, self._api)
            self._added[extra] = parsed, self._rest(parsed)
        return self._added[extra]

    def _rest(self, extra: Extra) -> bytes:
        """Everything behind the lengths."""
        fields = {STREAM_OPTIONS: {"include_usage": True}, IGNORE_EOS: True, **extra.fields}
        kept = {name: value for name, value in fields.items() if name not in self._refused}
        return json.dumps({"stream": True, **kept}, separators=(",", ":")).encode()[1:]

    def _limits(self, output_tokens: int, extra: Extra) -> bytes:
        """How long the answer is to be."""
        name = b"max_completion_tokens" if MAX_TOKENS in self._refused else b"max_tokens"
        most = b'"%b":%d' % (name, output_tokens)
        if IGNORE_EOS not in self._refused or MIN_TOKENS in self._refused or MIN_TOKENS in extra.fields:
            return most
        return most + b',"min_tokens":%d' % output_tokens


def _messages(texts: list[bytes], picture: bytes) -> bytes:
    """User and assistant in turn; the picture stands behind the last text."""
    before = b"".join(b'{"role":"%b","content":"%b"},' % (_ROLES[i % 2], text) for i, text in enumerate(texts[:-1]))
    content = b'"%b"' % texts[-1]
    if picture:
        content = b'[{"type":"text","text":%b},{"type":"image_url","image_url":{"url":"%b"}}]' % (content, picture)
    return b'"messages":[%b{"role":"user","content":%b}]' % (before, content)


def _prompt(texts: list[bytes]) -> bytes:
    return b'"prompt":"%b"' % b" ".join(texts)


def _picture(extra: Extra, wanted: Wanted) -> bytes:
    return b"" if extra.image_pixels is None else data_url(extra.image_pixels, wanted.number)
