"""One investigation in the making: what every reader does after it has understood its format.

A reader calls, in the order of the recording: `add` for a message of the context, `request` when a model call begins
(its prompt is the context as it stands: a call's own answer is never in it), `ask` for each tool call of its reply,
`answer` for each result, and `compact`, `blank` or `cut` where the format's own markers say so. `finish` freezes all.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..model import Event, Investigation, Limits
from .context import Context
from .freezing import LaterFragments, decision_of
from .parts import as_json, message, result_part, text_message
from .turn import Asked, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Message, PromptsOrigin
    from .freezing import Log
    from .recording import Recording
    from .shape import Object
    from .tools import Call
    from .turn import Look

_TITLE_CHARACTERS = 80
CLEARED_TEXT = "[Old tool result content cleared]"
"""What stands for a blanked result in a rebuilt prompt: the wire's own words are not in the recording."""


class Draft:
    """Collects messages, requests, lookups and answers of one investigation."""

    def __init__(self, recording: Recording, reader: str, prompts: PromptsOrigin = "rebuilt") -> None:
        self.recording = recording
        self.reader = reader
        self.prompts = prompts
        self.store: list[Message] = []
        self.context = Context()
        self.turns: list[Turn] = []
        self.missing: tuple[str, ...] = ()
        self.title: str | None = None
        self.first_prompt: str | None = None
        self.created: str | None = None
        self.producer: Object = {}
        self.limits = Limits()
        self.extra: Object = {}
        self._asked: dict[str, Asked] = {}
        self._order: list[Asked] = []
        self._log: Log = []
        self._events: list[Event] = []
        self._patched: dict[str, None] = {}
        self._interned: dict[bytes, int] = {}

    # --- the context

    def keep(self, item: Message) -> int:
        """Store a message without putting it into the context; its position."""
        self.store.append(item)
        return len(self.store) - 1

    def add(self, item: Message) -> int:
        """Put a message at the end of the context; its position."""
        position = self.keep(item)
        self.context.add(position)
        if self.first_prompt is None and item.role == "user" and item.stands_for is None and item.text.strip():
            self.first_prompt = item.text
        return position

    def intern(self, item: Message) -> int:
        """The position of a message of this stored form; it is stored at its first use."""
        key = hashlib.blake2b(as_json(item.raw).encode(), digest_size=16).digest()
        position = self._interned.get(key)
        if position is None:
            position = self._interned[key] = self.keep(item)
        return position

    def replace_context(self, positions: Sequence[int]) -> None:
        """The recording holds the whole prompt: the context is these messages."""
        self.context.restart()
        for position in positions:
            self.context.add(position)

    def cleared(self, fragments: Sequence[str], place: int | None = None) -> None:
        """Messages from `place` of the next prompt on were blanked in place; those fragments were theirs."""
        self._events.append(Event("cleared", place, fragments=tuple(fragments)))

    def compact(self, kept: tuple[tuple[int, int], ...] = (), **extra: Any) -> None:
        """A structural marker says that the history was replaced: go on from the `kept` runs."""
        self.context.restart(kept)
        self._events.append(Event("compaction", extra=extra))

    def summary(self, item: Message) -> int:
        """Add the message that stands for what was compacted; the compaction event points at it."""
        self.point_at_summary(len(self.context))
        return self.add(item)

    def point_at_summary(self, place: int) -> None:
        """The summary of the last compaction is message `place` of the next prompt."""
        for number in range(len(self._events) - 1, -1, -1):
            event = self._events[number]
            if event.kind == "compaction" and event.message is None:
                self._events[number] = Event("compaction", place, extra=event.extra)
                break

    def blank(self, call_ids: Sequence[str]) -> None:
        """A structural marker says that these results are blanked in later requests."""
        gone: list[str] = []
        for call_id in call_ids:
            asked = self._asked.get(call_id)
            if asked is None or asked.position is None:
                continue
            blanked = self.keep(_blanked(self.store[asked.position], call_id))
            if self.context.swap(asked.position, blanked):
                asked.position = blanked
                gone.append(f"f{asked.number}")
        if gone:
            self._events.append(Event("cleared", fragments=tuple(gone)))

    # --- requests and what they ask for

    def request(self, line: int | None, *, sent_at: str | None = None, model: str | None = None) -> Turn:
        """A model call begins now: its prompt is the context as it stands."""
        events = self._events
        if self._patched:
            events = [*events, Event("patched", paths=tuple(self._patched))]
        turn = Turn(len(self.turns) + 1, self.context.slices(), line, tuple(events), sent_at)
        turn.missing = self.missing
        if model is not None:
            turn.request["model"] = model
        self._events, self._patched = [], {}
        self.turns.append(turn)
        return turn

    def ask(self, turn: Turn, call: Call) -> Asked:
        """A reply asks for this."""
        if call.id is not None and call.id in self._asked:
            call = replace(call, id=None)  # an id that is used twice ties nothing together
            self.extra["call_ids_used_twice"] = self.extra.get("call_ids_used_twice", 0) + 1
        asked = Asked(call, turn)
        turn.asked.append(asked)
        if call.purpose == "lookup":
            self._number(asked)
        if call.id is not None:
            self._asked[call.id] = asked
        return asked

    def asked(self, call_id: str | None) -> Asked | None:
        """What was asked under this id."""
        return None if call_id is None else self._asked.get(call_id)

    def answer(
        self,
        asked: Asked,
        body: str,
        *,
        failed: bool | None = None,
        look: Look | None = None,
        position: int | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """The result of a call, at `position` in the store; `look` will find the lines that it shows.

        A write that succeeded becomes a `patched` event.
        """
        if asked.answered:
            return
        asked.answered, asked.body, asked.position = True, body, position
        asked.status = "failed" if failed else "completed"
        if asked.call.purpose == "write":
            self._written(asked, applied=not failed)
            return
        if asked.call.purpose == "lookup" and not failed and look is not None:
            self._log.append((asked, look))
        asked.extra.update(extra or {})

    def drop(self, asked: Asked) -> None:
        """The agent never made this call: no later prompt has it. It is kept beside the reply, and is no lookup."""
        if asked.number and not asked.answered:
            self._order.remove(asked)
            for number, each in enumerate(self._order, 1):
                each.number = number
            asked.number = 0
            dropped = {"tool": asked.call.tool, "id": asked.call.id}
            asked.turn.dropped.append(dropped)

    def finish(self, part: int = 0) -> Investigation:
        """The investigation; `part` is its number in the recording (0-based)."""
        fragments = LaterFragments(self._order, self._log)
        store = tuple(self.store)
        last = self.turns[-1] if self.turns else None
        if self._events:
            self.extra["after_last_request"] = [event.kind for event in self._events]
        decisions = tuple(decision_of(turn, store, is_last=turn is last) for turn in self.turns)
        total = len(decisions) + len(fragments) + len(store)
        return Investigation(
            title=self.title or _title(self.first_prompt) or self.recording.name,
            decisions=decisions,
            messages=store,
            fragments=fragments,
            source=self.recording.name,
            digest=f"{self.recording.digest}.{part}" if part else self.recording.digest,
            created=self.created,
            prompts=self.prompts,
            replies="model",
            limits=self.limits,
            producer=self.producer,
            reader=self.reader,
            problems=tuple(self.recording.problems),
            checked=total,
            total=total,
            extra=self.extra,
        )

    # --- freezing

    def _number(self, asked: Asked) -> None:
        self._order.append(asked)
        asked.number = len(self._order)

    def _written(self, asked: Asked, *, applied: bool) -> None:
        call = asked.call
        asked.turn.writes.append({"tool": call.tool, "paths": list(call.paths), "applied": applied})
        if applied:
            for path in call.paths:
                self._patched[path] = None
            if call.paths:
                self._log.append(call.paths)
        else:
            self._number(asked)


def _blanked(item: Message, call_id: str) -> Message:
    raw_parts = item.raw.get("parts")
    if not isinstance(raw_parts, list):
        return text_message(item.role, CLEARED_TEXT, "placeholder")
    parts = [
        result_part(call_id, CLEARED_TEXT, part["is_error"])
        if part["type"] == "tool_result" and part["id"] == call_id
        else part
        for part in raw_parts
    ]
    return message(item.role, parts, "placeholder")


def _title(prompt: str | None) -> str | None:
    lines = (prompt or "").strip().splitlines()
    if not lines:
        return None
    first = lines[0].strip()
    return first if len(first) <= _TITLE_CHARACTERS else first[: _TITLE_CHARACTERS - 1] + "…"
