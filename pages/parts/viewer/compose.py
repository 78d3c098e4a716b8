"""A decision's prompt as the sections that the viewer shows, in each of its modes. Pure of Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from core.anatomy import Span, anatomy
from core.canonical import canonical_text, utf8
from core.model import Decision, Message, OpaquePart, Section, ToolCallPart, ToolResultPart, sections

from ..palette import KIND_OF_SPAN
from ..sizes import exact
from .payload import Mark, Part

if TYPE_CHECKING:
    from core.changes import Changes, Piece
    from core.delivery import Placement

Naming = Callable[[str], str | None]
"""Fragment id, or tool call id → what addresses call the fragment; None for what is no fragment."""


def received(decision: Decision, placements: Iterable[Placement], name: Naming) -> list[Part]:
    """The prompt section by section; spans are those of `core.anatomy`, and the places where delivery found fragments."""
    messages = decision.messages
    marks = _by_message([*anatomy(decision), *_found(decision, placements)], len(messages))
    return [
        Part(_title(part, len(messages)), _note(part, messages[part.message]), part.text, _marks(part, marks, name))
        for part in sections(messages)
    ]


def raw(decision: Decision) -> list[Part]:
    """The stored message objects, each as its canonical JSON: what the request hash is taken over."""
    made = []
    for place, message in enumerate(decision.messages, 1):
        text = canonical_text(dict(message.raw)) if message.raw else message.text
        made.append(Part(f"message {place} of {len(decision.messages)}", "as stored", text))
    return made


def changed(before: Decision | None, after: Decision, found: Changes, name: Naming) -> list[Part]:
    """The later prompt with what entered and what was kept; what left stands, struck out, where it stood."""
    texts = [utf8(message.text) for message in after.messages]
    former = [utf8(message.text) for message in before.messages] if before else []
    roles = [message.role for message in after.messages]
    made: list[Part] = []
    for run in _runs(found.pieces):
        left, message = run[0].fate == "left", run[0].message
        data = (former if left else texts)[message]
        start, end = run[0].start, run[-1].end
        marks = [Mark(piece.start - start, piece.end - start, piece.fate, name(piece.fragment or "")) for piece in run]
        body = data[start:end].decode("utf-8", "surrogatepass")
        made.append(Part(*_heading(run, roles, len(utf8(body))), body, marks, left=left))
    return made


def _runs(pieces: Sequence[Piece]) -> Iterable[list[Piece]]:
    """Neighbouring pieces that read on in one message, on one side."""
    run: list[Piece] = []
    for piece in pieces:
        last = run[-1] if run else None
        together = last and (last.fate == "left") == (piece.fate == "left") and last.message == piece.message
        if last and together and last.end == piece.start:
            run.append(piece)
            continue
        if run:
            yield run
        run = [piece]
    if run:
        yield run


def _heading(run: Sequence[Piece], roles: Sequence[str], size: int) -> tuple[str, str]:
    kinds = list(dict.fromkeys(piece.kind.replace("_", " ") for piece in run))
    names = list(dict.fromkeys(piece.fragment for piece in run if piece.fragment))
    if run[0].fate == "left":
        what = ", ".join(names) or ", ".join(kinds[:3])
        return f"left the prompt: {what}", f"{exact(size)}, not received"
    return f"message {run[0].message + 1} of {len(roles)} · {roles[run[0].message]}", exact(size)


def _found(decision: Decision, placements: Iterable[Placement]) -> Iterable[Span]:
    del decision
    for each in placements:
        if each.place is not None:
            yield Span(each.place.message, each.place.start, each.place.end, "fragment", each.state, each.fragment)


def _by_message(spans: Iterable[Span], count: int) -> list[list[Span]]:
    found: list[list[Span]] = [[] for _ in range(count)]
    for span in spans:
        if 0 <= span.message < count:
            found[span.message].append(span)
    return found


def _marks(part: Section, spans: Sequence[Sequence[Span]], name: Naming) -> list[Mark]:
    """The spans within one section. Where anatomy already shows a fragment's block, the found place adds nothing."""
    inside = [span for span in spans[part.message] if span.start >= part.start and span.end <= part.end]
    shown = {name(span.fragment) for span in inside if span.fragment and span.kind in ("block", "tool_result")}
    made = []
    for span in inside:
        fragment = name(span.fragment) if span.fragment else None
        if span.kind == "fragment" and fragment in shown:
            continue
        pointed = fragment if span.kind not in ("block_heading", "tool_call", "guidance") else None
        made.append(
            Mark(span.start - part.start, span.end - part.start, KIND_OF_SPAN.get(span.kind, span.kind), pointed)
        )
    return made


def _title(part: Section, count: int) -> str:
    content = part.content
    which = f"message {part.message + 1} of {count} · {part.role}"
    if isinstance(content, ToolCallPart):
        return f"{which} · calls {content.name}"
    if isinstance(content, ToolResultPart):
        return f"{which} · tool result {content.id or 'without id'}"
    if isinstance(content, OpaquePart):
        return f"{which} · {content.media}, not text"
    return which


def _note(part: Section, message: Message) -> str:
    notes = [exact(part.end - part.start)]
    content = part.content
    if isinstance(content, OpaquePart):
        notes = [exact(content.bytes), content.sha256 or "no hash recorded"]
    if isinstance(content, ToolResultPart) and content.is_error:
        notes.append("error")
    if message.stands_for:
        notes.append(f"stands for what was here: a {message.stands_for}")
    if message.problem:
        notes.append(message.problem.what)
    return " · ".join(notes)


def naming(names: Mapping[str, str], calls: Mapping[str, str]) -> Naming:
    """Name a fragment by its id, or by the id of the tool call that asked for it."""
    return lambda found: names.get(found) or names.get(calls.get(found, ""))
