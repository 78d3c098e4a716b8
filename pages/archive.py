"""Archive: every recording in the server's folders, the stalled ones first; a click opens one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import archived, labels, state
from pages.parts.addresses import ARCHIVE_SHOWN
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import many
from pages.parts.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pages.parts.archived import Archived, Row
    from pages.parts.listing import Seen

state.through_app()

EVERY = 1.0
AT_FIRST = 200
MORE = 500
COLUMNS = {
    "name": "name",
    "date": "date",
    "reader": "reader",
    "calls": "calls",
    "repeats": "repeats",
    "stalled": "verdict",
    "problems": "problems",
}
SHOWN = {
    "all": "All",
    "stalled": "Stalled",
    "looped": "Looped",
    "repeated": "With repeats",
    "problems": "With problems",
}


def page() -> None:
    """Head, controls and list; the list draws itself again while files are being read."""
    panel(
        el("h2", "Archive"),
        el("p", "Every recording in the folders that this server was started with. Choose one to open it.", cls="dim"),
        key="archive-head",
    )
    if not state.offer().folders:
        panel(
            el(
                "p",
                "This server was started without an archive folder. Start it with --archive-dir and a folder of packages or recordings, "
                "or name a folder behind --.",
                cls="card",
            ),
            key="archive-none",
        )
        return
    controls()
    seen = state.archive_seen()
    st.fragment(lambda: listed(was_running=seen.running), run_every=EVERY if seen.running else None)()
    left_out()


def controls() -> None:
    """Which rows are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.text_input(
            "Filter",
            key="archive-filter",
            max_chars=200,
            placeholder="filter by name, title, reader or verdict",
            label_visibility="collapsed",
        )
        state.set_widget("archive-listed", state.view()["listed"])
        st.segmented_control(
            "Show",
            ARCHIVE_SHOWN,
            format_func=SHOWN.__getitem__,
            key="archive-listed",
            on_change=lambda: state.change(listed=state.widget("archive-listed") or "all"),
            label_visibility="collapsed",
        )


def listed(*, was_running: bool) -> None:
    """The rows that are known, and how far the reading is."""
    state.follow()
    seen = state.archive_seen()
    found = archived.archived(state.archive_entries(), seen)
    progress(seen, found)
    rows(found)
    state.end()
    if was_running and not seen.running:
        st.rerun()  # once more as a whole: what could not be listed is known by now


def progress(seen: Seen, found: Archived) -> None:
    """How many files are read, and the way to stop or to go on."""
    done = len(seen.answers)
    if not (seen.running or seen.stopped):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        said = f"{done:,} of {many(seen.total, 'file')} read, {many(found.recordings, 'recording')} so far"
        st.progress(done / seen.total if seen.total else 0.0, said if seen.running else f"Stopped: {said}")
        if seen.running:
            st.button("Stop", key="archive-stop", on_click=state.stop_archive)
        else:
            st.button("Go on", key="archive-go-on", on_click=state.read_archive_on)


def rows(found: Archived) -> None:
    """The table."""
    view = state.view()
    wanted = archived.chosen(
        found.rows,
        state.widget("archive-filter") or "",
        view["listed"],
        view["sort"],
        turned=view["order"] == "turned",
    )
    limit = state.remembered("archive-limit", AT_FIRST)
    if not wanted:
        said = "No recording matches." if found.rows else "No recording is known yet."
        panel(el("p", said, cls="dim"), key="archive-empty")
        return
    stalled = sum(row.listed.stalled for row in wanted)
    loops = sum(row.listed.looped and not row.listed.stalled for row in wanted)
    looped = f", {loops:,} looped" if loops else ""
    files = len({row.entry.id for row in wanted})
    several = {row.entry.id for row in found.rows if row.listed.part > 1}
    inside = "" if files == len(wanted) else f" ({many(len(wanted), 'investigation')})"
    rest_of_files = archived.apart(state.archive_known())
    rest = len(wanted) - limit
    drawn = table(
        [heading(name) for name in COLUMNS],
        [cells(row, several=row.entry.id in several) for row in wanted[:limit]],
        numbers=(3, 4, 6),
    )
    panel(
        el(
            "p",
            f"{many(files, 'recording')}{inside}, {stalled:,} stalled{looped}{rest_of_files}.",
            cls="small",
        ),
        drawn | {"c": "scroll tall"},
        el("a", f"{min(rest, MORE):,} more of {rest:,}", act=more) if rest > 0 else None,
        key="archive-rows",
    )


def more() -> None:
    """Draw more rows."""
    state.set_widget("archive-limit", state.remembered("archive-limit", AT_FIRST) + MORE)


def heading(name: str) -> Node:
    """A column's title: a click sorts by it, another turns the order."""
    view = state.view()
    here = view["sort"] == name
    turned = here and view["order"] == "natural"
    order = "turned" if turned else "natural"
    arrow = (" ▲" if view["order"] == "turned" else " ▼") if here else ""
    return el(
        "a",
        COLUMNS[name] + arrow,
        act=lambda: state.change(sort=name, order=order),
        href=state.href("archive", sort=name, order=order),
        current=here,
    )


def cells(row: Row, *, several: bool) -> Sequence[Node]:
    """One investigation; `several`: its file holds others."""
    found = row.listed
    target = {
        **dict.fromkeys(state.OF_PACKAGE),
        "package": row.entry.id,
        "part": found.part if several else None,
    }
    folder, _, file = row.entry.name.rpartition("/")
    link = el(
        "a",
        file + (f" ({found.part})" if found.part > 1 else ""),
        act=lambda: state.go("overview", **target),
        href=state.href("overview", **target),
        cls="any",
    )
    title = found.title if found.title and not file.startswith(found.title) else ""
    name = el(
        "div",
        el("p", f"{folder}/", cls="dim small any") if folder else None,
        link,
        el("p", title, cls="dim small clamp2") if title else None,
        cls="entry",
    )
    verdict = el(
        "div",
        labels.standing(found),
        el("p", found.verdict, cls="any clamp", tip=found.verdict),
        cls="entry said",
    )
    date = el("span", archived.day(found) or "unknown", cls="nowrap", tip=found.date or "The recording holds no date.")
    return (
        name,
        date,
        el("span", labels.reader(found.reader), cls="nowrap"),
        f"{found.calls:,}",
        f"{found.repeats:,}",
        verdict,
        f"{found.problems:,}",
    )


def left_out() -> None:
    """Files that could not be read, and what is no recording, each with the reason."""
    found = archived.archived(state.archive_entries(), state.archive_seen())
    if found.unread:
        lines = [
            (each.name, each.error.message, each.error.expected or "", each.error.found or "") for each in found.unread
        ]
        panel(
            el("h3", f"{many(len(found.unread), 'file')} could not be read"),
            table(("file", "what is wrong", "expected", "found"), lines[:AT_FIRST]),
            _rest(len(lines), AT_FIRST),
            key="archive-unread",
        )
    over = state.offer().passed
    passed = (*found.passed, *over)
    if passed:
        none = f"{many(len(found.passed), 'file holds', 'files hold')} no recording that can be read"
        links = f"{many(len(over), 'file or folder was', 'files and folders were')} passed over"
        panel(
            el(
                "details",
                el("summary", "; ".join([none] * bool(found.passed) + [links] * bool(over))),
                table(("file", "why"), [(each.name, each.reason) for each in passed[:MORE]]),
                _rest(len(passed), MORE),
            ),
            key="archive-passed",
        )


def _rest(count: int, drawn: int) -> Node | None:
    return el("p", f"{count - drawn:,} more are not drawn here.", cls="dim small") if count > drawn else None


page()
