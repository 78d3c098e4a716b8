"""One pass over one text: which bodies stand in it whole, where, and in which form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .text import Piece, pieces

if TYPE_CHECKING:
    from .needles import Anchor, Needles
    from .placement import Carried

_NUMBER = re.compile(r"[ \t]*([0-9]+)(→|\t|[ ]?\|[ ]?|:[ ]?|\.[ ]?)")


@dataclass(frozen=True, slots=True)
class Hit:
    """A body, whole, at characters `start`..`end` of the text that was searched."""

    carried: Carried
    start: int
    end: int


def scan(text: str, needles: Needles) -> dict[int, Hit]:
    """Every body that stands in the text, by its number in `needles`: the first place, the plainest form first."""
    hits: dict[int, Hit] = {}
    for piece in pieces(text):
        _scan_lines(piece, needles, hits)
        _scan_words(piece, needles, hits)
    return hits


def _scan_lines(piece: Piece, needles: Needles, hits: dict[int, Hit]) -> None:
    lines = piece.text.split("\n")
    if not needles.candidates(lines):
        return
    known, offset = needles.known, 0
    for place, line in enumerate(lines):
        for anchor in known.get(line, ()):
            if anchor.body not in hits:
                hit = _raw(piece, needles, anchor, offset) or _prefixed(piece, needles, anchor, lines, place)
                if hit is not None:
                    hits[anchor.body] = hit
        offset += len(line) + 1


def _scan_words(piece: Piece, needles: Needles, hits: dict[int, Hit]) -> None:
    wanted = list(needles.bare)
    if needles.words:
        found = needles.words.keys() & set(piece.text.split())
        wanted += [body for word in found for body in needles.words[word]]
    for body in wanted:
        if body not in hits:
            start = piece.text.find(needles.bodies[body])
            if start >= 0:
                hits[body] = _hit(piece, "raw", start, start + len(needles.bodies[body]))


def _hit(piece: Piece, carried: Carried, start: int, end: int) -> Hit:
    if piece.depth and carried == "raw":
        carried = "escaped"
    return Hit(carried, piece.source(start), piece.source(end))


def _raw(piece: Piece, needles: Needles, anchor: Anchor, offset: int) -> Hit | None:
    body, start = needles.bodies[anchor.body], offset - anchor.offset
    if start >= 0 and piece.text.startswith(body, start):
        return _hit(piece, "raw", start, start + len(body))
    return None


def _prefixed(piece: Piece, needles: Needles, anchor: Anchor, lines: list[str], place: int) -> Hit | None:
    """The body behind line numbers, or indented: every line of it, the same way."""
    body = needles.lines[anchor.body]
    received = prefixed_lines(body, lines, place - anchor.line, anchor.line)
    wanted = len(body) - (body[-1] == "")
    if received is None or received[1] < wanted:
        return None
    return _hit(piece, received[0], *span_of(lines, place - anchor.line, wanted))


def span_of(lines: list[str], first: int, count: int) -> tuple[int, int]:
    """Characters taken by `count` lines from line `first` on, without the last line break."""
    start = sum(map(len, lines[:first])) + first
    return start, start + sum(map(len, lines[first : first + count])) + count - 1


def prefixed_lines(body: list[str], lines: list[str], first: int, sure: int = 0) -> tuple[Carried, int] | None:
    """How many lines of `body` stand from line `first` of `lines` on, each behind a gutter or an indent.

    The form is read off line `sure` of the body, which must be there. Numbers must rise by one; an indent is the same
    white space everywhere, blank lines excepted. None if that line is not there in such a form.
    """
    if first < 0 or first + sure >= len(lines) or not lines[first + sure].endswith(body[sure]):
        return None
    prefix = lines[first + sure][: len(lines[first + sure]) - len(body[sure])]
    number = _NUMBER.fullmatch(prefix)
    if number is not None:
        return "gutter", _count_numbered(body, lines, first, int(number[1]) - sure, number[2])
    if prefix and not prefix.strip(" \t"):
        return "indented", _count_indented(body, lines, first, prefix)
    return None


def _count_numbered(body: list[str], lines: list[str], first: int, number: int, separator: str) -> int:
    count = 0
    for text, line in zip(body, lines[first : first + len(body)], strict=False):
        wanted = f"{number + count}{separator}{text}"
        found = line.lstrip(" \t")
        if found != wanted and (text.strip() or found.rstrip() != wanted.rstrip()):
            break
        count += 1
    return count


def _count_indented(body: list[str], lines: list[str], first: int, prefix: str) -> int:
    count = 0
    for text, line in zip(body, lines[first : first + len(body)], strict=False):
        if line != prefix + text and (text or line.strip()):
            break
        count += 1
    return count
