"""The sidebar: the menu, the package in hand, what else can be opened, and the upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.errors import InspectorError
from core.limits import MAX_UPLOAD_BYTES, MIB

from . import archived, checks, holding, labels, parts, state
from .panel import Node, el, panel
from .sizes import many, size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamlit.navigation.page import StreamlitPage

    from .catalogue import Entry, Origin
    from .holding import Held

_LISTED: Final = 200
_LISTED_OF_ARCHIVE: Final = 12
_LOOKED_EVERY: Final = 4.0
"""Seconds between two looks at a file that may grow."""
_GROUPS: Final[tuple[tuple[Origin, str], ...]] = (
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
            *_names(package),
            el("div", *labels.origins(found), cls="row"),
            el(
                "p",
                f"{many(len(found.decisions), 'decision')}, {many(len(found.fragments), 'fragment')}",
                cls="dim small",
            ),
            key="ii-in-hand",
        )
        checks.badge()


def _names(package: Held) -> tuple[Node | None, ...]:
    """The title of a package, which its recorder chose; of another agent's recording the file's name first."""
    name, title = package.entry.name, package.investigation.title
    if package.investigation.reader == "package":
        return el("h3", title or "(no title)", cls="clamp", tip=title), None
    return el("h3", name, cls="clamp any", tip=name), el(
        "p", title, cls="dim small clamp2", tip=title
    ) if title else None


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


def packages(package: Held | None = None) -> None:
    """The upload, the investigations of the file in hand, and what else can be opened, one line each."""
    entries = state.entries()
    with st.sidebar:
        _upload()  # above what may be long: it is in sight on a laptop
        if package is not None:
            parts.chooser(package)
        panel(*_groups(entries), key="ii-packages")


def _groups(entries: Sequence[Entry]) -> list[Node]:
    nodes: list[Node] = []
    current = state.view()["package"]
    earlier = state.opened_before()
    if earlier:
        nodes.append(el("h4", "Recent"))
        nodes.append(el("div", *(_line(entry, current=False, part=part) for entry, part in earlier), cls="list low"))
    for origin, heading in _GROUPS:
        group = [entry for entry in entries if entry.origin == origin]
        if origin == "archive":
            nodes += _archive(group, current)
        elif group:
            nodes.append(el("h4", heading))
            lines = (_line(entry, current=entry.id == current) for entry in group[:_LISTED])
            nodes.append(el("div", *lines, cls="list"))
            if len(group) > _LISTED:
                rest = f"{len(group) - _LISTED:,} more; name one in the address as package=..."
                nodes.append(el("p", rest, cls="dim small"))
    return nodes


def _archive(group: Sequence[Entry], current: str | None) -> list[Node]:
    """The archive's recordings, where they are few; where they are many how many, as far as that is known."""
    gone = [folder.name for folder in state.offer().folders if not folder.is_dir()]
    if not group and not gone:
        return []
    nodes: list[Node] = [el("h4", "Archive")]
    nodes += [el("p", f"{name}: there is no such folder", cls="small any") for name in gone]
    none = state.archive_none()
    few = len(group) - len(none) <= _LISTED_OF_ARCHIVE
    shown = [entry for entry in group if entry.id == current or (few and entry.id not in none)]
    if shown:
        nodes.append(el("div", *(_line(entry, current=entry.id == current) for entry in shown), cls="list"))
    if group:
        words = archived.counted(state.archive_known())
        link = el("a", "The archive →", act=lambda: state.go("archive"), href=state.href("archive"), cls="small")
        nodes.append(el("div", el("p", words, cls="dim small"), link))
    return nodes


def _line(entry: Entry, *, current: bool, part: int | None = None) -> Node:
    chosen = {"package": entry.id} | ({} if part is None else {"part": part})

    def choose() -> None:
        state.change(**chosen)
        if state.page() == "archive":
            state.go("overview")

    about = holding.about(entry, part)
    return el(
        "a",
        el("b", entry.name),
        el("span", "not there", cls="tag bad") if entry.missing else None,
        el("small", about) if about else None,
        act=choose,
        href=state.href("overview", **dict.fromkeys(state.OF_PACKAGE) | chosen),
        current=current,
    )


def _upload() -> None:
    def arrived() -> None:
        file = st.session_state["ii-upload"]
        if file is not None:
            state.take_upload(file.file_id, file.name, file.getvalue())

    st.file_uploader(
        f"Open a package (.zip) or a recording, up to {MAX_UPLOAD_BYTES // MIB} MB",
        key="ii-upload",
        on_change=arrived,
        help="Drop a file here. Its name and ending do not matter. It is kept in a private temporary folder for this session only.",
    )
    if state.refused_upload() is not None:
        panel(el("p", "Not opened: the page says why.", cls="small"), key="ii-refused-here")


def refused() -> None:
    """In the page's own column, where it is seen: why the last upload was not opened."""
    error = state.refused_upload()
    if error is None:
        return
    panel(
        el(
            "div",
            el(
                "div",
                el("b", "This file was not opened"),
                el("button", "Close", act=state.forget_refused),
                cls="row apart",
            ),
            el("p", f"{error.file}: {error.message}" if error.file else error.message, cls="any"),
            el("p", f"Looked for: {error.expected}", cls="dim small any") if error.expected else None,
            el("p", f"Found: {error.found}", cls="dim small any") if error.found else None,
            cls="card bad",
        ),
        key="ii-refused",
    )
