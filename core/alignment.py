"""Two runs' decisions paired by what they asked for: a longest common subsequence over lookup identities.

First decisions that asked for exactly the same are paired, as many as can be in order; what begins or ends alike is
paired first, so that a lookup that was asked twice is paired with its first asking. In what is left between two pairs,
decisions that share at least one lookup are paired; then what remains is put side by side in order. Decisions that asked
for nothing are never what others are aligned by. The same input always gives the same pairs.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from rapidfuzz.distance import Indel

from .limits import MAX_ALIGNED_DECISIONS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from .model import Decision

ASKING = ("lookups", "patch")
"""Decisions that others may be aligned by; the first word of `asked`."""

Match: TypeAlias = Literal["same", "shares", "differs", "left only", "right only"]
Asked: TypeAlias = "tuple[str, ...]"
Pair: TypeAlias = "tuple[int | None, int | None, Match]"
"""Places on the left and on the right, None where a side has no counterpart."""


def asked(decision: Decision) -> Asked:
    """What a reply asked for, as words that are equal where it is the same: its identities, else what else it decided."""
    reply = decision.reply
    if decision.problem is not None:
        return ("unreadable",)
    if reply is None:
        return ("no reply",)
    if reply.lookups:
        return ("lookups", *(lookup.identity for lookup in reply.lookups))
    if reply.patch is not None:
        return ("patch", reply.patch.path)
    return ("stop",) if reply.stop is not None else ("text",)


def align(left: Sequence[Asked], right: Sequence[Asked]) -> tuple[Pair, ...]:
    """Every place of both sides once, in order.

    `same`: the same was asked; `shares`: at least one lookup is the same; `differs`: only beside each other; else the
    one side alone. Beyond `MAX_ALIGNED_DECISIONS` between a common beginning and end, decisions are paired in order.
    """
    found: list[Pair] = []
    done = (0, 0)
    for one, other in (*_exact(left, right), (len(left), len(right))):
        found += _between(left, right, (done[0], one), (done[1], other))
        if one < len(left):
            found.append((one, other, "same"))
        done = one + 1, other + 1
    return tuple(found)


def _exact(left: Sequence[Asked], right: Sequence[Asked]) -> list[tuple[int, int]]:
    """Pairs of places that asked for exactly the same: the common beginning, the common end, and the most between."""
    head = 0
    while head < min(len(left), len(right)) and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < min(len(left), len(right)) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    ours, theirs = _asking(left, head, len(left) - tail), _asking(right, head, len(right) - tail)
    middle: list[tuple[int, int]] = []
    if max(len(ours), len(theirs)) <= MAX_ALIGNED_DECISIONS:
        pairs = common([left[place] for place in ours], [right[place] for place in theirs])
        middle = [(ours[at], theirs[to]) for at, to in pairs]
    ends = ((len(left) - back, len(right) - back) for back in range(tail, 0, -1))
    return [*((place, place) for place in range(head)), *middle, *ends]


def _asking(side: Sequence[Asked], start: int, end: int) -> list[int]:
    return [place for place in range(start, end) if side[place][0] in ASKING]


def common(one: Sequence[Hashable], other: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The pairs of one longest common subsequence. Equal things are told apart by number, so that any may be long."""
    numbers: dict[Hashable, int] = {}
    left, right = ([numbers.setdefault(each, len(numbers)) for each in side] for side in (one, other))
    for step in Indel.opcodes(left, right):
        if step.tag == "equal":
            yield from zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True)


def _between(
    left: Sequence[Asked], right: Sequence[Asked], ours: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[Pair]:
    """What lies between two exact pairs: decisions that share a lookup, the others side by side."""
    done = ours[0], theirs[0]
    for one, other in (*_sharing(left, right, ours, theirs), (ours[1], theirs[1])):
        yield from _beside(left, right, (done[0], one), (done[1], other))
        if one < ours[1]:
            yield one, other, "shares"
        done = one + 1, other + 1


def _sharing(
    left: Sequence[Asked], right: Sequence[Asked], ours: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Pairs of decisions with a lookup in common, each decision at most once, in ascending order on both sides."""
    one, other = _lookups(left, *ours), _lookups(right, *theirs)
    if max(len(one), len(other), 1) > MAX_ALIGNED_DECISIONS:
        return
    last = (-1, -1)
    for at, to in common([identity for _, identity in one], [identity for _, identity in other]):
        pair = one[at][0], other[to][0]
        if pair[0] > last[0] and pair[1] > last[1]:
            yield pair
            last = pair


def _lookups(side: Sequence[Asked], start: int, end: int) -> list[tuple[int, str]]:
    """Each lookup of these decisions with the place of its decision."""
    each = ([(place, name) for name in side[place][1:]] for place in range(start, end) if side[place][0] == "lookups")
    return list(chain.from_iterable(each))


def _beside(
    left: Sequence[Asked], right: Sequence[Asked], ours: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[Pair]:
    count = min(ours[1] - ours[0], theirs[1] - theirs[0])
    for place in range(count):
        one, other = ours[0] + place, theirs[0] + place
        yield one, other, "same" if left[one] == right[other] else "differs"
    for place in range(ours[0] + count, ours[1]):
        yield place, None, "left only"
    for place in range(theirs[0] + count, theirs[1]):
        yield None, place, "right only"
