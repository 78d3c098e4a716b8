"""What stands around every page: the menu, the sidebar, messages about the address, and errors as messages."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import InspectorError

from . import jobs, sidebar, state
from .panel import el, panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamlit.navigation.page import StreamlitPage

    from .jobs import Job
    from .opening import Opened

WITHOUT_PACKAGE: Final = ("archive",)
"""Pages that show something else than the package in hand: they are there while it is opened, or cannot be."""
_HERE: Final = Path(__file__).parent
ICON: Final = _HERE / "icon.svg"
_STYLE: Final = f"<style>{(_HERE / 'app.css').read_text(encoding='utf-8')}</style>"


def run(page: StreamlitPage, pages: Mapping[str, StreamlitPage]) -> None:
    """Draw one run of the app: read the address, draw the frame and the page, write the address."""
    name = next((each for each, known in pages.items() if known == page), next(iter(pages)))
    st.html(_STYLE)
    state.begin(name)
    state.follow()
    sidebar.menu(pages, name)
    if name in WITHOUT_PACKAGE:
        sidebar.packages()
        said()
        page.run()
        state.end()
        return
    try:
        opening = state.opening()
        if not opening.finished(jobs.AT_ONCE):
            _opening(opening)
        package = state.held()
        state.settle()
    except InspectorError as error:
        sidebar.packages()
        _cannot_open(error)
        state.end()
        return
    sidebar.in_hand(package)
    sidebar.packages(package)
    said()
    sidebar.growth(package)
    try:
        page.run()
    except InspectorError as error:
        trouble("This page cannot be shown for this package.", error)
    state.end()


def _opening(opening: Job[Opened]) -> None:
    """How far the opening of a long file is; the sidebar offers everything else meanwhile. Ends this run."""
    sidebar.packages()
    said()
    chosen = state.entry()
    panel(
        el("h2", "Opening", cls="clamp"),
        el("p", chosen.name if chosen else "", cls="any"),
        el("p", "It goes on while you look at something else: choose anything in the sidebar.", cls="dim small"),
        el("button", "Stop", act=state.stop_opening),
        key="ii-opening",
    )
    with suppress(InspectorError):  # said where it is asked for again
        jobs.wait(opening, "Reading the file")
    state.keep_messages()
    st.rerun()


def said() -> None:
    """Say what was wrong with an upload and with the address, and what is shown instead."""
    sidebar.refused()
    messages = state.messages()
    if messages:
        panel(el("div", *(el("p", text) for text in messages), cls="card warn"), key="ii-said")


def note(text: str, *, key: str) -> None:
    """Say what is shown instead of what the address names."""
    panel(el("div", el("p", text, cls="any"), cls="card warn"), key=key)


def trouble(what: str, error: InspectorError, advice: str = "") -> None:
    """An error as a message: what failed, where, what was expected and found, and what to do."""
    place = ", ".join(part for part in (error.file, f"line {error.line}" if error.line else None) if part)
    rows = (("Where", place), ("What", error.message), ("Expected", error.expected), ("Found", error.found))
    facts = [node for label, text in rows if text for node in (el("dt", label), el("dd", text, cls="any"))]
    panel(
        el(
            "div",
            el("h3", what),
            el("dl", *facts),
            el("p", advice) if advice else None,
            cls="card bad",
        ),
        key=f"ii-trouble-{what}",
    )


def _cannot_open(error: InspectorError) -> None:
    said()
    trouble(
        "This package cannot be opened.",
        error,
        "Choose another one in the sidebar, or upload a .zip package or a recording there.",
    )
