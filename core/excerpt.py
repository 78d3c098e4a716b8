r"""How lines of a file stand in the body of a lookup, and which of them a cut body still holds.

One excerpt is a heading line and the numbered lines, each as it is in the file (a CR before the line feed stays):

    src/player.js sha256:9f1c...  lines 10-12
       10| export function start() {
       11|   return play();
       12| }

A body is one excerpt for each of its fragment's `sources`, in the same order, with an empty line between two; what may
follow the last excerpt is not counted in lines. Because the number of lines is known from `sources`, no line of a file
can pass for a heading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .canonical import utf8
from .model import SourceRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Fragment


def excerpt_heading(source: SourceRange) -> str:
    """The first line of an excerpt, with its line feed."""
    return f"{source.path} {source.hash} lines {source.start}-{source.end}\n"


def gutter(number: int) -> str:
    """What stands before line `number` of a file."""
    return f"{number:>5}| "


def excerpt(source: SourceRange, lines: Sequence[str]) -> str:
    """The text of one excerpt; `lines` are those of the range, without their line feeds."""
    numbered = "".join(f"{gutter(source.start + place)}{line}\n" for place, line in enumerate(lines))
    return excerpt_heading(source) + numbered


def held_ranges(fragment: Fragment, kept: int) -> tuple[SourceRange, ...]:
    """The ranges whose lines stand whole in the first `kept` bytes of a fragment's body.

    All of `sources` if the body is whole. A cut body gives the lines that are complete in it; a cut body that is not
    laid out as this module says gives nothing, because what it holds cannot be proven.
    """
    if kept >= fragment.byte_length:
        return fragment.sources
    lines = utf8(fragment.body)[:kept].split(b"\n")[:-1]
    found: list[SourceRange] = []
    place = 0
    for number, source in enumerate(fragment.sources):
        place += 1 if number else 0
        if lines[place : place + 1] != [utf8(excerpt_heading(source))[:-1]]:
            break
        place += 1
        count = source.end - source.start + 1
        here = lines[place : place + count]
        if any(not line.startswith(utf8(gutter(source.start + row))) for row, line in enumerate(here)):
            break
        if here:
            found.append(SourceRange(source.path, source.hash, source.start, source.start + len(here) - 1))
        if len(here) < count:
            break
        place += count
    return tuple(found)
