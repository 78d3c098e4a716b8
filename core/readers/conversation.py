"""Captured requests put in order: which of them belong to one conversation, and what happened between them.

A request goes on with the conversation whose last prompt it begins with. Where the beginning was replaced it still goes
on if it repeats that conversation's own call ids, or the text of its last reply: that is a compaction, seen by its
structure. Side calls (titles, topics: no tools) and sub-agents begin otherwise and become investigations of their own.
"""

from __future__ import annotations

from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ..model import Message, Outcome
from .chat_text import TextAction, text_action
from .draft import Draft
from .exchange import Exchange, Said, Wire, parts_of, prompt_of, replied_wires, reply_of, settings_of
from .parts import message, reply_text
from .results import shown_in
from .shape import objects, text
from .tools import call

if TYPE_CHECKING:
    from .recording import Recording
    from .turn import Asked, Turn

_HTTP_ERROR = 400
_SUMMARY_LINE = 40
_SUMMARY_ASKED = "CRITICAL: Respond with TEXT ONLY"
_SUMMARY_GIVEN = "This session is being continued from a previous conversation"
"""How Claude Code opens, on the wire, the request for a summary and the message that holds it (spec 70, section 10)."""


class Conversation:
    """One investigation out of captured requests."""

    def __init__(self, recording: Recording, reader: str, first: Exchange, *, rebuilt: bool) -> None:
        self.draft = Draft(recording, reader, "rebuilt" if rebuilt else "recorded")
        self.draft.missing = ("tool definitions",) if rebuilt and not first.body.get("tools") else ()
        self.session = first.session
        self.has_tools = bool(first.body.get("tools"))
        self.first: list[bytes] = []
        self.last: list[bytes] = []
        self.talk: list[Wire] = []
        self.replied: Said | None = None
        self.asked_for_summary = False
        self._turn: Turn | None = None
        self._open = False
        self._places: dict[bytes, int] = {}
        self._ids: set[str] = set()
        self._results: dict[str, str] = {}
        self._waiting: tuple[Asked, TextAction | None] | None = None

    # --- does a request belong here

    def shared(self, exchange: Exchange, keys: list[bytes]) -> int:
        """How many messages of the conversation a prompt shares with the last one from the start on."""
        if exchange.session != self.session:
            return 0
        if keys and len(self.last) > len(self.first) and keys == self.first[: len(keys)]:
            return 0  # the first prompt again after the conversation went on: another attempt
        number = 0
        for one, other in zip(keys, self.last, strict=False):
            if one != other:
                break
            number += 1
        same_tools = bool(exchange.body.get("tools")) == self.has_tools
        return number if same_tools or number > 1 else 0  # a title made from the first message is no part of it

    def continues(self, exchange: Exchange, talk: list[Wire]) -> bool:
        """Whether a prompt with another beginning goes on with this conversation: its call ids, or its last reply."""
        if exchange.session != self.session or bool(exchange.body.get("tools")) != self.has_tools:
            return False
        ids = {part["id"] for wire in talk for part in parts_of(wire.message) if part["type"] == "tool_call"}
        if self._ids & (ids - {None}):
            return True
        opening = "\n".join(wire.message.text for wire in talk if wire.role in {"user", "developer"})
        if self.asked_for_summary and any(_opens_with(wire.message, _SUMMARY_GIVEN) for wire in talk[:2]):
            return True
        return self.replied is not None and _repeats(reply_text(self.replied.parts), opening)

    # --- taking it

    def take(self, exchange: Exchange, head: list[Wire], talk: list[Wire], *, compacted: bool) -> None:
        """One request of this conversation, in order of sending; `compacted`: its beginning was replaced."""
        keys = [wire.key for wire in talk]
        known = set(self.last)
        fresh = [wire for wire in talk if wire.key not in known]
        grown = len(talk) > len(self.last) and not compacted
        self._close(fresh, talk[len(self.last) :] if grown else [])
        if compacted:
            self.draft.compact()
        summary = _summary_of(fresh, compacted=compacted)
        if summary is not None and not compacted:
            self.draft.compact()  # the responses API sends the compaction as an item of its own
        blanked = self._blanked(fresh)
        positions = [self._place(wire, summary, blanked) for wire in [*head, *talk]]
        self.draft.replace_context(positions)
        if summary is not None:
            self.draft.point_at_summary(len(head) + talk.index(summary))
        if blanked:
            gone = [
                f"f{asked.number}" for each in blanked for asked in [self.draft.asked(each)] if asked and asked.number
            ]
            self.draft.cleared(gone)
        self._start(exchange, talk)
        self.talk = talk
        self.first, self.last = self.first or keys, keys

    def miss(self, what: str) -> None:
        """The last request's prompt is not whole: this is not in the recording."""
        if self._turn is not None:
            self._turn.missing = (*self._turn.missing, what)

    def finish(self) -> None:
        """No further request comes."""
        self._close([], [])

    def _start(self, exchange: Exchange, talk: list[Wire]) -> None:
        turn = self.draft.request(exchange.line, sent_at=exchange.at)
        turn.request.update(settings_of(exchange))
        edits = (
            objects(exchange.body.get("context_management", {}).get("edits"))
            if isinstance(exchange.body.get("context_management"), dict)
            else []
        )
        if any(text(edit.get("type")).startswith("clear_tool_uses") for edit in edits):
            turn.missing = (*turn.missing, "what the server cleared")
        self.draft.created = self.draft.created or exchange.at
        if self.draft.first_prompt is None:
            self.draft.first_prompt = _first_words(talk)
        self.asked_for_summary = bool(talk) and any(_opens_with(wire.message, _SUMMARY_ASKED) for wire in talk[-2:])
        self._turn, self._open, self._waiting = turn, False, None
        self.replied = reply_of(exchange)
        if self.replied is not None:
            self._reply(turn, self.replied)
        elif exchange.status is not None and exchange.status >= _HTTP_ERROR:
            turn.status, turn.outcome = "rejected", Outcome("failed", f"http {exchange.status}")
        else:
            self._open = True  # the next prompt may hold the reply

    def _reply(self, turn: Turn, said: Said) -> None:
        turn.usage = said.usage
        whole = reply_text(said.parts)
        turn.texts = [whole] if whole else []
        for each in said.calls:
            self.draft.ask(turn, each)
            if each.id is not None:
                self._ids.add(each.id)
        if not said.calls and not self.has_tools:
            action = text_action(whole)
            if action is not None:
                asked = self.draft.ask(turn, call(None, action.tool, {"input": action.argument}))
                self._waiting = (asked, action)

    def _close(self, fresh: list[Wire], grown: list[Wire]) -> None:
        """What is `fresh` in the next prompt holds the results of the last reply's calls.

        What it has `grown` by at its end begins with that reply, if no answer was recorded.
        """
        said = list(takewhile(lambda wire: wire.role == "assistant", grown))
        if self._turn is not None and self._open and said:
            parts = [part for wire in said for part in parts_of(wire.message)]
            calls = [call(part["id"], part["name"], part["arguments"]) for part in parts if part["type"] == "tool_call"]
            self._reply(self._turn, Said(parts, calls, None, None))
        self._open = False
        for wire in fresh:
            for part in parts_of(wire.message):
                if part["type"] == "tool_result":
                    self._answer(part)
        self._answer_by_message(fresh)
        self._drop(fresh)
        if self._waiting is not None and fresh:
            asked, action = self._waiting
            body = action.answer([wire.message for wire in fresh]) if action is not None else None
            if body is not None:
                self.draft.answer(asked, body)
            self._waiting = None

    def _drop(self, fresh: list[Wire]) -> None:
        """A call of the last reply that the next prompt left out of that reply was never made."""
        back = {part["id"] for wire in fresh for part in parts_of(wire.message) if part["type"] == "tool_call"}
        asked = self._turn.asked if self._turn is not None else []
        if any(each.call.id in back for each in asked if each.call.id is not None):
            for each in asked:
                if each.call.id is not None and each.call.id not in back:
                    self.draft.drop(each)

    def _answer_by_message(self, fresh: list[Wire]) -> None:
        """Recorders without tool messages put the result of the one call into the next message of the user."""
        asked = self._turn.asked if self._turn is not None else []
        said = [wire for wire in fresh if wire.role != "assistant"]
        if len(asked) != 1 or asked[0].answered or self._waiting is not None or not said or said[0].role != "user":
            return
        if any(part["type"] == "tool_result" for part in parts_of(said[0].message)):
            return  # it answers another call: a compaction may be asked for before this one's answer is sent
        body = said[0].message.text
        self.draft.answer(asked[0], body, look=partial(shown_in, asked[0].call, body))

    def _answer(self, part: dict[str, object]) -> None:
        asked = self.draft.asked(part["id"] if isinstance(part["id"], str) else None)
        if asked is None or asked.answered:
            return
        body = text(part["text"])
        failed = part["is_error"] if isinstance(part["is_error"], bool) else None
        self.draft.answer(asked, body, failed=failed, look=partial(shown_in, asked.call, body))

    def _blanked(self, fresh: list[Wire]) -> list[str]:
        """Call ids whose result stands in this prompt with a shorter text than before: blanked in place."""
        gone = []
        for wire in fresh:
            for part in parts_of(wire.message):
                if part["type"] != "tool_result" or not isinstance(part["id"], str):
                    continue
                before = self._results.get(part["id"])
                if before is not None and before != part["text"] and len(part["text"]) < len(before):
                    gone.append(part["id"])
                self._results[part["id"]] = part["text"]
        return gone

    def _place(self, wire: Wire, summary: Wire | None, blanked: list[str]) -> int:
        position = self._places.get(wire.key)
        if position is None:
            said, parts = wire.message, parts_of(wire.message)
            if wire is summary:
                said = message(said.role, parts, "summary")
            elif any(part["type"] == "tool_result" and part["id"] in blanked for part in parts):
                said = message(said.role, parts, "placeholder")
            position = self._places[wire.key] = self.draft.intern(said)
        return position


def _summary_of(fresh: list[Wire], *, compacted: bool) -> Wire | None:
    stands = next((wire for wire in fresh if wire.message.stands_for == "summary"), None)
    if stands is not None or not compacted:
        return stands
    marked = next((wire for wire in fresh if _opens_with(wire.message, _SUMMARY_GIVEN)), None)
    return marked or next((wire for wire in fresh if wire.role in {"user", "developer"}), None)


def _opens_with(said: Message, words: str) -> bool:
    return any(part.kind == "text" and part.text.startswith(words) for part in said.parts)


def _repeats(reply: str, opening: str) -> bool:
    """Whether most long lines of a reply stand again in the text that opens the next prompt."""
    lines = [line.strip() for line in reply.split("\n") if len(line.strip()) >= _SUMMARY_LINE]
    return len(lines) > 1 and sum(line in opening for line in lines) * 2 > len(lines)


def _first_words(talk: list[Wire]) -> str | None:
    for wire in talk:
        if wire.role == "user":
            for part in wire.message.parts:
                if part.kind == "text" and part.text.strip() and not part.text.lstrip().startswith("<"):
                    return part.text
    return None


def converse(recording: Recording, reader: str, exchanges: list[Exchange], *, rebuilt: bool = False) -> list[Draft]:
    """The investigations that these requests make up, in order of their first request."""
    found: list[Conversation] = []
    answered: dict[str, tuple[Conversation, list[Wire]]] = {}
    for exchange in exchanges:
        head, talk = prompt_of(exchange)
        earlier = exchange.body.get("previous_response_id")
        known = answered.get(earlier) if isinstance(earlier, str) else None
        if known is not None:
            talk = [*known[1], *talk]
        chosen, compacted = (known[0], False) if known is not None else _conversation_for(exchange, talk, found)
        if chosen is None:
            chosen, compacted = Conversation(recording, reader, exchange, rebuilt=rebuilt), False
            found.append(chosen)
        chosen.take(exchange, head, talk, compacted=compacted)
        if earlier and known is None:
            chosen.miss("earlier input")
        if chosen.replied is not None and chosen.replied.id is not None:
            answered[chosen.replied.id] = (chosen, [*talk, *replied_wires(exchange)])
    for each in found:
        each.finish()
    return [each.draft for each in found]


def _conversation_for(
    exchange: Exchange, talk: list[Wire], found: list[Conversation]
) -> tuple[Conversation | None, bool]:
    """The conversation that a request goes on with, and whether its beginning was replaced."""
    keys = [wire.key for wire in talk]
    best = max(found, key=lambda each: each.shared(exchange, keys), default=None)
    if best is not None and best.shared(exchange, keys):
        return best, False
    return next((each for each in reversed(found) if each.continues(exchange, talk)), None), True
