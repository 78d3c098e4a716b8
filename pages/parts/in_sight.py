"""The decisions in sight of the overview: its charts' span, in fields and buttons that a keyboard reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.neighbours import beside, place_of, wider, with_end

from . import state
from .panel import el, panel
from .sizes import decision_name, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.model import DecisionKey

    from .panel import Node

_OUT: Final = 3
"""How many times as many decisions come in sight with one step out."""
_AROUND: Final = 60
"""Decisions on each side of the one that is gone to."""


def show(places: range) -> None:
    """Bring these decisions in sight. For callbacks."""
    state.change(span=state.spanned(places))


def controls(keys: Sequence[DecisionKey], told: DecisionKey | None) -> None:
    """What is in sight of all decisions, and how to see others; `told`: the decision that the verdict is about."""
    places, total = state.span(), len(keys)
    first, last = keys[places[0]], keys[places[-1]]
    whole = len(places) == total
    said = f"All {total:,} decisions" if whole else f"{many(len(places), 'decision')} of {total:,} in sight"
    panel(
        el(
            "div",
            el("b", f"{said}: {decision_name(first)} to {decision_name(last)}"),
            el("span", "Drag over the bars to look closer.", cls="dim small"),
            _to(keys, told),
            cls="row",
        ),
        key="overview-span",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="overview-span-fields"):
        _field("From decision", keys, places, last=False)
        _field("To decision", keys, places, last=True)
        _button("Earlier", beside(places, total, -1), places)
        _button("Later", beside(places, total, 1), places)
        _button("Zoom out", wider(places, total, _OUT), places)
        _button("Whole run", range(total), places)


def _button(word: str, target: range, places: range) -> None:
    st.button(word, key=f"overview-{word}", on_click=show, args=(target,), disabled=target == places)


def _field(word: str, keys: Sequence[DecisionKey], places: range, *, last: bool) -> None:
    """One end of what is in sight, by its index."""
    name = f"overview-span-{word}"

    def given() -> None:
        index = state.widget(name)
        if index is not None:
            show(with_end(places, len(keys), place_of(keys, int(index), last=last), last=last))

    state.set_widget(name, keys[places[-1 if last else 0]][0])
    low, high = min(keys)[0], max(keys)[0]
    st.number_input(word, low, high, step=1, key=name, on_change=given, width=120)


def _to(keys: Sequence[DecisionKey], told: DecisionKey | None) -> Node | None:
    """A link that brings the decision of the verdict in sight, with those around it."""
    if told is None or told not in keys:
        return None
    place = keys.index(told)
    around = range(max(0, place - _AROUND), min(len(keys), place + _AROUND))
    return el(
        "a",
        f"Look at the verdict's decision, {decision_name(told)}",
        act=lambda: show(around),
        href=state.href("overview", span=state.spanned(around)),
    )
