"""One column of the delivery table: what stands in one sent prompt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .placement import Place, Placement

if TYPE_CHECKING:
    from ..model import DecisionKey
    from .facts import Spot
    from .overlap import Present
    from .placement import LineRange, State
    from .table import Deliveries


@dataclass(frozen=True, slots=True)
class Prompt:
    """As much of a decision as its column needs: the texts themselves are let go. `place`: among all decisions.

    `readable`: the record itself is; whether each of its messages is, `Deliveries.readable` says.
    """

    place: int
    key: DecisionKey
    sent: bool
    slices: tuple[tuple[int, int], ...]
    readable: bool = True

    def holds(self, message: int) -> bool:
        """Whether the message at this position of the investigation's messages is part of this prompt."""
        return any(start <= message < start + count for start, count in self.slices)


class Column:
    """One sent prompt: which fragments stand in it. Built when asked for; nothing of it outlives the asking."""

    def __init__(self, table: Deliveries, prompt: Prompt) -> None:
        self._table = table
        self.prompt = prompt
        self.facts = tuple(table.facts_in(prompt))
        self.whole: dict[int, tuple[int, Spot]] = {}
        self.cut: dict[int, tuple[int, Spot]] = {}
        self.coincidental: dict[int, tuple[int, Spot]] = {}
        for place, facts in self.facts:
            for number, spot in facts.whole.items():
                if number not in self.whole:
                    self.whole[number] = place, spot
            for number, spot in facts.cut.items() if facts.cut else ():
                if number not in self.cut or self.cut[number][1].received < spot.received:
                    self.cut[number] = place, spot
            for number, spot in facts.coincidental.items() if facts.coincidental else ():
                if number not in self.coincidental:
                    self.coincidental[number] = place, spot
        self._forget_the_future()
        self.received = {n: spot.received for n, (_, spot) in self.cut.items() if n not in self.whole}

    def _forget_the_future(self) -> None:
        """What was asked for later did not exist yet: such a body may stand here, but it was not delivered."""
        for found in (self.whole, self.cut, self.coincidental):
            for number in [n for n in found if not self._table.existed(n, self.prompt)]:
                del found[number]

    def marker(self, number: int) -> tuple[Place, bool] | None:
        """The marker that says most: one that speaks of the absence before one that does not."""
        found = self.marked.get(number)
        return None if found is None else (Place(*found[:3]), found[3])

    @cached_property
    def present(self) -> Present:
        """What stands here, for the question what of a missing body came through others."""
        return self._table.overlaps.in_prompt(self.whole, self.received)

    @cached_property
    def marked(self) -> dict[int, tuple[int, int, int, bool]]:
        """The fragments that have a marker here, with the one that says most: its place, and whether it is silent."""
        best: dict[int, tuple[int, int, int, bool]] = {}
        for place, facts in self.facts:
            for number, start, end, silent in facts.markers.rows():
                if number not in best or (best[number][3] and not silent):
                    best[number] = place, start, end, bool(silent)
        return best

    def state(self, number: int) -> State:
        """The state of one fragment in this prompt."""
        if number in self._table.unrecorded:
            return "unknown"
        if number in self.whole:
            return "whole"
        if number in self.cut:
            return "cut"
        if self.present.overlaps(number):
            return "overlap"
        if number in self.coincidental:
            return "coincidental"
        return "marker_only" if number in self.marked else "absent"

    def placement(self, number: int) -> Placement:
        """The state of one fragment with its proof."""
        fragment = self._table.fragments[number]
        state = self.state(number)
        marker = self.marker(number)
        lines: tuple[LineRange, ...] = ()
        through: list[int] = []
        if state == "overlap":
            lines, through = self.present.through(number)
        place, spot = self._spot(number, state)
        gone = state in {"overlap", "marker_only", "coincidental"}
        return Placement(
            fragment=fragment.id,
            key=self.prompt.key,
            state=state,
            total_bytes=fragment.byte_length,
            message=None if spot is None else place,
            start=None if spot is None else spot.start,
            end=None if spot is None else spot.end,
            carried=None if spot is None else spot.carried,
            received_bytes=spot.received if spot is not None and state in {"whole", "cut"} else 0,
            guidance=spot is not None and spot.guidance,
            silent_absence=gone and marker is not None and marker[1],
            lines=lines,
            through=tuple(self._table.fragments[other].id for other in through),
            marker=None if marker is None else marker[0],
        )

    def _spot(self, number: int, state: State) -> tuple[int, Spot | None]:
        found = {"whole": self.whole, "cut": self.cut, "coincidental": self.coincidental}.get(state)
        return (0, None) if found is None else found[number]
