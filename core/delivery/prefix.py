"""How much of a body's beginning stands in its own block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..canonical import byte_length
from .facts import MIN_BODY_BYTES, Spot
from .scan import prefixed_lines, span_of
from .text import Piece, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .placement import Carried

GUIDANCE = re.compile(
    r"\b(?:truncat|omitt|elided|elision|cut (?:here|off|at|to)|more (?:lines|bytes|characters|results)"
    r"|bytes are kept|narrower|too (?:long|large)|exceed(?:s|ed)|showing (?:lines|only|first))|…",
    re.IGNORECASE,
)
"""Words with which a prompt says that something was cut. They say nothing of who cut it: see `events` for that."""

GUIDANCE_WINDOW = 600
"""Characters after the received part, and at the end of its block, in which such words are looked for."""


def own_prefix(text: str, body: str) -> Spot | None:
    """The longest beginning of `body` in its own block `text` (byte offsets in `text`); None if there is none to prove.

    A block that is nothing but a beginning counts whatever its size; else at least `MIN_BODY_BYTES` must be there.
    """
    if text and body.startswith(text):
        size = byte_length(text)
        return Spot("raw", 0, size, size)
    best: tuple[int, Spot] | None = None
    for piece in pieces(text):
        for spot in _beginnings(piece, body):
            if spot.received >= MIN_BODY_BYTES and (best is None or spot.received > best[0]):
                best = (spot.received, spot)
    return None if best is None else in_bytes(text, best[1])


def in_bytes(text: str, spot: Spot) -> Spot:
    """A spot in characters of a text as one in bytes, and whether the text says there that something was cut."""
    rest = text[spot.end :]
    said = GUIDANCE.search(rest[:GUIDANCE_WINDOW]) or GUIDANCE.search(rest[-GUIDANCE_WINDOW:])
    start = byte_length(text[: spot.start])
    end = start + byte_length(text[spot.start : spot.end])
    return Spot(spot.carried, start, end, spot.received, guidance=said is not None)


def _beginnings(piece: Piece, body: str) -> Iterator[Spot]:
    """Candidates, in characters of the searched text: raw, behind numbers, indented."""
    text = piece.text
    head = body[:MIN_BODY_BYTES]
    start = text.find(head)
    if start >= 0:
        length = common_prefix(text[start : start + len(body)], body)
        carried: Carried = "escaped" if piece.depth else "raw"
        yield Spot(carried, piece.source(start), piece.source(start + length), byte_length(body[:length]))
    lines, wanted = text.split("\n"), body.split("\n")
    for place, line in enumerate(lines):
        if line.endswith(wanted[0]) and len(line) > len(wanted[0]):
            found = prefixed_lines(wanted, lines, place)
            if found is not None and found[1]:
                first, last = span_of(lines, place, found[1])
                received = byte_length("\n".join(wanted[: found[1]]))
                yield Spot(found[0], piece.source(first), piece.source(last), received)


def common_prefix(one: str, other: str) -> int:
    """Characters that two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
