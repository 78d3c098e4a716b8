"""The evidence matrix as a table that can be clicked: colour, letter and shape for each state of delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.wording import key_text

from . import assets
from .palette import STATES
from .panel import el, inert, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.matrix import Matrix, Row
    from core.model import DecisionKey

    from .panel import Node

_COMPONENT = st.components.v2.component(
    "investigation_inspector_matrix",
    html='<div class="matrix" role="region" aria-label="Evidence matrix"></div>',
    css=assets.read("inert.css", "matrix.css"),
    js=assets.read("inert.js", "matrix.js"),
)


def matrix(found: Matrix, *, on_pick: Callable[[DecisionKey, str | None], None], key: str) -> None:
    """Draw the matrix. A click on a cell gives its decision and fragment, one on a column's head its decision."""

    def picked() -> None:
        cell = st.session_state[key].get("cell")
        row, column = (cell.get("row"), cell.get("col")) if isinstance(cell, dict) else (None, None)
        if isinstance(column, int) and isinstance(row, int) and 0 <= column < len(found.keys) and row < len(found.rows):
            on_pick(found.keys[column], found.rows[row].fragment if row >= 0 else None)

    data = {
        "keys": [key_text(each) for each in found.keys],
        "sent": list(found.sent),
        "rows": [_row(row) for row in found.rows],
        "looks": {
            state: {"word": look.word, "letter": look.letter, "color": look.color} for state, look in STATES.items()
        },
    }
    _COMPONENT(key=key, data=data, on_cell_change=picked)


def legend(found: Matrix) -> Node:
    """The states that occur, each with its letter and what it means; then the marks."""
    used = {state for row in found.rows for state in row.states if state}
    keys: list[Node] = [
        el("span", el("b", look.letter, cls=f"state {state}"), f" {look.word}", tip=look.means, cls="nowrap")
        for state, look in STATES.items()
        if state in used
    ]
    asks = {ask for row in found.rows for ask in row.asks if ask}
    if "requested" in asks:
        keys.append(el("span", el("b", "+", cls="info"), " asked for here", cls="nowrap"))
    if "repeated" in asks:
        keys.append(el("span", el("b", "↻", cls="bad"), " asked for again here", cls="nowrap"))
    return el("div", *keys, cls="row small legend")


def _row(row: Row) -> dict[str, object]:
    return {
        "id": inert(row.fragment),
        "hint": inert(row.lookup),
        "name": one_line(row.fragment),
        "tip": one_line(f"{row.fragment}: {row.lookup}"),
        "states": list(row.states),
        "asks": list(row.asks),
    }
