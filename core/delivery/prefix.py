"""How much of a body's beginning stands in its own block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..canonical import byte_length
from .behind import Pattern, span_of
from .facts import MIN_BODY_BYTES, Spot
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
    wanted = Pattern(body.split("\n"))
    for piece in pieces(text):
        for spot in _beginnings(piece, body, wanted):
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


def _beginnings(piece: Piece, body: str, wanted: Pattern) -> Iterator[Spot]:
    """Candidates, in characters of the searched text: raw, behind numbers, indented."""
    text = piece.text
    start, length = longest_beginning(text, body, MIN_BODY_BYTES)
    if length:
        carried: Carried = "escaped" if piece.depth else "raw"
        yield Spot(carried, piece.source(start), piece.source(start + length), byte_length(body[:length]))
    lines = text.split("\n")
    run = max(wanted.runs(lines, range(len(lines))), key=lambda run: run.held, default=None)
    if run is not None and run.held:
        first, last = span_of(lines, run.first, run.held)
        received = byte_length("\n".join(wanted.lines[: run.held]))
        yield Spot(run.carried, piece.source(first), piece.source(last), received)


def longest_beginning(text: str, body: str, least: int) -> tuple[int, int]:
    """Where the longest beginning of `body`, of at least `least` characters, starts in the text, and its length.

    `(-1, 0)` if there is none. Each search goes on behind the last find and asks for more than was found there.
    """
    best, length = -1, 0
    start = text.find(body[:least])
    while start >= 0:
        best, length = start, common_prefix(text, start, body)
        start = -1 if length == len(body) else text.find(body[: length + 1], start + 1)
    return best, length


def common_prefix(text: str, start: int, body: str) -> int:
    """Characters that a text from `start` on shares with the beginning of a body, in time that grows with them."""
    limit = min(len(text) - start, len(body))
    low, step = 0, 1
    while low < limit:
        high = min(low + step, limit)
        if text[start + low : start + high] == body[low:high]:
            low, step = high, step * 2
        elif step == 1:
            break
        else:
            step = max((high - low) // 2, 1)
            limit = high - 1  # a difference stands before `high`
    return low
