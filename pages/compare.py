"""Compare: two packages beside each other, decisions aligned by what they asked for, and where the runs part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import InspectorError
from pages.parts import asked, beside, charts, frame, holding, labels, state
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import many

if TYPE_CHECKING:
    from core.compare import Comparison
    from pages.parts.catalogue import Entry
    from pages.parts.holding import Held

state.through_app()

LISTED = 60
SEARCH_FROM = 12
ROWS_DRAWN = 150
EVERY = 1.0
"""Seconds between two looks at what is known of the archive."""
ORIGINS = {"sample": "sample", "argument": "opened with the app", "archive": "archive", "upload": "your upload"}


def head() -> None:
    """What the page is for."""
    panel(
        el("h2", "Compare"),
        el(
            "p",
            "Two runs beside each other: a fault and its repair, yesterday's run and today's. Decisions are aligned by "
            "what they asked for; results by lookup. It shows what differs, not which run is right.",
            cls="dim",
        ),
        key="compare-head",
    )


def chooser(*, chosen: Held | None) -> None:
    """The packages to compare with; drawn again while it is found out which of the archive's files hold a recording."""
    running = bool(state.offer().folders) and state.archive_seen().running
    drawn = state.view()["other"], state.view()["other_part"]

    def draw() -> None:
        state.follow()
        if (state.view()["other"], state.view()["other_part"]) != drawn:
            st.rerun()  # a click in here draws this part only, and the choice is about the page around it
        offered(chosen)
        state.end()
        if running and not state.archive_seen().running:
            st.rerun()  # once more as a whole: nothing is being read any longer

    st.fragment(draw, run_every=EVERY if running else None)()


def offered(chosen: Held | None) -> None:
    """The list of packages, without those that are known to hold nothing."""
    none = state.archive_none()
    others = [each for each in state.entries() if each.id != state.view()["package"]]
    entries = [each for each in others if each.id not in none and not each.missing]
    find = ""
    if len(entries) > SEARCH_FROM:
        find = st.text_input(
            "Find a package", key="compare-find", placeholder="name of a package", label_visibility="collapsed"
        )
    found = [each for each in entries if find.casefold() in each.name.casefold()]
    current = chosen.entry.id if chosen is not None else None
    panel(
        el("div", *(_package(each, each.id == current) for each in found[:LISTED]), cls="list wide"),
        el("p", "No package matches. Upload one in the sidebar.", cls="dim") if not found else None,
        el("p", f"{many(len(none), 'file')} of the archive left out: no recording that can be read.", cls="dim small")
        if none
        else None,
        el("p", f"{len(found) - LISTED:,} more match: search for fewer.", cls="dim small")
        if len(found) > LISTED
        else None,
        key="compare-packages",
    )


def _package(entry: Entry, current: bool) -> Node:  # one caller
    about = holding.about(entry) or ORIGINS[entry.origin]
    changes = {"other": entry.id, "other_part": None, "from": None}
    return el(
        "a",
        el("b", entry.name),
        el("small", about),
        act=lambda: state.change(**changes),
        href=state.href("compare", **changes),
        current=current,
    )


def empty() -> None:
    """No other package yet: choose one."""
    panel(
        el(
            "div",
            el("p", "Choose the package to put beside the one in hand. Both then stand in the address."),
            cls="card info",
        ),
        el("h4", "Compare with"),
        key="compare-empty",
    )
    chooser(chosen=None)


def sides(left: Held, right: Held) -> None:
    """Both packages with their verdicts."""
    for column, package, word in zip(st.columns(2, gap="medium"), (left, right), ("left", "right"), strict=True):
        with column:
            panel(_side(package, word), key=f"compare-{word}")
            if word == "right" and len(package.parts) > 1:
                _parts(package)
    with st.expander("Choose another package to compare with"):
        chooser(chosen=right)


def _side(package: Held, word: str) -> Node:
    found = package.investigation
    diagnosis = holding.diagnosis(package)
    verdict = diagnosis.verdict
    turn = (
        el(
            "a",
            "swap sides",
            act=lambda: state.change(**state.swapped()),
            href=state.href("compare", **state.swapped()),
        )
        if word == "left"
        else None
    )
    return el(
        "div",
        el("div", el("h4", word), turn, cls="row apart small"),
        el("h3", package.entry.name, cls="any"),
        el("p", found.title or "(no title)", cls="dim any"),
        el("div", *labels.origins(found), labels.grade(diagnosis.grade), cls="row"),
        el("p", verdict.sentence, cls="any"),
        el("p", f"{many(len(found.decisions), 'decision')}, {many(len(found.fragments), 'fragment')}", cls="dim small"),
        cls=f"card {labels.verdict_tone(verdict)}",
    )


def _parts(package: Held) -> None:
    st.selectbox(
        f"{len(package.parts)} investigations in this file",
        range(1, len(package.parts) + 1),
        index=package.part - 1,
        format_func=lambda part: f"{part}: {many(len(package.parts[part - 1].decisions), 'decision')}",
        key="compare-part",
        on_change=lambda: state.change(other_part=state.widget("compare-part")),
    )


def parting(found: Comparison, pair: beside.Pair) -> None:
    """Where the runs part, in sentences, each with its proof."""
    said = found.parting
    nodes: list[Node] = [el("h4", "Where they part")]
    sentences = [(said.first, said.row)]
    if said.delivery is not None and said.delivery_row != said.row:  # else the first sentence says it already
        sentences.append((said.delivery, said.delivery_row))
    for sentence, place in sentences:
        proof = [] if place is None else pair.links(found.rows[place])
        nodes.append(el("p", sentence, cls="verdict any"))
        nodes.append(el("div", *proof, cls="row small"))
    if said.prompts is not None:
        nodes.append(el("p", said.prompts, cls="dim any"))
    tone = "good" if said.row is None else "info"
    panel(el("div", *nodes, cls=f"card {tone}"), key="compare-parting")


def sizes(found: Comparison, pair: beside.Pair) -> None:
    """Prompt bytes of both sides, pair by pair."""
    panel(
        el("h3", "Prompt sizes"),
        el("p", "Bytes of each prompt, pair by pair. Click a mark to open that decision.", cls="dim small"),
        key="compare-sizes-head",
    )

    def opened(number: int) -> None:
        row = found.rows[number // 2]
        pair.open(row, "right" if number % 2 else "left")

    charts.draw(
        charts.two_runs(found.rows, pair.keys(found.rows)),
        key="compare-sizes",
        alt="Prompt bytes of both runs for each pair of decisions",
        on_click=opened,
    )


def rows(found: Comparison, pair: beside.Pair) -> None:
    """The pairs, with what each asked, received and came to."""
    folded = state.view()["rows"] == "folded"
    matches = found.matches
    words = {"same": "ask for the same", "shares": "share a lookup", "differs": "ask for something else"}
    words |= {"left only": "only on the left", "right only": "only on the right"}
    tags = [el("span", f"{matches[match]:,} {word}", cls="tag") for match, word in words.items() if matches[match]]
    drawn = beside.fold(found.rows) if folded else [(place, place) for place in range(len(found.rows))]
    start = min(state.view()["from"] or 0, max(len(drawn) - 1, 0)) // ROWS_DRAWN * ROWS_DRAWN
    here = drawn[start : start + ROWS_DRAWN]
    turn = "every" if folded else "folded"
    switch = el(
        "a",
        "show every pair" if folded else "fold what is alike",
        act=lambda: state.change(**{"rows": turn, "from": None}),
        href=state.href("compare", **{"rows": turn, "from": None}),
    )
    panel(
        el("h3", "Decision by decision"),
        el("div", *tags, switch if len(beside.fold(found.rows)) < len(found.rows) else None, cls="row small"),
        pair.table(found.rows, here),
        _pages(start, len(here), len(drawn)),
        key="compare-rows",
    )


def _pages(start: int, count: int, total: int) -> Node | None:
    if count == total:
        return None
    nodes: list[Node] = [el("span", f"rows {start + 1:,}–{start + count:,} of {total:,}", cls="dim")]
    for word, target in (("earlier", start - ROWS_DRAWN), ("later", start + ROWS_DRAWN)):
        if 0 <= target < total:
            changes = {"from": target}
            nodes.append(
                el(
                    "a",
                    word,
                    act=lambda changes=changes: state.change(**changes),
                    href=state.href("compare", **changes),
                )
            )
    return el("div", *nodes, cls="row small")


def both(left: Held, right: Held) -> None:
    """The comparison."""
    found = asked.comparison(left, right)
    pair = beside.Pair(left, right)
    sides(left, right)
    parting(found, pair)
    if found.rows:
        sizes(found, pair)
        rows(found, pair)


head()
try:
    another = state.other()
except InspectorError as error:
    frame.trouble("The other package cannot be opened.", error, "Choose another one below.")
    chooser(chosen=None)
else:
    if another is None:
        empty()
    else:
        both(state.held(), another)
