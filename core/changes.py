"""What changed from one prompt to the next: what entered, what left, what was kept.

Two prompts are aligned by identity, never by an exact prefix: messages by their place in the investigation's store
(`Decision.message_ids`), then by the tool call they answer, then by role and order; inside a message, blocks and ledger
entries by the fragment that they name. So a tool result that was blanked in place reads as *this block was cleared*,
and the messages behind it stay kept. Only text without an identity of its own is compared line by line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rapidfuzz.distance import Indel

from .anatomy import anatomy
from .canonical import utf8
from .model import ToolCallPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from .anatomy import Span
    from .model import Decision, DecisionKey, Message

Fate: TypeAlias = Literal["kept", "entered", "left"]
What: TypeAlias = Literal["entered", "left", "cut", "extended", "cleared", "changed"]

_LISTED_KINDS = frozenset(
    {"block", "ledger_entry", "supplied", "tool_call", "tool_result", "summary", "placeholder", "view"}
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and what became of it: bytes `start`..`end` of message number `message`.

    `kept` and `entered` are places in the later prompt, `left` in the earlier one. `kind` and `fragment` are those of
    `core.anatomy`.
    """

    fate: Fate
    message: int
    start: int
    end: int
    kind: str
    fragment: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one thing that has an identity (a block, a ledger entry, a tool result, a whole message).

    `entered` and `left`; `cut` and `extended`: the same block with fewer or more bytes of its body; `cleared`: its text
    was replaced in place by a placeholder; `changed`: the same thing with another text. Sizes are UTF-8 bytes, None
    on the side where it does not stand.
    """

    what: What
    kind: str
    fragment: str | None
    label: str
    before_bytes: int | None
    after_bytes: int | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything between two prompts. `pieces` read in the order of the later prompt; what left stands where it stood."""

    before: DecisionKey | None
    after: DecisionKey
    pieces: tuple[Piece, ...]
    changes: tuple[Change, ...]

    def bytes_of(self, fate: Fate) -> int:
        """UTF-8 bytes that were kept, entered or left."""
        return sum(piece.end - piece.start for piece in self.pieces if piece.fate == fate)


@dataclass(frozen=True, slots=True)
class _Unit:
    """One thing inside a message: the spans of a block together, else one span."""

    key: Hashable
    span: Span
    start: int
    end: int


@dataclass(frozen=True)
class _Side:
    """One prompt, its spans by message."""

    messages: tuple[Message, ...]
    spans: tuple[tuple[Span, ...], ...]

    @classmethod
    def of(cls, decision: Decision) -> _Side:
        messages = decision.messages
        spans: list[list[Span]] = [[] for _ in messages]
        for span in anatomy(decision):
            spans[span.message].append(span)
        return cls(messages, tuple(map(tuple, spans)))


def changes(before: Decision | None, after: Decision) -> Changes:
    """Compare a prompt with an earlier one; without an earlier one everything entered. Reads both prompts once."""
    new = _Side.of(after)
    if before is None:
        pieces = tuple(piece for place in range(len(new.messages)) for piece in _whole(new, place, "entered"))
        return Changes(None, after.key, pieces, ())
    old = _Side.of(before)
    made: list[Piece] = []
    told: list[Change] = []
    for old_place, new_place in _pairs(before.message_ids, after.message_ids, old, new):
        if new_place is None:
            made += _whole(old, old_place or 0, "left")
            told += _told(old, old_place or 0, "left")
        elif old_place is None:
            made += _whole(new, new_place, "entered")
            told += _told(new, new_place, "entered")
        elif before.message_ids[old_place] == after.message_ids[new_place]:
            made += _whole(new, new_place, "kept")
        else:
            _compare(old, old_place, new, new_place, made, told)
    return Changes(before.key, after.key, tuple(_joined(made)), tuple(told))


# --- messages


def _pairs(
    old_ids: Sequence[int], new_ids: Sequence[int], old: _Side, new: _Side
) -> Iterator[tuple[int | None, int | None]]:
    """Places of messages that are the same or stand for each other; None where there is no counterpart."""
    for step in _steps(old_ids, new_ids):
        olds, news = list(range(step[0], step[1])), list(range(step[2], step[3]))
        if step[4]:
            yield from zip(olds, news, strict=True)
        else:
            yield from _counterparts(olds, news, old, new)


def _steps(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int, int, int, bool]]:
    """Runs `(old start, old end, new start, new end, equal)` that cover both; changed runs between equal ones are one."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    steps: list[tuple[int, int, int, int, bool]] = [(0, head, 0, head, True)] if head else []
    ids: dict[Hashable, int] = {}  # equal things get equal numbers: the comparison never meets a hash collision
    numbers = [[ids.setdefault(item, len(ids)) for item in side[head : len(side) - tail]] for side in (old, new)]
    for code in Indel.opcodes(*numbers):
        run = (code.src_start + head, code.src_end + head, code.dest_start + head, code.dest_end + head)
        equal = code.tag == "equal"
        if steps and steps[-1][4] == equal:
            steps[-1] = (steps[-1][0], run[1], steps[-1][2], run[3], equal)
        else:
            steps.append((*run, equal))
    if tail:
        steps.append((len(old) - tail, len(old), len(new) - tail, len(new), True))
    return steps


def _counterparts(olds: list[int], news: list[int], old: _Side, new: _Side) -> Iterator[tuple[int | None, int | None]]:
    """Within a changed run: pair by tool call, then by role and order where both sides are as long."""
    calls = {key: place for place in olds if (key := _call(old.messages[place])) is not None}
    chosen = {place: calls.pop(key) for place in news if (key := _call(new.messages[place])) in calls and key}
    free_old = [place for place in olds if place not in chosen.values()]
    free_new = [place for place in news if place not in chosen]
    roles = [old.messages[place].role for place in free_old], [new.messages[place].role for place in free_new]
    if roles[0] == roles[1]:
        chosen |= dict(zip(free_new, free_old, strict=True))
        free_old = []
    for place in news:
        partner = chosen.get(place)
        while free_old and (partner is None or free_old[0] < partner):
            yield free_old.pop(0), None
        yield partner, place
    yield from ((place, None) for place in free_old)


def _call(message: Message) -> tuple[str, tuple[str, ...]] | None:
    """What makes a message the same one after its text was blanked: its role and the tool calls in it."""
    tools = (part for part in message.parts if isinstance(part, ToolCallPart | ToolResultPart))
    ids = tuple(part.id for part in tools if part.id is not None)
    return (message.role, ids) if ids else None


def _whole(side: _Side, place: int, fate: Fate) -> Iterator[Piece]:
    for span in side.spans[place]:
        yield Piece(fate, place, span.start, span.end, span.kind, span.fragment)


def _told(side: _Side, place: int, what: Literal["entered", "left"]) -> Iterator[Change]:
    for span in side.spans[place]:
        size = span.end - span.start
        before, after = (size, None) if what == "left" else (None, size)
        yield Change(what, span.kind, span.fragment, span.label, before, after)


# --- inside a message


def _compare(old: _Side, old_place: int, new: _Side, new_place: int, made: list[Piece], told: list[Change]) -> None:
    """Align the things of one message with those of its counterpart by their identity."""
    if new.messages[new_place].stands_for == "placeholder" != old.messages[old_place].stands_for:
        _blank(old, old_place, new, new_place, made, told)
        return
    olds, news = _units(old.spans[old_place]), _units(new.spans[new_place])
    data = utf8(old.messages[old_place].text), utf8(new.messages[new_place].text)
    twins = {unit.key: unit for unit in olds}
    staying = {unit.key for unit in news} & set(twins)
    passed: set[Hashable] = set()
    cursor = 0
    for unit in news:
        while cursor < len(olds) and (olds[cursor].key in passed or olds[cursor].key not in staying):
            if olds[cursor].key not in passed:
                _leave(olds[cursor], old_place, made, told)
            cursor += 1
        twin = twins.get(unit.key)
        if twin is None:
            made.append(_piece("entered", new_place, unit.span, unit.start, unit.end))
            told += _listed("entered", unit, None, unit)
            continue
        passed.add(twin.key)
        former, text = data[0][twin.start : twin.end], data[1][unit.start : unit.end]
        if text == former:
            made.append(_piece("kept", new_place, unit.span, unit.start, unit.end))
        else:
            told += _listed(_what(twin, unit), unit, twin, unit)
            made += _lines(former, text, (old_place, twin), (new_place, unit))
    for unit in olds[cursor:]:
        if unit.key not in staying:
            _leave(unit, old_place, made, told)


def _blank(old: _Side, old_place: int, new: _Side, new_place: int, made: list[Piece], told: list[Change]) -> None:
    """A message whose text was replaced in place by a placeholder."""
    made += _whole(old, old_place, "left")
    made += _whole(new, new_place, "entered")
    span = old.spans[old_place][0] if old.spans[old_place] else None
    sizes = old.messages[old_place].byte_length, new.messages[new_place].byte_length
    kind, name, label = (span.kind, span.fragment, span.label) if span else ("other", None, "")
    told.append(Change("cleared", kind, name, label, *sizes))


def _units(spans: Sequence[Span]) -> list[_Unit]:
    counted: dict[Hashable, int] = {}
    units: list[_Unit] = []
    for span in spans:
        name: Hashable = (span.kind, span.fragment)
        if span.kind == "supplied":
            name = (span.kind, span.label)
        turn = counted[name] = counted.get(name, 0) + 1
        units.append(_Unit((name, turn), span, span.start, span.end))
    return units


def _leave(unit: _Unit, place: int, made: list[Piece], told: list[Change]) -> None:
    made.append(_piece("left", place, unit.span, unit.start, unit.end))
    told += _listed("left", unit, unit, None)


def _what(old: _Unit, new: _Unit) -> What:
    if new.span.kind != "block":
        return "changed"
    return "cut" if new.end - new.start < old.end - old.start else "extended"


def _listed(what: What, unit: _Unit, old: _Unit | None, new: _Unit | None) -> Iterator[Change]:
    span = unit.span
    if span.kind in _LISTED_KINDS:
        sizes = [None if each is None else each.end - each.start for each in (old, new)]
        yield Change(what, span.kind, span.fragment, span.label, sizes[0], sizes[1])


def _lines(former: bytes, text: bytes, old: tuple[int, _Unit], new: tuple[int, _Unit]) -> Iterator[Piece]:
    """Line by line, for what has no identity of its own."""
    old_lines, new_lines = former.splitlines(keepends=True), text.splitlines(keepends=True)
    old_at, new_at = _offsets(old_lines, old[1].start), _offsets(new_lines, new[1].start)
    for old_start, old_end, new_start, new_end, equal in _steps(old_lines, new_lines):
        if not equal and old_end > old_start:
            yield _piece("left", old[0], old[1].span, old_at[old_start], old_at[old_end])
        if new_end > new_start:
            yield _piece("kept" if equal else "entered", new[0], new[1].span, new_at[new_start], new_at[new_end])


def _offsets(lines: Sequence[bytes], start: int) -> list[int]:
    places = [start]
    for line in lines:
        places.append(places[-1] + len(line))
    return places


def _piece(fate: Fate, message: int, span: Span, start: int, end: int) -> Piece:
    return Piece(fate, message, start, end, span.kind, span.fragment)


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbours of one fate, kind and fragment as one piece."""
    last: Piece | None = None
    for piece in pieces:
        if last and (last.fate, last.message, last.end, last.kind, last.fragment) == (
            piece.fate,
            piece.message,
            piece.start,
            piece.kind,
            piece.fragment,
        ):
            last = Piece(last.fate, last.message, last.start, piece.end, last.kind, last.fragment)
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last
