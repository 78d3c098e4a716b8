"""What is searched for: the distinct bodies of all fragments, indexed so that one pass over a text finds the candidates.

Searching 1,000 prompts for 1,000 bodies one by one costs a million scans. Instead each body is known by one *anchor*:
a whole line from its inside (which stands as a whole line wherever the body stands), or, for bodies without one, a word
from its inside. A text is split once; only bodies whose anchor occurs are compared, at the place the anchor gives.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIN_ANCHOR_CHARACTERS = 4
"""Characters, white space at the ends not counted, that a line needs to serve as an anchor."""

GUTTER = re.compile(r"[ \t]*[0-9]{1,18}(?:→|\t|[ ]?\||:|\.(?= |$))")
"""A line number before a line: `   12→`, `12<TAB>` (`cat -n`), `12:`, `12 |`, `12. `."""

_NUMBERED = re.compile(f"^{GUTTER.pattern}(.*)", re.MULTILINE)
"""The rest of each numbered line of a text."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Line `line` (0-based) of body `body`; `offset` characters before it in the body. `inner`: neither first nor last."""

    body: int
    line: int
    offset: int
    inner: bool


@dataclass(slots=True)
class Needles:
    """The bodies to look for. `bodies` are distinct texts; `of_fragment` gives each fragment's body, None if empty."""

    bodies: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    of_fragment: list[int | None] = field(default_factory=list)
    anchors: dict[str, list[Anchor]] = field(default_factory=dict)
    words: dict[str, list[int]] = field(default_factory=dict)
    bare: list[int] = field(default_factory=list)
    known: dict[str, tuple[Anchor, ...]] = field(default_factory=dict)
    """What each line seen so far leads to (bounded: see `MAX_KNOWN_LINES`)."""
    stripped: dict[str, list[Anchor]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def candidates(self, lines: Sequence[str]) -> bool:
        """Look at the lines of a text that were never seen; say whether any of `lines` is in `known`."""
        distinct = set(lines)
        fresh = distinct.difference(self.seen)
        if len(self.seen) + len(fresh) > MAX_KNOWN_LINES:
            self.seen.clear()
            self.known.clear()
            fresh = distinct
        self.seen |= fresh
        for line in self.anchors.keys() & fresh:
            self.known[line] = tuple(self.anchors[line])
        self._look_behind_prefixes([line for line in fresh if line[:1] in _INDENTED and line])
        return not self.known.keys().isdisjoint(distinct)

    def _look_behind_prefixes(self, lines: list[str]) -> None:
        """Take the lines together first: most have nothing that is looked for behind an indent or a number."""
        rests = {line.strip() for line in lines}  # a body may itself hold line numbers, and be indented as a whole
        rests.update(rest.strip() for rest in _NUMBERED.findall("\n".join(lines)))
        hits = rests & self.stripped.keys()
        for line in lines if hits else ():
            self._look_behind_prefix(line, hits)

    def _look_behind_prefix(self, line: str, hits: set[str]) -> None:
        rests = {line.strip()}
        if gutter := GUTTER.match(line):
            rests.add(line[gutter.end() :].strip())
        for rest in rests & hits:
            here = self.known.get(line, ())
            self.known[line] = (*here, *(each for each in self.stripped[rest] if each not in here))


MAX_KNOWN_LINES = 400_000
"""Distinct lines remembered between texts: an upper bound on memory, not on what is found."""

_INDENTED = frozenset(" \t0123456789")


def index_bodies(texts: Iterable[str]) -> Needles:
    """Index the bodies, given in fragment order."""
    needles = Needles()
    number: dict[str, int] = {}
    for text in texts:
        if text and text not in number:
            number[text] = len(needles.bodies)
            needles.bodies.append(text)
            needles.lines.append(text.split("\n"))
        needles.of_fragment.append(number.get(text))
    common = Counter(line for lines in needles.lines for line in set(lines))
    for body, lines in enumerate(needles.lines):
        line = _anchor_line(lines, common)
        if line is not None:
            _add_anchor(needles, body, line)
        if line is None or not 0 < line < len(lines) - 1:
            _add_word(needles, body)
    return needles


def _anchor_line(lines: list[str], common: Counter[str]) -> int | None:
    """The rarest, then longest, line inside the body; where there is none, the same among its first and last."""
    inside = [place for place in range(1, len(lines) - 1) if len(lines[place].strip()) >= MIN_ANCHOR_CHARACTERS]
    if not inside and len(lines) > 1:
        inside = [place for place in (0, len(lines) - 1) if lines[place].strip()]
    return min(inside, key=lambda place: (common[lines[place]], -len(lines[place]), place), default=None)


def _add_anchor(needles: Needles, body: int, line: int) -> None:
    lines = needles.lines[body]
    anchor = Anchor(body, line, sum(map(len, lines[:line])) + line, 0 < line < len(lines) - 1)
    needles.anchors.setdefault(lines[line], []).append(anchor)
    needles.stripped.setdefault(lines[line].strip(), []).append(anchor)


def _add_word(needles: Needles, body: int) -> None:
    """A word with white space on both sides inside the body: wherever the body stands, it is a word there too."""
    words = needles.bodies[body].split()
    text = needles.bodies[body]
    inside = words[0 if text[:1].isspace() else 1 : None if text[-1:].isspace() else -1]
    if inside:
        needles.words.setdefault(max(inside, key=len), []).append(body)
    else:
        needles.bare.append(body)
