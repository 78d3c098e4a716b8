"""OpenAI Codex rollout JSONL, new form (`{timestamp, type, payload}`) and old (bare items after a header line).

Rebuilt: base instructions and items are in the file, tool definitions are not. A request is a run of items of the
assistant's side (reasoning, message, calls), ended by an output or by a user or developer item. `compacted` replaces
the history by its `replacement_history`; a summary that is encrypted there cannot be shown and is listed as missing.
`event_msg` repeats items for the screen: only its token counts are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RecordingError
from ..model import Usage
from .codex_items import ASSISTANT_SIDE, ITEMS, called, item_message, result_of
from .draft import Draft
from .parts import as_json, reply_text, text_message
from .shape import Object, count, is_object, name, obj, objects, text

if TYPE_CHECKING:
    from ..model import Investigation
    from .recording import Record, Recording
    from .turn import Turn

READER = "codex"
_FORMS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"})
_PASSED_OVER = frozenset({"world_state", "inter_agent_communication_metadata"})
_COMPACTED = frozenset({"compaction", "compaction_summary", "context_compaction"})


def knows(recording: Recording) -> bool:
    """Whether these are lines of a Codex rollout."""
    head = recording.head
    if any(text(value.get("type")) in _FORMS and is_object(value.get("payload")) for value in head):
        return True
    is_header = any("instructions" in value and "id" in value and "type" not in value for value in head[:3])
    return is_header and any(text(value.get("type")) in ITEMS or "record_type" in value for value in head)


def read(recording: Recording) -> tuple[Investigation, ...]:
    """Every session of the file that made a model call. Raises `RecordingError` if there is none."""
    rollout = _Rollout(recording)
    for record in recording.records():
        rollout.take(record)
    rollout.close()
    drafts = [session.draft for session in rollout.sessions if session.draft.turns]
    if not drafts:
        raise RecordingError("a Codex rollout without a model call", file=recording.name)
    return tuple(draft.finish(part) for part, draft in enumerate(drafts))


class _Rollout:
    """Tells the sessions of one file apart: `session_meta` comes again with every resumed turn, with the same id."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.sessions: list[_Session] = []
        self.ids: set[str] = set()
        self.unknown: dict[str, tuple[int, int]] = {}

    def take(self, record: Record) -> None:
        value = record.value
        kind = text(value.get("type"))
        if kind in ITEMS:  # the old form: the item is the record
            self._current().item(record.line, value, None)
        elif kind == "session_meta" or (not kind and "instructions" in value):
            self._meta(obj(value.get("payload")) or value)
        elif kind == "response_item":
            payload = obj(value.get("payload"))
            if text(payload.get("type")) not in ITEMS:
                self._unknown(record, f"response_item {payload.get('type')}")
            self._current().item(record.line, payload, name(value.get("timestamp")))
        elif kind == "compacted":
            self._current().compacted(obj(value.get("payload")))
        elif kind == "event_msg":
            self._current().event(obj(value.get("payload")))
        elif kind == "turn_context":
            self._current().turn_context(obj(value.get("payload")))
        elif kind not in _PASSED_OVER and "record_type" not in value:
            self._unknown(record, kind)

    def close(self) -> None:
        for session in self.sessions:
            session.flush()
        for kind, (line, number) in self.unknown.items():
            self.recording.odd(line, "a record type that is not known", "a known one", f"{kind[:60]!r}, {number} times")

    def _current(self) -> _Session:
        if not self.sessions:
            self.sessions.append(_Session(self.recording))
        return self.sessions[-1]

    def _meta(self, meta: Object) -> None:
        ids = {key for key in (name(meta.get("id")), name(meta.get("session_id"))) if key}
        if self.sessions and (not ids or ids & self.ids or not self.sessions[-1].has_meta):
            if not self.sessions[-1].has_meta:
                self.sessions[-1].meta(meta)
        else:
            self.sessions.append(_Session(self.recording))
            self.sessions[-1].meta(meta)
        parents = (name(meta.get("forked_from_id")), name(meta.get("parent_thread_id")))
        self.ids |= ids | {parent for parent in parents if parent}

    def _unknown(self, record: Record, kind: str) -> None:
        first, number = self.unknown.get(kind, (record.line, 0))
        self.unknown[kind] = (first, number + 1)


class _Session:
    """Builds one draft from the items of one session."""

    def __init__(self, recording: Recording) -> None:
        self.draft = Draft(recording, READER)
        self.draft.missing = ("system prompt", "tool definitions")
        self.has_meta = False
        self._open: Turn | None = None
        self._reply: list[Object] = []
        self._model: str | None = None
        self._totals = ""
        self._system: int | None = None
        self._cwd: str | None = None
        self._asked_for = False

    def meta(self, meta: Object) -> None:
        self.has_meta = True
        self.draft.created = name(meta.get("timestamp"))
        self.draft.producer = {"name": "Codex", "version": text(meta.get("cli_version"))}
        self.draft.extra["session"] = text(meta.get("id"))
        self._cwd = name(meta.get("cwd"))
        for key in ("forked_from_id", "parent_thread_id"):
            if name(meta.get(key)):
                self.draft.extra[key] = meta[key]
        system = name(obj(meta.get("base_instructions")).get("text")) or name(meta.get("instructions"))
        if system is not None and not len(self.draft.context):
            self._system = self.draft.add(text_message("system", system))
            self.draft.missing = ("tool definitions",)

    def turn_context(self, value: Object) -> None:
        self._model = name(value.get("model")) or self._model
        self._cwd = name(value.get("cwd")) or self._cwd

    def item(self, line: int, item: Object, timestamp: str | None) -> None:
        kind = text(item.get("type"))
        if kind == "ghost_snapshot":
            return
        is_reply = kind in ASSISTANT_SIDE or (kind == "message" and item.get("role") == "assistant")
        if not is_reply:
            self.flush()
        elif self._open is None:
            self._open = self.draft.request(line, sent_at=timestamp, model=self._model)
        made = item_message(item)
        if kind == "reasoning" and made is None:
            self._miss("encrypted reasoning")
        if kind == "web_search_call":
            self._miss("web search results")
        position = None if made is None else self.draft.add(made)
        if is_reply and self._open is not None:
            self._reply += list(made.raw.get("parts", ())) if made and "parts" in made.raw else []
            if made and "text" in made.raw:
                self._reply.append({"type": "text", "text": made.text})
            asked = called(item, self._cwd)
            if asked is not None:
                self.draft.ask(self._open, asked)
        elif made is not None and kind.endswith("_output") and position is not None:
            self._answer(item, made.text, position)

    def compacted(self, payload: Object) -> None:
        self.flush()
        summary, history = text(payload.get("message")), payload.get("replacement_history")
        before = self.draft.context.positions()
        self.draft.compact()
        if self._system is not None:
            self.draft.context.add(self._system)
        if isinstance(history, list):
            self._replaced_by(objects(history), summary)
            return
        for position in before:  # the older form keeps what the user and the developer said, then the summary
            if self.draft.store[position].role in {"user", "developer"}:
                self.draft.context.add(position)
        self.draft.summary(text_message("user", summary, "summary"))

    def event(self, payload: Object) -> None:
        kind = payload.get("type")
        if kind == "thread_name_updated":
            self.draft.title = name(payload.get("thread_name"))
        if kind == "user_message" and not self._asked_for:
            self._asked_for = True  # the first prompt of the person, not the instructions that stand before it
            self.draft.first_prompt = name(payload.get("message")) or self.draft.first_prompt
        if kind != "token_count" or not self.draft.turns:
            return
        info = obj(payload.get("info"))
        totals, last = as_json(info.get("total_token_usage")), info.get("last_token_usage")
        turn = self.draft.turns[-1]
        if not is_object(last) or totals == self._totals or turn.usage is not None:
            return  # the same count is written again after a compaction
        self._totals = totals
        whole, cached = count(last.get("input_tokens")), count(last.get("cached_input_tokens")) or 0
        written = count(last.get("cache_write_input_tokens")) or 0
        fresh = None if whole is None else max(whole - cached - written, 0)
        turn.usage = Usage(fresh, cached, written, count(last.get("output_tokens")))

    def flush(self) -> None:
        """The run of the assistant's items has ended."""
        if self._open is not None:
            said = reply_text(self._reply)
            self._open.texts = [said] if said else []
        self._open, self._reply = None, []

    def _replaced_by(self, history: list[Object], summary: str) -> None:
        found = False
        for item in history:
            made = item_message(item)
            if text(item.get("type")) in _COMPACTED:
                self._miss("encrypted summary")
                made, found = item_message(item, "summary"), True
            elif made is not None and summary and summary in made.text:
                made, found = item_message(item, "summary"), True
            if made is not None and made.stands_for:
                self.draft.summary(made)
            elif made is not None:
                self.draft.add(made)
        if not found:
            self._miss("encrypted summary")

    def _answer(self, item: Object, body: str, position: int) -> None:
        asked = self.draft.asked(name(item.get("call_id")))
        if asked is None or asked.answered:
            return
        result = result_of(asked.call, body, self._cwd)
        self.draft.answer(asked, body, failed=result.failed, look=result.look, position=position, extra=result.extra)

    def _miss(self, what: str) -> None:
        if what not in self.draft.missing:
            self.draft.missing = (*self.draft.missing, what)
