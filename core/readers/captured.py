"""Captured requests: request bodies as JSONL, claude-tap, claude-trace, transparent-agent-logger, VCR cassettes.

The prompt is what was sent. Each container only differs in where it keeps a request's body, its answer and its time;
headers are never read into the model (they hold keys). Requests that are not to a model are left out and counted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..canonical import loads_last
from ..errors import JsonError, RecordingError
from .conversation import converse
from .exchange import Exchange, is_model_call
from .shape import Object, count, is_object, items, name, obj, objects, text
from .streamed import answer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Investigation
    from .recording import Recording

READER = "captured-requests"
_BLOB = "__claude_tap_blob_ref__"
_RECORD = "__claude_tap_compact_record__"
_INTERACTIONS = re.compile(rb"^interactions:[ \t]*\r?\n[ \t]*-", re.MULTILINE)
"""How a VCR cassette begins."""
_HEAD_BYTES = 65_536
_SESSION_HEADERS = ("x-claude-code-session-id", "session_id", "session-id")


def knows(recording: Recording) -> bool:
    """Whether the file holds captured requests to a model."""
    document = recording.document
    if is_object(document) and ("packets" in document or "interactions" in document or _is_bundle(document)):
        return True
    if any(_exchange(None, value) is not None for value in recording.head[:10]):
        return True
    return document is None and _is_cassette(recording.data)


def _is_cassette(data: bytes) -> bool:
    return _INTERACTIONS.search(data[:_HEAD_BYTES]) is not None


def read(recording: Recording) -> tuple[Investigation, ...]:
    """Every conversation of the file. Raises `RecordingError` if it holds no request to a model."""
    found, others = [], 0
    for line, value in _records(recording):
        exchange = _exchange(line, value)
        if exchange is None:
            others += 1
        else:
            found.append(exchange)
    if not found:
        raise RecordingError("captured requests, none of them to a model", file=recording.name)
    if others:
        recording.odd(None, "requests that are not to a model were left out", found=str(others))
    if all(exchange.order for exchange in found):
        found.sort(key=lambda exchange: exchange.order)
    rebuilt = all("request_index" in obj(exchange.body.get("metadata")) for exchange in found)
    if not any(exchange.answer for exchange in found) and all(_ends_with_reply(exchange) for exchange in found):
        found = [_without_reply(exchange) for exchange in found]
    drafts = converse(recording, READER, found, rebuilt=rebuilt)
    return tuple(draft.finish(part) for part, draft in enumerate(drafts))


def _records(recording: Recording) -> Iterator[tuple[int | None, Any]]:
    document = recording.document
    if is_object(document):
        if _is_bundle(document):
            blobs = obj(document.get("blobs"))
            yield from ((None, _resolved(value, blobs)) for value in items(document.get("records")))
            return
        for key in ("packets", "interactions"):
            if isinstance(document.get(key), list):
                yield from ((None, value) for value in document[key])
                return
    if isinstance(document, list):
        yield from ((None, value) for value in document)
    elif document is None and _is_cassette(recording.data):
        from .cassette import cassette_of  # noqa: PLC0415  # YAML is loaded where there is a cassette

        yield from ((None, value) for value in cassette_of(recording))
    else:
        yield from ((record.line, record.value) for record in recording.records())


def _is_bundle(document: Object) -> bool:
    return isinstance(document.get("records"), list) and is_object(document.get("blobs"))


def _resolved(value: Any, blobs: Object) -> Any:
    """A record of a claude-tap bundle with the texts that it keeps once put back where they stood."""
    if isinstance(value, list):
        return [_resolved(each, blobs) for each in value]
    if not is_object(value):
        return value
    if _BLOB in value:
        return obj(blobs.get(text(obj(value[_BLOB]).get("hash")))).get("payload")
    if _RECORD in value:
        return _resolved(value.get("record"), blobs)
    return {key: _resolved(each, blobs) for key, each in value.items()}


def _exchange(line: int | None, value: Any) -> Exchange | None:
    """A record as a request to a model; None if it is none."""
    if not is_object(value):
        return None
    if is_object(value.get("request")):
        return _pair(line, value)
    body = _body(value.get("body")) if "body" in value and "messages" not in value else value
    if not is_model_call(body, text(value.get("url") or value.get("path"))) or not name(body.get("model")):
        return None  # without an address only the model's name tells a request from any other list of messages
    metadata = obj(body.get("metadata"))
    session = text(metadata.get("session_id")) or text(metadata.get("instance_id"))
    answer = answer_of(value["response"]) if "response" in value else {}
    return Exchange(line, body, answer, _time(value.get("timestamp")), session=session)


def _pair(line: int | None, value: Object) -> Exchange | None:
    request, response = value["request"], value.get("response")
    url = text(request.get("url")) or text(request.get("uri")) or text(value.get("path")) or text(request.get("path"))
    body = _body(request.get("parsed_body") or request.get("body"))
    if not is_model_call(body, url) or text(request.get("method") or value.get("method")).upper() == "GET":
        return None
    held = obj(response)
    code = held.get("status_code", held.get("status", value.get("http_status")))
    code = obj(code).get("code") if is_object(code) else code
    stamp = request.get("timestamp") or value.get("timestamp") or value.get("recorded_at")
    order = (
        float(stamp) if isinstance(stamp, int | float) and not isinstance(stamp, bool) and 0 < stamp < 2**53 else 0.0
    )
    return Exchange(line, body, answer_of(response), _time(stamp), url, count(code), _session(request), order)


def _body(value: Any) -> Any:
    """A request's body: an object, its JSON as text or bytes, or `{"string": ...}` (cassettes)."""
    if is_object(value) and set(value) <= {"string", "encoding", "base64_string"}:
        value = value.get("string")
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        try:
            return loads_last(value)
        except JsonError:
            return None
    return value


def _session(request: Object) -> str:
    """The session that a header names; only that one header is looked at."""
    for key, value in obj(request.get("headers")).items():
        if key.lower() in _SESSION_HEADERS:
            return text(value[0] if isinstance(value, list) and value else value)
    return ""


def _time(stamp: Any) -> str | None:
    if isinstance(stamp, str):
        return name(stamp)
    if isinstance(stamp, bool) or not isinstance(stamp, int | float) or not 0 < stamp < 2**32:
        return None
    return datetime.fromtimestamp(stamp, UTC).isoformat().replace("+00:00", "Z")


def _ends_with_reply(exchange: Exchange) -> bool:
    said = objects(exchange.body.get("messages"))
    return len(said) > 1 and said[-1].get("role") == "assistant"


def _without_reply(exchange: Exchange) -> Exchange:
    """In this form every list ends with the answer to itself, which is no part of the prompt."""
    said = objects(exchange.body["messages"])
    body = {**exchange.body, "messages": said[:-1]}
    answer = {"content": said[-1].get("content"), "choices": [{"message": said[-1]}]}
    return Exchange(exchange.line, body, answer, exchange.at, exchange.url, exchange.status, exchange.session)
