"""Lines of a missing body that reach a prompt through other fragments."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from ..canonical import utf8
from .lines import by_version, common, merge, received_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Fragment
    from .placement import LineRange

RUN = 3
"""Consecutive distinctive lines that two bodies must share to count as the same text."""

MIN_DISTINCTIVE_CHARACTERS = 12
"""Letters, digits and underscores of a distinctive line: `}` and `return;` prove nothing."""

_LETTERS = re.compile(r"\w")


class Overlaps:
    """Which fragments share lines: by path and content hash, or by text. Worked out from the fragments alone."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._fragments = fragments

    @cached_property
    def _versions(self) -> dict[tuple[str, str], int]:
        """For each path and hash, the fragments with lines of it, as bits."""
        found: dict[tuple[str, str], int] = defaultdict(int)
        for number, fragment in enumerate(self._fragments):
            for source in fragment.sources:
                if source.hash is not None:
                    found[source.path, source.hash] |= 1 << number
        return found

    @cached_property
    def _runs(self) -> dict[tuple[str, ...], int]:
        """For each run of distinctive lines, the fragments that hold it, as bits."""
        found: dict[tuple[str, ...], int] = defaultdict(int)
        for number, fragment in enumerate(self._fragments):
            for run in _runs(fragment.body):
                found[run] |= 1 << number
        return found

    @cached_property
    def _partners(self) -> list[int]:
        partners: list[int] = []
        for number, fragment in enumerate(self._fragments):
            bits = 0
            for source in fragment.sources:
                if source.hash is not None:
                    bits |= self._versions[source.path, source.hash]
            for run in _runs(fragment.body):
                bits |= self._runs[run]
            partners.append(bits & ~(1 << number))
        return partners

    def through(self, number: int, placed: int, received: Mapping[int, int]) -> tuple[tuple[LineRange, ...], list[int]]:
        """The lines of fragment `number` that came through others, and through which; both empty if none.

        `placed`: bits of the fragments of which something stands in the prompt; `received`: bytes of the body, for
        those that are cut. Lines are those of the file if the fragment's sources share path and hash with what came,
        else lines of the body (1-based).
        """
        partners = self._partners[number] & placed
        if not partners:
            return (), []
        others = _bits(partners)
        return self._by_version(number, others, received) or self._by_text(number, others, received)

    def _by_version(
        self, number: int, others: list[int], received: Mapping[int, int]
    ) -> tuple[tuple[LineRange, ...], list[int]] | None:
        wanted = by_version(source for source in self._fragments[number].sources if source.hash is not None)
        lines: list[LineRange] = []
        through: list[int] = []
        for other in others:
            fragment = self._fragments[other]
            held = by_version(received_ranges(fragment, received.get(other, fragment.byte_length)))
            shared = [span for version in wanted for span in common(wanted[version], held.get(version, ()))]
            if shared:
                lines += shared
                through.append(other)
        return (merge(lines), through) if through else None

    def _by_text(
        self, number: int, others: list[int], received: Mapping[int, int]
    ) -> tuple[tuple[LineRange, ...], list[int]]:
        lines: list[LineRange] = []
        through: list[int] = []
        own = _runs(self._fragments[number].body)
        for other in others:
            body = self._fragments[other].body
            if other in received:
                body = utf8(body)[: received[other]].decode("utf-8", "replace")
            shared = [(place, place + RUN - 1) for run, place in own.items() if run in _runs(body)]
            if shared:
                lines += shared
                through.append(other)
        return merge(lines), through


def _runs(body: str) -> dict[tuple[str, ...], int]:
    """Runs of `RUN` consecutive distinctive lines, each with the number of its first line (1-based)."""
    lines = body.split("\n")
    good = [len(_LETTERS.findall(line)) >= MIN_DISTINCTIVE_CHARACTERS for line in lines]
    return {
        tuple(lines[place : place + RUN]): place + 1
        for place in range(len(lines) - RUN, -1, -1)
        if all(good[place : place + RUN])
    }


def _bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, in ascending order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
