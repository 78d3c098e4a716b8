"""One captured request and its answer, read by the API that it was made to: Anthropic Messages, OpenAI chat or responses."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..model import Usage
from . import tools
from .chat import chat_calls, chat_message
from .codex_items import called, item_message
from .parts import anthropic_parts, as_json, message, openai_parts, text_message
from .shape import Object, count, is_object, items, name, obj, objects, text

if TYPE_CHECKING:
    from ..model import Message
    from .tools import Call

Api = Literal["anthropic", "chat", "responses"]
_SETTINGS = ("model", "temperature", "max_tokens", "max_output_tokens", "max_completion_tokens", "previous_response_id")
_NOT_A_CALL = ("count_tokens", "embeddings", "/v1/models", "moderations", "/traces", "telemetry")
_BLOCKS = frozenset({"tool_use", "tool_result", "thinking"})


@dataclass(frozen=True)
class Exchange:
    """A request body with what came back; `answer` is empty where no answer was recorded. `at` is the time of sending."""

    line: int | None
    body: Object
    answer: Object = field(default_factory=dict)
    at: str | None = None
    url: str = ""
    status: int | None = None
    session: str = ""
    order: float = 0.0

    @property
    def api(self) -> Api:
        """The API, by the address, else by the shape of the body."""
        if "messages" not in self.body:
            return "responses"
        if "/v1/messages" in self.url or "system" in self.body or "anthropic_version" in self.body:
            return "anthropic"
        if any("input_schema" in tool for tool in objects(self.body.get("tools"))):
            return "anthropic"
        for value in objects(self.body["messages"]):
            if any(text(block.get("type")) in _BLOCKS for block in objects(value.get("content"))):
                return "anthropic"
        return "chat"


def is_model_call(body: object, url: str = "") -> bool:
    """Whether a body is a request to a model (and not a token count, an embedding or telemetry)."""
    if not is_object(body) or any(word in url for word in _NOT_A_CALL):
        return False
    if isinstance(body.get("messages"), list):
        return True
    asked = body.get("input")
    is_input = isinstance(asked, str) or (
        isinstance(asked, list) and (not asked or any(is_object(each) for each in asked))
    )
    return "input" in body and "model" in body and is_input and "encoding_format" not in body


@dataclass(frozen=True)
class Wire:
    """One message of a prompt: `key` is a hash of its canonical wire text without cache marks: equal keys, equal messages."""

    key: bytes
    message: Message
    role: str


def prompt_of(exchange: Exchange) -> tuple[list[Wire], list[Wire]]:
    """The prompt: first its tool definitions and system texts, then its conversation."""
    body, head = exchange.body, []
    if body.get("tools"):
        head.append(_wire({"tools": body["tools"]}, text_message("tools", as_json(body["tools"]))))
    system = body.get("system") if exchange.api == "anthropic" else body.get("instructions")
    if system:
        parts = anthropic_parts(system)
        head.append(_wire({"system": _unmarked(system)}, message("system", parts)))
    if exchange.api == "responses":
        asked = body.get("input")
        listed = [{"role": "user", "content": asked}] if isinstance(asked, str) else objects(asked)
        made = [(item, item_message(item)) for item in listed]
        return head, [_wire(item, said) for item, said in made if said is not None]
    return head, [_wire(value, _message(exchange.api, value)) for value in objects(body["messages"])]


def replied_wires(exchange: Exchange) -> list[Wire]:
    """The items of an answer of the responses API as they stand in the next prompt, which names them by the answer's id."""
    made = [(item, item_message(item)) for item in objects(exchange.answer.get("output"))]
    return [_wire(item, said) for item, said in made if said is not None]


def _message(api: Api, value: Object) -> Message:
    if api == "anthropic":
        return message(text(value.get("role")) or "user", anthropic_parts(value.get("content")))
    return chat_message(value)


def _wire(value: Object, said: Message) -> Wire:
    key = hashlib.blake2b(as_json(_unmarked(value)).encode(), digest_size=16).digest()
    return Wire(key, said, said.role)


def _unmarked(value: object) -> object:
    """The value without cache marks, which wander from message to message and carry no content."""
    if isinstance(value, list):
        return [_unmarked(each) for each in value]
    if is_object(value):
        return {
            key: each if key in {"input", "arguments"} else _unmarked(each)
            for key, each in value.items()
            if key != "cache_control"
        }
    return value


# --- the answer


@dataclass(frozen=True)
class Said:
    """A reply: its stored parts, its calls, its wire keys (as they would come back in a later prompt), and usage."""

    parts: list[Object]
    calls: list[Call]
    usage: Usage | None
    id: str | None


def reply_of(exchange: Exchange) -> Said | None:
    """What the answer says; None if none was recorded."""
    answer, api = exchange.answer, exchange.api
    if api == "anthropic" and isinstance(answer.get("content"), list | str):
        parts = anthropic_parts(answer["content"])
        calls = [
            tools.call(part["id"], part["name"], part["arguments"]) for part in parts if part["type"] == "tool_call"
        ]
        return Said(parts, calls, _anthropic_usage(answer.get("usage")), name(answer.get("id")))
    if api == "chat" and objects(answer.get("choices")):
        said = obj(objects(answer["choices"])[0].get("message"))
        parts = parts_of(chat_message({**said, "role": "assistant"}))
        return Said(parts, chat_calls(said), openai_usage(answer.get("usage")), name(answer.get("id")))
    if api == "responses" and isinstance(answer.get("output"), list):
        output = objects(answer["output"])
        made = [item_message(item) for item in output]
        parts = [part for said in made if said is not None for part in parts_of(said)]
        calls = [each for each in map(called, output) if each is not None]
        return Said(parts, calls, openai_usage(answer.get("usage")), name(answer.get("id")))
    return None


def parts_of(said: Message) -> list[Object]:
    """The stored parts of a message."""
    return items(said.raw.get("parts")) or openai_parts(said.raw.get("text"))


def _anthropic_usage(value: object) -> Usage | None:
    if not is_object(value):
        return None
    return Usage(
        count(value.get("input_tokens")),
        count(value.get("cache_read_input_tokens")),
        count(value.get("cache_creation_input_tokens")),
        count(value.get("output_tokens")),
    )


def openai_usage(value: object) -> Usage | None:
    """Usage of the chat or the responses API, where cached tokens are part of the input count."""
    if not is_object(value):
        return None
    whole, out = (
        value.get("prompt_tokens", value.get("input_tokens")),
        value.get("completion_tokens", value.get("output_tokens")),
    )
    details = obj(value.get("prompt_tokens_details")) or obj(value.get("input_tokens_details"))
    cached, total = count(details.get("cached_tokens")) or 0, count(whole)
    return Usage(None if total is None else max(total - cached, 0), cached, None, count(out))


def settings_of(exchange: Exchange) -> Object:
    """The few settings of a request that are kept beside its prompt; never a header (they hold keys)."""
    return {key: exchange.body[key] for key in _SETTINGS if isinstance(exchange.body.get(key), str | int | float)}
