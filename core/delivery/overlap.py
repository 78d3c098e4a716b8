"""Lines of a missing body that reach a prompt through other fragments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from ..canonical import utf8
from .lines import by_version, common, merge, received_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..model import Fragment
    from .lines import Version
    from .placement import LineRange

RUN = 3
"""Consecutive distinctive lines that two bodies must share to count as the same text."""

MIN_DISTINCTIVE_CHARACTERS = 12
"""Letters, digits and underscores of a distinctive line: `}` and `return;` prove nothing."""

_DISTINCTIVE = re.compile(rf"(?:\W*\w){{{MIN_DISTINCTIVE_CHARACTERS}}}")

Through = tuple[tuple["LineRange", ...], list[int]]
"""Lines that came through others, and the numbers of the fragments that brought them."""


class Overlaps:
    """Which fragments share lines: by path and content hash, or by text. Worked out from the fragments alone."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._fragments = fragments

    def hashed(self, number: int) -> dict[Version, tuple[LineRange, ...]]:
        """The lines of a fragment's sources whose version is known."""
        return self._hashed[number]

    def holders(self, version: Version) -> list[int]:
        """The fragments with lines of this version."""
        return self._holders.get(version, [])

    @cached_property
    def _holders(self) -> dict[Version, list[int]]:
        found: dict[Version, list[int]] = defaultdict(list)
        for number, versions in enumerate(self._hashed):
            for version in versions:
                found[version].append(number)
        return found

    @cached_property
    def _hashed(self) -> list[dict[Version, tuple[LineRange, ...]]]:
        return [by_version(source for source in each.sources if source.hash is not None) for each in self._fragments]

    @cached_property
    def _runs(self) -> list[dict[tuple[str, ...], int]]:
        known: dict[str, bool] = {}
        return [_runs(fragment.body, known) for fragment in self._fragments]

    @cached_property
    def _partners(self) -> list[int]:
        """For each fragment, as bits, the others that share a run of distinctive lines with it."""
        holders: dict[tuple[str, ...], int] = defaultdict(int)
        for number, runs in enumerate(self._runs):
            for run in runs:
                holders[run] |= 1 << number
        partners: list[int] = []
        for number, runs in enumerate(self._runs):
            bits = 0
            for run in runs:
                bits |= holders[run]
            partners.append(bits & ~(1 << number))
        return partners

    @cached_property
    def _held_twice(self) -> frozenset[tuple[str, ...]]:
        counts = Counter(run for runs in self._runs for run in runs)
        return frozenset(run for run, count in counts.items() if count > 1)

    def lines_of_others(self, number: int) -> tuple[LineRange, ...]:
        """Lines of a fragment's body (1-based) whose text any other fragment holds too, wherever that one was sent."""
        return merge((place, place + RUN - 1) for run, place in self._runs[number].items() if run in self._held_twice)

    def in_prompt(self, whole: Iterable[int], received: Mapping[int, int]) -> Present:
        """What stands in one prompt: the fragments that are whole, and bytes of the body of those that are cut."""
        return Present(self, self._fragments, list(whole), received)

    def partners(self, number: int) -> int:
        """The others that share text with a fragment, as bits."""
        return self._partners[number]

    def shared_lines(self, number: int, other: int, received: int | None) -> list[LineRange]:
        """Lines of the body of one fragment (1-based) whose text another, or its received beginning, holds too."""
        held = self._runs[other]
        if received is not None:
            held = _runs(utf8(self._fragments[other].body)[:received].decode("utf-8", "replace"), {})
        return [(place, place + RUN - 1) for run, place in self._runs[number].items() if run in held]


class Present:
    """One prompt's bodies, merged by version so that 1,000 missing fragments are checked against them quickly."""

    def __init__(
        self, overlaps: Overlaps, fragments: Sequence[Fragment], whole: list[int], received: Mapping[int, int]
    ) -> None:
        self._overlaps = overlaps
        self._fragments = fragments
        self._placed = sorted([*whole, *received])
        self._present = frozenset(self._placed)
        self._received = received
        self._lines: dict[Version, tuple[list[int], list[int]]] = {}

    @cached_property
    def _whole_bits(self) -> int:
        return sum(1 << number for number in self._placed if number not in self._received)

    @cached_property
    def _cut_bits(self) -> int:
        return sum(1 << number for number in self._received)

    def _lines_of(self, version: Version) -> tuple[list[int], list[int]]:
        """Starts and ends of the merged lines of one version."""
        found = self._lines.get(version)
        if found is None:
            holders = (number for number in self._overlaps.holders(version) if number in self._present)
            merged = merge(span for number in holders for span in self._held(number).get(version, ()))
            found = self._lines[version] = [start for start, _ in merged], [end for _, end in merged]
        return found

    def _held(self, number: int) -> dict[Version, tuple[LineRange, ...]]:
        if number not in self._received:
            return self._overlaps.hashed(number)
        held = received_ranges(self._fragments[number], self._received[number])
        return by_version(source for source in held if source.hash is not None)

    def lines(self, version: Version) -> tuple[LineRange, ...]:
        """The merged lines of one version, whose hash is known."""
        return tuple(zip(*self._lines_of(version), strict=True))

    def overlaps(self, number: int) -> bool:
        """Whether some lines of a missing fragment came through others."""
        for version, ranges in self._overlaps.hashed(number).items():
            starts, ends = self._lines.get(version) or self._lines_of(version)
            for start, end in ranges:
                place = bisect_right(starts, end) - 1
                if place >= 0 and ends[place] >= start:
                    return True
        partners = self._overlaps.partners(number)
        return bool(partners & self._whole_bits) or (bool(partners & self._cut_bits) and bool(self.through(number)[1]))

    def through(self, number: int) -> Through:
        """The lines that came through others, and through which; both empty if none.

        Lines are those of the file where path and hash are shared, else lines of the body (1-based).
        """
        return self._by_version(number) or self._by_text(number)

    def _by_version(self, number: int) -> Through | None:
        wanted = self._overlaps.hashed(number)
        lines: list[LineRange] = []
        through: list[int] = []
        for other in self._placed:
            held = self._held(other)
            shared = [span for version in wanted for span in common(wanted[version], held.get(version, ()))]
            if shared:
                lines += shared
                through.append(other)
        return (merge(lines), through) if through else None

    def _by_text(self, number: int) -> Through:
        partners = self._overlaps.partners(number)
        lines: list[LineRange] = []
        through: list[int] = []
        for other in self._placed:
            if partners >> other & 1:
                shared = self._overlaps.shared_lines(number, other, self._received.get(other))
                if shared:
                    lines += shared
                    through.append(other)
        return merge(lines), through


def _runs(body: str, known: dict[str, bool]) -> dict[tuple[str, ...], int]:
    """Runs of `RUN` consecutive distinctive lines, each with the number of its first line (1-based).

    `known` remembers which lines are distinctive.
    """
    lines = body.split("\n")
    good: list[bool] = []
    for line in lines:
        if line not in known:
            known[line] = _DISTINCTIVE.match(line) is not None
        good.append(known[line])
    return {
        tuple(lines[place : place + RUN]): place + 1
        for place in range(len(lines) - RUN, -1, -1)
        if all(good[place : place + RUN])
    }
