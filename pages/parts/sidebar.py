"""The sidebar: the menu, the package in hand, what else can be opened, and the upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.limits import MAX_UPLOAD_BYTES, MIB

from . import checks, holding, labels, state
from .panel import Node, el, panel
from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamlit.navigation.page import StreamlitPage

    from core.errors import InspectorError

    from .catalogue import Entry
    from .holding import Held

_LISTED: Final = 200
_GROUPS: Final = (
    ("argument", "Opened with the app"),
    ("sample", "Samples"),
    ("archive", "Archive"),
    ("upload", "Your uploads"),
)


def menu(pages: Mapping[str, StreamlitPage], current: str) -> None:
    """The pages; each opens with the view in hand."""
    with st.sidebar:
        panel(
            el("div", *(_page(name, page.title, name == current) for name, page in pages.items()), cls="list tight"),
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
        if len(package.parts) > 1:
            _parts(package)
        checks.badge()


def packages() -> None:
    """What else can be opened, one line each, and the upload."""
    entries = state.entries()
    with st.sidebar:
        panel(*_groups(entries), key="ii-packages")
        _upload()


def _groups(entries: Sequence[Entry]) -> list[Node]:
    nodes: list[Node] = []
    current = state.view()["package"]
    for origin, heading in _GROUPS:
        group = [entry for entry in entries if entry.origin == origin]
        if not group:
            continue
        nodes.append(el("h4", heading))
        nodes.append(el("div", *(_line(entry, entry.id == current) for entry in group[:_LISTED]), cls="list"))
        if len(group) > _LISTED:
            nodes.append(
                el("p", f"{len(group) - _LISTED:,} more; name one in the address as package=...", cls="dim small")
            )
    return nodes


def _line(entry: Entry, current: bool) -> Node:
    def choose() -> None:
        state.change(package=entry.id)

    about = holding.about(entry)
    return el(
        "a",
        el("b", entry.name),
        el("small", about) if about else None,
        act=choose,
        href=state.href("overview", **dict.fromkeys(state.OF_PACKAGE), package=entry.id),
        current=current,
    )


def _parts(package: Held) -> None:
    def chosen() -> None:
        state.change(part=st.session_state["ii-part"], decision=None, fragment=None)

    st.selectbox(
        f"{len(package.parts)} investigations in this file",
        range(1, len(package.parts) + 1),
        index=package.part - 1,
        format_func=lambda part: f"{part}: {many(len(package.parts[part - 1].decisions), 'decision')}",
        key="ii-part",
        on_change=chosen,
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
        help="Kept in a private temporary folder for this session only.",
    )
    refused = state.refused_upload()
    if refused is not None:
        _refused(refused)


def _refused(error: InspectorError) -> None:
    panel(el("p", str(error), cls="card bad any"), key="ii-refused")
