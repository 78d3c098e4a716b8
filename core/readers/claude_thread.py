"""One context of a Claude Code session (the session itself, or a sub-agent): its lines in order, made into requests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..model import Usage
from .claude_results import read_of, shown_by
from .draft import Draft
from .parts import anthropic_parts, message, reply_text, text_message
from .shape import Object, count, is_object, items, name, obj, text
from .tools import call

if TYPE_CHECKING:
    from ..model import Message
    from .recording import Recording
    from .turn import Turn

_MISSING = ("system prompt", "tool definitions")
_SYNTHETIC = "<synthetic>"


class Thread:
    """Builds one draft. A reply is split over lines and its results may stand between them: all wait for `flush`."""

    def __init__(self, recording: Recording, reader: str, *, is_side: bool) -> None:
        self.draft = Draft(recording, reader)
        self.draft.missing = _MISSING
        self.is_side = is_side
        self._turns: dict[str, Turn] = {}
        self._open: Turn | None = None
        self._reply: list[Object] = []
        self._waiting: list[tuple[Message, Object]] = []
        self._places: dict[str, tuple[int, int, int]] = {}
        self._era = 0

    def take(self, line: int, value: Object) -> None:
        """One line of this context."""
        kind = value.get("type")
        if self.draft.created is None:
            self.draft.created = name(value.get("timestamp"))
        if kind == "assistant":
            self._take_reply(line, value)
        elif kind == "user":
            self._take_user(value)
        elif kind == "system":
            self._take_system(value)
        elif kind == "attachment" and "attachments" not in self.draft.missing:
            self.draft.missing = (*self.draft.missing, "attachments")
        uuid = name(value.get("uuid"))
        if uuid is not None:
            self.mark(uuid)

    def mark(self, uuid: str) -> None:
        """Remember how long the context was after the line with this id, for a later line that goes back to it."""
        length = len(self.draft.context) + bool(self._reply) + len(self._waiting)
        self._places[uuid] = (self._era, length, len(self.draft.turns))

    def flush(self) -> None:
        """The reply is complete: it and what came after it become part of the context."""
        if self._reply:
            self.draft.add(message("assistant", self._reply))
            if self._open is not None:
                self._open.texts = [*self._open.texts, reply_text(self._reply)]
        self._reply, self._open = [], None
        waiting, self._waiting = self._waiting, []
        for item, value in waiting:
            if value.get("isCompactSummary") is True:
                self.draft.summary(item)
            else:
                first = self.draft.first_prompt
                self._answer(value, self.draft.add(item))
                if value.get("isMeta") is True:  # words of the client, not of the person
                    self.draft.first_prompt = first

    def continue_from(self, parent: Thread, uuid: str) -> None:
        """A second session goes on from a line of another one: it starts with that one's context there."""
        parent.flush()
        era, length, _ = parent._places.get(uuid, (0, 0, 0))  # the same class
        positions = parent.draft.context.positions()
        if era != parent._era:
            return
        for position in positions[:length]:
            self.draft.add(parent.draft.store[position])

    # --- lines

    def _take_reply(self, line: int, value: Object) -> None:
        body = obj(value.get("message"))
        if body.get("model") == _SYNTHETIC:
            self.draft.extra["client_made_messages"] = self.draft.extra.get("client_made_messages", 0) + 1
            return
        key = name(body.get("id")) or name(value.get("requestId")) or name(value.get("uuid")) or f"line {line}"
        turn = self._turns.get(key)
        if turn is None or turn is not self._open:
            self.flush()
        if turn is None:
            turn = self.draft.request(line, sent_at=name(value.get("timestamp")), model=name(body.get("model")))
            self._turns[key] = turn
        self._open = turn
        parts = anthropic_parts(body.get("content"))
        self._reply += parts
        turn.usage = _usage(body.get("usage"), turn.usage)
        for part in parts:
            if part["type"] == "tool_call":
                self.draft.ask(turn, call(part["id"], part["name"], part["arguments"]))

    def _take_user(self, value: Object) -> None:
        content = obj(value.get("message")).get("content")
        is_summary = value.get("isCompactSummary") is True
        parts = anthropic_parts(content)
        has_result = any(part["type"] == "tool_result" for part in parts)
        if not has_result and not is_summary:
            self._go_back(text(value.get("parentUuid")))
        if is_summary:
            summary = text_message("user", "".join(part["text"] for part in parts if part["type"] == "text"), "summary")
            self._waiting.append((summary, value))
        elif parts:
            self._waiting.append((message("user", parts), value))

    def _take_system(self, value: Object) -> None:
        subtype = value.get("subtype")
        if subtype == "compact_boundary":
            self.flush()
            self._era += 1
            about = obj(value.get("compactMetadata"))
            self.draft.compact(**{key: about[key] for key in ("trigger", "preTokens") if key in about})
        elif subtype == "microcompact_boundary":
            self.flush()
            ids = items(obj(value.get("microcompactMetadata")).get("compactedToolIds"))
            self.draft.blank([each for each in ids if isinstance(each, str)])

    def _go_back(self, parent: str) -> None:
        """A prompt that hangs on an earlier line starts a new branch: what came after that line is not sent again."""
        place = self._places.get(parent)
        if place is None:
            return
        era, length, turns = place
        if era != self._era or turns >= len(self.draft.turns):
            return
        self.flush()
        if length < len(self.draft.context):
            self.draft.context.cut(length)
            self.draft.extra["branches"] = self.draft.extra.get("branches", 0) + 1

    # --- answers

    def _answer(self, value: Object, position: int) -> None:
        results = [part for part in self.draft.store[position].raw.get("parts", ()) if part["type"] == "tool_result"]
        structured = value.get("toolUseResult") if len(results) == 1 else None
        for part in results:
            asked = self.draft.asked(part["id"])
            if asked is None or asked.answered:
                continue
            look = partial(shown_by, asked.call, part["text"], read_of(asked.call, part["text"], structured))
            self.draft.answer(asked, part["text"], failed=part["is_error"], look=look, position=position)


def _usage(value: object, before: Usage | None) -> Usage | None:
    """Usage as recorded on every line of a split response: counted once; early lines hold a stub of the output count."""
    if not is_object(value):
        return before
    output = count(value.get("output_tokens"))
    if before is not None and before.output_tokens is not None:
        output = max(output or 0, before.output_tokens)
    return Usage(
        count(value.get("input_tokens")),
        count(value.get("cache_read_input_tokens")),
        count(value.get("cache_creation_input_tokens")),
        output,
    )
