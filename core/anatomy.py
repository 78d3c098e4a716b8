"""What each byte range of a prompt is, read from the transmitted text alone (never from `decision.memory`).

| format | kinds |
|---|---|
| `bounded_repair_v1` | `instructions`, `base`, `ledger` (heading), `ledger_entry`, `supplied`, `block_heading`, `block`, `guidance` |
| `investigation_project_*` | `instructions`, `view` |
| `messages` | `system`, `user`, `assistant`, `tool_call`, `tool_result`, `summary`, `placeholder`, `opaque`, `other` |
| `messages` | a message that replaced others is a `summary` or `placeholder` whatever its parts are |
| any | `unparsed`: a user message that does not read back as the documented rendering; the label says why |

The spans of a message lie side by side and cover it from 0 to its last byte (empty ones are left out, but for `opaque`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import RecordError
from .memory import read_layout
from .model import sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .memory import Layout
    from .model import Decision, Message, Section

BOUNDED = "bounded_repair_v1"
PROJECT = "investigation_project_"
_INSTRUCTING = ("system", "developer")
_TOOL_ROLES = ("tool", "function")


@dataclass(frozen=True, slots=True)
class Span:
    """UTF-8 bytes `start`..`end` of the text of message number `message` of this prompt, and what they are.

    `label` is a short text for a person; `fragment` is the id that the text itself names (blocks and ledger entries), or
    the tool call's id for tool calls and results; both come from the package and are untrusted.
    """

    message: int
    start: int
    end: int
    kind: str
    label: str
    fragment: str | None = None


def anatomy(decision: Decision) -> tuple[Span, ...]:
    """The spans of a decision's prompt, in order. Reads its messages once; raises nothing for odd texts."""
    return _anatomy(decision.format, decision.messages)


def _anatomy(form: str, messages: Sequence[Message]) -> tuple[Span, ...]:
    found: list[Span] = []
    for part in sections(messages):
        found.extend(_spans(form, messages[part.message], part))
    return tuple(span for span in found if span.end > span.start or span.kind == "opaque")


def components(decision: Decision) -> dict[str, int]:
    """Bytes per component, in prompt order; they sum to `decision.prompt_bytes` exactly.

    Keys are kinds, with heading and entries of the ledger joined as `ledger`, and each block with its heading and
    guidance as `block ID`.
    """
    return components_of(decision.format, decision.messages)


def components_of(form: str, messages: Sequence[Message]) -> dict[str, int]:
    """`components` of some messages of a prompt of this format: those of a whole prompt are the sums of its messages'."""
    sizes: dict[str, int] = {}
    for span in _anatomy(form, messages):
        key = _COMPONENTS.get(span.kind, span.kind)
        name = f"block {span.fragment}" if key == "block" else key
        sizes[name] = sizes.get(name, 0) + span.end - span.start
    return sizes


_COMPONENTS = {"ledger_entry": "ledger", "block_heading": "block", "guidance": "block"}


def layout_of(decision: Decision) -> tuple[int, Layout]:
    """The place and layout of the one user message of a `bounded_repair_v1` prompt.

    Raises `RecordError` where there is not exactly one, or where it is not the documented rendering.
    """
    messages = decision.messages
    places = [place for place, message in enumerate(messages) if message.role == "user"]
    if decision.format != BOUNDED:
        raise RecordError("no bounded memory in this prompt", expected=BOUNDED, found=decision.format)
    if len(places) != 1:
        raise RecordError("not the documented rendering", expected="one user message", found=str(len(places)))
    return places[0], read_layout(messages[places[0]].text)


def _spans(form: str, message: Message, part: Section) -> Iterator[Span]:
    if form == BOUNDED and message.role == "user":
        if part.part == 0:
            yield from _bounded(part.message, message)
        return
    yield Span(part.message, part.start, part.end, _kind(form, message, part), *_label(message, part))


def _kind(form: str, message: Message, part: Section) -> str:
    if part.content.kind == "opaque":
        return "opaque"
    if message.stands_for in {"summary", "placeholder"}:
        return str(message.stands_for)
    if part.content.kind != "text":
        return part.content.kind
    if form == BOUNDED or form.startswith(PROJECT):
        if message.role in _INSTRUCTING:
            return "instructions"
        if message.role == "user":
            return "view"
    if message.role in _INSTRUCTING:
        return "system"
    if message.role in _TOOL_ROLES:
        return "tool_result"
    return message.role if message.role in {"user", "assistant"} else "other"


def _label(message: Message, part: Section) -> tuple[str, str | None]:
    content = part.content
    if content.kind == "tool_call":
        return content.name, content.id
    if content.kind == "tool_result":
        return "error" if content.is_error else "", content.id
    if content.kind == "opaque":
        return f"{content.media}, {content.bytes} bytes", None
    return message.role, None


def _bounded(place: int, message: Message) -> Iterator[Span]:
    try:
        layout = read_layout(message.text)
    except RecordError as error:
        yield Span(place, 0, message.byte_length, "unparsed", str(error))
        return
    yield Span(place, *layout.base_heading, "base", "heading")
    yield Span(place, *layout.base, "base", "text")
    yield Span(place, *layout.ledger_heading, "ledger", f"{len(layout.entries)} entries")
    for entry in layout.entries:
        label = f"{entry.status}, {entry.body or 'unknown'}: {entry.identity}"
        yield Span(place, *entry.place, "ledger_entry", label, entry.fragment)
    yield Span(place, *layout.supplied_heading, "supplied", f"{len(layout.ranges)} ranges")
    for line in layout.ranges:
        source = line.source
        yield Span(place, *line.place, "supplied", f"{source.path} {source.start}-{source.end}")
    for block in layout.blocks:
        cut = f"{block.sent} of {block.total} bytes"
        yield Span(place, *block.heading, "block_heading", block.what, block.fragment)
        yield Span(place, *block.body, "block", cut, block.fragment)
        if block.guidance:
            yield Span(place, *block.guidance, "guidance", cut, block.fragment)
