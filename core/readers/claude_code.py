"""Claude Code session JSONL: one JSON object a line, in append order.

A request is one distinct `message.id`: its response is split over several lines (one a content block) that repeat id and
usage. Rebuilt, without the system prompt and the tool definitions. `compact_boundary` ends a context, the line with
`isCompactSummary` starts the next; `microcompact_boundary` blanks the results that it names. Sub-agents (`progress`
lines with `agent_progress`, or `isSidechain` lines) have contexts of their own and become investigations of their own,
and so does each `sessionId`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RecordingError
from .claude_thread import Thread
from .shape import Object, is_object, name, obj, text

if TYPE_CHECKING:
    from ..model import Investigation
    from .recording import Record, Recording

READER = "claude-code"
_PASSED_OVER = frozenset(
    {"file-history-snapshot", "queue-operation", "last-prompt", "pr-link", "progress", "system", "summary", "mode"}
    | {"permission-mode", "worktree-state", "agent-name", "agent-color", "tag", "ai-title", "custom-title"}
)
"""Record types that carry nothing the model was sent."""


def knows(recording: Recording) -> bool:
    """Whether these are lines of a Claude Code session."""
    return any(_is_line(value) for value in recording.head)


def _is_line(value: Object) -> bool:
    kind = text(value.get("type"))
    if kind in {"user", "assistant"}:
        return is_object(value.get("message")) and ("sessionId" in value or "parentUuid" in value)
    return kind in {"progress", "system", "attachment"} and "sessionId" in value and "parentUuid" in value


def read(recording: Recording) -> tuple[Investigation, ...]:
    """Every session and every sub-agent of the file that made a model call. Raises `RecordingError` if there is none."""
    session = _Sessions(recording)
    for record in recording.records():
        session.take(record)
    session.close()
    drafts = [thread.draft for thread in session.threads.values() if thread.draft.turns]
    if not drafts:
        raise RecordingError("a Claude Code session without a model call", file=recording.name)
    return tuple(draft.finish(part) for part, draft in enumerate(drafts))


class _Sessions:
    """Sends each line to the thread (one context) that it belongs to."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.threads: dict[tuple[str, str], Thread] = {}
        self.thread_of: dict[str, Thread] = {}
        self.titles: dict[str, str] = {}
        self.repeated = 0
        self.unknown: dict[str, tuple[int, int]] = {}

    def take(self, record: Record) -> None:
        value = record.value
        kind, uuid = text(value.get("type")), name(value.get("uuid"))
        if kind == "summary":
            self.titles[text(value.get("leafUuid"))] = text(value.get("summary"))
        if uuid is not None and uuid in self.thread_of:
            self.repeated += 1
            return
        data = obj(value.get("data"))
        if kind == "progress" and data.get("type") == "agent_progress" and is_object(data.get("message")):
            self._take_progress(record, data)
        elif kind in {"user", "assistant", "system", "attachment"}:
            thread = self._thread(value)
            thread.take(record.line, value)
            if uuid is not None:
                self.thread_of[uuid] = thread
        elif kind not in _PASSED_OVER:
            first, count = self.unknown.get(kind, (record.line, 0))
            self.unknown[kind] = (first, count + 1)
        elif uuid is not None and "parentUuid" in value:
            thread = self._thread(value)
            thread.mark(uuid)
            self.thread_of[uuid] = thread

    def close(self) -> None:
        for thread in self.threads.values():
            thread.flush()
        for leaf, title in self.titles.items():
            thread_of_leaf = self.thread_of.get(leaf)
            if thread_of_leaf is not None and title:
                thread_of_leaf.draft.title = title
        if self.repeated:
            self.recording.odd(
                None, "lines of a resumed session stand here twice; each was read once", found=str(self.repeated)
            )
        for kind, (line, count) in self.unknown.items():
            self.recording.odd(
                line, "a record type that is not known was passed over", found=f"{kind!r}, {count} times"
            )

    def _thread(self, value: Object) -> Thread:
        session = text(value.get("sessionId"))
        parent = self.thread_of.get(text(value.get("parentUuid")))
        if value.get("isSidechain") is True:
            agent = name(value.get("agentId"))
            if agent is None and parent is not None and parent.is_side:
                return parent
            return self._open((session, agent or text(value.get("uuid"))), value, is_side=True)
        key = (session, "")
        if key not in self.threads and parent is not None and not parent.is_side:
            thread = self._open(key, value, is_side=False)
            thread.continue_from(parent, text(value.get("parentUuid")))
            return thread
        return self._open(key, value, is_side=False)

    def _take_progress(self, record: Record, data: Object) -> None:
        """A sub-agent's line, wrapped in the `progress` line of the agent that called it."""
        value = record.value
        inner = dict(data["message"])
        inner.setdefault("cwd", value.get("cwd"))
        inner.setdefault("version", value.get("version"))
        uuid = name(inner.get("uuid"))
        if uuid is not None and uuid in self.thread_of:
            self.repeated += 1
            return
        agent = name(data.get("agentId")) or text(value.get("parentToolUseID"))
        thread = self._open((text(value.get("sessionId")), agent), inner, is_side=True)
        thread.draft.extra.setdefault("called_by", value.get("parentToolUseID"))
        thread.take(record.line, inner)
        if uuid is not None:
            self.thread_of[uuid] = thread
        outer = name(value.get("uuid"))
        if outer is not None:
            owner = self._thread({**value, "isSidechain": False})
            owner.mark(outer)
            self.thread_of[outer] = owner

    def _open(self, key: tuple[str, str], value: Object, *, is_side: bool) -> Thread:
        if key not in self.threads:
            thread = Thread(self.recording, READER, is_side=is_side)
            thread.draft.producer = {"name": "Claude Code", "version": text(value.get("version"))}
            thread.draft.extra["session"] = key[0]
            if is_side:
                thread.draft.extra["agent"] = key[1]
            self.threads[key] = thread
        return self.threads[key]
