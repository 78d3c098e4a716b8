"""Messages of the OpenAI chat form (`role`, `content`, `tool_calls`, `tool_call_id`), as several recorders store them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .parts import arguments_of, call_part, message, openai_parts, result_part, result_text, text_part
from .shape import Object, items, name, obj, objects, text
from .tools import call

if TYPE_CHECKING:
    from ..model import Message
    from .tools import Call


def chat_message(value: Object, stands_for: str | None = None) -> Message:
    """One message of a chat list in the stored form."""
    role = text(value.get("role")) or "user"
    call_id = name(value.get("tool_call_id")) or next(
        (each for each in items(value.get("tool_call_ids")) if name(each)), None
    )
    if role in {"tool", "function"}:
        body, others = result_text(value.get("content"))
        return message(role, [result_part(call_id, body), *others], stands_for)
    parts = openai_parts(value.get("content"))
    thought = name(value.get("reasoning_content"))
    parts = [text_part(thought, "reasoning"), *parts] if thought else parts
    parts += [call_part(each.id, each.tool, each.arguments) for each in chat_calls(value)]
    return message(role, parts, stands_for)


def chat_calls(value: Object) -> list[Call]:
    """The tool calls of an assistant's message, those of the old single `function_call` form too."""
    found = []
    for each in objects(value.get("tool_calls")):
        function = obj(each.get("function") or each.get("custom"))
        arguments = function.get("arguments") if "arguments" in function else function.get("input")
        found.append(call(name(each.get("id")), text(function.get("name")), arguments_of(arguments)))
    single = value.get("function_call")
    if isinstance(single, dict):
        found.append(call(None, text(single.get("name")), arguments_of(single.get("arguments"))))
    return found
