"""Which lines of which file a received body, or the received part of one, holds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..canonical import utf8
from ..excerpt import held_ranges
from ..model import SourceRange
from .needles import GUTTER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model import Fragment
    from .placement import LineRange


def received_ranges(fragment: Fragment, received: int) -> tuple[SourceRange, ...]:
    """The source ranges whose lines stand whole in the first `received` bytes of the body.

    All of `sources` for the whole body. Of a cut one: excerpts (`core.excerpt`), bodies that are exactly the lines of
    their one range, and numbered lines are understood; of anything else nothing is claimed.
    """
    if received >= fragment.byte_length:
        return fragment.sources
    excerpts = held_ranges(fragment, received)
    if excerpts or len(fragment.sources) != 1:
        return excerpts
    source = fragment.sources[0]
    complete = utf8(fragment.body)[:received].decode("utf-8", "replace").split("\n")[:-1]
    numbers = [int(match[0].strip(" \t→|:.")) for line in complete if (match := GUTTER.match(line))]
    if numbers and len(numbers) >= len(complete) - 1:
        inside = [number for number in numbers if source.start <= number <= source.end]
        return tuple(SourceRange(source.path, source.hash, *span) for span in merge((n, n) for n in inside))
    if complete and len(fragment.body.rstrip("\n").split("\n")) == source.end - source.start + 1:
        return (SourceRange(source.path, source.hash, source.start, source.start + len(complete) - 1),)
    return ()


def merge(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Line ranges in ascending order, touching and overlapping ones joined."""
    merged: list[LineRange] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def common(one: Iterable[LineRange], other: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """The lines that stand in both."""
    others = tuple(other)
    return merge(
        (max(start, first), min(end, last))
        for start, end in one
        for first, last in others
        if max(start, first) <= min(end, last)
    )


def covers(outer: Iterable[LineRange], start: int, end: int) -> bool:
    """Whether merged ranges hold every line of `start`..`end`."""
    return any(first <= start and end <= last for first, last in outer)


Version = tuple[str, str | None]
"""Path and content hash of a file."""


def by_version(ranges: Iterable[SourceRange]) -> dict[Version, tuple[LineRange, ...]]:
    """Ranges grouped by path and hash, merged."""
    grouped: dict[Version, list[LineRange]] = defaultdict(list)
    for each in ranges:
        grouped[each.path, each.hash].append((each.start, each.end))
    return {version: merge(spans) for version, spans in grouped.items()}
