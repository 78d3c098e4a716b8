"""Messages in the package's stored form, from the content shapes of the Anthropic and OpenAI APIs.

`raw` of every message is the object that a line of `messages.jsonl` would hold (10-package), so that hashes can be
taken over it and a converted package shows the same. A part that was a thinking block is text with `"block":
"thinking"` beside it. What is not text (images, encrypted items) is kept as kind, size and hash only.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from ..canonical import byte_length, canonical_text, loads_last, sha256, utf8
from ..errors import JsonError
from ..model import Message, OpaquePart, Part, TextPart, ToolCallPart, ToolResultPart
from .shape import Object, is_object, items, name, obj, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..canonical import Json

_THINKING = ("thinking", "reasoning")


def message(role: str, raw_parts: Sequence[Object], stands_for: str | None = None) -> Message:
    """A message of these stored parts; a single plain text part is stored as `text`."""
    raw: Object = {"role": role}
    if len(raw_parts) == 1 and raw_parts[0].keys() == {"type", "text"} and raw_parts[0]["type"] == "text":
        raw["text"] = raw_parts[0]["text"]
    else:
        raw["parts"] = list(raw_parts)
    if stands_for is not None:
        raw["stands_for"] = stands_for
    return Message(role, tuple(_part(part) for part in raw_parts), stands_for, raw)


def text_message(role: str, body: str, stands_for: str | None = None) -> Message:
    """A message of one text."""
    return message(role, [text_part(body)], stands_for)


def _part(raw: Object) -> Part:
    kind = raw["type"]
    if kind == "text":
        return TextPart(raw["text"])
    if kind == "tool_call":
        return ToolCallPart(raw["id"], raw["name"], raw["arguments"])
    if kind == "tool_result":
        return ToolResultPart(raw["id"], raw["text"], raw["is_error"])
    return OpaquePart(raw["kind"], raw["bytes"], raw["sha256"])


# --- stored parts


def text_part(body: str, block: str | None = None) -> Object:
    """A stored text part; `block` says what it was on the wire if not plain text."""
    return {"type": "text", "text": body} if block is None else {"type": "text", "text": body, "block": block}


def call_part(call_id: str | None, tool: str, arguments: Json) -> Object:
    """A stored tool call."""
    return {"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments}


def result_part(call_id: str | None, body: str, is_error: bool | None = None) -> Object:
    """A stored tool result."""
    return {"type": "tool_result", "id": call_id, "text": body, "is_error": is_error}


def opaque_part(media: str, data: bytes) -> Object:
    """A stored part for what is not text."""
    return {"type": "opaque", "kind": media, "bytes": len(data), "sha256": sha256(data)}


def unknown_part(value: Any, what: str) -> Object:
    """A stored part for content of a type that is not known: its canonical JSON, counted and hashed, not shown as text."""
    return opaque_part(what, as_json(value).encode())


def as_json(value: Any) -> str:
    """Canonical text of a value out of a recording; an empty text if it is no JSON (too deep)."""
    try:
        return canonical_text(value)
    except JsonError:
        return ""


# --- Anthropic Messages


def anthropic_parts(content: Any) -> list[Object]:
    """Stored parts of a message's `content`: a string or a list of blocks."""
    if isinstance(content, str):
        return [text_part(content)]
    return [part for block in items(content) for part in _anthropic_block(block)]


def _anthropic_block(block: Any) -> Iterable[Object]:
    if isinstance(block, str):
        return [text_part(block)]
    if not is_object(block):
        return [unknown_part(block, "unknown")]
    kind = text(block.get("type"))
    if kind == "text":
        return [text_part(text(block.get("text")))]
    if kind in _THINKING:
        return [text_part(text(block.get("thinking") or block.get("text")), "thinking")]
    if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
        return [call_part(name(block.get("id")), text(block.get("name")), block.get("input"))]
    if kind == "tool_result" or kind.endswith("_tool_result"):
        body, others = result_text(block.get("content"))
        error = block.get("is_error")
        result = result_part(name(block.get("tool_use_id")), body, error if isinstance(error, bool) else None)
        return [result, *others]
    if kind == "image":
        return [_image(obj(block.get("source")).get("data") or block.get("source"))]
    return [unknown_part(block, kind or "unknown")]


def result_text(content: Any) -> tuple[str, list[Object]]:
    """A tool result's text (its text blocks joined with nothing between them) and its parts that are not text."""
    if content is None or isinstance(content, str):
        return content or "", []
    if not isinstance(content, list):
        return as_json(content), []
    texts: list[str] = []
    others: list[Object] = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif is_object(block) and text(block.get("type")) in {"text", "input_text", "output_text"}:
            texts.append(text(block.get("text")))
        elif is_object(block) and text(block.get("type")) in {"image", "input_image", "image_url"}:
            others.append(_image(obj(block.get("source")).get("data") or block.get("image_url") or block))
        else:
            texts.append(as_json(block))
    return "".join(texts), others


def _image(data: Any) -> Object:
    if isinstance(data, str):
        payload = data.partition(";base64,")[2] or data
        try:
            return opaque_part("image", base64.b64decode(payload, validate=True))
        except (binascii.Error, ValueError):
            return {"type": "opaque", "kind": "image", "bytes": byte_length(data), "sha256": sha256(utf8(data))}
    return unknown_part(data, "image")


# --- OpenAI


def openai_parts(content: Any) -> list[Object]:
    """Stored parts of a chat message's or a responses item's `content`: null, a string or a list of parts."""
    if content is None:
        return []
    if isinstance(content, str):
        return [text_part(content)]
    if not isinstance(content, list):
        return [unknown_part(content, "unknown")]
    found: list[Object] = []
    for part in content:
        if isinstance(part, str):
            found.append(text_part(part))
            continue
        kind = text(obj(part).get("type"))
        if kind in {"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"}:
            found.append(text_part(text(part.get("text") or part.get("refusal"))))
        elif kind in {"image_url", "input_image"}:
            url = part.get("image_url")
            found.append(_image(url.get("url") if is_object(url) else url))
        else:
            found.append(unknown_part(part, kind or "unknown"))
    return found


def arguments_of(value: Any) -> Any:
    """The arguments of an OpenAI call: the JSON in the string, or the string itself where it is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        return loads_last(value)
    except JsonError:
        return value


def reply_text(parts: Sequence[Object]) -> str:
    """A reply's stored parts as one text: what was said and, as `name arguments`, what was asked."""
    said: list[str] = []
    for part in parts:
        if part["type"] == "text" and part["text"]:
            said.append(part["text"])
        elif part["type"] == "tool_call":
            said.append(f"{part['name']} {as_json(part['arguments'])}")
    return "\n".join(said)
