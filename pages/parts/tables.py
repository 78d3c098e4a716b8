"""Tables in panels: plain rows of inert text, bounded in number."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .panel import Node, el

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Row = TypeVar("Row")

ROWS_DRAWN: Final = 300
SHORT: Final = 12
"""Characters of a cell that is never broken (`completed`, `17 of 39`)."""


def table(columns: Sequence[str], rows: Iterable[Sequence[Node]], *, numbers: Sequence[int] = ()) -> dict[str, Any]:
    """A table in its own scroll area. `numbers` are the places of columns that hold figures and stand to the right."""
    cls = ["num" if place in numbers else "" for place in range(len(columns))]
    head = el("tr", *(el("th", title, cls=cls[place]) for place, title in enumerate(columns)))
    body = (
        el("tr", *(el("td", cell, cls=cls[place] or _wraps(cell)) for place, cell in enumerate(row))) for row in rows
    )
    return el("div", el("table", el("thead", head), el("tbody", *body)), cls="scroll")


def _wraps(cell: Node) -> str:
    """Text from outside may break anywhere; a short word, and our own elements (a link, a tag), stay on one line."""
    return "any" if isinstance(cell, str) and len(cell) > SHORT else "nowrap"


def bounded(items: Sequence[Row], draw: Callable[[Row], Node], limit: int = ROWS_DRAWN) -> list[Node]:
    """The first `limit` items drawn, and a line that says how many are not."""
    nodes = [draw(item) for item in islice(items, limit)]
    if len(items) > limit:
        nodes.append(el("p", f"{len(items) - limit:,} more are not drawn here.", cls="dim small"))
    return nodes
