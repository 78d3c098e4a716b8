"""Formats: what stored contexts cost in each encoding of the working view, and one view in two encodings side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.codec import CODECS
from core.commands.measure import json_text
from core.measure import as_rows
from core.measure.tables import NO_TOKENS
from core.spreadsheet import csv_text
from pages.parts import asked, formats_shown, frame, labels, measured, state, twice
from pages.parts.panel import el, panel

if TYPE_CHECKING:
    from core.measure import Measurement

state.through_app()

VIEWS = {"recorded": "as recorded", "built": "built views"}

investigation = state.investigation()


def head() -> None:
    """What the page shows, and what its figures are not."""
    panel(
        el("h2", "Formats"),
        el(
            "p",
            "What each stored context weighs in each encoding of the working view, with exact reconstruction proven on "
            "every one. No request is made.",
            cls="dim",
        ),
        el("div", *labels.origins(investigation), cls="row"),
        key="formats-head",
    )


def chosen_formats() -> tuple[str, ...]:
    """The encodings that the address names; those that this version does not know are said and left out."""
    named = state.view()["formats"]
    known = tuple(name for name in asked.ENCODINGS if name in named)
    if len(known) < len(named):
        unknown = ", ".join(name for name in named if name not in asked.ENCODINGS)
        known = known or tuple(asked.ENCODINGS)[-2:]
        frame.note(
            f"There is no encoding {unknown} here yet; shown: {', '.join(known)}.", key="formats-unknown-encoding"
        )
        state.correct(formats=known)
    return known


def controls(names: tuple[str, ...], *, tokens: bool, recorded: bool, views: bool) -> None:
    """Encodings, text, unit, and recorded or built views; all of them in the address."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        state.set_widget("formats-encodings", list(names))
        st.pills(
            "Encodings",
            list(asked.ENCODINGS),
            selection_mode="multi",
            key="formats-encodings",
            on_change=_encodings_given,
        )
        _switch("Text", formats_shown.TEXTS, "text", state.view()["text"])
        units = {name: word for name, word in formats_shown.UNITS.items() if tokens or name != "tokens"}
        _switch("Unit", units, "unit", unit_of(tokens=tokens))
        if views:
            _switch("Views", VIEWS, "views", "recorded" if recorded else "built")


def _switch(title: str, choices: dict[str, str], name: str, value: str) -> None:
    key = f"formats-{name}"
    state.set_widget(key, value)
    st.segmented_control(
        title,
        list(choices),
        format_func=choices.__getitem__,
        key=key,
        on_change=lambda: state.change(**{name: state.widget(key) or value}),
    )


def _encodings_given() -> None:
    given = state.widget("formats-encodings")
    if given:
        state.change(formats=tuple(name for name in asked.ENCODINGS if name in given), sides=None)


def unit_of(*, tokens: bool) -> str:
    """The unit of the address; bytes where it asks for tokens that cannot be counted."""
    unit: str = state.view()["unit"]
    if unit == "tokens" and not tokens:
        frame.note(f"{NO_TOKENS} Bytes are shown.", key="formats-no-tokens")
        state.correct(unit="bytes")
        return "bytes"
    return unit


def downloads(found: Measurement) -> None:
    """The same figures as files."""
    name = state.view()["package"] or "package"
    st.download_button(
        "Download JSON",
        json_text(found) + "\n",
        file_name=f"{name}-formats.json",
        mime="application/json",
        key="formats-json",
        on_click="ignore",
        width="stretch",
    )
    st.download_button(
        "Download CSV",
        csv_text(as_rows.heads(found), as_rows.rows(found)),
        file_name=f"{name}-formats.csv",
        mime="text/csv",
        key="formats-csv",
        on_click="ignore",
        width="stretch",
    )


def page() -> None:
    """The whole page."""
    names = chosen_formats()
    versions = tuple(asked.ENCODINGS[name] for name in names)
    held = state.held()
    stored = asked.formats(held)
    gaps = any(each not in CODECS for each in stored)
    asked_for = state.view()["views"]
    recorded = asked_for == "recorded" or (asked_for is None and any(each in CODECS for each in stored))
    built = gaps and not recorded
    found = measured.measured(held, versions, built=built)
    tokens = all(figures.user.tokens is not None for row in found.measured for figures in row.versions.values())
    tokens = tokens and bool(found.measured)
    controls(names, tokens=tokens, recorded=not built, views=gaps)
    left, right = st.columns([6, 1], gap="medium")
    with left:
        formats_shown.caveats(found, built=built)
    with right:
        downloads(found)
    text_name, unit = state.view()["text"], state.view()["unit"]
    if not found.measured:
        formats_shown.nothing_measured(found)
        return
    formats_shown.facts(found, text_name, unit)
    formats_shown.sizes(found, text_name, unit)
    formats_shown.totals(found)
    formats_shown.components(found)
    formats_shown.fallbacks(found)
    twice.beside(names)


head()
if len(state.decisions()) == 0:
    panel(
        el(
            "p",
            "This package holds no decisions, so there is no context to measure. Open another one in the sidebar.",
            cls="card",
        ),
        key="formats-empty",
    )
else:
    page()
