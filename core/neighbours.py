"""Neighbouring decisions drawn as one: a chart of 20,000 bars is no chart. Decisions are given as a range of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import DecisionKey


@dataclass(frozen=True, slots=True)
class Column:
    """Decision `first`, or the `count` neighbouring decisions from `first` to `last`.

    `sent`: whether any of their prompts was; None where none is known to be, and of some it is not known.
    """

    first: DecisionKey
    last: DecisionKey
    count: int
    sent: bool | None


def neighbours(places: range, most: int) -> tuple[range, ...]:
    """At most `most` (from 1) groups of neighbouring places, in order; all but the last are of one size, the smallest that will do."""
    width = max(1, -(-len(places) // most))
    return tuple(places[start : start + width] for start in range(0, len(places), width))


def wider(places: range, total: int, times: int) -> range:
    """`times` as many places around these, as far as a run of `total` has them: at an end they go on at the other side."""
    return _within(places.start - (times - 1) * len(places) // 2, times * len(places), total)


def beside(places: range, total: int, steps: int) -> range:
    """As many places, `steps` times their number later (earlier where it is negative), as far as the run goes."""
    return _within(places.start + steps * len(places), len(places), total)


def with_end(places: range, total: int, place: int, *, last: bool) -> range:
    """These places from (up to, if `last`) another one. One beyond their other end takes them along: as many as they were."""
    beyond = place < places.start if last else place >= places.stop
    if beyond:
        return _within(place - len(places) + 1 if last else place, len(places), total)
    return range(places.start, place + 1) if last else range(place, places.stop)


def place_of(keys: Sequence[DecisionKey], index: int, *, last: bool = False) -> int:
    """The place of the decision with this index, or the nearest; of its attempts the first, or the last."""
    places = range(len(keys))
    return min(reversed(places) if last else places, key=lambda place: abs(keys[place][0] - index))


def _within(start: int, count: int, total: int) -> range:
    count = min(count, total)
    first = max(0, min(start, total - count))
    return range(first, first + count)
