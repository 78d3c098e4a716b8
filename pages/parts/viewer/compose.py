"""A decision's prompt as the sections that the viewer shows, in each of its modes. Pure of Streamlit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.anatomy import BOUNDED, Span, anatomy
from core.canonical import canonical_text, utf8
from core.model import Decision, Message, OpaquePart, Section, ToolCallPart, ToolResultPart, sections

from ..palette import KIND_OF_SPAN
from ..sizes import exact
from .payload import Mark, Part

if TYPE_CHECKING:
    from core.changes import Changes, Piece
    from core.delivery import Placement

_OF_BLOCK = frozenset({"block_heading", "block", "guidance"})
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
    """The stored message objects, each as its canonical JSON: what the request hash is taken over.

    Each member stands in a row of its own, set in from the left. No character is added for that: a copy is what is stored.
    """
    made = []
    messages = decision.messages
    for place, message in enumerate(messages, 1):
        title = f"message {place} of {len(messages)} · {message.role}"
        if not message.raw:
            made.append(Part(title, "no object is stored: its text", message.text))
            continue
        text = canonical_text(dict(message.raw))
        rows = list(members(utf8(text)))
        note = f"as stored, {exact(len(utf8(text)))}; drawn with a row for each member"
        made.append(Part(title, note, text, breaks=[at for at, _ in rows], indents=[steps for _, steps in rows]))
    return made


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],]')
_MOST_ROWS = 5_000
"""Rows of one stored object."""


def members(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the rows of a canonical JSON text begin (bytes), and how many steps each stands in from the left."""
    depth = rows = 0
    opened = -1
    for token in _TOKEN.finditer(data):
        sign = token[0]
        if rows >= _MOST_ROWS:
            return
        if sign in b"{[":
            depth += 1
            opened = token.end()
            if data[opened : opened + 1] not in (b"}", b"]"):
                rows += 1
                yield opened, depth
        elif sign in b"}]":
            depth -= 1
            if token.start() != opened:
                rows += 1
                yield token.start(), depth
        elif sign == b",":
            rows += 1
            yield token.end(), depth


def standing(decision: Decision, placements: Iterable[Placement], name: Naming) -> dict[str, str] | None:
    """How the fragments that this prompt names or carries stand in it, for the viewer; None where it was not sent."""
    if decision.sent is not True:
        return None
    marker = "ledger" if decision.format == BOUNDED else "marker"
    found = {}
    for each in placements:
        called = name(each.fragment)
        if called is not None and each.state != "absent":
            found[called] = marker if each.state == "marker_only" else each.state
    return found


def changed(before: Decision | None, after: Decision, found: Changes, name: Naming) -> list[Part]:
    """The later prompt with what entered and what was kept; what left stands, struck out, where it stood."""
    messages = after.messages
    texts = [utf8(message.text) for message in messages]
    former = [utf8(message.text) for message in before.messages] if before else []
    starts = {(part.message, part.start) for part in sections(messages)}
    made: list[Part] = []
    for run in _runs(_cut(found.pieces, starts), starts):
        left, message = run[0].fate == "left", run[0].message
        data = (former if left else texts)[message]
        start, end = run[0].start, run[-1].end
        marks = [Mark(piece.start - start, piece.end - start, piece.fate, name(piece.fragment or "")) for piece in run]
        body = data[start:end].decode("utf-8", "surrogatepass")
        if left:
            made.append(Part(f"left the prompt: {_thing(run)}", _left_note(run), body, marks, left=True))
            continue
        title = f"message {message + 1} of {len(messages)} · {messages[message].role}"
        made.append(Part(title, exact(end - start), body, marks, on=(message, start) not in starts))
    return made


def _cut(pieces: Iterable[Piece], starts: Collection[tuple[int, int]]) -> Iterator[Piece]:
    """What was received is cut where a part of a message ends: lines are counted part by part, as in `received`."""
    inner = sorted(starts)
    for piece in pieces:
        at = piece.start
        if piece.fate != "left":
            first = bisect_right(inner, (piece.message, at))
            for message, start in inner[first : bisect_left(inner, (piece.message, piece.end))]:
                yield replace(piece, message=message, start=at, end=start)
                at = start
        yield replace(piece, start=at)


def _runs(pieces: Iterable[Piece], starts: Collection[tuple[int, int]]) -> Iterator[list[Piece]]:
    """Neighbouring pieces that read on in one part of a message; of what left, those of one thing."""
    run: list[Piece] = []
    for piece in pieces:
        if run and _together(run[-1], piece) and (piece.fate == "left" or (piece.message, piece.start) not in starts):
            run.append(piece)
            continue
        if run:
            yield run
        run = [piece]
    if run:
        yield run


def _together(last: Piece, piece: Piece) -> bool:
    if (last.message, last.end, last.fate == "left") != (piece.message, piece.start, piece.fate == "left"):
        return False
    return piece.fate != "left" or _key(last) == _key(piece)


def _key(piece: Piece) -> tuple[str, str | None]:
    """What a piece belongs to: a block's heading and guidance belong to the block."""
    return ("block" if piece.kind in _OF_BLOCK else piece.kind), piece.fragment


def _thing(run: Sequence[Piece]) -> str:
    kind, fragment = _key(run[0])
    word = {"ledger": "heading of the ledger", "supplied": "supplied ranges"}.get(kind, kind.replace("_", " "))
    return f"{word} {fragment}" if fragment else word


def _left_note(run: Sequence[Piece]) -> str:
    size = sum(piece.end - piece.start for piece in run)
    body = sum(piece.end - piece.start for piece in run if piece.kind == "block")
    if 0 < body < size:
        return f"{exact(body)} with a heading of {exact(size - body)}, not received"
    return f"{exact(size)}, not received"


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
