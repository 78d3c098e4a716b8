"""The answer to one captured request as one object, however it was recorded: JSON, its text, or a stream of events."""

from __future__ import annotations

from typing import Any

from ..canonical import loads_last
from ..errors import JsonError
from .shape import Object, count, is_object, items, name, obj, objects, text

_DONE = ("response.completed", "response.done", "response.incomplete", "response.failed")


def answer_of(response: Any) -> Object:
    """The API's answer object (Anthropic message, chat completion or response); empty if nothing of it was recorded.

    `response` is a recorder's response: `{body | body_raw | parsed_body | sse_events | ws_events}`, or the answer itself.
    """
    held = obj(response)
    for key in ("body", "parsed_body", "body_raw", "raw_body"):
        found = _object_of(held.get(key))
        if found:
            return found
    for key in ("sse_events", "ws_events", "events"):
        if isinstance(held.get(key), list):
            return from_events([_event(each) for each in held[key]])
    return _object_of(response) if "body" not in held else {}


def _object_of(value: Any) -> Object:
    if is_object(value):
        if set(value) <= {"string", "encoding", "base64_string"}:
            return _object_of(value.get("string"))
        return value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or not value:
        return {}
    if value.lstrip()[:1] == "{":
        try:
            return obj(loads_last(value))
        except JsonError:
            return {}
    return from_events(_stream(value))


def _stream(body: str) -> list[Object]:
    """The `data:` lines of a server-sent event stream."""
    found: list[Object] = []
    for line in body.split("\n"):
        if line.startswith("data:"):
            try:
                found.append(obj(loads_last(line[5:].strip())))
            except JsonError:
                continue
    return found


def _event(value: Any) -> Object:
    data = obj(value).get("data")
    if isinstance(data, str):
        try:
            return obj(loads_last(data))
        except JsonError:
            return {}
    return obj(data) or obj(value)


def from_events(events: list[Object]) -> Object:
    """One answer out of stream events: Anthropic's, the chat API's chunks, or the responses API's."""
    for event in reversed(events):
        if event.get("type") in _DONE and is_object(event.get("response")):
            return _with_items(event["response"], events)
    if any(event.get("type") == "message_start" for event in events):
        return _anthropic(events)
    if any("choices" in event for event in events):
        return _chat(events)
    return {}


def _with_items(response: Object, events: list[Object]) -> Object:
    """Some versions leave `output` empty at the end and send the items before it."""
    if items(response.get("output")):
        return response
    done = [
        event["item"]
        for event in events
        if event.get("type") == "response.output_item.done" and is_object(event.get("item"))
    ]
    return {**response, "output": done}


def _anthropic(events: list[Object]) -> Object:
    made: Object = {}
    blocks: dict[int, Object] = {}
    for event in events:
        kind, place = event.get("type"), count(event.get("index")) or 0
        if kind == "message_start":
            made = dict(obj(event.get("message")))
        elif kind == "content_block_start":
            blocks[place] = dict(obj(event.get("content_block")))
        elif kind == "content_block_delta":
            _add_delta(blocks.setdefault(place, {"type": "text"}), obj(event.get("delta")))
        elif kind == "message_delta":
            made["usage"] = {**obj(made.get("usage")), **obj(event.get("usage"))}
            made["stop_reason"] = obj(event.get("delta")).get("stop_reason")
    made["content"] = [_closed(blocks[place]) for place in sorted(blocks)]
    return made


def _add_delta(block: Object, delta: Object) -> None:
    for key in ("text", "thinking"):
        if isinstance(delta.get(key), str):
            block[key] = text(block.get(key)) + delta[key]
    if isinstance(delta.get("partial_json"), str):
        block["_json"] = text(block.get("_json")) + delta["partial_json"]


def _closed(block: Object) -> Object:
    written = block.pop("_json", None)
    if written is not None:
        try:
            block["input"] = loads_last(written) if written else {}
        except JsonError:
            block["input"] = written
    return block


def _chat(events: list[Object]) -> Object:
    message: Object = {"role": "assistant", "content": None}
    calls: dict[int, Object] = {}
    made: Object = {}
    for event in events:
        made = {**made, **{key: value for key, value in event.items() if key in {"id", "model", "usage"} and value}}
        for choice in objects(event.get("choices"))[:1]:
            delta = obj(choice.get("delta"))
            if isinstance(delta.get("content"), str):
                message["content"] = text(message["content"]) + delta["content"]
            for call in objects(delta.get("tool_calls")):
                _add_call(calls.setdefault(count(call.get("index")) or 0, {"function": {}}), call)
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {**made, "choices": [{"message": message}]}


def _add_call(call: Object, delta: Object) -> None:
    call["id"] = name(delta.get("id")) or call.get("id")
    function = obj(delta.get("function"))
    call["function"]["name"] = name(function.get("name")) or call["function"].get("name")
    call["function"]["arguments"] = text(call["function"].get("arguments")) + text(function.get("arguments"))
