"""Decisions: what one decision received, and what became of it; step with keys, buttons, the slider or the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.grade import prompt_text
from pages.parts import finder, side, state, viewer
from pages.parts.panel import el, panel

if TYPE_CHECKING:
    from collections.abc import Callable

state.through_app()

MODES = {
    "received": "As received",
    "changed": "What changed",
    "raw": "Stored objects",
}
ABOUT = {
    "received": "Step with ← → or j k, search with /, click a coloured block for its fragment.",
    "changed": "Against the prompt sent before: what entered, what was kept, and, struck out, what left.",
    "raw": "The stored message objects as canonical JSON, a row for each member; a copy is exactly what is stored.",
}


@st.fragment
def body() -> None:
    """Everything that a step redraws. It writes its own address, because a fragment runs without app.py."""
    state.follow()
    count, place = len(state.decisions()), state.position()
    bar(count, place)
    left, right = st.columns([1.75, 1], gap="medium")
    with left:
        group = state.payload_group(state.view()["mode"])
        done = prompt(count, place, group)
        finder.everywhere()
    with right:
        side.panels(place)
    state.end()
    done()
    if group != state.payload_group(state.view()["mode"]):  # the fragments were found while this was drawn
        st.rerun()


def bar(count: int, place: int) -> None:
    """The mode, and the slider."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        state.set_widget("decisions-mode", state.view()["mode"])
        st.segmented_control(
            "Show",
            list(MODES),
            format_func=MODES.__getitem__,
            key="decisions-mode",
            on_change=lambda: state.change(mode=state.widget("decisions-mode") or "received"),
            label_visibility="collapsed",
        )
        if count > 1:
            state.set_widget("decisions-slider", place + 1)
            st.slider(
                "Decision",
                1,
                count,
                key="decisions-slider",
                on_change=lambda: move(state.widget("decisions-slider") - 1, more=False),
                label_visibility="collapsed",
            )
    mode = state.view()["mode"]
    said = prompt_text(state.decision_at(place), state.decision_grade(place)) if mode == "received" else ""
    title = state.investigation().title or "(no title)"
    panel(
        el("p", title, cls="line small", tip=title),
        el("p", f"{said} {ABOUT[mode]}".strip(), cls="dim small any"),
        key="decisions-about",
    )


def prompt(count: int, place: int, group: str) -> Callable[[], None]:
    """The prompt as one scrollable text."""
    mode = state.view()["mode"]
    return viewer.prompts(
        group=group,
        place=place,
        count=count,
        payload_of=lambda near: state.payload(near, mode, group),
        focus=state.view()["fragment"],
        nonce=state.nonce(),
        visit=state.visit(),
        compared=mode == "changed",
        find=state.to_find(),
        on_step=lambda to, more: move(to, more=more),
        on_pick=lambda fragment: state.change(fragment=fragment),
        key="decisions-viewer",
    )


def move(place: int, *, more: bool) -> None:
    """Another decision comes into view; while a key is held (`more`) the address waits."""
    state.change(decision=state.decisions()[place].key)
    state.hold_address(still=more)


if len(state.decisions()) == 0:
    panel(
        el("h2", "No decisions"),
        el(
            "p",
            "This package holds no decisions, so there is no prompt to show. Open another one in the sidebar.",
            cls="card",
        ),
        key="decisions-empty",
    )
else:
    body()
