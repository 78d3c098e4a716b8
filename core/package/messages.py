"""A line of `messages.jsonl` to a `Message`: text or parts, and what of them cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted
from ..model import Message, OpaquePart, TextPart, ToolCallPart, ToolResultPart
from .fields import Fields, Notes, is_object
from .unreadable import UNREADABLE, unreadable_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..model import Part, Problem

STANDS_FOR = ("summary", "placeholder")


def message_from(row: Mapping[str, Any], notes: Notes) -> Message:
    """The message of a stored object. `problem` is set if it has no readable role, or neither text nor parts.

    A part that cannot be read becomes an `OpaquePart`, so that its neighbours stay: its text is not known, and is not
    shown as absent either.
    """
    if row.keys() == _PLAIN and type(row["role"]) is str and type(row["text"]) is str:
        return Message(row["role"], (TextPart(row["text"]),), raw=row)  # nearly every message
    fields = Fields(row, "", notes)
    unreadable = fields.take(UNREADABLE)
    if unreadable is not None:
        return Message("", (), raw=row, problem=unreadable_problem(unreadable, notes))
    first = len(notes.problems)
    role = fields.text("role", required=True)
    parts = _parts(fields)
    lost = notes.problems[first] if role is None or parts is None else None
    stands_for = fields.one_of("stands_for", STANDS_FOR)
    return Message(role or "", parts or (), stands_for, row, lost)


_PLAIN = {"role", "text"}


def _parts(fields: Fields) -> tuple[Part, ...] | None:
    text, parts = fields.take("text"), fields.take("parts")
    if text is not None and parts is not None:
        fields.notes.add("a message has both `text` and `parts`", "one of them", "both; `parts` is what is shown")
    if isinstance(parts, list):
        return tuple(_part(item, f"parts[{number}]", fields.notes) for number, item in enumerate(parts))
    if isinstance(text, str):
        if parts is not None:
            fields.wrong("parts", "a list", parts)
        return (TextPart(text),)
    if parts is not None:
        fields.wrong("parts", "a list", parts)
    else:
        fields.wrong("text", "text", text)
    return None


def _part(item: Any, where: str, notes: Notes) -> Part:
    if not is_object(item, where, notes):
        return _unreadable(type(item).__name__, item)
    fields = Fields(item, where, notes)
    kind = fields.text("type", required=True)
    read = PARTS.get(kind or "")
    if read is None:
        if kind is not None:
            fields.wrong("type", "one of " + ", ".join(PARTS), kind)
        return _unreadable(kind or "unknown", item)
    return read(fields) or _unreadable(f"unreadable {kind}", item)


def _unreadable(media: str, item: Any) -> OpaquePart:
    return OpaquePart(media, len(canonical_bytes_trusted(item)), None)


def _text(fields: Fields) -> Part | None:
    text = fields.text("text", required=True)
    return None if text is None else TextPart(text)


def _tool_call(fields: Fields) -> Part | None:
    name = fields.text("name", required=True)
    return None if name is None else ToolCallPart(fields.text("id"), name, fields.take("arguments"))


def _tool_result(fields: Fields) -> Part | None:
    text = fields.text("text", required=True)
    return None if text is None else ToolResultPart(fields.text("id"), text, fields.flag("is_error"))


def _opaque(fields: Fields) -> Part | None:
    kind, size = fields.text("kind", required=True), fields.count("bytes", required=True)
    return None if kind is None or size is None else OpaquePart(kind, size, fields.text("sha256"))


PARTS: dict[str, Callable[[Fields], Part | None]] = {
    "text": _text,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "opaque": _opaque,
}


def broken_message(problem: Problem) -> Message:
    """What stands for a line that cannot be read."""
    return Message("", (), problem=problem)
