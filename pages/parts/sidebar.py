"""The sidebar: the menu, the package in hand, what else can be opened, and the upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import InspectorError
from core.limits import MAX_UPLOAD_BYTES, MIB

from . import checks, holding, labels, parts, state
from .panel import Node, el, panel
from .sizes import many, size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamlit.navigation.page import StreamlitPage

    from .catalogue import Entry
    from .holding import Held

_LISTED: Final = 200
_LISTED_OF_ARCHIVE: Final = 12
_LOOKED_EVERY: Final = 4.0
"""Seconds between two looks at a file that may grow."""
_GROUPS: Final = (
    ("argument", "Opened with the app"),
    ("sample", "Samples"),
    ("archive", "Archive"),
    ("upload", "Your uploads"),
)


def menu(pages: Mapping[str, StreamlitPage], current: str) -> None:
    """The pages; each opens with the view in hand. The archive is there where the server has one."""
    shown = [name for name in pages if name != "archive" or state.offer().folders or name == current]
    with st.sidebar:
        panel(
            el("div", *(_page(name, pages[name].title, name == current) for name in shown), cls="list tight"),
            key="ii-menu",
        )


def _page(name: str, title: str, current: bool) -> Node:
    return el("a", el("b", title), act=lambda: state.go(name), href=state.href(name), current=current)


def in_hand(package: Held) -> None:
    """The package in hand: title, recorded or rebuilt, who replied, decisions, problems and how far it is checked."""
    found = package.investigation
    with st.sidebar:
        panel(
            el("h4", "In hand"),
            el("h3", found.title or "(no title)", cls="clamp", tip=found.title),
            el("div", *labels.origins(found), cls="row"),
            el(
                "p",
                f"{many(len(found.decisions), 'decision')}, {many(len(found.fragments), 'fragment')}",
                cls="dim small",
            ),
            key="ii-in-hand",
        )
        parts.chooser(package)
        checks.badge()


def growth(package: Held) -> None:
    """Say that the file in hand has grown since this session opened it, as soon as that is noticed."""
    if package.entry.origin in ("argument", "archive"):
        with st.container(key="ii-growth-place", gap=None):
            st.fragment(_growth, run_every=_LOOKED_EVERY)()


def _growth() -> None:
    if state.asked_anew():
        st.rerun()
    try:
        found = state.grown()
    except InspectorError:
        return
    if found is None:
        return
    before, now = found
    panel(
        el(
            "div",
            el("p", f"This file grew since you opened it: {size(before)} then, {size(now)} now."),
            el("button", "Show what is new", act=state.read_again),
            cls="card info row apart",
        ),
        key="ii-growth",
    )


def packages() -> None:
    """What else can be opened, one line each, and the upload."""
    entries = state.entries()
    with st.sidebar:
        panel(*_groups(entries), key="ii-packages")
        _upload()


def _groups(entries: Sequence[Entry]) -> list[Node]:
    nodes: list[Node] = []
    current = state.view()["package"]
    earlier = state.opened_before()
    if earlier:
        nodes.append(el("h4", "Recent"))
        nodes.append(el("div", *(_line(entry, current=False, part=part) for entry, part in earlier), cls="list low"))
    for origin, heading in _GROUPS:
        group = [entry for entry in entries if entry.origin == origin]
        if not group:
            continue
        shown = group[:_LISTED]
        if origin == "archive" and len(group) > _LISTED_OF_ARCHIVE:
            shown = [entry for entry in group if entry.id == current]
        nodes.append(el("h4", heading))
        nodes.append(el("div", *(_line(entry, current=entry.id == current) for entry in shown), cls="list"))
        if len(shown) < len(group):
            nodes.append(_more(origin, len(group)))
    return nodes


def _more(origin: str, count: int) -> Node:
    if origin != "archive":
        return el("p", f"{count - _LISTED:,} more; name one in the address as package=...", cls="dim small")
    words = f"All {many(count, 'file')} of the archive →"
    return el("a", words, act=lambda: state.go("archive"), href=state.href("archive"), cls="small")


def _line(entry: Entry, *, current: bool, part: int = 1) -> Node:
    chosen = {"package": entry.id} | ({"part": part} if part > 1 else {})

    def choose() -> None:
        state.change(**chosen)
        if state.page() == "archive":
            state.go("overview")

    about = holding.about(entry) or (f"investigation {part} of the file" if part > 1 else "")
    return el(
        "a",
        el("b", entry.name),
        el("small", about) if about else None,
        act=choose,
        href=state.href("overview", **dict.fromkeys(state.OF_PACKAGE) | chosen),
        current=current,
    )


def _upload() -> None:
    def arrived() -> None:
        file = st.session_state["ii-upload"]
        if file is not None:
            state.take_upload(file.name, file.getvalue())

    st.file_uploader(
        f"Open a package (.zip) or a recording, up to {MAX_UPLOAD_BYTES // MIB} MB",
        key="ii-upload",
        on_change=arrived,
        help="Drop a file here. Its name and ending do not matter. It is kept in a private temporary folder for this session only.",
    )
    refused = state.refused_upload()
    if refused is not None:
        _refused(refused)


def _refused(error: InspectorError) -> None:
    panel(
        el(
            "div",
            el("b", "This file was not opened"),
            el("p", f"{error.file}: {error.message}" if error.file else error.message, cls="any"),
            el("p", f"Looked for: {error.expected}", cls="dim small any") if error.expected else None,
            el("p", f"Found: {error.found}", cls="dim small any") if error.found else None,
            cls="card bad",
        ),
        key="ii-refused",
    )
