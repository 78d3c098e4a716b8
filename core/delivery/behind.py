"""Bodies behind line numbers or an indent, found in time that grows with the texts, not with their product.

How a line is carried is a *form*: which white space, or which number and separator, stands before it. Under one form
every line of a text has one rest, so that the rests can be matched like letters (Knuth, Morris, Pratt 1977).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .placement import Carried

_NUMBER = re.compile(r"[ \t]*([0-9]{1,18})(→|\t|[ ]?\|[ ]?|:[ ]?|\.[ ]?)")


@dataclass(frozen=True, slots=True)
class Form:
    """`before` is the indent, or what follows the number; `ahead`: the number of line 0, None for an indent.

    Numbers rise by one from line to line. An editor writes nothing before or after the number of an empty line, so that
    an empty line may have lost the white space of the form; a line of spaces may not lose its own.
    """

    before: str
    ahead: int | None = None

    @property
    def carried(self) -> Carried:
        """What this form is called."""
        return "indented" if self.ahead is None else "gutter"

    def rest(self, lines: Sequence[str], place: int) -> str | None:
        """What line `place` carries in this form; None if it is not in it."""
        line, before = lines[place], self.before
        if self.ahead is not None:
            line, before = line.lstrip(" \t"), f"{self.ahead + place}{before}"
        if line.startswith(before):
            return line[len(before) :]
        return "" if line.rstrip() == before.rstrip() else None


class Run(NamedTuple):
    """`held` lines of a body, from its first on, stand from line `first` of a text on."""

    held: int
    first: int
    carried: Carried


class Pattern:
    """A body's lines, prepared once for many texts."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._back: list[int] = []

    def runs(self, lines: Sequence[str], places: Iterable[int], sure: int = 0) -> Iterator[Run]:
        """For each form in which line `sure` of the body stands at one of the ascending `places`, its longest run."""
        starts: dict[Form, list[int]] = defaultdict(list)
        for place in places:
            form = form_of(lines[place], self.lines[sure], place)
            if form is not None and place >= sure:
                starts[form].append(place - sure)
        for form, firsts in starts.items():
            yield self._longest(lines, form, firsts)

    def _longest(self, lines: Sequence[str], form: Form, firsts: Sequence[int]) -> Run:
        body, back = self.lines, self._fallbacks()
        best = Run(0, firsts[0], form.carried)
        place = have = 0
        for first in firsts:
            if first < place:
                continue  # was looked at on the way
            place = first
            while place < len(lines):
                rest = form.rest(lines, place)
                while have and rest != body[have]:
                    have = back[have]
                place += 1
                if rest != body[have]:
                    break
                have += 1
                if have > best.held:
                    best = Run(have, place - have, form.carried)
                if have == len(body):
                    return best
        return best

    def _fallbacks(self) -> list[int]:
        """For each count of lines, the longest shorter beginning of the body that ends there."""
        if not self._back:
            self._back = [0, 0]
            have = 0
            for line in self.lines[1:]:
                while have and line != self.lines[have]:
                    have = self._back[have]
                have += line == self.lines[have]
                self._back.append(have)
        return self._back


def form_of(line: str, text: str, place: int) -> Form | None:
    """In which form line `place` of a text carries `text`; None if it does not, or as it is."""
    if not line.endswith(text) or len(line) == len(text):
        return None
    before = line[: len(line) - len(text)]
    if not before.strip(" \t"):
        return Form(before)
    number = _NUMBER.fullmatch(before)
    return None if number is None else Form(number[2], int(number[1]) - place)


def span_of(lines: Sequence[str], first: int, count: int) -> tuple[int, int]:
    """Characters taken by `count` lines from line `first` on, without the last line break."""
    start = sum(map(len, lines[:first])) + first
    return start, start + sum(map(len, lines[first : first + count])) + count - 1
