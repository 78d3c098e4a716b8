"""A body in the parts that different prompts received: which bytes, which lines, in which decisions."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from ..canonical import utf8
from ..delivery.lines import covers
from ..delivery.needles import GUTTER
from ..excerpt import excerpt_heading, gutter
from ..limits import MAX_BODY_PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..delivery import Deliveries, LineRange, Placement
    from ..delivery.lines import Version
    from ..model import DecisionKey, Fragment

Span: TypeAlias = tuple[int, int]
"""UTF-8 bytes of a body, end excluded."""


@dataclass(frozen=True)
class Part:
    """Bytes `start`..`end` of a body (`text`), which begin in line `first_line` and end in `last_line` of it (1-based).

    `own`: keys of the decisions whose prompt carried them in this fragment's own block or result; `through`: of those
    that received these lines through other fragments; `without`: of the sent decisions after it that had neither.
    """

    start: int
    end: int
    text: str
    first_line: int
    last_line: int
    own: tuple[DecisionKey, ...]
    through: tuple[DecisionKey, ...]
    without: tuple[DecisionKey, ...]


def parts(deliveries: Deliveries, fragment: Fragment, placements: Sequence[Placement]) -> tuple[Part, ...]:
    """A body cut where what prompts received of it differs. `placements` is `deliveries.row` of the fragment.

    One part where every prompt received the same. Beyond `MAX_BODY_PARTS` the smallest differences are not told apart:
    only what was received as the fragment's own is.
    """
    data = utf8(fragment.body)
    own = [_own_span(placement) for placement in placements]
    through = [_through(deliveries, fragment, data, placement) for placement in placements]
    edges = sorted(
        {0, len(data), *(edge for _, edge in own), *(edge for spans in through for span in spans for edge in span)}
    )
    if len(edges) > MAX_BODY_PARTS:
        through = [() for _ in placements]
        edges = sorted({0, len(data), *(edge for _, edge in own)})
    breaks = [place for place, byte in enumerate(data) if byte == ord("\n")]
    made: list[Part] = []
    for start, end in pairwise(edges):
        held, brought, without = [], [], []
        for placement, mine, spans in zip(placements, own, through, strict=True):
            if mine[1] >= end:
                held.append(placement.key)
            elif any(first <= start and end <= last for first, last in spans):
                brought.append(placement.key)
            else:
                without.append(placement.key)
        text = data[start:end].decode("utf-8", "surrogatepass")
        lines = bisect_right(breaks, start - 1) + 1, bisect_right(breaks, end - 2) + 1
        made.append(Part(start, end, text, *lines, tuple(held), tuple(brought), tuple(without)))
    return tuple(made)


def _own_span(placement: Placement) -> Span:
    return (0, placement.received_bytes) if placement.state in ("whole", "cut") else (0, 0)


def _through(deliveries: Deliveries, fragment: Fragment, data: bytes, placement: Placement) -> tuple[Span, ...]:
    """The bytes of the body's lines that reached a prompt through other fragments."""
    if placement.state != "overlap":
        return ()
    numbered = file_lines(fragment)
    covered: dict[Version, tuple[LineRange, ...]] = {
        (each.path, each.hash): each.lines for each in deliveries.coverage(placement.key) if each.hash is not None
    }
    wanted = [
        line
        for line, (path, file_hash, number) in numbered.items()
        if file_hash is not None and covers(covered.get((path, file_hash), ()), number, number)
    ]
    if not numbered or not wanted:
        wanted = [line for start, end in placement.lines for line in range(start, end + 1)]
    return tuple(_bytes_of(data, wanted))


def _bytes_of(data: bytes, lines: Sequence[int]) -> Iterator[Span]:
    """The byte spans of these lines of a body, touching ones joined."""
    starts = [0, *(place + 1 for place, byte in enumerate(data) if byte == ord("\n"))]
    spans = [
        (starts[line - 1], starts[line] if line < len(starts) else len(data))
        for line in sorted(lines)
        if line <= len(starts)
    ]
    merged: list[Span] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            merged[-1] = merged[-1][0], end
        elif end > start:
            merged.append((start, end))
    yield from merged


def file_lines(fragment: Fragment) -> Mapping[int, tuple[str, str | None, int]]:
    """Which line of which file each line of a body is, as far as its layout says; body lines are 1-based.

    Understood are the same bodies as by `core.delivery.lines.received_ranges`: excerpts, the numbered lines of one range,
    and bodies that are exactly the lines of their one range. Anything else gives nothing.
    """
    lines = fragment.body.split("\n")
    found = _of_excerpts(fragment, lines)
    if found or len(fragment.sources) != 1:
        return found
    source = fragment.sources[0]
    numbered = {
        place: int(match[0].strip(" \t→|:."))
        for place, line in enumerate(lines, 1)
        if (match := GUTTER.match(line)) is not None
    }
    if numbered and len(numbered) >= len(lines) - 2:  # one heading line, and what follows the last line feed
        return {
            place: (source.path, source.hash, number)
            for place, number in numbered.items()
            if source.start <= number <= source.end
        }
    if len(fragment.body.rstrip("\n").split("\n")) == source.end - source.start + 1:
        return {
            number - source.start + 1: (source.path, source.hash, number)
            for number in range(source.start, source.end + 1)
        }
    return {}


def _of_excerpts(fragment: Fragment, lines: Sequence[str]) -> dict[int, tuple[str, str | None, int]]:
    found: dict[int, tuple[str, str | None, int]] = {}
    place = 0
    for number, source in enumerate(fragment.sources):
        place += 1 if number else 0
        if place >= len(lines) or lines[place] + "\n" != excerpt_heading(source):
            return found
        for line in range(source.start, source.end + 1):
            place += 1
            if place >= len(lines) or not lines[place].startswith(gutter(line)):
                return found
            found[place + 1] = source.path, source.hash, line
        place += 1
    return found
