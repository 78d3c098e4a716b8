"""The evidence matrix and the map of a file's lines, as tables that can be clicked: colour, letter and shape for each state."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.matrix import counts_text
from core.wording import key_text

from . import assets
from .events import event
from .palette import LINE_STATES, STATES
from .panel import el, inert, one_line
from .sizes import decision_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from core.evidence import Cell, LineMap
    from core.matrix import Counts, Matrix, Row
    from core.model import DecisionKey
    from core.neighbours import Column

    from .palette import Look
    from .panel import Node

_COMPONENT = st.components.v2.component(
    "investigation_inspector_matrix",
    html='<div class="matrix" role="region" aria-label="Evidence matrix"></div>',
    css=assets.read("inert.css", "matrix.css"),
    js=assets.read("inert.js", "matrix.js"),
)
_DENSE: Final = 24
"""Columns from which cells are drawn narrow."""
_SEEN: Final = 0.2
"""The smallest share of a mixed cell that a state is drawn with."""
_LOW, _HIGH = 24, 48
"""Height in pixels of the row of one line, and of the row with the most lines."""


def matrix(
    found: Matrix,
    *,
    on_pick: Callable[[DecisionKey, str | None], None],
    on_zoom: Callable[[int], None] | None = None,
    on_name: Callable[[str], None] | None = None,
    unsent: str = "not sent",
    marked: Mapping[int, str] | None = None,
    key: str,
) -> None:
    """Draw the matrix. A click on a cell gives its decision and fragment, one on a column's head its decision.

    `on_zoom`: what a click on a column of several decisions does, with its number. `on_name`: what a click on a row's
    name does, with its fragment. `unsent`: what is said of a prompt that was not sent. `marked`: columns whose head is
    marked, and what for.
    """

    def picked(row: int, column: int) -> None:
        if column < 0:
            if row >= 0 and on_name is not None:
                on_name(found.rows[row].fragment)
        elif found.columns[column].count > 1 and on_zoom is not None:
            on_zoom(column)
        else:
            on_pick(found.columns[column].first, found.rows[row].fragment if row >= 0 else None)

    columns = found.columns
    data = {
        "corner": "fragment",
        "unsent": unsent,
        "named": on_name is not None,
        "dense": len(columns) > _DENSE,
        "narrow": not found.exact,
        "keys": [decision_name(each.first) for each in columns],
        "columns": [_column(each) for each in columns],
        "sent": [each.sent for each in columns],
        "marked": {str(place): why for place, why in (marked or {}).items()},
        "rows": [_row(row, found) for row in found.rows],
        "looks": _looks(STATES),
    }
    _draw(data, len(found.rows), len(columns), picked, key)


def lines(
    found: LineMap,
    mine: Collection[int],
    *,
    on_pick: Callable[[Cell], None],
    on_head: Callable[[DecisionKey], None],
    key: str,
) -> None:
    """Draw the map of a file. A click on a cell gives it, one on a column's head the first decision there.

    `mine`: places of the bands that are marked as those of the fragment in view.
    """

    def picked(row: int, column: int) -> None:
        if row < 0:
            on_head(found.columns[column].first)
        elif (cell := found.cells[row][column]) is not None:
            on_pick(cell)
        else:
            on_head(found.columns[column].first)

    columns = found.columns
    data = {
        "corner": "lines",
        "unsent": "not sent",
        "dense": len(columns) > _DENSE,
        "keys": [key_text(each.first) for each in columns],
        "columns": [_column(each) for each in columns],
        "sent": [each.sent for each in columns],
        "rows": _bands(found, mine),
        "looks": _looks(LINE_STATES),
    }
    _draw(data, len(found.bands), len(columns), picked, key)


def legend(found: Matrix) -> Node:
    """The states that occur, each with its letter and what it means; then the marks."""
    used = {state for row in found.rows for state in (*row.states, *row.recorded) if state}
    used |= {state for row in found.rows for counts in row.counts for state in counts}
    asks = {ask for row in found.rows for ask in row.asks if ask}
    changed = any(row.recorded and row.recorded != row.states for row in found.rows)
    mixed = any(len(counts) > 1 for row in found.rows for counts in row.counts)
    return _legend(STATES, used, asks, changed=changed, mixed=mixed)


def lines_legend(found: LineMap) -> Node:
    """The same for the map of a file."""
    used = {cell.state for row in found.cells for cell in row if cell is not None}
    return _legend(LINE_STATES, used, {ask for row in found.asks for ask in row if ask})


def _legend(
    looks: Mapping[str, Look], used: set[Any], asks: set[Any], *, changed: bool = False, mixed: bool = False
) -> Node:
    keys: list[Node] = [
        el(
            "span",
            el("b", look.letter, cls=f"state {look.shape or state}"),
            f" {look.word}",
            tip=look.means,
            cls="nowrap",
        )
        for state, look in looks.items()
        if state in used
    ]
    if "requested" in asks:
        keys.append(el("span", el("b", "+", cls="info"), " asked for here", cls="nowrap"))
    if "repeated" in asks:
        keys.append(el("span", el("b", "↻", cls="bad"), " asked for again here", cls="nowrap"))
    if mixed:
        text = " several prompts: shares from below, letter of the least delivered"
        keys.append(el("span", el("b", "A", cls="state mixed"), text, cls="nowrap"))
    if changed:
        keys.append(el("span", el("b", "≠", cls="bad"), " not as recorded", cls="nowrap"))
    return el("div", *keys, cls="row small legend")


def _draw(data: dict[str, Any], rows: int, columns: int, picked: Callable[[int, int], None], key: str) -> None:
    def clicked() -> None:
        cell = event(key, "cell")
        row, column = (cell.get("row"), cell.get("col")) if isinstance(cell, dict) else (None, None)
        if isinstance(row, int) and isinstance(column, int) and -1 <= row < rows and -1 <= column < columns:
            picked(row, column)

    _COMPONENT(key=key, data=data, on_cell_change=clicked)


def _looks(looks: Mapping[str, Look]) -> dict[str, dict[str, str]]:
    return {
        state: {"word": look.word, "letter": look.letter, "color": look.color, "shape": look.shape or state}
        for state, look in looks.items()
    }


def _column(column: Column) -> str:
    if column.count == 1:
        return f"decision {decision_name(column.first)}"
    return f"decisions {decision_name(column.first)} to {decision_name(column.last)}"


def _row(row: Row, found: Matrix) -> dict[str, object]:
    cells = list(zip(row.counts, found.prompts, found.columns, strict=True)) if row.counts else []
    return {
        "id": inert(row.fragment),
        "hint": inert(row.lookup),
        "name": one_line(row.fragment),
        "tip": one_line(f"{row.fragment}: {row.lookup}"),
        "states": list(row.states),
        "recorded": list(row.recorded),
        "asks": list(row.asks),
        "said": [counts_text(counts, sent) if column.count > 1 else "" for counts, sent, column in cells],
        "mixed": [_shares(counts) if len(counts) > 1 else None for counts, _, _ in cells],
    }


def _shares(counts: Counts) -> list[tuple[str, float]]:
    """Where in a cell each of its states ends, in percent from below: as their numbers are, but none too small to be seen."""
    seen = [max(count / sum(counts.values()), _SEEN) for count in counts.values()]
    ends = [round(100 * end / sum(seen), 1) for end in accumulate(seen)]
    return list(zip(counts, ends, strict=True))


def _bands(found: LineMap, mine: Collection[int]) -> list[dict[str, object]]:
    most = max((band.lines for band in found.bands), default=1)
    several = len(found.file.versions) > 1
    rows: list[dict[str, object]] = []
    for number, (band, cells, asks) in enumerate(zip(found.bands, found.cells, found.asks, strict=True)):
        first = number == 0 or found.bands[number - 1].version != band.version
        version = found.file.versions[band.version].hash
        name = f"{band.start:,}" if band.start == band.end else f"{band.start:,}–{band.end:,}"
        rows.append(
            {
                "id": name,
                "hint": f"{band.lines:,} lines" if band.lines > 1 else "1 line",
                "name": f"lines {name}",
                "tip": f"{band.lines:,} lines that lookups returned between {band.start:,} and {band.end:,}",
                "mine": number in mine,
                "group": inert(f"version {version or 'without a hash'}") if first and several else "",
                "height": round(_LOW + (_HIGH - _LOW) * band.lines / most),
                "states": [None if cell is None else cell.state for cell in cells],
                "notes": [_note(cell) for cell in cells],
                "asks": list(asks),
            }
        )
    return rows


def _note(cell: Cell | None) -> str | None:
    return None if cell is None else f"{cell.received:,} of {cell.asked:,} lines"
