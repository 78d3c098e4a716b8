"""One pass over one text: which bodies stand in it whole, where, and in which form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .behind import Pattern, form_of, span_of
from .text import Piece, pieces

if TYPE_CHECKING:
    from .needles import Anchor, Needles
    from .placement import Carried

MAX_TRIES = 32
"""Places at which one body is compared line by line in one text. A body of lines that recur is looked for in one go."""


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
    tries: dict[Anchor, int] = {}
    for place, line in enumerate(lines):
        for anchor in known.get(line, ()):
            if anchor.body not in hits and tries.get(anchor, 0) < MAX_TRIES:
                hit = _raw(piece, needles, anchor, offset) or _prefixed(piece, needles, anchor, lines, place)
                if hit is not None:
                    hits[anchor.body] = hit
                else:
                    tries[anchor] = tries.get(anchor, 0) + 1
        offset += len(line) + 1
    for anchor, count in tries.items():
        if count == MAX_TRIES and anchor.body not in hits:
            _scan_at_once(piece, needles, anchor, lines, hits)


def _scan_at_once(piece: Piece, needles: Needles, anchor: Anchor, lines: list[str], hits: dict[int, Hit]) -> None:
    """A body whose anchor recurs: as it is, else behind numbers or indented."""
    body = needles.bodies[anchor.body]
    start = piece.text.find(body)
    if start >= 0:
        hits[anchor.body] = _hit(piece, "raw", start, start + len(body))
        return
    places = [place for place, line in enumerate(lines) if anchor in needles.known.get(line, ())]
    wanted = _without_end(needles.lines[anchor.body])
    for run in Pattern(wanted).runs(lines, places, anchor.line) if anchor.line < len(wanted) else ():
        if run.held == len(wanted):
            hits[anchor.body] = _hit(piece, run.carried, *span_of(lines, run.first, run.held))
            return


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
    body, first = _without_end(needles.lines[anchor.body]), place - anchor.line
    if first < 0 or first + len(body) > len(lines) or anchor.line >= len(body):
        return None
    form = form_of(lines[place], body[anchor.line], place)
    if form is None or any(form.rest(lines, first + at) != line for at, line in enumerate(body)):
        return None
    return _hit(piece, form.carried, *span_of(lines, first, len(body)))


def _without_end(lines: list[str]) -> list[str]:
    """The lines of a body: what follows its last line break is none. Neither is that break shown behind a number."""
    return lines[:-1] if lines[-1] == "" else lines
