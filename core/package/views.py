"""Whether a working view is stored as its format says: the user message is the view's canonical JSON, byte for byte.

Only the text is judged here. What stands in the view is judged by `core.codec`, which this room does not import.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..canonical import canonical_bytes_trusted, loads, utf8
from ..errors import JsonError
from .fields import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Message
    from .fields import Notes

VIEW_FORMATS = frozenset({"investigation_project_v4", "investigation_project_v5", "investigation_project_v6"})


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one message is: a user's, readable, a JSON object; `wrong` is what, expected and found, if it is no view."""

    user: bool = False
    readable: bool = True
    view: bool = False
    wrong: tuple[str, str | None, str | None] | None = None


class ViewCheck:
    """Checks the view of one decision after the other; each message is parsed once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._seen: dict[int, _Seen] = {}

    def check(self, places: Sequence[int], notes: Notes) -> None:
        """Note what is wrong with the view in a prompt: its last user message, or the last one that is a JSON object.

        Nothing is noted where a message that cannot be read may have been the view: that message has its own problem.
        """
        last: _Seen | None = None
        readable = True
        for place in reversed(places):
            seen = self._look(place)
            readable = readable and seen.readable
            if seen.view:
                last = seen
                break
            if seen.user and last is None:
                last = seen
        if last is None and readable:
            notes.add("no message holds the working view of this format", "a user message", "none")
        elif last is not None and last.wrong is not None and (last.view or readable):
            notes.add(*last.wrong)

    def _look(self, place: int) -> _Seen:
        seen = self._seen.get(place)
        if seen is None:
            seen = self._seen[place] = _seen(self._messages[place])
        return seen


def _seen(message: Message) -> _Seen:
    if message.problem is not None:
        return _Seen(readable=False)
    if message.role != "user":
        return _Seen()
    try:
        value = loads(message.text)
    except JsonError as error:
        what = f"the user message is not the working view of this format: {error.message}"
        return _Seen(user=True, wrong=(what, error.expected, error.found))
    if not isinstance(value, dict):
        what = "the user message is not the working view of this format: not an object"
        return _Seen(user=True, wrong=(what, "an object", shown(value)))
    stored, canonical = utf8(message.text), canonical_bytes_trusted(value)
    if stored == canonical:
        return _Seen(user=True, view=True)
    what = "the user message is not the canonical text of its working view, byte for byte"
    found = f"{len(stored)} bytes, others from byte {_first_difference(stored, canonical)}"
    return _Seen(user=True, view=True, wrong=(what, f"{len(canonical)} bytes of canonical text", found))


def _first_difference(one: bytes, other: bytes) -> int:
    shorter = min(len(one), len(other))
    return bisect_left(range(shorter), True, key=lambda place: one[: place + 1] != other[: place + 1])
