"""Pairs of decisions drawn beside each other: what each asked, received and came to, with links into both packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.wording import identity_text, key_text, outcome_text, reply_text, sent_text

from . import addresses, holding, state
from .life import counts
from .palette import STATES
from .panel import el
from .sizes import exact, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.compare import Row, Stands, Unlike
    from core.model import Decision, DecisionKey

    from .holding import Held
    from .panel import Node

MATCHES: Final = {
    "same": ("=", "both asked for the same", "good"),
    "shares": ("≈", "they share at least one lookup", "warn"),
    "differs": ("≠", "they asked for something else; they only stand beside each other", "bad"),
    "left only": ("←", "nothing on the right stands beside it", "info"),
    "right only": ("→", "nothing on the left stands beside it", "info"),
}
_ALIKE: Final = 4
"""Pairs in a row without any difference from which on they are drawn as one line."""
_KEPT: Final = 1
"""Alike pairs that stay drawn before and after a difference."""
_UNLIKE: Final = 8


def fold(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """First and last place of each row to draw; a stretch of alike pairs between differences is one."""
    drawn: list[tuple[int, int]] = []
    place = 0
    while place < len(rows):
        end = place
        while end < len(rows) and rows[end].alike:
            end += 1
        first = place if place == 0 else place + _KEPT
        last = end - _KEPT - 1 if end < len(rows) else end - 1
        if last - first + 1 >= _ALIKE:
            drawn += [(each, each) for each in range(place, first)]
            drawn.append((first, last))
            drawn += [(each, each) for each in range(last + 1, end)]
        else:
            drawn += [(each, each) for each in range(place, end)]
        if end < len(rows):
            drawn.append((end, end))
        place = end + 1
    return drawn


@dataclass(frozen=True)
class Pair:
    """Two packages, and how to get into each: opening the right one makes it the package in hand, the left one the other."""

    left: Held
    right: Held

    def keys(self, rows: Sequence[Row]) -> list[tuple[str | None, str | None]]:
        """What each row's decisions are called on either side."""
        return [
            (
                None if row.left is None else key_text(self._decision(row, "left").key),
                None if row.right is None else key_text(self._decision(row, "right").key),
            )
            for row in rows
        ]

    def open(self, row: Row, side: str, fragment_id: str | None = None) -> None:
        """Open a row's decision. For callbacks."""
        state.go("decisions", **self._target(row, side, fragment_id))

    def links(self, row: Row) -> list[Node]:
        """A link to each decision of a row, with the first result that stands differently in sight."""
        unlike = row.unlike[0] if row.unlike else None
        return [
            self._link(row, side, None if unlike is None else getattr(unlike, side).fragment, f"open on the {side}")
            for side in ("left", "right")
            if getattr(row, side) is not None
        ]

    def table(self, rows: Sequence[Row], drawn: Sequence[tuple[int, int]]) -> Node:
        """Rows as a table of two halves."""
        head = el("tr", el("th", "left"), el("th", "", cls="match"), el("th", "right"))
        body: list[Node] = []
        for first, last in drawn:
            if first == last:
                body += self._rows(rows[first])
            else:
                body.append(self._folded(rows[first], rows[last], last - first + 1))
        return el("div", el("table", el("thead", head), el("tbody", *body)), cls="scroll pair")

    def _folded(self, first: Row, last: Row, count: int) -> Node:
        said = [
            f"{key_text(self._decision(first, side).key)}–{key_text(self._decision(last, side).key)}"
            for side in ("left", "right")
        ]
        text = f"{many(count, 'pair')} alike: asked for the same, received the same, came to the same"
        return el(
            "tr",
            el("td", f"decisions {said[0]}"),
            el("td", "=", tip=text),
            el("td", f"decisions {said[1]}; {text}"),
            cls="dim",
        )

    def _rows(self, row: Row) -> list[Node]:
        sign, means, tone = MATCHES[row.match]
        line = el(
            "tr",
            el("td", *self._half(row, "left")),
            el("td", el("b", sign, cls=f"sign {tone}", tip=means), cls="match"),
            el("td", *self._half(row, "right")),
        )
        return [line, *(self._unlike(row, each) for each in row.unlike[:_UNLIKE]), *_rest(row)]

    def _half(self, row: Row, side: str) -> list[Node]:
        if getattr(row, side) is None:
            return [el("span", "no counterpart", cls="dim small")]
        decision = self._decision(row, side)
        size = row.left_bytes if side == "left" else row.right_bytes
        states = row.left_states if side == "left" else row.right_states
        stopped = decision.outcome is not None and decision.outcome.kind in ("stopped", "failed")
        tags = [el("span", outcome_text(decision), cls=f"tag {'bad' if stopped else ''}")]
        if decision.sent is not True:
            tags.append(el("span", sent_text(decision), cls="tag warn"))
        return [
            el(
                "div",
                self._link(row, side),
                el("span", exact(size), cls="num dim small") if size is not None else None,
                cls="row apart",
            ),
            el("div", reply_text(decision), cls="any clamp2"),
            el(
                "div",
                *tags,
                el("span", "of what both had asked for: ", counts(states), cls="small dim") if row.shared else None,
                cls="row",
            ),
        ]

    def _unlike(self, row: Row, found: Unlike) -> Node:
        what = el("div", f"result of {identity_text(found.identity)}", cls="dim small any clamp2")
        return el(
            "tr",
            el("td", what, self._stands(row, "left", found.left), cls="unlike"),
            el("td", "≠", cls="match unlike", tip="the result of a lookup that both asked for stands differently"),
            el("td", what, self._stands(row, "right", found.right), cls="unlike"),
        )

    def _stands(self, row: Row, side: str, found: Stands) -> Node:
        look = STATES[found.state]
        size = f" {found.received:,} of {exact(found.total)}" if found.state == "cut" else f" {exact(found.total)}"
        return el(
            "div",
            el("b", look.letter, cls=f"state {found.state}"),
            f"{look.word}, ",
            self._link(row, side, found.fragment, found.fragment),
            size,
            cls="any",
        )

    def _decision(self, row: Row, side: str) -> Decision:
        held = self.left if side == "left" else self.right
        place: int = getattr(row, side)
        return held.investigation.decisions[place]

    def _target(self, row: Row, side: str, fragment_id: str | None) -> dict[str, Any]:
        held = self.left if side == "left" else self.right
        name = None if fragment_id is None else holding.fragment_names(held).get(fragment_id)
        here: dict[str, Any] = {"decision": self._decision(row, side).key, "fragment": name}
        return here if side == "left" else state.swapped(**here)

    def _link(self, row: Row, side: str, fragment_id: str | None = None, text: str | None = None) -> Node:
        target = self._target(row, side, fragment_id)
        key: DecisionKey = target["decision"]
        return el(
            "a",
            text or f"decision {addresses.decision_text(key)}",
            act=lambda: state.go("decisions", **target),
            href=state.href("decisions", **target),
            cls="any",
        )


def _rest(row: Row) -> list[Node]:
    rest = row.differing - min(len(row.unlike), _UNLIKE)
    if rest <= 0:
        return []
    text = f"{many(rest, 'more result')} of shared lookups stand differently; open both decisions to see them"
    return [
        el("tr", el("td", text, cls="unlike dim small"), el("td", "≠", cls="match unlike"), el("td", "", cls="unlike"))
    ]
