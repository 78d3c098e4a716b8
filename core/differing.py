"""The characters in which texts differ, marked the same way in each of them: no text is the one that the others are held to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rapidfuzz.distance import Indel

from .limits import MAX_MARKED_CHARACTERS, MAX_MARKED_TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

Stretch: TypeAlias = tuple[int, int]
"""Characters `start`..`end` of a text; an empty one is a place where another text has characters that this one has not."""


def differing(texts: Sequence[str]) -> tuple[tuple[Stretch, ...], ...] | None:
    """For each text the stretches in which it differs from any of the others, in order, joined where they touch.

    None where that is not worked out: more than `MAX_MARKED_TEXTS` texts, or more than `MAX_MARKED_CHARACTERS` between
    the beginning and the end that two of them share.
    """
    if len(texts) > MAX_MARKED_TEXTS:
        return None
    found: list[list[Stretch]] = [[] for _ in texts]
    for place, one in enumerate(texts):
        for other_place in range(place + 1, len(texts)):
            pair = _pair(one, texts[other_place])
            if pair is None:
                return None
            found[place] += pair[0]
            found[other_place] += pair[1]
    return tuple(tuple(_joined(stretches)) for stretches in found)


def _pair(one: str, other: str) -> tuple[list[Stretch], list[Stretch]] | None:
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    left, right = one[head : len(one) - tail], other[head : len(other) - tail]
    if max(len(left), len(right)) > MAX_MARKED_CHARACTERS:
        return None
    ours: list[Stretch] = []
    theirs: list[Stretch] = []
    for code in Indel.opcodes(left, right):
        if code.tag != "equal":
            ours.append((head + code.src_start, head + code.src_end))
            theirs.append((head + code.dest_start, head + code.dest_end))
    return ours, theirs


def _common(one: str, other: str) -> int:
    """Characters that two texts share from their start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches in order, those that overlap or touch as one; an empty one at the edge of another adds nothing."""
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined
