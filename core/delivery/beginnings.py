"""Beginnings of bodies in texts that name no block: a plain transcript whose recorder, or agent, cut a result.

Such a text does not say whose it is, so that more is asked of it than of a block: `MIN_BEGINNING_BYTES` of the body, or
its first lines if they are distinctive. One beginning that goes on as another body does is that body's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..canonical import byte_length
from .facts import Spot
from .needles import MIN_ANCHOR_CHARACTERS
from .overlap import MIN_DISTINCTIVE_CHARACTERS, RUN
from .prefix import common_prefix, in_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .needles import Needles

MIN_BEGINNING_BYTES = 128
"""Bytes of a body's beginning that prove that it is this body's; fewer do where they hold `RUN` distinctive lines."""

_ANCHOR_LINES = 2
"""Lines at the beginning of a body that it is known by: what stands in front of it may share the first one's line."""


class Beginnings:
    """Finds the beginnings of bodies in a text, by their first lines; of a long first line, by the start of it."""

    def __init__(self, needles: Needles) -> None:
        self._bodies = needles.bodies
        self._lines = needles.lines
        self._anchors: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._long: dict[str, list[int]] = defaultdict(list)
        for body, lines in enumerate(needles.lines):
            if byte_length(needles.bodies[body]) <= MIN_BEGINNING_BYTES and len(lines) <= RUN:
                continue  # what could prove it is all of it, or nearly
            before = 0
            for line in lines[: min(_ANCHOR_LINES, len(lines) - 1)]:
                if len(line.strip()) >= MIN_ANCHOR_CHARACTERS:
                    self._anchors[line].append((body, before))
                before += len(line) + 1
            if len(lines[0]) >= MIN_BEGINNING_BYTES:
                self._long[lines[0][:MIN_BEGINNING_BYTES]].append(body)

    def find(self, text: str) -> dict[int, Spot]:
        """The longest provable beginning of each body that has one in the text; bytes of the text. Whole bodies are not told."""
        best: dict[int, tuple[int, int]] = {}
        longer: dict[int, int] = {}
        whole: set[int] = set()
        for body, start in self._starts(text):
            if body in whole or start < longer.get(body, 0):
                continue
            known = best.get(body, (0, 0))[0]
            if known and not text.startswith(self._bodies[body][: known + 1], start):
                longer[body] = self._next(text, body, known, start)
                continue
            length = common_prefix(text, start, self._bodies[body])
            if length == len(self._bodies[body]):
                whole.add(body)
            elif self._proves(body, length):
                best[body] = length, start
        reach = self._reach(text, {start for _, start in best.values()}) if best else {}
        return {
            body: in_bytes(text, Spot("raw", start, start + length, byte_length(self._bodies[body][:length])))
            for body, (length, start) in best.items()
            if reach[start] == length
        }

    def _next(self, text: str, body: int, known: int, start: int) -> int:
        """The next place, behind `start`, at which more of a body stands than is known already."""
        found = text.find(self._bodies[body][: known + 1], start + 1)
        return found if found >= 0 else len(text) + 1

    def _reach(self, text: str, places: set[int]) -> dict[int, int]:
        """For each of these places how far the body goes on there that goes on farthest."""
        reach: dict[int, int] = {}
        for body, start in self._starts(text):
            if start in places:
                reach[start] = max(reach.get(start, 0), common_prefix(text, start, self._bodies[body]))
        return reach

    def _starts(self, text: str) -> Iterator[tuple[int, int]]:
        """Places (characters) at which a body may begin."""
        lines = text.split("\n")
        if not (self._anchors.keys() & set(lines)) and not (self._long and self._long.keys() & _heads(lines)):
            return
        at = 0
        for line in lines:
            for body, before in self._anchors.get(line, ()):
                start = at - before
                if start >= 0 and text.startswith(self._bodies[body][:before], start):
                    yield body, start
            if len(line) >= MIN_BEGINNING_BYTES:
                for body in self._long.get(line[:MIN_BEGINNING_BYTES], ()):
                    yield body, at
            at += len(line) + 1

    def _proves(self, body: int, length: int) -> bool:
        if byte_length(self._bodies[body][:length]) >= MIN_BEGINNING_BYTES:
            return True
        first = self._lines[body][:RUN]
        return len(first) == RUN and sum(map(len, first)) + RUN - 1 <= length and all(map(_is_distinctive, first))


def _is_distinctive(line: str) -> bool:
    return sum(each.isalnum() or each == "_" for each in line) >= MIN_DISTINCTIVE_CHARACTERS


def _heads(lines: Sequence[str]) -> set[str]:
    return {line[:MIN_BEGINNING_BYTES] for line in lines if len(line) >= MIN_BEGINNING_BYTES}
