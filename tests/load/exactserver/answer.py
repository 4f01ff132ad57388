"""The bytes of one answer, token by token. Owns the form of what is sent; knows nothing of time or of sockets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.load.exactserver.ask import Ask
    from tests.load.exactserver.settings import Settings
    from tests.load.exactserver.truth import Truth

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed"}
REASONS |= {429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable"}


def whole(status: int, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    """An answer of known length."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Unknown')}", "server: exact", f"content-type: {kind}"]
    return "\r\n".join([*lines, f"content-length: {len(body)}", *headers, "", ""]).encode() + body


class Answer:
    """What is sent for one request. `middle` is the same for every token between first and last, where that is so."""

    def __init__(self, settings: Settings, ask: Ask, truth: Truth, created: int) -> None:
        self._settings = settings
        self._ask = ask
        self._truth = truth
        self._chat = ask.api == "chat"
        self._base = {
            "id": f"{'chatcmpl' if self._chat else 'cmpl'}-{truth.number:012}",
            "object": "chat.completion.chunk" if self._chat else "text_completion",
            "created": created,
            "model": settings.model,
        }
        self._usage = "always" if ask.continuous and settings.usage == "asked" else settings.usage
        self._end = "\r\n" if settings.crlf else "\n"
        self._events = self._deliveries = 0
        self._texts: list[str] = []
        """Texts of the tokens since the last event."""
        self._unwritten: list[bytes] = []
        self.middle = self._event(self._text_event(settings.text)) if self._plain() else None

    @property
    def unsaid(self) -> int:
        """Tokens that are in no event yet."""
        return len(self._texts)

    def head(self) -> bytes:
        """HTTP head, and the role where it comes so early."""
        settings = self._settings
        if not self._ask.stream:
            return b""
        lines = ["HTTP/1.1 200 OK", "server: exact", "content-type: text/event-stream; charset=utf-8"]
        lines += [] if settings.delimited else ["transfer-encoding: chunked"]
        lines += ["connection: close"] if settings.close or settings.delimited else []
        return "\r\n".join([*lines, "", ""]).encode() + (self._role() if settings.role == "early" else b"")

    def token(self, index: int) -> bytes:
        """What is written for a token: nothing where it waits for others of its event or its write."""
        truth, settings = self._truth, self._settings
        last = index == truth.want - 1
        if not self._ask.stream:
            return b""
        if self._is_empty(index):
            truth.empty.append(index)
        self._texts.append("" if self._is_empty(index) else settings.text)
        turn = index == truth.reasoning - 1
        if not (last or turn or index == 0 or index % settings.tokens_per_event == 0):
            return b""
        role = self._role() if index == 0 and settings.role == "first" else b""
        self._unwritten.append(role + self._event(self._token_event(index, last=last)))
        self._deliveries += 1
        if not (last or index == 0 or (self._deliveries - 1) % settings.events_per_write == 0):
            return b""
        return self.rest()

    def rest(self) -> bytes:
        """Events that were held back for a fuller write."""
        written = b"".join(self._unwritten)
        self._unwritten.clear()
        return written

    def tail(self) -> bytes:
        """What follows the last token."""
        settings = self._settings
        if not self._ask.stream:
            return self._in_one()
        parts = []
        if settings.finish_apart:
            finish: dict[str, Any] = {"delta": {}} if self._chat else {"text": ""}
            parts.append(self._event(self._choice(finish, self._truth.finish)))
        if self._usage == "always" or (self._usage == "asked" and self._ask.usage):
            parts.append(self._event({**self._base, "choices": [], "usage": self._counts()}))
        return b"".join(parts) + self.close()

    def close(self) -> bytes:
        """[DONE] and the end of the body."""
        end = self._framed(f"data: [DONE]{self._end}{self._end}".encode()) if self._settings.done else b""
        return end if self._settings.delimited else end + b"0\r\n\r\n"

    def trouble(self) -> bytes:
        """An error inside the stream, and its end."""
        error = {
            "message": "EngineCore encountered an issue.",
            "type": "InternalServerError",
            "param": None,
            "code": 500,
        }
        return self._event({"error": error}) + self.close()

    def _plain(self) -> bool:
        """Whether all tokens between the first and the last are the same bytes."""
        settings, ordinary = self._settings, not self._truth.reasoning and self._usage != "always"
        each = (
            settings.tokens_per_event,
            settings.events_per_write,
            settings.empty_every or 1,
            settings.ping_every or 1,
        )
        off = not (settings.empty_every or settings.ping_every or settings.event_lines)
        return self._ask.stream and ordinary and off and each == (1, 1, 1, 1)

    def _is_empty(self, index: int) -> bool:
        every = self._settings.empty_every
        return bool(every) and index % every == every - 1

    def _role(self) -> bytes:
        """Event with the role; a plain completion has none."""
        if not self._chat:
            return b""
        return self._event(self._choice({"delta": {"role": "assistant", "content": ""}}, None))

    def _token_event(self, index: int, *, last: bool) -> dict[str, Any]:
        text = "".join(self._texts)
        self._texts.clear()
        finish = self._truth.finish if last and not self._settings.finish_apart else None
        event = self._text_event(text, finish, reasoning=index < self._truth.reasoning)
        if self._usage == "always" or (self._usage == "last" and last):
            event["usage"] = self._counts()
        return event

    def _text_event(self, text: str, finish: str | None = None, *, reasoning: bool = False) -> dict[str, Any]:
        if not self._chat:
            return self._choice({"text": text}, finish)
        if reasoning:
            return self._choice({"delta": {self._settings.reasoning_field: text}}, finish)
        if self._settings.channel == "tool_calls":
            return self._choice({"delta": {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}}, finish)
        return self._choice({"delta": {"content": text}}, finish)

    def _choice(self, said: dict[str, Any], finish: str | None) -> dict[str, Any]:
        return {**self._base, "choices": [{"index": 0, **said, "logprobs": None, "finish_reason": finish}]}

    def _counts(self) -> dict[str, Any]:
        truth = self._truth
        prompt, output = truth.prompt_tokens, len(truth.due_mono)
        counts: dict[str, Any] = {"prompt_tokens": prompt, "total_tokens": prompt + output, "completion_tokens": output}
        if self._settings.prefix_cache:
            counts["prompt_tokens_details"] = {"cached_tokens": truth.cached_tokens}
        if truth.reasoning:
            counts["completion_tokens_details"] = {"reasoning_tokens": min(truth.reasoning, output)}
        return counts

    def _event(self, said: dict[str, Any]) -> bytes:
        """One event as it is framed for the wire."""
        settings, end = self._settings, self._end
        if settings.pad_bytes:
            said = {**said, "pad": "x" * settings.pad_bytes}
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        lines = f"event: message{end}id: {self._events}{end}" if settings.event_lines else ""
        lines += f"data:{' ' if settings.space else ''}{text}{end}{end}"
        self._events += 1
        if settings.ping_every and self._events % settings.ping_every == 0:
            lines = f": ping{end}{end}{lines}"
        return self._framed(lines.encode())

    def _framed(self, event: bytes) -> bytes:
        settings = self._settings
        if settings.delimited:
            return event
        parts = [event]
        if 0 < settings.chunk_at < len(event):
            parts = [event[: settings.chunk_at], event[settings.chunk_at :]]
        return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)

    def _in_one(self) -> bytes:
        """The answer to a request without streaming."""
        text = self._settings.text * len(self._truth.due_mono)
        said = {"message": {"role": "assistant", "content": text}} if self._chat else {"text": text}
        kind = "chat.completion" if self._chat else "text_completion"
        body = {**self._choice(said, self._truth.finish), "object": kind, "usage": self._counts()}
        closing = ("connection: close",) if self._settings.close else ()
        return whole(200, json.dumps(body, ensure_ascii=False).encode(), *closing)
