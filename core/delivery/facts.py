"""What one distinct message says about each fragment: read once, kept small, whatever number of prompts carry it.

Offsets are UTF-8 bytes in the message's text. Fragments are numbers (their place in the investigation's sequence).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .placement import Carried

MIN_BODY_BYTES = 32
"""A shorter body proves nothing wherever it happens to stand: it counts at a block or tool-result boundary only."""


class Spot(NamedTuple):
    """A body, or its received part: `received` bytes of it at `start`..`end`. `guidance`: the text says it was cut."""

    carried: Carried
    start: int
    end: int
    received: int
    guidance: bool = False


@dataclass(slots=True)
class Markers:
    """The markers of many fragments in little room: a ledger of 1,000 lines stands in every prompt.

    Rows are in ascending order of fragments. `silent`: the marker does not say that the body is gone.
    """

    fragments: array[int] = field(default_factory=lambda: array("L"))
    starts: array[int] = field(default_factory=lambda: array("L"))
    ends: array[int] = field(default_factory=lambda: array("L"))
    silent: array[int] = field(default_factory=lambda: array("B"))

    def fill(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Take the rows `(fragment, start, end, silent)` of a whole ledger into empty markers."""
        fragments = [row[0] for row in rows]
        if len(set(fragments)) < len(fragments):  # a fragment named twice: one by one, so that the rule below holds
            for number, start, end, silent in rows:
                self.add(number, start, end, silent=silent)
            return
        ordered = rows if fragments == sorted(fragments) else sorted(rows)
        self.fragments, self.starts, self.ends = (array("L", [row[at] for row in ordered]) for at in range(3))
        self.silent = array("B", [row[3] for row in ordered])

    def add(self, fragment: int, start: int, end: int, *, silent: bool) -> None:
        """Note one marker; of several for one fragment the one that speaks of the absence, else the later, counts."""
        place = bisect_left(self.fragments, fragment)
        if place < len(self.fragments) and self.fragments[place] == fragment:
            if not silent or self.silent[place]:
                self.starts[place], self.ends[place], self.silent[place] = start, end, silent
            return
        self.fragments.insert(place, fragment)
        self.starts.insert(place, start)
        self.ends.insert(place, end)
        self.silent.insert(place, silent)

    def rows(self) -> Iterator[tuple[int, int, int, int]]:
        """`(fragment, start, end, silent)` of every marker."""
        return zip(self.fragments, self.starts, self.ends, self.silent, strict=True)

    def get(self, fragment: int) -> tuple[int, int, bool] | None:
        """`(start, end, silent)` of a fragment's marker."""
        place = bisect_left(self.fragments, fragment)
        if place == len(self.fragments) or self.fragments[place] != fragment:
            return None
        return self.starts[place], self.ends[place], bool(self.silent[place])


@dataclass(slots=True)
class Facts:
    """All that is known of one message. `coincidental`: there, but where it proves nothing.

    `alone`: those of them that are all of a user's message: the result itself, if the message came only after the asking.
    `blocks`: where the message is the documented rendering, the blocks that it names, as `(sent, total)` bytes.
    """

    whole: dict[int, Spot] = field(default_factory=dict)
    cut: dict[int, Spot] = field(default_factory=dict)
    coincidental: dict[int, Spot] = field(default_factory=dict)
    alone: dict[int, Spot] = field(default_factory=dict)
    markers: Markers = field(default_factory=Markers)
    blocks: dict[int, tuple[int, int]] | None = None
