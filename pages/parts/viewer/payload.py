r"""A prompt as the bytes that the viewer draws from: header and exact text. Pure of Streamlit.

    u32 length of the revision | revision | u32 length of the header | header (JSON) | the text (UTF-8)

Lengths are little-endian. The header's `sections` (one a message part) and `spans` count in UTF-16 units of the text,
because that is what a browser's strings count in. A lone surrogate, which UTF-8 cannot carry, stands in the text as its
escape (`\ud800`); `inexact` and a note say so.
"""

from __future__ import annotations

import json
import re
import struct
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from core.canonical import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SURROGATE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_BREAK = "break"
_CONTINUES = 0x80
"""The two top bits of a byte that continues a character: 10xxxxxx."""

INEXACT = (
    "This text holds lone surrogates, which no clipboard can carry: they are shown as escapes, and a copy is inexact."
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A coloured stretch: UTF-8 bytes `start`..`end` of a section's own text; `fragment` is its name in addresses."""

    start: int
    end: int
    kind: str
    fragment: str | None = None


@dataclass(frozen=True)
class Part:
    """One section: its heading, a note beside it, its exact text, and marks in it. `left`: it was not received.

    `breaks` are places (UTF-8 bytes) where a new row is drawn although the text has no newline there; `indents` says
    for each how many steps that row stands in from the left. `on`: the text goes on from the received section before
    it, so that its first line is no new line.
    """

    title: str
    note: str
    text: str
    marks: Sequence[Mark] = ()
    left: bool = False
    breaks: Sequence[int] = ()
    indents: Sequence[int] = ()
    on: bool = False


@dataclass
class _Text:
    """The text being joined: pieces, its length in UTF-16 units, and what was found on the way."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    inexact: bool = False


def payload(
    revision: str,
    name: str,
    parts: Iterable[Part],
    kinds: Sequence[str],
    note: str = "",
    *,
    known: bool = False,
    stands: Mapping[str, str] | None = None,
) -> bytes:
    """The bytes for one prompt. `kinds` is the list that a mark's kind is a place in; marks of other kinds are left out.

    Sizes in the header are those of what was received: UTF-8 bytes (a lone surrogate counts as 3) and lines. `known`: the
    recording lacks a part of the prompt, so that its size is only that of the bytes that are known. `stands`: a
    fragment's name → how it stands in this prompt (a key of viewer.js's STANDS), of those that it names or carries;
    None where that is not known.
    """
    joined, sections, spans, breaks, indents = _Text(), [], [], [], []
    size = lines = 0
    for part in parts:
        start = joined.length
        placed = _placed(part, joined)
        marks = (mark for mark in placed if mark.kind in kinds)
        spans.extend([mark.start, mark.end, kinds.index(mark.kind), mark.fragment] for mark in marks)
        breaks.extend(mark.start for mark in placed if mark.kind == _BREAK)
        indents.extend(part.indents or [0] * len(part.breaks))
        section = {"start": start, "end": joined.length, "title": part.title, "note": part.note, "left": part.left}
        sections.append(section | ({"on": True} if part.on else {}))
        if not part.left:
            size += len(utf8(part.text))
            lines += part.text.count("\n") + (0 if part.on else 1)
    rows = sorted(zip(breaks, indents, strict=True))
    spans.sort(key=lambda span: (span[0], -span[1]))
    notes = [each for each in (note, INEXACT if joined.inexact else "") if each]
    header = _json(
        {
            "revision": revision,
            "name": name,
            "bytes": size,
            "lines": lines,
            "sections": sections,
            "spans": spans,
            "breaks": [place for place, _ in rows],
            "indents": [steps for _, steps in rows] if any(indents) else [],
            "known": known,
            "stands": stands,
            "inexact": joined.inexact,
            "note": " ".join(notes),
        }
    )
    marked = revision.encode()
    text = "".join(joined.pieces).encode()
    return b"".join((struct.pack("<I", len(marked)), marked, struct.pack("<I", len(header)), header, text))


def shown_length(text: str) -> int:
    """UTF-16 units of a text as the viewer shows it: a lone surrogate stands as an escape of six characters."""
    return len(text) + len(_ASTRAL.findall(text)) + 5 * len(_SURROGATE.findall(text))


def _json(header: Mapping[str, Any]) -> bytes:
    r"""As JSON; a lone surrogate in a name, which UTF-8 cannot carry, reads as its escape (`\ud800`), as in the text."""
    try:
        return orjson.dumps(header)
    except TypeError:
        return _SURROGATE.sub(
            lambda found: f"\\\\u{ord(found[0]):04x}", json.dumps(header, ensure_ascii=False)
        ).encode()


def _placed(part: Part, joined: _Text) -> list[Mark]:
    """Append a section's text, and give its marks (and breaks, as marks) in UTF-16 units of the whole text."""
    base = joined.length
    marks = [*part.marks, *(Mark(place, place, _BREAK) for place in part.breaks)]
    if part.text.isascii():
        joined.pieces.append(part.text)
        joined.length += len(part.text)
        return [Mark(base + mark.start, base + mark.end, mark.kind, mark.fragment) for mark in marks]
    data = utf8(part.text)
    places = sorted({min(place, len(data)) for mark in marks for place in (mark.start, mark.end)} | {0, len(data)})
    found = {}
    for start, end in zip(places, [*places[1:], None], strict=True):
        found[start] = joined.length
        piece = data[_floor(data, start) : None if end is None else _floor(data, end)].decode("utf-8", "surrogatepass")
        shown, count = _SURROGATE.subn(lambda match: f"\\u{ord(match[0]):04x}", piece)
        joined.inexact = joined.inexact or count > 0
        joined.pieces.append(shown)
        joined.length += len(shown) + len(_ASTRAL.findall(shown))
    return [
        Mark(_at(found, places, mark.start), _at(found, places, mark.end), mark.kind, mark.fragment) for mark in marks
    ]


def _at(found: dict[int, int], places: Sequence[int], place: int) -> int:
    return found[places[min(bisect_left(places, place), len(places) - 1)]]


def _floor(data: bytes, place: int) -> int:
    """The nearest place at or before `place` that does not stand inside a character."""
    while 0 < place < len(data) and data[place] & 0xC0 == _CONTINUES:
        place -= 1
    return place
